// An agent with Mastra and any service that speaks chat completions: BASE_URL=http://localhost:11434/v1 MODEL=qwen3 node examples/mastra.mjs "What is this project about?"

import process from "node:process";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { condensingProcessor } from "roo-condense/mastra";
import { z } from "zod";
import { contextWindow, description, readFile, task } from "./read-file.mjs";

const { BASE_URL: baseURL = "http://localhost:11434/v1", MODEL = "qwen3", API_KEY: apiKey } = process.env;
const inputSchema = z.object({ path: z.string() });
const agent = new Agent({
  id: "reader",
  name: "Reader",
  instructions: "You answer questions about the files of a project.",
  model: createOpenAICompatible({ name: "service", baseURL, apiKey })(MODEL),
  tools: { read_file: createTool({ id: "read_file", description, inputSchema, execute: async (input) => readFile(input) }) },
  inputProcessors: [condensingProcessor({ contextWindow, onWarning: ({ code, message }) => console.warn(code, message) })],
});
const { text } = await agent.generate(task, { maxSteps: 100 });
console.log(text);
