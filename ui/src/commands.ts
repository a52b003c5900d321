// The commands of the page, by name and by key. Parts of the page register theirs while they are shown.

import { createContext, useContext, useEffect, useRef } from "react";

export interface Command {
  id: string;
  /** The name that the user sees. */
  name: string;
  /** A letter or sign that runs the command unless the user is typing; with `Ctrl+` it does so everywhere, as ⌘ does. */
  key?: string | undefined;
  /** Absent if the command is not available now. */
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

  /** Returns all commands that are available now. */
  all(): Command[] {
    return [...this.#sources].flatMap((source) => source()).filter(({ run }) => run);
  }

  /** Returns the command of a key, even one that is not available now; undefined if the key has none. */
  forKey(key: string): Command | undefined {
    return [...this.#sources].flatMap((source) => source()).find((command) => command.key === key);
  }
}

export const CommandsContext = createContext<Commands | undefined>(undefined);

/** Registers commands while a part of the page is shown. */
export function useCommands(commands: readonly Command[]): void {
  const all = useContext(CommandsContext);
  const now = useRef(commands);
  now.current = commands;
  useEffect(() => all?.add(() => now.current), [all]);
}

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));

/** Runs the commands of keys. Single keys work only if the user wants them, is not typing, and no dialog is open. */
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
      // Also prevented for a command that is not available now, because the browser would run its own (such as saving the page).
      event.preventDefault();
      command.run?.();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [commands, hasLetters]);
}
