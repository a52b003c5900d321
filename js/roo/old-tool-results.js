"use strict";

// Shortens old tool results in the messages that are sent before every request, with the engine of this package. It
// takes the place of Zoo-Code's function.
//
// The shortened form depends only on the task, the turn of the result, and the turns until it was old. So the same
// history always gives the same bytes, and a growing history changes nothing earlier: the prompt cache of the model's
// provider holds. Nothing is replaced by a pointer, because its destination will be shortened as well. Destinations
// of pointers that an earlier condensation left stay.

const { argumentError, notAllowed, unknown } = require("../errors.js");
const isObject = require("../is-object.js");
const { holdsPointers, pointedAt } = require("./pointed-at.js");
const { withPlaces } = require("./readable.js");
const { WORDS, placesToGo, removal, ruleOf } = require("./thinking.js");

/** The tools whose results can be obtained again by calling them again, as in Zoo-Code. */
const TOOLS = Object.freeze(["read_file", "search_files", "list_files", "codebase_search", "execute_command", "read_command_output"]);
const DEFAULTS = Object.freeze({ minChars: 500, turns: 3, tools: TOOLS, thinking: "auto", model: "" });
/** The most lines and characters that a shortened result keeps. */
const LINES = 8;
const CHARS = 500;
/** The number of turns whose shortened results are remembered; a long task has some hundreds. */
const REMEMBERED_TURNS = 2000;
/** The number of turns that are shortened at the same time when a long history comes for the first time. */
const AT_ONCE = 4;

/** The new contents of results, by the key of the input: `[message in the turn, block, content][]`. */
const known = new Map();
/** The original history of each returned array. */
const sources = new WeakMap();

async function compressOldToolResults(history, options) {
  if (!Array.isArray(history)) throw notAllowed("history", history, "an array of messages");
  const settings = checkedOptions(options);
  const messages = Array.from(history);
  const wrong = messages.findIndex((message) => !isObject(message));
  if (wrong !== -1) throw notAllowed(`history[${wrong}]`, messages[wrong], "a message");
  const turns = oldTurns(messages, settings);
  const edits = [];
  if (turns.length > 0) {
    // Loaded on first use, so that a host without a binary can load the rest of the drop-in.
    const { contentsOf } = require("../fingerprints.js");
    const contents = contentsOf(messages);
    for (let from = 0; from < turns.length; from += AT_ONCE) {
      const shortened = await Promise.all(turns.slice(from, from + AT_ONCE).map((turn) => shortenedTurn(messages, turn, contents)));
      edits.push(...shortened.flat());
    }
  }
  edits.push(...thinkingEdits(messages, edits, settings));
  const sent = require("../plan.js").applyPlan(messages, edits).messages.slice();
  sources.set(sent, { messages, edits });
  return sent;
}

/** Returns the edits that remove signed thinking after a shortened result. Other edits change none of these messages. */
function thinkingEdits(messages, edits, { thinking, model }) {
  const rule = ruleOf(thinking, model);
  if (!rule.drops || edits.length === 0) return [];
  const first = edits.reduce((least, { message }) => Math.min(least, message), messages.length);
  const places = placesToGo(messages, [first + 1, 0], rule);
  return removal(messages, places);
}

function restoreDataOf(sent) {
  const source = sources.get(sent);
  if (!source) throw notAllowed("sent", sent, "what compressOldToolResults() resolved to, the same array");
  const { contentsOf, fingerprintOf, fingerprintOfMessages } = require("../fingerprints.js");
  const { applyPlan } = require("../plan.js");
  const { dataOf } = require("../restore-data.js");
  const { messages } = source;
  const was = ({ op, message, path, block }) => {
    if (op === "drop") return undefined;
    const { content } = messages[message];
    if (op === "drop_block") return fingerprintOf(content[block]);
    return fingerprintOf(path.length === 1 ? content : content[path[1]].content);
  };
  const edits = source.edits.map((edit) => ({ ...edit, was: was(edit) }));
  const applied = applyPlan(messages, edits);
  return dataOf(applied.inverse, { original: fingerprintOfMessages(messages), condensed: contentsOf(applied.messages).join("") });
}

/** Checks the options. Zoo-Code also accepts a number in their place, which has no effect, neither there nor here. */
function checkedOptions(options = {}) {
  if (typeof options === "number") return DEFAULTS;
  if (!isObject(options)) throw notAllowed("options", options, "{ minChars?, turns?, tools?, thinking?, model? }");
  for (const name of Object.keys(options)) if (!Object.hasOwn(DEFAULTS, name)) throw unknown("options", name, Object.keys(DEFAULTS));
  const { minChars = DEFAULTS.minChars, turns = DEFAULTS.turns, tools = DEFAULTS.tools } = options;
  const { thinking = DEFAULTS.thinking, model = DEFAULTS.model } = options;
  if (!Number.isInteger(minChars) || minChars < 0) throw notAllowed("options.minChars", minChars, "a whole number, 0 or more");
  if (!Number.isInteger(turns) || turns < 1) throw notAllowed("options.turns", turns, "a whole number, 1 or more");
  if (!Array.isArray(tools) || !tools.every((tool) => typeof tool === "string"))
    throw notAllowed("options.tools", tools, "an array of names");
  if (!WORDS.includes(thinking)) throw notAllowed("options.thinking", thinking, `one of ${WORDS.join(", ")}`);
  if (typeof model !== "string") throw notAllowed("options.model", model, "the name of a model");
  return { minChars, turns, tools, thinking, model };
}

/**
 * Returns the old turns with long results: `first`, the index of the answer that begins the turn; `end`, the index
 * after its last message; `until`, the index of the answer that made it old; and `results`, the places of the
 * results.
 */
function oldTurns(messages, { minChars, turns, tools }) {
  const answers = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  const names = new Map();
  const isPointedAt = pointedAt(messages);
  const found = [];
  for (let turn = 0; turn + turns < answers.length; turn++) {
    const [first, end] = [answers[turn], answers[turn + 1]];
    for (const block of blocksIn(messages[first])) if (block?.type === "tool_use") names.set(block.id, block.name);
    const isWanted = (block) => !names.has(block.tool_use_id) || tools.includes(names.get(block.tool_use_id));
    const isLong = (block) => isWanted(block) && lengthOf(block.content) > minChars;
    const all = [];
    for (let index = first + 1; index < end; index++) {
      if (messages[index].role !== "user") continue;
      blocksIn(messages[index]).forEach((block, at) => {
        if (block?.type === "tool_result") all.push({ index, at, block, stays: isPointedAt(index, block.content) });
      });
    }
    // A pointer may lead into a result of the same turn that has to stay. The engine does not know which ones stay, so
    // results with pointers are then left alone.
    const mayHoldPointers = !all.some(({ stays }) => stays);
    const results = all
      .filter(({ block, stays }) => !stays && isLong(block) && (mayHoldPointers || !holdsPointers(block.content)))
      .map(({ index, at }) => [index, at]);
    if (results.length > 0) found.push({ first, end, until: answers[turn + turns], results });
  }
  return found;
}

const blocksIn = ({ content }) => (Array.isArray(content) ? content : []);

/** Returns the number of characters in a result's texts. */
function lengthOf(content) {
  if (typeof content === "string") return content.length;
  return Array.isArray(content) ? content.reduce((sum, part) => sum + (typeof part?.text === "string" ? part.text.length : 0), 0) : 0;
}

/** Returns the edits that shorten the results of a turn. */
async function shortenedTurn(messages, { first, end, until, results }, contents) {
  // The task shows what matters, so it is put in front unless the turn itself is the beginning.
  const lead = first > 0 ? 1 : 0;
  const places = results.map(([index, at]) => [index - first, at]);
  const key = JSON.stringify([lead && contents[0], contents.slice(first, until + 1), places]);
  if (!known.has(key)) {
    const seen = [...messages.slice(0, lead), ...messages.slice(first, until + 1)];
    remember(key, await shortenedContents(seen, places, { lead, length: end - first }));
  }
  return known.get(key).map(([offset, at, content]) => {
    // A copy, because the host may change the messages it sends.
    return { op: "set", message: first + offset, path: ["content", at, "content"], value: structuredClone(content) };
  });
}

function remember(key, contents) {
  if (known.size >= REMEMBERED_TURNS) known.delete(known.keys().next().value);
  known.set(key, contents);
}

/** Returns the new contents of the results at `places` of a turn, judged among the messages `seen`. Results that do not get shorter are left out. */
async function shortenedContents(seen, places, { lead, length }) {
  const messageIndices = Array.from({ length }, (_, offset) => lead + offset);
  const { messages, error } = await engine().condense(
    { messages: seen },
    { format: "anthropic", config: { passes: [passOver(messageIndices)] } },
  );
  if (error) throw argumentError(error.code, error.message, { field: error.field, cause: error });
  return places.flatMap(([offset, at]) => {
    const was = seen[lead + offset].content[at].content;
    const is = messages[lead + offset].content[at].content;
    return is === was || lengthOf(is) >= lengthOf(was) ? [] : [[offset, at, is]];
  });
}

let provider;

/**
 * The engine keeps the lines most likely to be used again. It adds no notes with message numbers, because it sees a
 * part of the history, where messages have other numbers.
 */
function engine() {
  provider ??= require("../provider.js").createSmartProvider({
    losslessPrelude: { enabled: false },
    passes: [passOver([])],
    meetTarget: false,
  });
  return provider;
}

const passOver = (messageIndices) => ({
  id: "old_tool_results",
  selection: { type: "custom", messageIndices },
  mode: "individual",
  individualConfig: {
    defaults: {
      messageText: { operation: "keep" },
      toolParameters: { operation: "keep" },
      toolResults: { operation: "truncate", params: { truncate: { maxLines: LINES, maxChars: CHARS, strategy: "salient" } } },
    },
  },
});

module.exports = withPlaces({ compressOldToolResults, restoreDataOf });
