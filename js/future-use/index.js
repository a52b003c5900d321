"use strict";

// Measures future use: how much of the content that a conversation itself used later can still be read after its
// earlier part was condensed. The measures are those of benches/quality.

const { cutsOf } = require("./cuts.js");
const { keptEdits, neededEdits } = require("./edits.js");
const { keptNames, neededNames } = require("./names.js");
const { blocksOf, textOf } = require("./texts.js");

/** Maximum characters of texts in which names are searched for; more would block the thread for seconds. */
const MAX_CHARACTERS = 16_000_000;

/**
 * Returns the names and edits that the rest of a conversation needs from its earlier part, or the reason why there
 * are none: `too_large`, or `too_short` if too few messages follow, or if nothing used in them was only in the older
 * part.
 * @param {readonly any[]} messages
 */
function questionsOf(messages) {
  let characters = 0;
  for (const message of messages) for (const block of blocksOf(message)) characters += textOf(block).length;
  if (characters > MAX_CHARACTERS) return { cuts: [], reason: "too_large" };
  const cuts = cutsOf(messages).map((cut) => ({ ...cut, names: neededNames(cut), edits: neededEdits(cut) }));
  const asked = cuts.filter(({ names, edits }) => names.length + edits.length > 0);
  return asked.length > 0 ? { cuts: asked } : { cuts: [], reason: "too_short" };
}

/** Returns the number of `needed` items that are kept; `share` is undefined if none are needed. */
const counted = (share, needed) => ({ kept: Math.round((share ?? 0) * needed.length), needed: needed.length });

/** Returns how much of a cut's needs the condensed messages contain. */
function answersOf(messages, { names, edits }) {
  return { names: counted(keptNames(messages, names), names), edits: counted(keptEdits(messages, edits), edits) };
}

module.exports = { answersOf, questionsOf };
