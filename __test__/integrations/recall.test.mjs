// `recall: true` in the pieces, with the frameworks and clients themselves: an agent's day in which the model, at its end, asks for what was left out long ago.

import Anthropic from "@anthropic-ai/sdk";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { generateText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { createAgent, tool as langchainTool } from "langchain";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import * as aiSdk from "../../js/integrations/ai-sdk.js";
import { condensing } from "../../js/integrations/anthropic.js";
import { condensingMiddleware } from "../../js/integrations/langchain.js";
import { condensingProcessor } from "../../js/integrations/mastra.js";
import { startFakeLlm } from "../llm/fake-llm.mjs";
import { TASK, WINDOW, anthropicAgent, chatAgent, rounds } from "./day.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));
const serve = async (script) => {
  const server = await startFakeLlm(script);
  servers.push(server);
  return server;
};

/** Files that are read, then the call of recall, then the end. */
const READS = 24;
/** A line of the file that was read first, and left out since. */
const QUERY = "value1_17 compute";
const WANTED = /** @type {string} */ (rounds[1].file.split("\n")[17]);

/** The calls of a day: of the agent's own tool, of recall, none at the end. */
const callAt = (index) => {
  if (index < READS) return { id: rounds[index].id, name: "read_file", input: { path: rounds[index].path } };
  return index === READS ? { id: "call_recall", name: "recall", input: { query: QUERY } } : undefined;
};

/** The requests of a day: the line was gone before recall was asked, and is there behind it; the request before is the beginning of the last. */
function expectBroughtBack(server) {
  const received = server.requests.map(({ body }) => body.messages.map((message) => JSON.stringify(message)));
  expect(received).toHaveLength(READS + 2);
  const [before, after] = [received.at(-2), received.at(-1)];
  const line = JSON.stringify(WANTED).slice(1, -1);
  expect(before.join("\n")).not.toContain(line);
  expect(after.join("\n")).toContain(line);
  expect(after.slice(0, before.length)).toEqual(before);
}

const fileAt = (path) => /** @type {any} */ (rounds.find((round) => round.path === path)).file;
const readFile = tool({
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => fileAt(path),
});
const options = { contextWindow: WINDOW, recall: /** @type {const} */ (true) };

test("AI SDK, as a middleware", async () => {
  const server = await serve(chatAgent(callAt));
  const provider = createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1`, apiKey: "key-0123456789" });
  const middleware = aiSdk.condensingMiddleware(options);
  const model = wrapLanguageModel({ model: provider("m"), middleware });
  const tools = { read_file: readFile, recall: middleware.recall };
  const { text } = await generateText({ model, tools, prompt: TASK, stopWhen: stepCountIs(READS + 2) });
  expect(text).toBe("Done.");
  expectBroughtBack(server);
});

test("AI SDK, before each step", async () => {
  const server = await serve(chatAgent(callAt));
  const provider = createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1`, apiKey: "key-0123456789" });
  const prepareStep = aiSdk.condensingPrepareStep(options);
  const tools = { read_file: readFile, recall: prepareStep.recall };
  await generateText({ model: provider("m"), prepareStep, tools, prompt: TASK, stopWhen: stepCountIs(READS + 2) });
  expectBroughtBack(server);
});

test("LangChain", async () => {
  const server = await serve(anthropicAgent(callAt));
  const model = new ChatAnthropic({
    model: "claude-test",
    apiKey: "key-0123456789",
    anthropicApiUrl: server.url,
    maxRetries: 0,
    maxTokens: 500,
  });
  const read = langchainTool(async ({ path }) => fileAt(path), {
    name: "read_file",
    description: "Reads a file.",
    schema: z.object({ path: z.string() }),
  });
  const agent = createAgent({ model, tools: [read], middleware: [condensingMiddleware(options)] });
  await agent.invoke({ messages: [{ role: "user", content: TASK }] }, { recursionLimit: 1000 });
  expect(server.requests[0].body.tools.map(({ name }) => name)).toContain("recall");
  expectBroughtBack(server);
});

test("Mastra", async () => {
  const server = await serve(chatAgent(callAt));
  const processor = condensingProcessor(options);
  const read = createTool({
    id: "read_file",
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => fileAt(path),
  });
  const coder = new Agent({
    id: "coder",
    name: "Coder",
    instructions: "You are an agent.",
    model: createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1`, apiKey: "key-0123456789" })("m"),
    tools: { read_file: read, recall: processor.recall },
    inputProcessors: [processor],
  });
  await coder.generate(TASK, { maxSteps: READS + 2 });
  expectBroughtBack(server);
});

test("the official client of Anthropic", async () => {
  const server = await serve(anthropicAgent(callAt));
  const client = condensing(new Anthropic({ apiKey: "key-0123456789", baseURL: server.url, maxRetries: 0 }), options);
  const read = {
    name: "read_file",
    description: "Reads a file.",
    input_schema: { type: "object", properties: { path: { type: "string" } } },
  };
  const tools = /** @type {any} */ ([read, client.recall.tool("anthropic")]);
  const messages = /** @type {any[]} */ ([{ role: "user", content: TASK }]);
  for (;;) {
    const { content } = await client.messages.create({ model: "claude-test", max_tokens: 500, tools, messages });
    messages.push({ role: "assistant", content });
    const call = /** @type {any} */ (content[0]);
    if (call.type !== "tool_use") break;
    const result =
      call.name === "recall"
        ? await client.recall.answer(call, messages)
        : { type: "tool_result", tool_use_id: call.id, content: fileAt(call.input.path) };
    messages.push({ role: "user", content: [result] });
  }
  expectBroughtBack(server);
});

test("pieces without it offer none, and wrong values are refused", () => {
  expect(aiSdk.condensingMiddleware({ contextWindow: WINDOW })).not.toHaveProperty("recall");
  expect(() => aiSdk.condensingMiddleware(/** @type {any} */ ({ contextWindow: WINDOW, recall: "yes" }))).toThrow(
    expect.objectContaining({ code: "invalid_argument", field: "options.recall" }),
  );
});
