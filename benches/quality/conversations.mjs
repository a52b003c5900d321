// Conversations as the measures read them.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import texts from "../../js/future-use/texts.js";

export const { blocksOf, textOf, textOfMessage, withoutLineNumbers } = texts;

/** The conversations below a folder, as `{ id, messages }`: JSON files that hold an array of messages or an object with one. */
export function readConversations(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return files.sort().flatMap((file) => {
    const value = JSON.parse(readFileSync(path.join(folder, file), "utf8"));
    const messages = Array.isArray(value) ? value : value?.messages;
    if (!Array.isArray(messages) || !messages.every((message) => message && typeof message === "object")) return [];
    return [{ id: value.id ?? file.replace(/\.json$/, ""), messages }];
  });
}

/** Ids of the calls in a message. */
const callsOf = (message) => blocksOf(message).filter((block) => block.type === "tool_use");

/** How often the messages break the rules of the Anthropic Messages API. Calls of the last message may be open. */
export function countProblems(messages) {
  let problems = 0;
  const check = (isRight) => {
    if (!isRight) problems++;
  };
  const isBlank = (value) => typeof value !== "string" || value.trim() === "";
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const { role, content } = message;
    check(role === "user" || role === "assistant");
    check(before ? before.role !== role : role === "user");
    check(typeof content === "string" ? !isBlank(content) : Array.isArray(content) && content.length > 0);
    const open = new Set(before?.role === "assistant" ? callsOf(before).map((call) => call.id) : []);
    const answered = new Set();
    for (const block of blocksOf(message)) {
      if (block.type === "text") check(!isBlank(block.text));
      if (block.type === "tool_use") {
        check(role === "assistant");
        check(block.input !== null && typeof block.input === "object" && !Array.isArray(block.input));
        check(block.id && block.name);
      }
      if (block.type === "tool_result") {
        check(role === "user");
        check(open.has(block.tool_use_id));
        check(!answered.has(block.tool_use_id));
        answered.add(block.tool_use_id);
      }
    }
    for (const id of open) check(answered.has(id));
  }
  return problems;
}
