"use strict";

// Signed thinking behind a change, for what the drop-in does without the addon. The rules are those of src/providers/thinking; what names of models say
// is held to the same by fixtures/shared/thinking.json.

const { answerOf } = require("../host-call.js");
const isObject = require("../is-object.js");
const { TEXT_SUPPRESSED } = require("../markers.js");

const WORDS = ["auto", "keep", "drop"];

/** The first versions of Claude with preserved thinking: of the families that have one of their own, and of all others. */
const FIRST_PRESERVED = new Map([
  ["fable", [5, 1]],
  ["mythos", [5, 1]],
]);
const FIRST_PRESERVED_OF_OTHERS = [5, 5];

/** Makers of models whose thinking no Claude model has signed, as names begin. */
const OTHERS =
  /^(?:gpt|o1|o3|o4|gemini|gemma|grok|llama|qwen|deepseek|mistral|codestral|devstral|kimi|glm|minimax|command|nova|phi)(?:\d.*)?$/;

/**
 * What thinking that is sent back to a model is valid with: `prefix`, only while nothing before it has changed; `loop`, always, but it has to be
 * there while a tool loop is under way; `unknown`.
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

/** The name of a handler's model; undefined where it tells none. */
function modelOf(apiHandler) {
  const id = answerOf(() => apiHandler?.getModel?.()?.id);
  return typeof id === "string" && id.trim() !== "" ? id : undefined;
}

/** What is done with thinking behind a change: by the wish (`auto`, `keep`, `drop`) and the model. */
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
 * Where the two begin to differ, in the second: `[message, block]`; undefined where they do not.
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

/** The places behind a change that are what is looked for. */
function behind(messages, [first, block], isWanted) {
  const places = [];
  for (let message = first; message < messages.length; message++) {
    blocksIn(messages[message]).forEach((found, at) => {
      if ((message > first || at >= block) && isWanted(found)) places.push([message, at]);
    });
  }
  return places;
}

/** The first message of the tool loop under way: what follows the user's newest message that answers no call. */
const toolLoop = (messages) =>
  messages.findLastIndex((message) => message?.role === "user" && !blocksIn(message).some((block) => block?.type === "tool_result")) + 1;

/** The places of thinking that goes. */
function placesToGo(messages, change, { keepsLoop }) {
  const places = behind(messages, change, isThinking);
  return keepsLoop ? places.filter(([message]) => message < toolLoop(messages)) : places;
}

/**
 * The edits that remove blocks, as plans have them. A message of nothing else goes with them, unless two messages of one role would meet: then a note
 * takes their place.
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

/** The messages after the edits of a removal. */
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

/** Messages whose thinking was told about, so that what settles them once more says nothing twice. */
const toldAbout = new WeakSet();

/**
 * `after`, which was made of `before`, with what the rule says done to thinking behind the first change; `warn` hears of signed thinking of which nobody
 * knows that it may stay.
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

/** `same`, which says what `messages` say: what was told about these is told about it. */
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
