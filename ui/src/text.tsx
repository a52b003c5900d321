// Texts of histories: always text, never markup. Control, direction and invisible characters are shown by their
// numbers.

import { Fragment, type ReactNode } from "react";
import type { Key, Translate } from "./context.js";

/** Matches controls (except tabs and line ends), characters that change the direction of writing, and invisible ones. */
const UNSEEN =
  /\u001b\[[0-9;:?]*[A-Za-z]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\udb40][\udc00-\udfff]/g;

/** Returns one sign for an escape sequence of a terminal, or the number of a single character. */
const nameOf = (found: string) => (found.length > 1 && found.startsWith("\u001b") ? ESCAPE : numberOf(found));
const numberOf = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Represents an escape sequence, whose text is in its title. */
const ESCAPE = "␛";

/** Returns the text in parts: plain ones, and names of invisible characters. */
function visibleParts(text: string): { text: string; hidden: boolean; title?: string }[] {
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

/** Returns the same as one string, for attributes and labels. */
export const visibleText = (text: string): string =>
  visibleParts(text)
    .map((part) => (part.hidden ? `⟨${part.text}⟩` : part.text))
    .join("");

/** Roles with a translation. */
const ROLES: Record<string, Key> = { user: "role.user", assistant: "role.assistant", system: "role.system" };

/** Returns the role of a message in the language of the page; other roles unchanged. */
export const roleText = (t: Translate, role: string): string => (Object.hasOwn(ROLES, role) ? t(ROLES[role]!) : visibleText(role));

/** Returns the text as a heading begins: with a capital letter. */
export const capitalised = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

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
