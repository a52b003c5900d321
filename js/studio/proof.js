"use strict";

// Finds out whether the lines that a change removed can be read back from the condensed conversation, and where. It
// follows every pointer as a model would and compares the result with the original, line by line.

const { expand } = require("../expand.js");
const isObject = require("../is-object.js");
const { eachAsOurs } = require("../projection.js");

const WHOLE = -1;
/** Maximum number of pairs of lines that are shown. */
const MOST_SHOWN = 400;

/** Matches the line number that a tool prints before a line of a file. A pointer may resolve to the same lines without numbers, or with others. */
const NUMBER = /^\s*\d+(?:→|\t| ?\| ?)/;
const linesOf = (text) => text.split("\n").map((line) => line.replace(NUMBER, "").replace(/\r$/, ""));

/** Returns all texts in a value. */
function textsIn(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Returns the part of a message that a change is about: a block, or the whole message. */
function partOf(message, blockIndex) {
  const content = isObject(message) ? message.content : undefined;
  return blockIndex === WHOLE || !Array.isArray(content) ? content : content[blockIndex];
}

/** Returns the texts of a part that have content: a block's type, ids and names are left out. */
function saidIn(part) {
  if (!isObject(part)) return Array.isArray(part) ? part.flatMap(saidIn) : textsIn(part);
  if (part.type === "tool_use") return textsIn(part.input);
  if (part.type === "tool_result") return Array.isArray(part.content) ? part.content.flatMap(saidIn) : textsIn(part.content);
  return textsIn(part.text ?? part.thinking);
}

/** Counts the lines that occur in `others` in the same order. */
function countInOrder(lines, others) {
  let at = 0;
  let count = 0;
  for (const line of lines) {
    const found = others.indexOf(line, at);
    if (found === -1) continue;
    at = found + 1;
    count++;
  }
  return count;
}

/** Returns the message that contains most of these lines, and each line with its number there. */
function sourceOf(taken, condensed, except) {
  const wanted = new Set(taken.map(({ text }) => text).filter((text) => text.trim() !== ""));
  let best = { count: 0, place: -1, lines: /** @type {string[]} */ ([]) };
  condensed.forEach((message, place) => {
    if (place === except) return;
    for (const text of saidIn(partOf(message, WHOLE))) {
      const lines = linesOf(text);
      const count = new Set(lines.filter((line) => wanted.has(line))).size;
      if (count > best.count) best = { count, place, lines };
    }
  });
  let at = 0;
  const pairs = [];
  for (const { text, number } of taken) {
    const found = best.lines.indexOf(text, at);
    if (found === -1) continue;
    at = found + 1;
    pairs.push({ text: text.slice(0, 600), from: number, to: at });
  }
  return { place: best.place, pairs };
}

/** Condensed messages as they are, and with their pointers expanded. */
const read = new WeakMap();

function readOnce(messages, format) {
  if (!read.has(messages))
    read.set(messages, {
      condensed: eachAsOurs(messages, format),
      expanded: eachAsOurs(expand(messages, { format }).messages, format),
    });
  return read.get(messages);
}

/**
 * Returns how much of a changed part can be read back. `kept`: a condensation of the host, with `history`, `given`,
 * `result` and `places`.
 * @param {any} kept
 * @param {{ messageIndex: number, blockIndex: number | null, tokensBefore: number }} change
 */
function proofOf(kept, { messageIndex, blockIndex, tokensBefore }) {
  const { given, places } = kept;
  const { format } = kept.history;
  // Elements of messages in other formats are not the blocks that are read from them.
  const block = format === undefined ? (blockIndex ?? WHOLE) : WHOLE;
  const { condensed, expanded } = readOnce(kept.result.messages, format);
  const place = places[messageIndex];
  // A change that adds content has removed nothing.
  const before = tokensBefore === 0 ? [] : saidIn(partOf(eachAsOurs([given[messageIndex]], format)[0], block)).flatMap(linesOf);
  const after = place === -1 ? [] : saidIn(partOf(condensed[place], block)).flatMap(linesOf);
  const back = place === -1 ? [] : saidIn(partOf(expanded[place], block)).flatMap(linesOf);
  const left = new Set(after);
  const taken = before.map((text, at) => ({ text, number: at + 1 })).filter(({ text }) => !left.has(text));
  const readBack = countInOrder(before, back);
  const source = sourceOf(taken, condensed, place);
  const message = source.place === -1 ? -1 : places.indexOf(source.place);
  return {
    lines: before.length,
    readBack,
    identical: before.length > 0 && readBack === before.length,
    message,
    pairs: source.pairs.slice(0, MOST_SHOWN),
    omitted: Math.max(0, source.pairs.length - MOST_SHOWN),
  };
}

module.exports = { proofOf };
