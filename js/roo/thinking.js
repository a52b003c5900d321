"use strict";

// Handles signed thinking after a change, for the parts of the drop-in that work without the addon. The rules are
// those of src/providers/thinking; `fixtures/shared/thinking.json` tests the names of models in both.

const { answerOf } = require("../host-call.js");
const isObject = require("../is-object.js");
const { TEXT_SUPPRESSED } = require("../markers.js");

const WORDS = ["auto", "keep", "drop"];

/** The first versions of Claude with preserved thinking: of two families, and of all others. */
const FIRST_PRESERVED = new Map([
  ["fable", [5, 1]],
  ["mythos", [5, 1]],
]);
const FIRST_PRESERVED_OF_OTHERS = [5, 5];

/** Matches names of models of other makers, whose thinking no Claude model has signed. */
const OTHERS =
  /^(?:gpt|o1|o3|o4|gemini|gemma|grok|llama|qwen|deepseek|mistral|codestral|devstral|kimi|glm|minimax|command|nova|phi)(?:\d.*)?$/;

/**
 * Returns the condition under which thinking sent back to a model is valid. `prefix`: only while nothing before it
 * has changed; `loop`: always, but it is required while a tool loop is in progress; `unknown`.
 */
function bindingOf(model) {
  const words = String(model)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const claude = words.indexOf("claude");
  if (claude === -1) return words.some((word) => OTHERS.test(word)) ? "loop" : "unknown";
  const rest = words.slice(claude + 1);
  const isNumber = (word) => /^\d{1,2}$/.test(word ?? "");
  const at = rest.findIndex(isNumber);
  if (at === -1) return "unknown";
  const [major, minor] = [Number(rest[at]), isNumber(rest[at + 1]) ? Number(rest[at + 1]) : 0];
  const first = rest.map((word) => FIRST_PRESERVED.get(word)).find(Boolean) ?? FIRST_PRESERVED_OF_OTHERS;
  return major > first[0] || (major === first[0] && minor >= first[1]) ? "prefix" : "loop";
}

/** Returns the name of a handler's model; undefined if it has none. */
function modelOf(apiHandler) {
  const id = answerOf(() => apiHandler?.getModel?.()?.id);
  return typeof id === "string" && id.trim() !== "" ? id : undefined;
}

/** Returns the rule for thinking after a change, from the option (`auto`, `keep`, `drop`) and the model. */
function ruleOf(wish = "auto", model = "") {
  const binding = bindingOf(model);
  return {
    drops: wish === "drop" || (wish === "auto" && binding === "prefix"),
    warns: wish === "keep" || (wish === "auto" && binding === "unknown"),
    keepsLoop: binding === "loop",
  };
}

const isThinking = (block) => block?.type === "thinking" || block?.type === "redacted_thinking";
const isSigned = (block) =>
  block?.type === "redacted_thinking" || (block?.type === "thinking" && typeof block.signature === "string" && block.signature !== "");

const blocksIn = (message) => (Array.isArray(message?.content) ? message.content : []);
const hasThinking = (message) => blocksIn(message).some(isThinking);
const isSame = (one, other) => one === other || (isObject(one) && isObject(other) && JSON.stringify(one) === JSON.stringify(other));
const isSameMessage = (one, other) => one === other || (one?.role === other?.role && isSame(one?.content, other?.content));

/**
 * Returns where two histories begin to differ, in the second: `[message, block]`; undefined if they do not.
 * @returns {[number, number] | undefined}
 */
function firstChange(before, after) {
  const longest = Math.max(before.length, after.length);
  let message = 0;
  while (message < longest && message < before.length && message < after.length && isSameMessage(before[message], after[message]))
    message++;
  if (message === longest) return undefined;
  const [was, is] = [blocksIn(before[message]), blocksIn(after[message])];
  if (before[message]?.role !== after[message]?.role || was.length !== is.length) return [message, 0];
  const block = was.findIndex((block, at) => !isSame(block, is[at]));
  return [message, Math.max(block, 0)];
}

/** Returns the places after a change whose blocks match `isWanted`. */
function behind(messages, [first, block], isWanted) {
  const places = [];
  for (let message = first; message < messages.length; message++) {
    blocksIn(messages[message]).forEach((found, at) => {
      if ((message > first || at >= block) && isWanted(found)) places.push([message, at]);
    });
  }
  return places;
}

/** Returns the index of the first message of the current tool loop, which follows the user's newest message that answers no call. */
const toolLoop = (messages) =>
  messages.findLastIndex((message) => message?.role === "user" && !blocksIn(message).some((block) => block?.type === "tool_result")) + 1;

/** Returns the places of the thinking to be removed. */
function placesToGo(messages, change, { keepsLoop }) {
  const places = behind(messages, change, isThinking);
  return keepsLoop ? places.filter(([message]) => message < toolLoop(messages)) : places;
}

/**
 * Returns the edits that remove blocks, in the form used by plans. A message with nothing else is removed, unless two
 * messages of the same role would meet: then a note replaces the blocks.
 */
function removal(messages, places) {
  const gone = new Map();
  for (const [message, block] of places) gone.set(message, [...(gone.get(message) ?? []), block]);
  const edits = [];
  let previous;
  messages.forEach(({ role }, message) => {
    const blocks = gone.get(message) ?? [];
    if (blocks.length === 0 || blocks.length < messages[message].content.length) {
      edits.push(...blocks.map((block) => ({ op: "drop_block", message, block })));
      previous = role;
      return;
    }
    const next = messages[message + 1]?.role;
    if (next !== undefined && (next === previous || (previous === undefined && next !== "user"))) {
      edits.push({ op: "set", message, path: ["content"], value: [{ type: "text", text: TEXT_SUPPRESSED }] });
      previous = role;
    } else {
      edits.push({ op: "drop", message });
    }
  });
  return edits;
}

/** Returns the messages after the edits of a removal. */
function removed(messages, edits) {
  if (edits.length === 0) return messages;
  const byMessage = new Map();
  for (const edit of edits) byMessage.set(edit.message, [...(byMessage.get(edit.message) ?? []), edit]);
  return messages.flatMap((message, index) => {
    const own = byMessage.get(index);
    if (!own) return [message];
    if (own[0].op === "drop") return [];
    if (own[0].op === "set") return [{ ...message, content: own[0].value }];
    const blocks = new Set(own.map(({ block }) => block));
    return [{ ...message, content: message.content.filter((_, block) => !blocks.has(block)) }];
  });
}

/** Messages whose thinking was already reported, so that processing them again repeats no warning. */
const toldAbout = new WeakSet();

/**
 * Returns `after`, made from `before`, with the rule applied to thinking after the first change; `warn` receives a
 * text about signed thinking that may be refused.
 * @param {(told: string) => void} [warn]
 */
function settled(before, after, rule, warn = () => {}) {
  if (!rule.drops && !rule.warns) return after;
  const change = firstChange(before, after);
  if (!change) return after;
  if (rule.drops) return removed(after, removal(after, placesToGo(after, change, rule)));
  const signed = behind(after, change, isSigned).length;
  if (signed > 0 && !toldAbout.has(after)) warn(toldOf(signed));
  toldAbout.add(after);
  return after;
}

/** Marks `same`, a copy of `messages`, as reported if `messages` were. */
function toldAs(messages, same) {
  if (toldAbout.has(messages)) toldAbout.add(same);
  return same;
}

const toldOf = (signed) =>
  `${signed} block${signed === 1 ? "" : "s"} of signed thinking behind the first change: Claude models with preserved thinking refuse the request, or drop them`;

module.exports = {
  WORDS,
  behind,
  bindingOf,
  firstChange,
  hasThinking,
  isThinking,
  modelOf,
  placesToGo,
  removal,
  removed,
  ruleOf,
  settled,
  toldAs,
};
