// Sentences of the library, which speaks English, in the language of the page: each is recognised, and said again as what it is made of.

import type { Key } from "./context.js";

export type Translate = (key: Key, values?: Record<string, string | number>) => string;

/** A sentence: how it is recognised, its words, and what its named groups are. */
export type Rule<Part extends string> = readonly [RegExp, Key, Readonly<Record<string, Part>>?];

/** How each kind of part is said. */
export type Parts<Part extends string> = Readonly<Record<Part, (said: string) => string>>;

/** A sentence, or a part of one, that is not known here. */
export class Unknown extends Error {}

/** A sentence by the first rule that knows it. Throws `Unknown` where none does. */
export function byRules<Part extends string>(t: Translate, rules: readonly Rule<Part>[], parts: Parts<Part>, said: string): string {
  for (const [pattern, key, kinds = {}] of rules) {
    const found = pattern.exec(said);
    if (!found) continue;
    return t(key, Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, parts[kind](found.groups?.[name] ?? "")])));
  }
  throw new Unknown();
}

/** What is said; undefined where a part of it is not known. */
export function ifKnown(say: () => string): string | undefined {
  try {
    return say();
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}
