// The state of the panel of passes: steps to undo, the list of passes with the current one, and the focus.

import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { SmartConfig, SmartPass } from "../../../types/smart.js";
import { useStudio } from "../context.js";
import { useTold } from "../told.js";

/** The state of the panel besides the configuration. A parent that removes the panel for a while keeps it. */
export interface PassMemory {
  past: SmartConfig[];
  future: SmartConfig[];
  /** The typed text while it is not valid JSON yet. */
  draft?: string | undefined;
}

export const newPassMemory = (): PassMemory => ({ past: [], future: [] });

const MAX_STEPS = 100;

/** Returns the field that the user is typing in, if any: everything typed in it is one step. */
function typedField(): Element | undefined {
  const { activeElement: field } = document;
  if (field instanceof HTMLTextAreaElement) return field;
  return field instanceof HTMLInputElement && ["text", "number"].includes(field.type) ? field : undefined;
}

/** Undo and redo: the earlier states, and the states that were undone. */
export function useSteps(value: SmartConfig, onChange: (config: SmartConfig) => void, memory: PassMemory) {
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

/** Handles Ctrl+Z and Ctrl+Y, or ⌘, outside of text fields, which undo typing by themselves. */
export const stepKeys =
  ({ undo, redo }: { undo: (() => void) | undefined; redo: (() => void) | undefined }) =>
  (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || typedField()) return;
    const key = event.key.toLowerCase();
    const step = key === "y" || (key === "z" && event.shiftKey) ? redo : key === "z" ? undo : undefined;
    if (!step) return;
    event.preventDefault();
    step();
  };

/** Moves the focus to the last element in the panel that a selector finds, once it exists. */
export function useFocus(panel: RefObject<HTMLElement | null>): (selector: string) => void {
  const [wanted, setWanted] = useState<string>();
  useEffect(() => {
    if (wanted === undefined) return;
    const all = panel.current?.querySelectorAll<HTMLElement>(wanted);
    const found = all?.[all.length - 1];
    for (let above = found?.closest("details"); above; above = above.parentElement?.closest("details")) above.open = true;
    found?.focus();
    setWanted(undefined);
  }, [panel, wanted]);
  return setWanted;
}

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

/** Returns the title of a pass. JSON may contain any value. */
export function usePassName(): (pass: SmartPass | null) => string {
  const told = useTold();
  return (pass) => told.passName({ id: String(pass?.id ?? ""), name: pass?.name === undefined ? undefined : String(pass.name) });
}

/** Returns the passes of a configuration, the current one, and the actions on them. */
export function usePasses(value: SmartConfig, set: (config: SmartConfig) => void, focus: (selector: string) => void) {
  const { t } = useStudio();
  const nameOf = usePassName();
  const [selected, select] = useState(0);
  const [said, setSaid] = useState("");
  const passes: readonly SmartPass[] = Array.isArray(value.passes) ? value.passes : [];
  const current = Math.min(selected, passes.length - 1);
  const setPasses = (next: readonly SmartPass[]) => set({ ...value, passes: next });
  const insert = (added: SmartPass, at: number) => {
    setPasses([...passes.slice(0, at), added, ...passes.slice(at)]);
    select(at);
    focus(`[data-pass="${at}"]`);
  };
  return {
    passes,
    current,
    select,
    /** Describes the last action, for screen readers. */
    said,
    change: (next: SmartPass) => setPasses(passes.map((other, at) => (at === current ? next : other))),
    move: (from: number, to: number) => {
      const moved = passes[from];
      if (!moved || to < 0 || to >= passes.length || from === to) return;
      const next = [...passes];
      next.splice(to, 0, ...next.splice(from, 1));
      setPasses(next);
      select(to);
      focus(`[data-pass="${to}"]`);
      setSaid(t("passes.moved", { name: nameOf(moved), place: to + 1, count: passes.length }));
    },
    add: () => insert(newPass(passes), passes.length),
    duplicate: (at: number) => insert({ ...structuredClone(passes[at]!), id: freeId(passes[at]?.id ?? "pass", passes) }, at + 1),
    remove: (at: number) => {
      setPasses(passes.filter((_, place) => place !== at));
      select(Math.max(0, at < current ? current - 1 : Math.min(current, passes.length - 2)));
      focus(`[data-pass="${Math.min(at, passes.length - 2)}"]`);
    },
  };
}

export type Passes = ReturnType<typeof usePasses>;
