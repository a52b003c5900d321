// What a pass does to each kind of content.

import { Check, Eraser, Scissors, Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import type { ContentOperation, ContentOperations, IndividualConfig, SmartPass } from "../../../types/smart.js";
import { type Key, useStudio } from "../context.js";

export const CONTENT_KINDS = ["messageText", "toolParameters", "toolResults"] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];
type Operation = ContentOperation["operation"];

/** What can be done to each kind: words are never left out, and nobody summarises parameters. */
export const ALLOWED: Record<ContentKind, readonly Operation[]> = {
  messageText: ["keep", "truncate", "summarize"],
  toolParameters: ["keep", "suppress", "truncate"],
  toolResults: ["keep", "suppress", "truncate", "summarize"],
};

const ICONS = { keep: Check, suppress: Eraser, truncate: Scissors, summarize: Sparkles };

export interface NumberFieldProps {
  label: string;
  value: number | undefined;
  min: number;
  max?: number | undefined;
  onChange: (value: number | undefined) => void;
}

/** A whole number, or nothing for the default. */
export function NumberField({ label, value, min, max, onChange }: NumberFieldProps): ReactNode {
  const { t } = useStudio();
  return (
    <label className="rc:grid rc:gap-1">
      <small>{label}</small>
      <input
        type="number"
        className="rc-input rc:w-28"
        value={value ?? ""}
        min={min}
        max={max}
        placeholder={t("passes.default")}
        onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
      />
    </label>
  );
}

/** An object without the fields that are absent, so that a configuration holds only what somebody said. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

export interface OperationSelectorProps {
  label: string;
  value: Operation;
  allowed: readonly Operation[];
  onChange: (operation: Operation) => void;
}

/** One of the operations, with its sign and what it does. */
export function OperationSelector({ label, value, allowed, onChange }: OperationSelectorProps): ReactNode {
  const { t } = useStudio();
  const Icon = ICONS[value];
  return (
    <div className="rc:flex rc:flex-wrap rc:items-center rc:gap-2">
      <Icon size={16} aria-hidden="true" />
      <select value={value} aria-label={label} onChange={(event) => onChange(event.target.value as Operation)}>
        {allowed.map((name) => (
          <option key={name} value={name}>
            {t(`do.${name}` as Key)}
          </option>
        ))}
      </select>
      {value !== "keep" && (
        <button type="button" className="rc-button" onClick={() => onChange("keep")}>
          {t("passes.reset")}
        </button>
      )}
      <small className="rc:basis-full">{t(`about.${value}` as Key)}</small>
    </div>
  );
}

export interface ContentTypeSelectorProps {
  kind: ContentKind;
  operation: ContentOperation | undefined;
  /** Content with fewer tokens is left as it is. */
  threshold: number | undefined;
  onOperation: (operation: ContentOperation) => void;
  onThreshold: (tokens: number | undefined) => void;
}

/** What is done to one kind of content, and with what limits. */
export function ContentTypeSelector({
  kind,
  operation = { operation: "keep" },
  threshold,
  onOperation,
  onThreshold,
}: ContentTypeSelectorProps): ReactNode {
  const { t } = useStudio();
  const { truncate = {}, summarize = {} } = operation.params ?? {};
  const params = (next: NonNullable<ContentOperation["params"]>) => onOperation({ ...operation, params: { ...operation.params, ...next } });
  return (
    <fieldset className="rc-fieldset">
      <legend>{t(`content.${kind}` as Key)}</legend>
      <OperationSelector
        label={t(`content.${kind}` as Key)}
        value={operation.operation}
        allowed={ALLOWED[kind]}
        onChange={(name) => onOperation({ ...operation, operation: name })}
      />
      <div className="rc:flex rc:flex-wrap rc:gap-3 rc:mt-2">
        {operation.operation === "truncate" && (
          <>
            <NumberField
              label={t("passes.maxLines")}
              value={truncate.maxLines}
              min={1}
              onChange={(maxLines) => params({ truncate: compact({ ...truncate, maxLines }) })}
            />
            <NumberField
              label={t("passes.maxChars")}
              value={truncate.maxChars}
              min={1}
              onChange={(maxChars) => params({ truncate: compact({ ...truncate, maxChars }) })}
            />
            <NumberField
              label={t("passes.averageTokens")}
              value={truncate.averageTokens}
              min={1}
              onChange={(averageTokens) => params({ truncate: compact({ ...truncate, averageTokens }) })}
            />
          </>
        )}
        {operation.operation === "summarize" && (
          <>
            <NumberField
              label={t("passes.maxTokens")}
              value={summarize.maxTokens}
              min={16}
              onChange={(maxTokens) => params({ summarize: compact({ ...summarize, maxTokens }) })}
            />
            <NumberField
              label={t("passes.minChars")}
              value={summarize.minChars}
              min={0}
              onChange={(minChars) => params({ summarize: compact({ ...summarize, minChars }) })}
            />
          </>
        )}
        {operation.operation !== "keep" && <NumberField label={t("passes.from")} value={threshold} min={0} onChange={onThreshold} />}
      </div>
    </fieldset>
  );
}

export interface PassEditorProps {
  pass: SmartPass;
  onChange: (pass: SmartPass) => void;
}

type Selection = SmartPass["selection"];

const SELECTIONS: Record<Selection["type"], Selection> = {
  preserve_recent: { type: "preserve_recent", keepRecentCount: 10 },
  preserve_percent: { type: "preserve_percent", keepPercentage: 30 },
  custom: { type: "custom", messageIndices: [] },
};

/** `3, 7-9` as numbers; what is none of it is left out. */
export function readIndices(text: string): number[] {
  return text.split(/[\s,;]+/).flatMap((part) => {
    const [, from, to] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part) ?? [];
    if (from === undefined) return [];
    const last = Math.min(Number(to ?? from), Number(from) + 9999);
    return Array.from({ length: Math.max(0, last - Number(from) + 1) }, (_, at) => Number(from) + at);
  });
}

function SelectionFields({ selection, onChange }: { selection: Selection; onChange: (selection: Selection) => void }): ReactNode {
  const { t } = useStudio();
  return (
    <div className="rc:flex rc:flex-wrap rc:items-end rc:gap-3">
      <label className="rc:grid rc:gap-1">
        <small>{t("passes.selection")}</small>
        <select value={selection.type} onChange={(event) => onChange(SELECTIONS[event.target.value as Selection["type"]])}>
          {Object.keys(SELECTIONS).map((type) => (
            <option key={type} value={type}>
              {t(`selection.${type}` as Key)}
            </option>
          ))}
        </select>
      </label>
      {selection.type === "preserve_recent" && (
        <NumberField
          label={t("passes.keepCount")}
          value={selection.keepRecentCount}
          min={1}
          onChange={(count) => onChange({ ...selection, keepRecentCount: count ?? 1 })}
        />
      )}
      {selection.type === "preserve_percent" && (
        <NumberField
          label={t("passes.keepPercent")}
          value={selection.keepPercentage}
          min={0}
          max={100}
          onChange={(percent) => onChange({ ...selection, keepPercentage: percent ?? 0 })}
        />
      )}
      {selection.type !== "custom" && (
        <NumberField
          label={t("passes.keepTokens")}
          value={selection.keepRecentTokens}
          min={0}
          onChange={(keepRecentTokens) => onChange(compact({ ...selection, keepRecentTokens }))}
        />
      )}
      {selection.type === "custom" && (
        <label className="rc:grid rc:gap-1">
          <small>{t("passes.indices")}</small>
          <input
            className="rc-input"
            defaultValue={"messageIndices" in selection ? selection.messageIndices.join(", ") : ""}
            onBlur={(event) => onChange({ type: "custom", messageIndices: readIndices(event.target.value) })}
          />
        </label>
      )}
    </div>
  );
}

/** Everything about one pass but what is different for single messages, which the JSON has. */
export function PassEditor({ pass, onChange }: PassEditorProps): ReactNode {
  const { t } = useStudio();
  const individual: IndividualConfig = pass.individualConfig ?? { defaults: {} };
  const batch = pass.batchConfig ?? { operation: "summarize" as const };
  const { summarizationConfig = {} } = batch;
  const threshold = pass.execution?.type === "conditional" ? pass.execution.condition.tokenThreshold : undefined;
  const setIndividual = (next: Partial<IndividualConfig>) => onChange({ ...pass, individualConfig: { ...individual, ...next } });
  const setMode = (mode: SmartPass["mode"]) =>
    onChange(mode === "batch" ? { ...pass, mode, batchConfig: batch } : { ...pass, mode, individualConfig: individual });
  return (
    <div className="rc:grid rc:gap-3">
      <div className="rc:flex rc:flex-wrap rc:items-end rc:gap-3">
        <label className="rc:grid rc:gap-1">
          <small>{t("passes.name")}</small>
          <input
            className="rc-input"
            value={pass.name ?? ""}
            placeholder={pass.id}
            onChange={(event) => onChange(compact({ ...pass, name: event.target.value || undefined }))}
          />
        </label>
        <label className="rc:grid rc:gap-1">
          <small>{t("passes.mode")}</small>
          <select value={pass.mode} onChange={(event) => setMode(event.target.value as SmartPass["mode"])}>
            <option value="individual">{t("mode.individual")}</option>
            <option value="batch">{t("mode.batch")}</option>
          </select>
        </label>
        <NumberField
          label={t("passes.above")}
          value={threshold}
          min={0}
          onChange={(tokens) =>
            onChange({
              ...pass,
              execution: tokens === undefined ? { type: "always" } : { type: "conditional", condition: { tokenThreshold: tokens } },
            })
          }
        />
      </div>
      <SelectionFields key={pass.id} selection={pass.selection} onChange={(selection) => onChange({ ...pass, selection })} />
      {pass.mode === "individual" &&
        CONTENT_KINDS.map((kind) => (
          <ContentTypeSelector
            key={kind}
            kind={kind}
            operation={individual.defaults[kind]}
            threshold={individual.messageTokenThresholds?.[kind]}
            onOperation={(operation) => setIndividual({ defaults: { ...individual.defaults, [kind]: operation } as ContentOperations })}
            onThreshold={(tokens) =>
              setIndividual({ messageTokenThresholds: compact({ ...individual.messageTokenThresholds, [kind]: tokens }) })
            }
          />
        ))}
      {pass.mode === "batch" && (
        <fieldset className="rc-fieldset">
          <legend>{t("mode.batch")}</legend>
          <div className="rc:flex rc:flex-wrap rc:gap-3">
            <NumberField
              label={t("passes.keepFirst")}
              value={summarizationConfig.keepFirst}
              min={1}
              onChange={(keepFirst) =>
                onChange({ ...pass, batchConfig: { ...batch, summarizationConfig: compact({ ...summarizationConfig, keepFirst }) } })
              }
            />
            <NumberField
              label={t("passes.keepLast")}
              value={summarizationConfig.keepLast}
              min={0}
              onChange={(keepLast) =>
                onChange({ ...pass, batchConfig: { ...batch, summarizationConfig: compact({ ...summarizationConfig, keepLast }) } })
              }
            />
          </div>
          <small>{t("about.summarize")}</small>
        </fieldset>
      )}
    </div>
  );
}
