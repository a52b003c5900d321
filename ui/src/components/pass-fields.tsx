// The operation for each kind of content.

import { Check, CornerDownRight, Eraser, Scissors, Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import type { ContentOperation } from "../../../types/options.js";
import { type Key, useStudio } from "../context.js";
import { FaultsAt, useFieldFault } from "../faults.js";
import { OperationBadges } from "./badges.js";
import { ChoiceField, NumberField, TextField, compact } from "./fields.js";

export const CONTENT_KINDS = ["messageText", "toolParameters", "toolResults"] as const;
type ContentKind = (typeof CONTENT_KINDS)[number];
type Operation = ContentOperation["operation"];

/** The operations allowed for each kind: message texts are never left out, and parameters are never summarised. */
const ALLOWED: Record<ContentKind, readonly Operation[]> = {
  messageText: ["keep", "truncate", "summarize"],
  toolParameters: ["keep", "suppress", "truncate"],
  toolResults: ["keep", "suppress", "truncate", "summarize"],
};

const ICONS = { keep: Check, suppress: Eraser, truncate: Scissors, summarize: Sparkles };
const STRATEGIES = ["salient", "head", "head_tail"] as const;

export interface OperationSelectorProps {
  label: string;
  /** Absent if the message follows `inherited`, the operation for all messages. */
  value: Operation | undefined;
  allowed: readonly Operation[];
  inherited?: Operation | undefined;
  /** Its limits, which the badges show. */
  params?: Pick<ContentOperation, "params"> | undefined;
  onChange: (operation: Operation | undefined) => void;
}

/** Selects an operation, with its icon and description. */
export function OperationSelector({ label, value, allowed, inherited, params, onChange }: OperationSelectorProps): ReactNode {
  const { t } = useStudio();
  const { control, note } = useFieldFault("operation");
  const done = value ?? inherited ?? "keep";
  const Icon = value === undefined && inherited !== undefined ? CornerDownRight : (ICONS[done] ?? Check);
  const nameOf = (name: Operation) => t(`do.${name}` as Key);
  const first = inherited === undefined ? "keep" : undefined;
  return (
    <div className="rc:flex rc:flex-wrap rc:items-center rc:gap-2">
      <Icon size={16} aria-hidden="true" />
      <select
        value={value ?? first ?? ""}
        aria-label={label}
        onChange={(event) => onChange(event.target.value === "" ? undefined : (event.target.value as Operation))}
        {...control}
      >
        {inherited !== undefined && <option value="">{t("overrides.inherit", { name: nameOf(inherited) })}</option>}
        {value !== undefined && !allowed.includes(value) && <option value={value}>{nameOf(value)}</option>}
        {allowed.map((name) => (
          <option key={name} value={name}>
            {nameOf(name)}
          </option>
        ))}
      </select>
      {value !== first && value !== undefined && (
        <button type="button" className="rc-button" onClick={() => onChange(first)}>
          {t(first === undefined ? "overrides.reset" : "passes.reset")}
        </button>
      )}
      {note}
      {done !== "keep" && <small className="rc:basis-full">{t(`about.${done}` as Key)}</small>}
      <OperationBadges operation={{ ...params, operation: done }} />
    </div>
  );
}

export interface ContentTypeSelectorProps {
  kind: ContentKind;
  operation: ContentOperation | undefined;
  /** Content with fewer tokens is left unchanged. */
  threshold: number | undefined;
  /** For a single message: the operation for all messages. `operation` may then be absent. */
  inherited?: ContentOperation | undefined;
  /** The paths of operations and thresholds, to find their faults. */
  operationsPath?: string | undefined;
  thresholdsPath?: string | undefined;
  onOperation: (operation: ContentOperation | undefined) => void;
  onThreshold: (tokens: number | undefined) => void;
}

/** Sets the operation and its limits for one kind of content. */
export function ContentTypeSelector({
  kind,
  operation,
  threshold,
  inherited,
  operationsPath = "",
  thresholdsPath = "",
  onOperation,
  onThreshold,
}: ContentTypeSelectorProps): ReactNode {
  const { t } = useStudio();
  const { truncate = {}, summarize = {} } = operation?.params ?? {};
  const params = (next: NonNullable<ContentOperation["params"]>) =>
    operation && onOperation({ ...operation, params: { ...operation.params, ...next } });
  const cut = (next: Partial<typeof truncate>) => params({ truncate: compact({ ...truncate, ...next }) });
  const written = (next: Partial<typeof summarize>) => params({ summarize: compact({ ...summarize, ...next }) });
  const done = operation?.operation ?? inherited?.operation ?? "keep";
  return (
    <fieldset className="rc-fieldset">
      <legend>{t(`content.${kind}` as Key)}</legend>
      <FaultsAt base={`${operationsPath}.${kind}`}>
        <OperationSelector
          label={t(`content.${kind}` as Key)}
          value={operation?.operation}
          inherited={inherited?.operation}
          allowed={ALLOWED[kind]}
          params={operation ?? inherited}
          onChange={(name) => onOperation(name && { ...operation, operation: name })}
        />
        <div className="rc:flex rc:flex-wrap rc:gap-3 rc:mt-2">
          {operation?.operation === "truncate" && (
            <FaultsAt base="params.truncate">
              <NumberField
                label={t("passes.maxLines")}
                path="maxLines"
                value={truncate.maxLines}
                onChange={(maxLines) => cut({ maxLines })}
              />
              <NumberField
                label={t("passes.maxChars")}
                path="maxChars"
                value={truncate.maxChars}
                onChange={(maxChars) => cut({ maxChars })}
              />
              <NumberField
                label={t("passes.averageTokens")}
                path="averageTokens"
                value={truncate.averageTokens}
                onChange={(averageTokens) => cut({ averageTokens })}
              />
              <ChoiceField
                label={t("passes.strategy")}
                path="strategy"
                value={truncate.strategy ?? "salient"}
                names={STRATEGIES}
                wordOf={(name) => t(`strategy.${name}` as Key)}
                onChange={(strategy) => cut({ strategy })}
              />
            </FaultsAt>
          )}
          {operation?.operation === "summarize" && (
            <FaultsAt base="params.summarize">
              <NumberField
                label={t("passes.maxTokens")}
                path="maxTokens"
                value={summarize.maxTokens}
                onChange={(maxTokens) => written({ maxTokens })}
              />
              <NumberField
                label={t("passes.minChars")}
                path="minChars"
                value={summarize.minChars}
                onChange={(minChars) => written({ minChars })}
              />
              <TextField
                label={t("passes.profile")}
                path="apiProfile"
                value={summarize.apiProfile}
                onChange={(apiProfile) => written({ apiProfile })}
              />
              <TextField
                label={t("passes.prompt")}
                path="customPrompt"
                isLong
                value={summarize.customPrompt}
                onChange={(customPrompt) => written({ customPrompt })}
              />
            </FaultsAt>
          )}
        </div>
      </FaultsAt>
      {done !== "keep" && (
        <FaultsAt base={thresholdsPath}>
          <NumberField label={t("passes.from")} path={kind} value={threshold} onChange={onThreshold} />
        </FaultsAt>
      )}
    </fieldset>
  );
}
