// Texts of histories: always text, never markup. Characters that steer, turn or hide are shown by their numbers.

import { Fragment, type ReactNode } from "react";
import type { Key, Translate } from "./context.js";

/** Controls (but tabs and line ends), what changes the direction of writing, and what cannot be seen. */
const UNSEEN =
  /\u001b\[[0-9;:?]*[A-Za-z]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\udb40][\udc00-\udfff]/g;

/** What a terminal takes for a colour or a place is one sign; all others are named one by one. */
const nameOf = (found: string) => (found.length > 1 && found.startsWith("\u001b") ? ESCAPE : numberOf(found));
const numberOf = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Stands for an escape sequence, whose text is in its title. */
const ESCAPE = "␛";

/** The text in parts: plain ones, and names of characters that would not be seen. */
export function visibleParts(text: string): { text: string; hidden: boolean; title?: string }[] {
  const parts: { text: string; hidden: boolean; title?: string }[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (index > from) parts.push({ text: text.slice(from, index), hidden: false });
    const name = nameOf(character);
    parts.push({ text: name, hidden: true, ...(name === ESCAPE && { title: `${numberOf(character)}${character.slice(1)}` }) });
    from = index + character.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hidden: false });
  return parts;
}

/** The same as one string, for attributes and labels. */
export const visibleText = (text: string): string =>
  visibleParts(text)
    .map((part) => (part.hidden ? `⟨${part.text}⟩` : part.text))
    .join("");

/** Roles that have words. */
const ROLES: Record<string, Key> = { user: "role.user", assistant: "role.assistant", system: "role.system" };

/** The role of a message, in the language of the page; one of a host's own as it is. */
export const roleText = (t: Translate, role: string): string => (Object.hasOwn(ROLES, role) ? t(ROLES[role]!) : visibleText(role));

export function VisibleText({ children }: { children: string }): ReactNode {
  const parts = visibleParts(children);
  if (parts.length === 1 && !parts[0]!.hidden) return children;
  return parts.map((part, at) =>
    part.hidden ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
      <span key={at} className="rc-hidden-character" title={part.title}>
        {part.text}
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
      <Fragment key={at}>{part.text}</Fragment>
    ),
  );
}
