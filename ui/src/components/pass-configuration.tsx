// The configuration of the smart provider: its prelude, its passes, and the same as JSON.

import { ArrowDown, ArrowUp, Copy, Plus, Redo2, Trash2, Undo2 } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { SmartConfig, SmartPass } from "../../../types/smart.js";
import { type Key, useStudio } from "../context.js";
import { visibleText } from "../text.js";
import type { Condensation } from "../types.js";
import { PassEditor } from "./pass-fields.js";

/** What is wrong with a configuration, by the path of the field. */
export interface ConfigFault {
  path: string;
  message: string;
}

export interface PassConfigurationPanelProps {
  value: SmartConfig;
  onChange: (config: SmartConfig) => void;
  presets: Record<string, SmartConfig>;
  faults: readonly ConfigFault[];
  /** What came of it: how much each pass saved is shown beside it. */
  condensation?: Condensation | undefined;
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
  const taken = new Set(passes.map(({ id }) => id));
  for (let count = 1; ; count++) if (!taken.has(`${stem}-${count}`)) return `${stem}-${count}`;
}

/** Undo and redo: the states that were left, and those that were come back from. */
function useSteps(value: SmartConfig, onChange: (config: SmartConfig) => void) {
  const past = useRef<SmartConfig[]>([]);
  const future = useRef<SmartConfig[]>([]);
  const set = (next: SmartConfig) => {
    past.current = [...past.current.slice(1 - MAX_STEPS), value];
    future.current = [];
    onChange(next);
  };
  const go = (from: typeof past, to: typeof past) => {
    const next = from.current.pop();
    if (next === undefined) return;
    to.current.push(value);
    onChange(next);
  };
  return {
    set,
    undo: past.current.length > 0 ? () => go(past, future) : undefined,
    redo: future.current.length > 0 ? () => go(future, past) : undefined,
  };
}

/** The configuration as JSON; what is no JSON is said, and stays in the field. */
function JsonView({ value, onChange }: { value: SmartConfig; onChange: (config: SmartConfig) => void }): ReactNode {
  const { t } = useStudio();
  const json = JSON.stringify(value, null, 2);
  const [text, setText] = useState(json);
  const [fault, setFault] = useState<string>();
  const last = useRef(json);
  useEffect(() => {
    if (json === last.current) return;
    last.current = json;
    setText(json);
    setFault(undefined);
  }, [json]);
  const changed = (next: string) => {
    setText(next);
    try {
      const read: unknown = JSON.parse(next);
      if (typeof read !== "object" || read === null || Array.isArray(read)) throw new Error(t("passes.object"));
      setFault(undefined);
      last.current = JSON.stringify(read, null, 2);
      onChange(read as SmartConfig);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <details>
      <summary>{t("passes.json")}</summary>
      <textarea
        className="rc-json"
        rows={18}
        spellCheck={false}
        value={text}
        aria-label={t("passes.json")}
        aria-invalid={fault !== undefined}
        onChange={(event) => changed(event.target.value)}
      />
      {fault && <p className="rc-error">{visibleText(fault)}</p>}
    </details>
  );
}

export function PassConfigurationPanel({ value, onChange, presets, faults, condensation }: PassConfigurationPanelProps): ReactNode {
  const { t, format } = useStudio();
  const { set, undo, redo } = useSteps(value, onChange);
  const passes = value.passes ?? [];
  const [selected, setSelected] = useState<string | undefined>(passes[0]?.id);
  const dragged = useRef<number>(undefined);
  const current = passes.findIndex(({ id }) => id === selected);
  const setPasses = (next: readonly SmartPass[]) => set({ ...value, passes: next });
  const move = (from: number, to: number) => {
    if (to < 0 || to >= passes.length || from === to) return;
    const next = [...passes];
    next.splice(to, 0, ...next.splice(from, 1));
    setPasses(next);
  };
  const add = (pass: SmartPass, at: number) => {
    setPasses([...passes.slice(0, at), pass, ...passes.slice(at)]);
    setSelected(pass.id);
  };
  const prelude = value.losslessPrelude ?? {};
  const isPreludeOn = prelude.enabled !== false;
  const operations = (prelude.operations ?? {}) as Record<string, unknown>;
  const report = (id: string) => condensation?.passes?.find((pass) => pass.id === id);
  const measured = (id: string) => {
    const found = report(id);
    if (!found) return "";
    return found.ran ? `−${format.number(found.tokensBefore - found.tokensAfter)}` : t("preview.skipped");
  };
  const nameOf = (pass: SmartPass) => visibleText(pass.name ?? pass.id);
  return (
    <section className="rc-passes-panel rc:grid rc:gap-4" aria-label={t("passes.title")}>
      <div className="rc:flex rc:flex-wrap rc:items-center rc:gap-2">
        <label>
          <span className="rc-unseen">{t("passes.preset")}</span>
          <select
            value=""
            onChange={(event) => {
              const preset = presets[event.target.value];
              if (!preset) return;
              set(structuredClone(preset));
              setSelected(preset.passes?.[0]?.id);
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
      {faults.length > 0 && (
        <ul className="rc-error" role="alert">
          {faults.map((fault) => (
            <li key={`${fault.path} ${fault.message}`}>{visibleText(fault.message)}</li>
          ))}
        </ul>
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
              key={pass.id}
              draggable
              className={pass.id === selected ? "rc-chosen" : ""}
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
                aria-pressed={pass.id === selected}
                onClick={() => setSelected(pass.id)}
                onKeyDown={(event) => {
                  const step = event.altKey && event.key === "ArrowUp" ? -1 : event.altKey && event.key === "ArrowDown" ? 1 : 0;
                  if (step === 0) return;
                  event.preventDefault();
                  move(at, at + step);
                }}
              >
                {at + 1}. {nameOf(pass)} <b>{measured(pass.id)}</b>
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
                onClick={() => add({ ...structuredClone(pass), id: freeId(pass.id, passes) }, at + 1)}
              >
                <Copy size={14} aria-hidden="true" />
              </button>
              <button
                type="button"
                className="rc-icon"
                aria-label={`${t("passes.delete")}: ${nameOf(pass)}`}
                onClick={() => setPasses(passes.filter((other) => other !== pass))}
              >
                <Trash2 size={14} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ol>
        <button type="button" className="rc-button rc:justify-self-start" onClick={() => add(newPass(passes), passes.length)}>
          <Plus size={14} aria-hidden="true" /> {t("passes.add")}
        </button>
      </div>
      {current >= 0 && (
        <PassEditor pass={passes[current]!} onChange={(pass) => setPasses(passes.map((other, at) => (at === current ? pass : other)))} />
      )}
      <JsonView value={value} onChange={set} />
    </section>
  );
}
