// What can be done on the page, by name and by key. Parts of the page say what they can do while they are shown.

import { createContext, useContext, useEffect, useRef } from "react";

export interface Command {
  id: string;
  /** For people. */
  name: string;
  /** A letter or sign that does it where nobody writes; with `Ctrl+` everywhere, where ⌘ does as well. */
  key?: string | undefined;
  /** Absent where it cannot be done now. */
  run?: (() => void) | undefined;
}

export class Commands {
  readonly #sources = new Set<() => readonly Command[]>();

  add(source: () => readonly Command[]): () => void {
    this.#sources.add(source);
    return () => {
      this.#sources.delete(source);
    };
  }

  /** All that can be done now. */
  all(): Command[] {
    return [...this.#sources].flatMap((source) => source()).filter(({ run }) => run);
  }

  /** The command of a key; what has a key but cannot be done is told from what has none. */
  forKey(key: string): Command | undefined {
    return [...this.#sources].flatMap((source) => source()).find((command) => command.key === key);
  }
}

export const CommandsContext = createContext<Commands | undefined>(undefined);

/** Says what can be done while a part of the page is shown. */
export function useCommands(commands: readonly Command[]): void {
  const all = useContext(CommandsContext);
  const now = useRef(commands);
  now.current = commands;
  useEffect(() => all?.add(() => now.current), [all]);
}

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));

/** Does what keys say. Single ones, if they are wanted at all, only where nobody writes and nothing lies over the page. */
export function useCommandKeys(commands: Commands, hasLetters: boolean): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
      if (altKey || event.defaultPrevented) return;
      const isControl = ctrlKey || metaKey;
      if (!isControl && (!hasLetters || isWriting(target) || document.querySelector("dialog[open]"))) return;
      if (isControl && shiftKey) return;
      const command = commands.forKey(isControl ? `Ctrl+${key.toUpperCase()}` : key);
      if (!command) return;
      // Also where it cannot be done now: the browser would save the page.
      event.preventDefault();
      command.run?.();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [commands, hasLetters]);
}
