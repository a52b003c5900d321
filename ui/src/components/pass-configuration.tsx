// The configuration of the smart provider: its prelude, its passes, and both as JSON.

import { Redo2, Undo2 } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { SmartConfig } from "../../../types/smart.js";
import { type Key, useStudio } from "../context.js";
import { type ConfigFault, FaultsAt, isAbout } from "../faults.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Condensation, InspectedMessage } from "../types.js";
import { NumberField, Switch, compact } from "./fields.js";
import { JsonView, type JsonViewHandle } from "./json-view.js";
import { isDrawable, isObject } from "./pass-drawable.js";
import { PassEditor } from "./pass-editor.js";
import { type PassMemory, newPassMemory, stepKeys, useFocus, usePasses, useSteps } from "./pass-hooks.js";
import { PassList } from "./pass-list.js";

export { type PassMemory, newPassMemory };

export interface PassConfigurationPanelProps {
  value: SmartConfig;
  onChange: (config: SmartConfig) => void;
  presets: Record<string, SmartConfig>;
  faults: readonly ConfigFault[];
  /** The result of the passes: the savings of each are shown beside it. */
  condensation?: Condensation | undefined;
  /** The steps to undo and redo, and the typed JSON. Default: its own, which it loses when it is removed. */
  memory?: PassMemory | undefined;
  /** Called when a changed configuration was copied or written to a file. */
  onTaken?: (() => void) | undefined;
  /** The conversation, for overrides of single messages. */
  messages?: readonly InspectedMessage[] | undefined;
  /** The open message. */
  looked?: number | undefined;
}

const PRELUDE = ["deduplicateFileReads", "consolidateToolResults", "removeObsoleteState"] as const;
/** The operations before all passes, which lose nothing. */
function Prelude({ value, set, saved }: { value: SmartConfig; set: (config: SmartConfig) => void; saved: ReactNode }): ReactNode {
  const { t } = useStudio();
  const prelude: NonNullable<SmartConfig["losslessPrelude"]> = isObject(value.losslessPrelude) ? value.losslessPrelude : {};
  const isPreludeOn = prelude.enabled !== false;
  const operations: Record<string, unknown> = isObject(prelude.operations) ? prelude.operations : {};
  return (
    <fieldset className="rc-fieldset">
      <legend>
        {t("passes.prelude")} {saved}
      </legend>
      <label className="rc-check">
        <input
          type="checkbox"
          checked={isPreludeOn}
          onChange={(event) => set({ ...value, losslessPrelude: { ...prelude, enabled: event.target.checked } })}
        />{" "}
        {t("passes.preludeOn")}
      </label>
      {isPreludeOn &&
        PRELUDE.map((name) => (
          <label key={name} className="rc-check">
            <input
              type="checkbox"
              checked={operations[name] !== false}
              onChange={(event) =>
                set({ ...value, losslessPrelude: { ...prelude, operations: { ...prelude.operations, [name]: event.target.checked } } })
              }
            />{" "}
            {t(`prelude.${name}` as Key)}
          </label>
        ))}
    </fieldset>
  );
}

/** The faults, each with a link to its field. */
function Faults({ faults, onShow }: { faults: readonly ConfigFault[]; onShow: (fault: ConfigFault) => void }): ReactNode {
  const { t } = useStudio();
  const told = useTold();
  return (
    <div className="rc-error" role="alert">
      <ul>
        {faults.map((fault) => (
          <li key={`${fault.path} ${fault.message}`}>
            {told.problem(fault)}{" "}
            <button type="button" className="rc-link" onClick={() => onShow(fault)}>
              {t("passes.goTo")}
              <span className="rc-unseen">: {visibleText(fault.path)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function PassConfigurationPanel({
  value,
  onChange,
  presets,
  faults,
  condensation,
  memory: given,
  onTaken,
  messages,
  looked,
}: PassConfigurationPanelProps): ReactNode {
  const { t, format } = useStudio();
  const [own] = useState(newPassMemory);
  const memory = given ?? own;
  const { set, undo, redo } = useSteps(value, onChange, memory);
  const json = useRef<JsonViewHandle>(null);
  const panel = useRef<HTMLElement>(null);
  const focus = useFocus(panel);
  const list = usePasses(value, set, focus);
  const { passes, current, select, said } = list;
  const pass = passes[current];
  /** Goes to the field of a fault, or to its place in the JSON. */
  const goTo = ({ path }: ConfigFault) => {
    const at = Number(/^passes\[(\d+)\]/.exec(path)?.[1] ?? -1);
    const isShown = at >= 0 && isDrawable(passes[at]);
    if (isShown) select(at);
    // The field exists once the pass is shown.
    setTimeout(() => {
      const all = [...(panel.current?.querySelectorAll<HTMLElement>("[data-path]") ?? [])];
      const place = all.find((one) => isAbout({ path, message: "" }, one.dataset.path ?? ""))?.dataset.path;
      if (place === undefined) json.current?.goTo(path);
      else focus(`[data-path="${CSS.escape(place)}"]`);
    });
  };
  const measured = (id: string | undefined) => {
    const found = condensation?.passes?.find((one) => one.id === id);
    if (!found) return null;
    return found.ran ? <b>{format.less(found.tokensBefore - found.tokensAfter)}</b> : <small>{t("preview.skipped")}</small>;
  };
  return (
    <section ref={panel} className="rc-passes-panel rc:grid rc:gap-4" aria-label={t("passes.title")} onKeyDown={stepKeys({ undo, redo })}>
      <div className="rc:flex rc:flex-wrap rc:items-center rc:gap-2">
        <label>
          <span className="rc-unseen">{t("passes.preset")}</span>
          <select
            value=""
            onChange={(event) => {
              const preset = presets[event.target.value];
              if (!preset) return;
              set(structuredClone(preset));
              select(0);
            }}
          >
            <option value="">{t("passes.preset")}</option>
            {Object.keys(presets).map((name) => (
              <option key={name} value={name}>
                {t(`preset.${name}` as Key)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" className="rc-button" disabled={!undo} onClick={undo}>
          <Undo2 size={14} aria-hidden="true" /> {t("passes.undo")}
        </button>
        <button type="button" className="rc-button" disabled={!redo} onClick={redo}>
          <Redo2 size={14} aria-hidden="true" /> {t("passes.redo")}
        </button>
      </div>
      <p className="rc-unseen" role="status">
        {said}
      </p>
      {faults.length > 0 && <Faults faults={faults} onShow={goTo} />}
      <Prelude value={value} set={set} saved={measured("lossless_prelude")} />
      <PassList list={list} faults={faults} measured={measured} />
      {pass !== undefined && !isDrawable(pass) && <p className="rc-error">{t("passes.undrawable")}</p>}
      {isDrawable(pass) && (
        <FaultsAt base={`passes[${current}]`} faults={faults}>
          <PassEditor key={current} pass={pass} messages={messages} looked={looked} onChange={list.change} />
        </FaultsAt>
      )}
      <FaultsAt base="" faults={faults}>
        <details>
          <summary>{t("passes.whole")}</summary>
          <div className="rc:flex rc:flex-wrap rc:gap-3 rc:mt-2">
            <NumberField
              label={t("passes.minReduction")}
              path="minReductionTokens"
              value={value.minReductionTokens}
              onChange={(minReductionTokens) => set(compact({ ...value, minReductionTokens }))}
            />
            <NumberField
              label={t("passes.concurrency")}
              path="maxConcurrency"
              value={value.maxConcurrency}
              onChange={(maxConcurrency) => set(compact({ ...value, maxConcurrency }))}
            />
            <Switch
              label={t("passes.meetTarget")}
              path="meetTarget"
              checked={value.meetTarget === true}
              onChange={(meetTarget) => set({ ...value, meetTarget })}
            />
          </div>
        </details>
      </FaultsAt>
      <JsonView
        handle={json}
        value={value}
        onChange={set}
        faults={faults}
        draft={memory.draft}
        onDraft={(draft) => {
          memory.draft = draft;
        }}
        onTaken={() => onTaken?.()}
      />
    </section>
  );
}
