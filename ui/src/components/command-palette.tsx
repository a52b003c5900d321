// The list of all commands, by name, and of all messages, by number or content.

import { type KeyboardEvent, type ReactNode, useContext, useId, useLayoutEffect, useRef, useState } from "react";
import { CommandsContext, type Command } from "../commands.js";
import { useStudio } from "../context.js";
import { useAnswer } from "../hooks.js";
import { visibleText } from "../text.js";

interface CommandPaletteProps {
  /** The history whose messages are searched, and a function that opens one of them. */
  history?: { id: string; revision: number; labelOf: (index: number) => string; count: number; open: (index: number) => void } | undefined;
  onClose: () => void;
}

/** Maximum number of messages that are listed; the user can type more to find others. */
const MOST_MESSAGES = 20;

/** Removes accents, so that `reglages` finds `Réglages`. */
const plain = (text: string) => text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");

export function CommandPalette({ history, onClose }: CommandPaletteProps): ReactNode {
  const { client, t } = useStudio();
  const commands = useContext(CommandsContext);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const wanted = plain(text.trim());
  const searched = useAnswer(
    history && wanted.length > 1 ? (signal) => client.search({ history: history.id, text }, { signal }) : undefined,
    [client, history?.id, history?.revision, text],
    150,
  );
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const found: Command[] = (commands?.all() ?? []).filter(({ name }) => wanted.split(/\s+/).every((part) => plain(name).includes(part)));
  if (history && wanted !== "") {
    const { count, labelOf, open } = history;
    const numbered = /^#?(\d{1,7})$/.exec(wanted)?.[1];
    const places = [...(numbered !== undefined && Number(numbered) < count ? [Number(numbered)] : [])];
    if (wanted.length > 1) places.push(...(searched.answer?.messages ?? []).filter((index) => index < count));
    for (const index of [...new Set(places)].slice(0, MOST_MESSAGES)) {
      const label = visibleText(labelOf(index));
      const title = t("message.title", { index });
      found.push({ id: `message ${index}`, name: label === "" ? title : `${title}: ${label}`, run: () => open(index) });
    }
  }
  const chosen = Math.min(at, found.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    // Runs once the page behind the dialog can take the focus.
    requestAnimationFrame(() => command.run?.());
  };
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setAt((chosen + step + found.length) % found.length);
    else if (event.key === "Enter") run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className="rc-palette"
      aria-label={t("commands.title")}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={pressed}
    >
      <input
        className="rc-input"
        role="combobox"
        aria-expanded={true}
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${chosen}` : undefined}
        aria-label={t("commands.search")}
        placeholder={t("commands.search")}
        value={text}
        autoFocus
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      <div id={list} role="listbox" aria-label={t("commands.title")} className="rc-palette-list">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which has the keyboard
          <div
            key={command.id}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className="rc-palette-row"
            ref={(row) => {
              if (index === chosen) row?.scrollIntoView({ block: "nearest" });
            }}
            onPointerMove={() => index !== chosen && setAt(index)}
            onClick={() => run(command)}
          >
            <span>{command.name}</span> {command.key && <kbd>{command.key}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="rc-empty">{searched.isWaiting ? t("waiting") : t("commands.none")}</p>}
    </dialog>
  );
}
