// The editor of one pass.

import type { ReactNode } from "react";
import type { ContentOperations, IndividualConfig } from "../../../types/options.js";
import type { SmartPass } from "../../../types/smart.js";
import { type Key, useStudio } from "../context.js";
import { FaultsAt } from "../faults.js";
import { visibleText } from "../text.js";
import type { InspectedMessage } from "../types.js";
import { ChoiceField, IndicesField, NumberField, Switch, TextField, compact } from "./fields.js";
import { Overrides } from "./overrides.js";
import { CONTENT_KINDS, ContentTypeSelector } from "./pass-fields.js";

type Selection = SmartPass["selection"];

const SELECTIONS: Record<Selection["type"], Selection> = {
  preserve_recent: { type: "preserve_recent", keepRecentCount: 10 },
  preserve_percent: { type: "preserve_percent", keepPercentage: 30 },
  custom: { type: "custom", messageIndices: [] },
};
const TYPES = ["preserve_recent", "preserve_percent", "custom"] as const;

function SelectionFields({ selection, onChange }: { selection: Selection; onChange: (selection: Selection) => void }): ReactNode {
  const { t } = useStudio();
  return (
    <div className="rc:flex rc:flex-wrap rc:items-start rc:gap-3">
      <ChoiceField
        label={t("passes.selection")}
        path="type"
        value={selection.type}
        names={TYPES}
        wordOf={(name) => t(`selection.${name}` as Key)}
        onChange={(type) => onChange(SELECTIONS[type])}
      />
      {selection.type === "preserve_recent" && (
        <NumberField
          label={t("passes.keepCount")}
          path="keepRecentCount"
          value={selection.keepRecentCount}
          onChange={(count) => onChange({ ...selection, keepRecentCount: count ?? 1 })}
        />
      )}
      {selection.type === "preserve_percent" && (
        <NumberField
          label={t("passes.keepPercent")}
          path="keepPercentage"
          value={selection.keepPercentage}
          onChange={(percent) => onChange({ ...selection, keepPercentage: percent ?? 0 })}
        />
      )}
      {selection.type !== "custom" && (
        <NumberField
          label={t("passes.keepTokens")}
          path="keepRecentTokens"
          value={selection.keepRecentTokens}
          onChange={(keepRecentTokens) => onChange(compact({ ...selection, keepRecentTokens }))}
        />
      )}
      {selection.type === "custom" && (
        <IndicesField
          label={t("passes.indices")}
          path="messageIndices"
          value={"messageIndices" in selection ? selection.messageIndices : []}
          onChange={(messageIndices) => onChange({ type: "custom", messageIndices })}
        />
      )}
    </div>
  );
}

type Batch = NonNullable<SmartPass["batchConfig"]>;

function BatchFields({ batch, onChange }: { batch: Batch; onChange: (batch: Batch) => void }): ReactNode {
  const { t } = useStudio();
  const { summarizationConfig: summary = {} } = batch;
  const set = (next: Partial<typeof summary>) => onChange({ ...batch, summarizationConfig: compact({ ...summary, ...next }) });
  return (
    <fieldset className="rc-fieldset">
      <legend>{t("mode.batch")}</legend>
      <div className="rc:flex rc:flex-wrap rc:gap-3">
        <ChoiceField
          label={t("passes.operation")}
          path="operation"
          value={batch.operation}
          names={["summarize", "keep"] as const}
          wordOf={(name) => t(`do.${name}` as Key)}
          onChange={(operation) => onChange({ ...batch, operation })}
        />
        {batch.operation === "summarize" && (
          <FaultsAt base="summarizationConfig">
            <NumberField
              label={t("passes.keepFirst")}
              path="keepFirst"
              value={summary.keepFirst}
              onChange={(keepFirst) => set({ keepFirst })}
            />
            <NumberField label={t("passes.keepLast")} path="keepLast" value={summary.keepLast} onChange={(keepLast) => set({ keepLast })} />
            <TextField
              label={t("passes.profile")}
              path="apiProfile"
              value={summary.apiProfile}
              onChange={(apiProfile) => set({ apiProfile })}
            />
            <TextField
              label={t("passes.prompt")}
              path="customPrompt"
              isLong
              value={summary.customPrompt}
              onChange={(customPrompt) => set({ customPrompt })}
            />
            {(summary.summaryCheck === undefined || typeof summary.summaryCheck === "boolean") && (
              <Switch
                label={t("passes.check")}
                path="summaryCheck"
                checked={summary.summaryCheck === true}
                onChange={(isOn) => set({ summaryCheck: isOn || undefined })}
              />
            )}
          </FaultsAt>
        )}
      </div>
      <small>{t(batch.operation === "keep" ? "about.keep" : "passes.aboutBatch")}</small>
    </fieldset>
  );
}

export interface PassEditorProps {
  pass: SmartPass;
  onChange: (pass: SmartPass) => void;
  /** The conversation, for overrides of single messages. */
  messages?: readonly InspectedMessage[] | undefined;
  /** The open message. */
  looked?: number | undefined;
}

/** Edits one pass. A fault of a field is shown below it, see `FaultsAt`. */
export function PassEditor({ pass, onChange, messages, looked }: PassEditorProps): ReactNode {
  const { t } = useStudio();
  const individual: IndividualConfig = pass.individualConfig ?? { defaults: {} };
  const batch: Batch = pass.batchConfig ?? { operation: "summarize" };
  const threshold = pass.execution?.type === "conditional" ? pass.execution.condition.tokenThreshold : undefined;
  const setIndividual = (next: Partial<IndividualConfig>) =>
    onChange({ ...pass, individualConfig: compact({ ...individual, ...next }) as IndividualConfig });
  const setMode = (mode: SmartPass["mode"]) =>
    onChange(mode === "batch" ? { ...pass, mode, batchConfig: batch } : { ...pass, mode, individualConfig: individual });
  return (
    <div className="rc:grid rc:gap-3">
      <div className="rc:flex rc:flex-wrap rc:items-start rc:gap-3">
        <TextField
          label={t("passes.name")}
          path="name"
          value={pass.name}
          placeholder={visibleText(pass.id)}
          onChange={(name) => onChange(compact({ ...pass, name }))}
        />
        <TextField label={t("passes.id")} path="id" value={pass.id} onChange={(id) => onChange({ ...pass, id: id ?? "" })} />
        <ChoiceField
          label={t("passes.mode")}
          path="mode"
          value={pass.mode}
          names={["individual", "batch"] as const}
          wordOf={(name) => t(`mode.${name}` as Key)}
          onChange={setMode}
        />
        <NumberField
          label={t("passes.above")}
          path="execution"
          value={threshold}
          onChange={(tokens) =>
            onChange({
              ...pass,
              execution: tokens === undefined ? { type: "always" } : { type: "conditional", condition: { tokenThreshold: tokens } },
            })
          }
        />
      </div>
      <FaultsAt base="selection">
        <SelectionFields selection={pass.selection} onChange={(selection) => onChange({ ...pass, selection })} />
      </FaultsAt>
      {pass.mode === "individual" && (
        <FaultsAt base="individualConfig">
          {CONTENT_KINDS.map((kind) => (
            <ContentTypeSelector
              key={kind}
              kind={kind}
              operation={individual.defaults[kind]}
              threshold={individual.messageTokenThresholds?.[kind]}
              operationsPath="defaults"
              thresholdsPath="messageTokenThresholds"
              onOperation={(operation) =>
                setIndividual({ defaults: compact({ ...individual.defaults, [kind]: operation }) as ContentOperations })
              }
              onThreshold={(tokens) =>
                setIndividual({ messageTokenThresholds: compact({ ...individual.messageTokenThresholds, [kind]: tokens }) })
              }
            />
          ))}
          <Overrides
            value={individual.overrides ?? []}
            defaults={individual.defaults}
            messages={messages}
            looked={looked}
            onChange={(overrides) => setIndividual({ overrides: overrides.length > 0 ? overrides : undefined })}
          />
        </FaultsAt>
      )}
      {pass.mode === "batch" && (
        <FaultsAt base="batchConfig">
          <BatchFields batch={batch} onChange={(batchConfig) => onChange({ ...pass, batchConfig })} />
        </FaultsAt>
      )}
    </div>
  );
}
