// An agent with the official client of OpenAI: OPENAI_API_KEY=… node examples/openai.mjs "What is this project about?"

import OpenAI from "openai";
import { condensing } from "roo-condense/openai";
import { contextWindow, description, readFile, task } from "./read-file.mjs";

const client = condensing(new OpenAI(), { contextWindow, onWarning: ({ code, message }) => console.warn(code, message) });

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const tools = [{ type: "function", function: { name: "read_file", description, parameters } }];
const messages = [{ role: "user", content: task }];
for (;;) {
  const { choices } = await client.chat.completions.create({ model: "gpt-5.6-terra", tools, messages });
  const { message } = choices[0];
  messages.push(message);
  if (!message.tool_calls?.length) break;
  for (const { id, function: called } of message.tool_calls)
    messages.push({ role: "tool", tool_call_id: id, content: readFile(JSON.parse(called.arguments)) });
}
console.log(messages.at(-1).content);
