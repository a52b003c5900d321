// An agent with LangChain: ANTHROPIC_API_KEY=… node examples/langchain.mjs "What is this project about?"

import process from "node:process";
import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, tool } from "langchain";
import { CondensationManager } from "roo-condense";
import { condensingMiddleware } from "roo-condense/langchain";
import { z } from "zod";
import { contextWindow, description, readFile, task } from "./read-file.mjs";

const manager = new CondensationManager({ autoCondenseContextPercent: 75, scale: "claude-4.7" });
const agent = createAgent({
  model: new ChatAnthropic({ model: "claude-sonnet-5-5", maxTokens: 2000, anthropicApiUrl: process.env.ANTHROPIC_BASE_URL }),
  tools: [tool(async (input) => readFile(input), { name: "read_file", description, schema: z.object({ path: z.string() }) })],
  middleware: [condensingMiddleware({ contextWindow, manager, onWarning: ({ code, message }) => console.warn(code, message) })],
});
const { messages } = await agent.invoke({ messages: [{ role: "user", content: task }] }, { recursionLimit: 500 });
console.log(messages.at(-1).text);
