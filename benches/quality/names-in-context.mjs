// Names that count only where they stand as they did: with the text around them.

import { share } from "../../js/future-use/cuts.js";
import { mentions } from "../../js/future-use/names.js";
import { blocksOf, textOf, withoutLineNumbers } from "../../js/future-use/texts.js";

/** Characters on each side that must be there too. */
const CONTEXT = 40;

/** Line ends: in parameters, which are JSON, the line break is escaped. */
const LINE_BREAK = /\n|\\n/;

/** Returns a name with up to 40 characters before and after it in its line. */
function inContext(text, { name, index }) {
  const end = index + name.length;
  // In JSON the first letter may belong to an escaped line break.
  const isEscaped = text[index - 1] === "\\";
  const before = isEscaped
    ? ""
    : text
        .slice(Math.max(0, index - CONTEXT), index)
        .split(LINE_BREAK)
        .at(-1);
  return `${before}${name}${text.slice(end, end + CONTEXT).split(LINE_BREAK)[0]}`;
}

function* contextsOf(messages, wanted) {
  for (const block of messages.flatMap(blocksOf)) {
    const text = withoutLineNumbers(textOf(block));
    for (const mention of mentions(text)) {
      if (wanted.has(mention.name)) yield [mention.name, inContext(text, mention)];
    }
  }
}

/** Returns the share of the names that are still somewhere in their context from the older part; a list of names is no context. */
export function keptInContext(messages, needed, { older }) {
  const wanted = new Set(needed);
  const contexts = new Set([...contextsOf(older, wanted)].map(([, context]) => context));
  const there = new Set();
  for (const [name, context] of contextsOf(messages, wanted)) if (contexts.has(context)) there.add(name);
  return share(needed, (name) => there.has(name));
}
