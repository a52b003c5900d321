// The configuration of the smart provider: its prelude, its passes, and the same as JSON.

import { ArrowDown, ArrowUp, Copy, Plus, Redo2, Trash2, TriangleAlert, Undo2 } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { SmartConfig, SmartPass } from "../../../types/smart.js";
import { type Key, useStudio } from "../context.js";
import { type ConfigFault, FaultsAt, isAbout } from "../faults.js";
import { visibleText } from "../text.js";
import { useTold } from "../told.js";
import type { Condensation, InspectedMessage } from "../types.js";
import { NumberField, Switch, compact } from "./fields.js";
import { JsonView, type JsonViewHandle } from "./json-view.js";
import { PassEditor } from "./pass-editor.js";

export type { ConfigFault };

/** What the panel remembers besides the configuration. Whoever takes the panel away for a while keeps this. */
export interface PassMemory {
  past: SmartConfig[];
  future: SmartConfig[];
  /** What was typed as JSON and is none yet. */
  draft?: string | undefined;
}

export const newPassMemory = (): PassMemory => ({ past: [], future: [] });

export interface PassConfigurationPanelProps {
  value: SmartConfig;
  onChange: (config: SmartConfig) => void;
  presets: Record<string, SmartConfig>;
  faults: readonly ConfigFault[];
  /** What came of it: how much each pass saved is shown beside it. */
  condensation?: Condensation | undefined;
  /** Undo and redo, and what was typed. Default: its own, which goes with it. */
  memory?: PassMemory | undefined;
  /** What was changed has been copied or written to a file. */
  onTaken?: (() => void) | undefined;
  /** The conversation, for what is different for single messages. */
  messages?: readonly InspectedMessage[] | undefined;
  /** The message that is looked at. */
  looked?: number | undefined;
}

const PRELUDE = ["deduplicateFileReads", "consolidateToolResults", "removeObsoleteState"] as const;
const MAX_STEPS = 100;

function newPass(passes: readonly SmartPass[]): SmartPass {
  return {
    id: freeId("pass", passes),
    selection: { type: "preserve_recent", keepRecentCount: 10 },
    mode: "individual",
    individualConfig: {
      defaults: { toolResults: { operation: "truncate", params: { truncate: { maxLines: 20 } } } },
      messageTokenThresholds: { toolResults: 500 },
    },
  };
}

function freeId(stem: string, passes: readonly SmartPass[]): string {
  const taken = new Set(passes.map((pass) => pass?.id));
  for (let count = 1; ; count++) if (!taken.has(`${stem}-${count}`)) return `${stem}-${count}`;
}

/** The field that is being typed in, if any: all that is typed in it is one step. */
function typedField(): Element | undefined {
  const { activeElement: field } = document;
  if (field instanceof HTMLTextAreaElement) return field;
  return field instanceof HTMLInputElement && ["text", "number"].includes(field.type) ? field : undefined;
}

/** Undo and redo: the states that were left, and those that were come back from. */
function useSteps(value: SmartConfig, onChange: (config: SmartConfig) => void, memory: PassMemory) {
  const field = useRef<Element>(undefined);
  const set = (next: SmartConfig) => {
    const typed = typedField();
    const goesOn = typed !== undefined && typed === field.current && memory.past.length > 0;
    field.current = typed;
    if (!goesOn) memory.past = [...memory.past.slice(1 - MAX_STEPS), value];
    memory.future = [];
    onChange(next);
  };
  const go = (from: SmartConfig[], to: SmartConfig[]) => {
    const next = from.pop();
    if (next === undefined) return;
    field.current = undefined;
    to.push(value);
    onChange(next);
  };
  return {
    set,
    undo: memory.past.length > 0 ? () => go(memory.past, memory.future) : undefined,
    redo: memory.future.length > 0 ? () => go(memory.future, memory.past) : undefined,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const isAbsentOr = (value: unknown, is: (value: unknown) => boolean) => value === undefined || is(value);

/** Whether fields can be drawn for a pass: it may be wrong, but not so wrong that it has no such fields. JSON may hold anything. */
function isDrawable(pass: unknown): pass is SmartPass {
  if (!isObject(pass) || typeof pass.id !== "string" || !isObject(pass.selection)) return false;
  const { messageIndices } = pass.selection;
  const individual = pass.individualConfig;
  const batch = pass.batchConfig;
  const areParameters = (value: unknown) => isObject(value) && Object.values(value).every((one) => isAbsentOr(one, isObject));
  const areOperations = (value: unknown) =>
    isObject(value) && Object.values(value).every((one) => isAbsentOr(one, (it) => isObject(it) && isAbsentOr(it.params, areParameters)));
  return (
    isAbsentOr(messageIndices, Array.isArray) &&
    isAbsentOr(pass.execution, (it) => isObject(it) && (it.type !== "conditional" || isObject(it.condition))) &&
    isAbsentOr(
      individual,
      (it) =>
        isObject(it) &&
        areOperations(it.defaults) &&
        isAbsentOr(it.messageTokenThresholds, isObject) &&
        isAbsentOr(
          it.overrides,
          (all) => Array.isArray(all) && all.every((one) => isObject(one) && isAbsentOr(one.operations, areOperations)),
        ),
    ) &&
    isAbsentOr(batch, (it) => isObject(it) && isAbsentOr(it.summarizationConfig, isObject))
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
  const told = useTold();
  const [own] = useState(newPassMemory);
  const memory = given ?? own;
  const { set, undo, redo } = useSteps(value, onChange, memory);
  const passes: readonly SmartPass[] = Array.isArray(value.passes) ? value.passes : [];
  const [selected, setSelected] = useState(0);
  const [said, setSaid] = useState("");
  const dragged = useRef<number>(undefined);
  const json = useRef<JsonViewHandle>(null);
  const panel = useRef<HTMLElement>(null);
  const [wanted, setWanted] = useState<string>();
  const current = Math.min(selected, passes.length - 1);
  const pass = passes[current];
  const setPasses = (next: readonly SmartPass[]) => set({ ...value, passes: next });
  const move = (from: number, to: number) => {
    const moved = passes[from];
    if (!moved || to < 0 || to >= passes.length || from === to) return;
    const next = [...passes];
    next.splice(to, 0, ...next.splice(from, 1));
    setPasses(next);
    setSelected(to);
    setWanted(`[data-pass="${to}"]`);
    setSaid(t("passes.moved", { name: nameOf(moved), place: to + 1, count: passes.length }));
  };
  const add = (added: SmartPass, at: number) => {
    setPasses([...passes.slice(0, at), added, ...passes.slice(at)]);
    setSelected(at);
    setWanted(`[data-pass="${at}"]`);
  };
  const remove = (at: number) => {
    setPasses(passes.filter((_, place) => place !== at));
    setSelected(Math.max(0, at < current ? current - 1 : Math.min(current, passes.length - 2)));
    setWanted(`[data-pass="${Math.min(at, passes.length - 2)}"]`);
  };
  // The focus goes where the thing went that was worked on.
  useEffect(() => {
    if (wanted === undefined) return;
    const found = [...(panel.current?.querySelectorAll<HTMLElement>(wanted) ?? [])].at(-1);
    for (let above = found?.closest("details"); above; above = above.parentElement?.closest("details")) above.open = true;
    found?.focus();
    setWanted(undefined);
  }, [wanted]);
  /** Goes to the field of a fault, or to its place in the JSON. */
  const goTo = ({ path }: ConfigFault) => {
    const at = Number(/^passes\[(\d+)\]/.exec(path)?.[1] ?? -1);
    const isShown = at >= 0 && isDrawable(passes[at]);
    if (isShown) setSelected(at);
    // The field is there after the pass is.
    setTimeout(() => {
      const all = [...(panel.current?.querySelectorAll<HTMLElement>("[data-path]") ?? [])];
      const place = all.find((one) => isAbout({ path, message: "" }, one.dataset.path ?? ""))?.dataset.path;
      if (place === undefined) json.current?.goTo(path);
      else setWanted(`[data-path="${CSS.escape(place)}"]`);
    });
  };
  const keyed = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || typedField()) return;
    const key = event.key.toLowerCase();
    const step = key === "y" || (key === "z" && event.shiftKey) ? redo : key === "z" ? undo : undefined;
    if (!step) return;
    event.preventDefault();
    step();
  };
  const prelude = isObject(value.losslessPrelude) ? value.losslessPrelude : {};
  const isPreludeOn = prelude.enabled !== false;
  const operations: Record<string, unknown> = isObject(prelude.operations) ? prelude.operations : {};
  const measured = (id: string | undefined) => {
    const found = condensation?.passes?.find((one) => one.id === id);
    if (!found) return "";
    return found.ran ? format.less(found.tokensBefore - found.tokensAfter) : t("preview.skipped");
  };
  const nameOf = (named: SmartPass | null) =>
    told.passName({ id: String(named?.id ?? ""), name: named?.name === undefined ? undefined : String(named.name) });
  const isFaulty = (at: number) => faults.some((fault) => isAbout(fault, `passes[${at}]`));
  return (
    <section ref={panel} className="rc-passes-panel rc:grid rc:gap-4" aria-label={t("passes.title")} onKeyDown={keyed}>
      <div className="rc:flex rc:flex-wrap rc:items-center rc:gap-2">
        <label>
          <span className="rc-unseen">{t("passes.preset")}</span>
          <select
            value=""
            onChange={(event) => {
              const preset = presets[event.target.value];
              if (!preset) return;
              set(structuredClone(preset));
              setSelected(0);
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
      {faults.length > 0 && (
        <div className="rc-error" role="alert">
          <ul>
            {faults.map((fault) => (
              <li key={`${fault.path} ${fault.message}`}>
                {told.problem(fault)}{" "}
                <button type="button" className="rc-link" onClick={() => goTo(fault)}>
                  {t("passes.goTo")}
                  <span className="rc-unseen">: {visibleText(fault.path)}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <fieldset className="rc-fieldset">
        <legend>
          {t("passes.prelude")} <b>{measured("lossless_prelude")}</b>
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
      <div className="rc:grid rc:gap-2">
        <ol className="rc-pass-list">
          {passes.map((pass, at) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: ids may be the same, or missing, while they are edited
              key={at}
              draggable
              className={at === current ? "rc-chosen" : ""}
              onDragStart={() => {
                dragged.current = at;
              }}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault();
                event.stopPropagation();
                if (dragged.current !== undefined) move(dragged.current, at);
                dragged.current = undefined;
              }}
            >
              <button
                type="button"
                className="rc-change-open rc-pass-name"
                data-pass={at}
                aria-pressed={at === current}
                onClick={() => setSelected(at)}
                onKeyDown={(event) => {
                  const step = event.altKey && event.key === "ArrowUp" ? -1 : event.altKey && event.key === "ArrowDown" ? 1 : 0;
                  if (step === 0) return;
                  event.preventDefault();
                  move(at, at + step);
                }}
              >
                {at + 1}. {nameOf(pass)} <b>{measured(pass?.id)}</b>{" "}
                {isFaulty(at) && <TriangleAlert className="rc-error" size={14} role="img" aria-label={t("passes.faulty")} />}
              </button>
              <button
                type="button"
                className="rc-icon"
                disabled={at === 0}
                aria-label={`${t("passes.up")}: ${nameOf(pass)}`}
                onClick={() => move(at, at - 1)}
              >
                <ArrowUp size={14} aria-hidden="true" />
              </button>
              <button
                type="button"
                className="rc-icon"
                disabled={at === passes.length - 1}
                aria-label={`${t("passes.down")}: ${nameOf(pass)}`}
                onClick={() => move(at, at + 1)}
              >
                <ArrowDown size={14} aria-hidden="true" />
              </button>
              <button
                type="button"
                className="rc-icon"
                aria-label={`${t("passes.duplicate")}: ${nameOf(pass)}`}
                onClick={() => add({ ...structuredClone(pass), id: freeId(pass?.id ?? "pass", passes) }, at + 1)}
              >
                <Copy size={14} aria-hidden="true" />
              </button>
              <button type="button" className="rc-icon" aria-label={`${t("passes.delete")}: ${nameOf(pass)}`} onClick={() => remove(at)}>
                <Trash2 size={14} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ol>
        <button type="button" className="rc-button rc:justify-self-start" onClick={() => add(newPass(passes), passes.length)}>
          <Plus size={14} aria-hidden="true" /> {t("passes.add")}
        </button>
      </div>
      {pass !== undefined && !isDrawable(pass) && <p className="rc-error">{t("passes.undrawable")}</p>}
      {isDrawable(pass) && (
        <FaultsAt base={`passes[${current}]`} faults={faults}>
          <PassEditor
            key={current}
            pass={pass}
            messages={messages}
            looked={looked}
            onChange={(next) => setPasses(passes.map((other, at) => (at === current ? next : other)))}
          />
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
              min={0}
              onChange={(minReductionTokens) => set(compact({ ...value, minReductionTokens }))}
            />
            <NumberField
              label={t("passes.concurrency")}
              path="maxConcurrency"
              value={value.maxConcurrency}
              min={1}
              max={32}
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
