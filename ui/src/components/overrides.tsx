// Exceptions of a pass for single messages.

import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { IconButton } from "./icon-button.js";
import type { ContentOperation, ContentOperations, ContentThresholds, IndividualConfig } from "../../../types/options.js";
import { type Key, useStudio } from "../context.js";
import { FaultsAt } from "../faults.js";
import { roleText, visibleText } from "../text.js";
import type { InspectedMessage } from "../types.js";
import { NumberField, compact } from "./fields.js";
import { CONTENT_KINDS, ContentTypeSelector } from "./pass-fields.js";

type Override = NonNullable<IndividualConfig["overrides"]>[number];

interface OverridesProps {
  value: readonly Override[];
  /** The operations for all other messages. */
  defaults: ContentOperations;
  onChange: (overrides: readonly Override[]) => void;
  /** The conversation, so that the list can show which message a number is. */
  messages?: readonly InspectedMessage[] | undefined;
  /** The index of the open message, which is suggested for the next override. */
  looked?: number | undefined;
}

const without = <T extends object>(fields: T) => (Object.keys(fields).length > 0 ? fields : undefined);

/** Adds, changes and deletes exceptions for single messages. */
export function Overrides({ value, defaults, onChange, messages, looked }: OverridesProps): ReactNode {
  const { t } = useStudio();
  const [wanted, setWanted] = useState<number>();
  const adding = useRef<HTMLButtonElement>(null);
  const isTaken = (at: number) => value.some(({ messageIndex }) => messageIndex === at);
  let index = wanted ?? looked ?? 1;
  if (wanted === undefined) while (isTaken(index)) index += 1;
  const isThere = isTaken(index);
  const isBeyond = messages !== undefined && index >= messages.length;
  const wordOf = (at: number) => {
    const message = messages?.[at];
    return message ? `${roleText(t, message.role)}: ${visibleText(message.label).slice(0, 80)}` : "";
  };
  const set = (at: number, next: Override) => onChange(value.map((one, place) => (place === at ? next : one)));
  const summaryOf = ({ operations = {} }: Override) =>
    CONTENT_KINDS.flatMap((kind) => {
      const operation = operations[kind]?.operation;
      return operation ? [`${t(`content.${kind}` as Key)}: ${t(`do.${operation}` as Key)}`] : [];
    }).join(" · ");
  return (
    <fieldset className="rc-fieldset">
      <legend>{t("overrides.title")}</legend>
      <ul className="rc-overrides">
        {value.map((override, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a place is all that an override has; its number is being edited
          <li key={at}>
            <FaultsAt base={`overrides[${at}]`}>
              <details>
                <summary>
                  <b>{t("overrides.message", { index: String(override.messageIndex) })}</b> {wordOf(override.messageIndex)}{" "}
                  <small>{summaryOf(override)}</small>
                </summary>
                <div className="rc:grid rc:gap-3 rc:mt-2">
                  <NumberField
                    label={t("overrides.index")}
                    path="messageIndex"
                    value={override.messageIndex}
                    onChange={(messageIndex) => set(at, { ...override, messageIndex: messageIndex ?? 0 })}
                  />
                  {CONTENT_KINDS.map((kind) => (
                    <ContentTypeSelector
                      key={kind}
                      kind={kind}
                      operation={override.operations?.[kind]}
                      inherited={defaults[kind] ?? KEEP}
                      threshold={override.messageTokenThresholds?.[kind]}
                      operationsPath="operations"
                      thresholdsPath="messageTokenThresholds"
                      onOperation={(operation) => {
                        const operations = compact({ ...override.operations, [kind]: operation }) as ContentOperations;
                        set(at, compact({ ...override, operations: without(operations) }));
                      }}
                      onThreshold={(tokens) => {
                        const thresholds = compact({ ...override.messageTokenThresholds, [kind]: tokens }) as ContentThresholds;
                        set(at, compact({ ...override, messageTokenThresholds: without(thresholds) }));
                      }}
                    />
                  ))}
                </div>
              </details>
            </FaultsAt>
            <IconButton
              label={`${t("passes.delete")}: ${t("overrides.message", { index: String(override.messageIndex) })}`}
              onClick={() => {
                onChange(value.filter((other) => other !== override));
                adding.current?.focus();
              }}
            >
              <Trash2 size={14} aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ul>
      <div className="rc:flex rc:flex-wrap rc:items-end rc:gap-3">
        <NumberField label={t("overrides.index")} value={index} onChange={setWanted} />
        <button
          ref={adding}
          type="button"
          className="rc-button"
          disabled={isThere || isBeyond || !Number.isSafeInteger(index) || index < 0}
          onClick={() => {
            onChange([...value, { messageIndex: index, operations: kept(defaults) }]);
            setWanted(undefined);
          }}
        >
          <Plus size={14} aria-hidden="true" /> {t("overrides.add")}
        </button>
        <small className="rc:basis-full">
          {isThere ? t("overrides.there") : isBeyond ? t("overrides.beyond", { count: messages.length }) : wordOf(index)}
        </small>
      </div>
    </fieldset>
  );
}

const KEEP: ContentOperation = { operation: "keep" };

/** Returns the operations of a new override: the message stays unchanged. */
function kept(defaults: ContentOperations): ContentOperations {
  const changed = CONTENT_KINDS.filter((kind) => (defaults[kind]?.operation ?? "keep") !== "keep");
  return Object.fromEntries((changed.length > 0 ? changed : ["toolResults"]).map((kind) => [kind, KEEP]));
}
