"use strict";

// Evaluates the parts of the option `protect` that only JavaScript can: messages chosen by a function, and matches of
// regular expressions. The addon receives indices and texts.

const { argumentError, messageOf, notAllowed } = require("./errors.js");
const { answerOf } = require("./host-call.js");
const isObject = require("./is-object.js");
const { isHollow } = require("./place.js");
const { told } = require("./words.js");

/** Returns true if rules contain a function or a regular expression. */
const needsMessages = (protect) =>
  isObject(protect) &&
  (typeof protect.messages === "function" || (Array.isArray(protect.text) && !isHollow(protect.text) && protect.text.some(isPattern)));

const sourceOf = /** @type {any} */ (Object.getOwnPropertyDescriptor(RegExp.prototype, "source")).get;

/** Returns true for a regular expression of any realm: those of tests and `vm` contexts are not instances of this one's `RegExp`. */
function isPattern(value) {
  if (typeof value !== "object" || value === null) return false;
  try {
    // Throws for anything else, including objects that only look like one.
    sourceOf.call(value);
    return true;
  } catch {
    return false;
  }
}

/** Returns true if there are any rules. */
const hasRules = (protect) =>
  isObject(protect) && Object.values(protect).some((rule) => (Array.isArray(rule) ? rule.length > 0 : typeof rule === "function"));

/** Returns the rules for JSON: without functions and regular expressions. */
function plainRules(protect) {
  if (!needsMessages(protect)) return protect;
  const { messages, text, ...rest } = protect;
  return {
    ...rest,
    ...(typeof messages !== "function" && messages !== undefined && { messages }),
    ...(text !== undefined && { text: Array.isArray(text) ? text.filter((item) => !isPattern(item)) : text }),
  };
}

/**
 * Returns the rules that JSON cannot hold.
 * @param {{ messages?: any, text?: any }} [rules]
 */
const chosenRules = ({ messages, text } = {}) => ({
  ...(typeof messages === "function" && { messages }),
  ...(Array.isArray(text) && { text: text.filter(isPattern) }),
});

/**
 * Returns the rules with the indices that a function chooses among `messages`, and the texts that regular expressions
 * match in them. `path` names the rules; `warnings` receives a warning that lists the expressions without a match.
 */
function rulesFor(protect, messages, path, warnings) {
  if (!needsMessages(protect) || !Array.isArray(messages)) return protect;
  const rules = { ...protect };
  if (typeof rules.messages === "function") rules.messages = chosen(rules.messages, messages, `${path}.messages`);
  if (!Array.isArray(rules.text)) return rules;
  const unmatched = [];
  rules.text = rules.text.flatMap((item) => {
    if (!isPattern(item)) return [item];
    const found = foundBy(item, messages);
    if (found.length === 0) unmatched.push(String(item));
    return found;
  });
  if (unmatched.length > 0) warnings.push(aboutNothing(unmatched));
  return rules;
}

/** Creates the warning about expressions without a match, in the form of the one about other rules. */
function aboutNothing(unmatched) {
  const field = "protect.text";
  const values = { field, named: unmatched.join(", "), count: unmatched.length };
  return { code: "protect_unmatched", ...told("warning.protectUnmatched", values), field };
}

function chosen(choose, messages, path) {
  const threw = (error) => {
    throw argumentError("invalid_argument", `${path} threw: ${messageOf(error)}`, { field: path, cause: error });
  };
  return messages.flatMap((message, index) => {
    const answer = answerOf(() => choose(message, index), threw);
    if (typeof answer?.then === "function") throw notAllowed(path, answer, "a function that returns true or false, not a promise");
    return answer ? [index] : [];
  });
}

/** Returns what the expression matches in the messages' texts. An empty match protects nothing. */
function foundBy(pattern, messages) {
  const found = new Set();
  const flags = pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`;
  const every = new RegExp(pattern.source, flags.replace("y", ""));
  for (const text of textsOf(messages)) {
    for (const [match] of text.matchAll(every)) if (match.trim() !== "") found.add(match);
  }
  return [...found];
}

/** Fields of blocks without words of their own; these, and the other places searched, are those of `src/conversation/searchable.rs`. */
const UNSPOKEN = new Set([
  "type",
  "id",
  "tool_use_id",
  "signature",
  "media_type",
  "encrypted_content",
  "encrypted_index",
  "ttl",
  "file_id",
]);
const MIN_FILE = 64;
const isFile = (key, value) => key === "data" && value.length >= MIN_FILE && !/\s/.test(value);

/** Iterates over every text in the contents of messages, in any kind of block, with the names and numbers in parameters of calls. */
function* textsOf(messages) {
  for (const message of messages) {
    const content = message?.content;
    if (typeof content === "string") yield content;
    else if (Array.isArray(content)) for (const block of content) yield* textsIn(block);
  }
}

function* textsIn(block) {
  if (!isObject(block)) return;
  if (block.type === "text" && typeof block.text === "string") yield block.text;
  else if (block.type === "tool_use") yield* leavesOf(block.input, true);
  else if (block.type === "tool_result" && typeof block.content === "string") yield block.content;
  else if (block.type === "tool_result" && Array.isArray(block.content)) for (const part of block.content) yield* textsIn(part);
  else yield* leavesOf(block, false);
}

/**
 * Iterates over every string and number in a value, and for parameters also every name. Without recursion, because
 * parameters may be nested deeply.
 */
function* leavesOf(value, isInput) {
  const waiting = [["", value]];
  while (waiting.length > 0) {
    const [key, next] = waiting.pop() ?? [];
    if (typeof next === "object" && next !== null) {
      for (const [name, inner] of Object.entries(next)) {
        if (isInput && !Array.isArray(next)) yield name;
        waiting.push([Array.isArray(next) ? key : name, inner]);
      }
    } else if (typeof next === "number" || (typeof next === "string" && (isInput || !(UNSPOKEN.has(key) || isFile(key, next))))) {
      yield String(next);
    }
  }
}

/** Returns all rules of both. */
function joined(one, other) {
  if (!isObject(one) || !isObject(other)) return one ?? other;
  const rules = { ...one };
  for (const [name, values] of Object.entries(other)) rules[name] = Array.isArray(rules[name]) ? [...rules[name], ...values] : values;
  return rules;
}

module.exports = { chosenRules, hasRules, joined, needsMessages, plainRules, rulesFor };
