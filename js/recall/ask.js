"use strict";

// Runs a call of the tool, and returns text. A model's input may be anything, so the response is always a sentence.

const isObject = require("../is-object.js");
const { NOTHING_ASKED, foundText, readText } = require("./said.js");

/** Ranges: `40-80`, `40`, `40-`, and `40@1200`, which starts at a byte of a line. */
const LINES = /^\s*(?:lines?\s+)?(\d{1,9})(?:@(\d{1,10}))?\s*(-|–|\.\.|,|to)?\s*(\d{1,9})?\s*$/i;

/** The form of a key. */
const KEY = /^[a-z0-9]{4,16}$/;

/** Returns the requested lines in the index's form; undefined if they cannot be parsed. By default, all lines. */
function readLines(lines) {
  if (lines === undefined || lines === null || lines === "") return { first: 1 };
  if (typeof lines === "number") return rangeOf(lines, undefined, lines);
  if (Array.isArray(lines)) return rangeOf(lines[0], undefined, lines[1]);
  const found = typeof lines === "string" ? LINES.exec(lines) : null;
  if (!found) return undefined;
  const [, first, skip, goesOn, last] = found;
  // `40@1200` reads to the end.
  return rangeOf(Number(first), skip, last !== undefined ? Number(last) : goesOn || skip !== undefined ? undefined : Number(first));
}

function rangeOf(first, skip, last) {
  const isLine = (line) => Number.isSafeInteger(line) && line >= 0;
  if (!isLine(first) || !(last === undefined || isLine(last))) return undefined;
  // `80-40` means the same lines.
  if (last !== undefined && last < first) return rangeOf(last, skip, first);
  return { first: Math.max(1, first), ...(skip !== undefined && { skip: Number(skip) }), ...(last !== undefined && { last }) };
}

/** Returns the parameters of a call: an object, or its JSON. */
function inputOf(input) {
  if (typeof input !== "string") return isObject(input) ? input : {};
  try {
    const parsed = JSON.parse(input);
    return isObject(parsed) ? parsed : { query: String(parsed) };
  } catch {
    return { query: input };
  }
}

const textOf = (value) => (typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "");

/**
 * Returns the text that answers a call of the tool.
 * @param {unknown} input its parameters, or their JSON
 * @param {import("./conversation-index.js").ConversationIndex} index
 * @param {{ maxTokens?: number, within?: number[], view?: import("./view.js").View, missing?: number, stored?: (key: string, range: { first: number, last?: number }) => Promise<string | undefined> }} [options] `view` is what the model still sees, `missing` the
 * number of condensations that cannot be undone; `stored` answers a key of a result that was shortened before it entered
 */
async function runTool(input, index, { view, missing, stored, ...options } = {}) {
  const { query, key, lines } = inputOf(input);
  if (textOf(key) !== "") {
    const range = readLines(lines) ?? { first: 1 };
    const result = await stored?.(textOf(key), range);
    if (result !== undefined) return result;
    return readText(await index.read(textOf(key), { ...range, within: options.within }), textOf(key), missing);
  }
  if (textOf(query) === "") return NOTHING_ASKED;
  const found = await index.search(textOf(query), options);
  // Models sometimes pass a key as the query.
  const read = found.hits.length === 0 && KEY.test(textOf(query)) ? await index.read(textOf(query), { within: options.within }) : null;
  return read ? readText(read, textOf(query), missing) : foundText(found, view, missing);
}

module.exports = { readLines, runTool };
