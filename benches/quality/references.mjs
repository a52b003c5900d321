// Simple policies to compare with. Each keeps the first message and the newest, and gets its best parameter for the budget.

import { blocksOf, textOf } from "./conversations.mjs";
import { KEPT } from "../../js/future-use/cuts.js";

/** Tokens of messages by what a model reads of them, with a memory of texts. */
export function tokenCounter(count) {
  const known = new Map();
  const ofText = (text) => {
    if (!known.has(text)) known.set(text, count(text));
    return known.get(text);
  };
  return (messages) => messages.flatMap(blocksOf).reduce((sum, block) => sum + ofText(textOf(block)), 0);
}

const answersCall = (message) => blocksOf(message).some((block) => block.type === "tool_result");

/** Drops the oldest messages, up to one that may stand behind the first. */
function window(messages, budget, tokens) {
  let left = tokens(messages);
  let from = 1;
  while (left > budget && from < messages.length - KEPT) left -= tokens([messages[from++]]);
  while (from < messages.length && (messages[from].role === "user" || answersCall(messages[from]))) from++;
  return [messages[0], ...messages.slice(from)];
}

/** Changes the text of the tool results in all messages but the first and the newest. */
function withResults(messages, newest, change) {
  const changed = (block) => (block.type === "tool_result" ? { ...block, content: change(textOf(block)) } : block);
  return messages.map((message, index) => {
    const stays = index === 0 || index >= messages.length - newest || typeof message.content === "string";
    return stays ? message : { ...message, content: message.content.map(changed) };
  });
}

/** The first and last lines of a text, and how many are missing. */
function ends(text, head, tail) {
  const lines = text.split("\n");
  const missing = lines.length - head - tail;
  if (missing <= 0) return text;
  return [...lines.slice(0, head), `... (${missing} more lines)`, ...lines.slice(lines.length - tail)].join("\n");
}

/** The result of the largest parameter that fits; where not even the smallest does, the window goes on. */
function largest(messages, budget, tokens, { from, to, at }) {
  if (tokens(messages) <= budget) return messages;
  let [fits, limit] = [from, to];
  while (fits < limit) {
    const middle = Math.ceil((fits + limit) / 2);
    if (tokens(at(middle)) <= budget) fits = middle;
    else limit = middle - 1;
  }
  const result = at(fits);
  return tokens(result) <= budget ? result : window(result, budget, tokens);
}

/** The policies by name: functions of messages and budget. */
export function references(tokens) {
  const search = (parameters) => (messages, budget) => largest(messages, budget, tokens, parameters(messages));
  return {
    window: (messages, budget) => window(messages, budget, tokens),
    mask: search((messages) => ({
      from: KEPT,
      to: messages.length,
      at: (newest) => withResults(messages, newest, () => "[output omitted]"),
    })),
    head: search((messages) => ({
      from: 0,
      to: 2000,
      at: (lines) => withResults(messages, KEPT, (text) => ends(text, lines, 0)),
    })),
    "tail-head": search((messages) => ({
      from: 0,
      to: 1000,
      at: (lines) => withResults(messages, KEPT, (text) => ends(text, lines, lines)),
    })),
  };
}
