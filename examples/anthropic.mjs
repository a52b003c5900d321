// An agent with the official client of Anthropic: ANTHROPIC_API_KEY=… node examples/anthropic.mjs "What is this project about?"

import Anthropic from "@anthropic-ai/sdk";
import { CondensationManager } from "roo-condense";
import { condensing } from "roo-condense/anthropic";
import { contextWindow, description, readFile, task } from "./read-file.mjs";

const manager = new CondensationManager({ autoCondenseContextPercent: 75, scale: "claude-4.7" });
const client = condensing(new Anthropic(), { contextWindow, manager, onWarning: ({ code, message }) => console.warn(code, message) });

const tools = [
  { name: "read_file", description, input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } },
];
const messages = [{ role: "user", content: task }];
for (;;) {
  const { content } = await client.messages.create({ model: "claude-sonnet-5-5", max_tokens: 2000, tools, messages });
  messages.push({ role: "assistant", content });
  const calls = content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) break;
  messages.push({
    role: "user",
    content: calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: readFile(input) })),
  });
}
console.log(
  messages
    .at(-1)
    .content.map(({ text }) => text ?? "")
    .join(""),
);
