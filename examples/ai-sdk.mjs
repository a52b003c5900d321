// An agent with the AI SDK and any service that speaks chat completions: BASE_URL=http://localhost:11434/v1 MODEL=qwen3 node examples/ai-sdk.mjs "What is this project about?"

import process from "node:process";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { condensingMiddleware } from "roo-condense/ai-sdk";
import { z } from "zod";
import { contextWindow, description, readFile, task } from "./read-file.mjs";

const { BASE_URL: baseURL = "http://localhost:11434/v1", MODEL = "qwen3", API_KEY: apiKey } = process.env;
const middleware = condensingMiddleware({ contextWindow, onWarning: ({ code, message }) => console.warn(code, message) });
const model = wrapLanguageModel({ model: createOpenAICompatible({ name: "service", baseURL, apiKey })(MODEL), middleware });

const tools = { read_file: tool({ description, inputSchema: z.object({ path: z.string() }), execute: async (input) => readFile(input) }) };
const { text } = await generateText({ model, tools, prompt: task, stopWhen: stepCountIs(100) });
console.log(text);
