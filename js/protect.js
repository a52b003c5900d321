"use strict";

// What of the option `protect` only JavaScript can tell: which messages a function chooses, and what a regular expression finds. The addon is handed
// indices and texts.

const { argumentError, messageOf } = require("./errors.js");
const { answerOf } = require("./host-call.js");
const isObject = require("./is-object.js");

/** Whether rules hold a function or a regular expression. */
const needsMessages = (protect) =>
  isObject(protect) && (typeof protect.messages === "function" || (Array.isArray(protect.text) && protect.text.some(isPattern)));

const isPattern = (value) => value instanceof RegExp;

/** The rules as JSON can hold them: without functions and regular expressions. */
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
 * Of the rules, those that JSON cannot hold.
 * @param {{ messages?: any, text?: any }} [rules]
 */
const chosenRules = ({ messages, text } = {}) => ({
  ...(typeof messages === "function" && { messages }),
  ...(Array.isArray(text) && { text: text.filter(isPattern) }),
});

/** The rules with the indices that a function chooses among `messages`, and the texts that regular expressions find in them. `path` names the rules. */
function rulesFor(protect, messages, path) {
  if (!needsMessages(protect) || !Array.isArray(messages)) return protect;
  const rules = { ...protect };
  if (typeof rules.messages === "function") rules.messages = chosen(rules.messages, messages, `${path}.messages`);
  if (Array.isArray(rules.text)) rules.text = rules.text.flatMap((item) => (isPattern(item) ? foundBy(item, messages) : [item]));
  return rules;
}

function chosen(choose, messages, path) {
  const threw = (error) => {
    throw argumentError("invalid_argument", `${path} threw: ${messageOf(error)}`, error);
  };
  return messages.flatMap((message, index) => (answerOf(() => choose(message, index), threw) ? [index] : []));
}

/** What the expression matches in any text of the messages. A match of nothing protects nothing. */
function foundBy(pattern, messages) {
  const found = new Set();
  const flags = pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`;
  const every = new RegExp(pattern.source, flags.replace("y", ""));
  for (const text of textsOf(messages)) {
    for (const [match] of text.matchAll(every)) if (match.trim() !== "") found.add(match);
  }
  return [...found];
}

/** Every text in the contents of messages, parameters of calls included. */
function* textsOf(messages) {
  for (const message of messages) {
    const content = message?.content;
    if (typeof content === "string") yield content;
    else if (Array.isArray(content)) for (const block of content) yield* textsIn(block);
  }
}

function* textsIn(block) {
  if (block?.type === "text") yield* stringsIn(block.text);
  else if (block?.type === "tool_use") yield* stringsIn(block.input);
  else if (block?.type === "tool_result") {
    if (typeof block.content === "string") yield block.content;
    else if (Array.isArray(block.content)) for (const part of block.content) yield* textsIn(part);
  }
}

/** Every string in a value. Not by recursion: parameters may be nested deeply. */
function* stringsIn(value) {
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") yield next;
    else if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
}

/** All rules of both. */
function joined(one, other) {
  if (!isObject(one) || !isObject(other)) return one ?? other;
  const rules = { ...one };
  for (const [name, values] of Object.entries(other)) rules[name] = Array.isArray(rules[name]) ? [...rules[name], ...values] : values;
  return rules;
}

module.exports = { chosenRules, joined, needsMessages, plainRules, rulesFor };
