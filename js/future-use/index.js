"use strict";

// Future use: how much of what a conversation itself went on to use can still be read after an earlier part of it was condensed. The measures are those
// of benches/quality.

const { cutsOf } = require("./cuts.js");
const { keptEdits, neededEdits } = require("./edits.js");
const { keptNames, neededNames } = require("./names.js");
const { blocksOf, textOf } = require("./texts.js");

/** Characters of texts in which names are looked for at most: beyond that it would keep everything else waiting for seconds. */
const MAX_CHARACTERS = 16_000_000;

/**
 * The names and edits that the rest of a conversation needs of its earlier part, or the reason why there are none: `too_large`, or `too_short` where too few messages follow, or
 * nothing of what follows stood in the older part alone.
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

/** How many of `needed` are kept, of a share that may be undefined where nothing is needed. */
const counted = (share, needed) => ({ kept: Math.round((share ?? 0) * needed.length), needed: needed.length });

/** How much of what a cut asks for stands in condensed messages. */
function answersOf(messages, { names, edits }) {
  return { names: counted(keptNames(messages, names), names), edits: counted(keptEdits(messages, edits), edits) };
}

module.exports = { answersOf, questionsOf };
