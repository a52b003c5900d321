// The languages of the studio, without a page.

import { createTranslator } from "../../ui/src/translator.ts";

/** What says something of the library, in each language. */
export const languages = { en: createTranslator("en").say, fr: createTranslator("fr").say };

/** Whether words are whole: every value stands in them. */
export const isWhole = (said) => typeof said === "string" && !/undefined|\{\{|\[object/.test(said);

/** The codes of something told, and of its parts. */
export function* codesIn(said) {
  yield said.code;
  for (const value of Object.values(said.values))
    for (const part of Array.isArray(value) ? value : [value]) if (typeof part === "object") yield* codesIn(part);
}
