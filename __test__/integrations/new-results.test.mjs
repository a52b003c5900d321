// `resultTokens` in the pieces, with the frameworks and clients themselves: a long result is shortened before it is sent, the same with every later request, and recall
// brings back what was left out.

import Anthropic from "@anthropic-ai/sdk";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { generateText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { contextEditingMiddleware, createAgent, tool as langchainTool } from "langchain";
import OpenAI from "openai";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { countTokens, expand, validateMessages } from "../../index.js";
import * as aiSdk from "../../js/integrations/ai-sdk.js";
import { condensing } from "../../js/integrations/anthropic.js";
import { KeptCondensations } from "../../js/integrations/kept.js";
import { condensingEdit, condensingMiddleware } from "../../js/integrations/langchain.js";
import { condensingProcessor } from "../../js/integrations/mastra.js";
import { condensing as condensingOpenAI } from "../../js/integrations/openai.js";
import { json, startFakeLlm } from "../llm/fake-llm.mjs";
import { anthropicAgent, chatAgent } from "./day.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));
const serve = async (script) => {
  const server = await startFakeLlm(script);
  servers.push(server);
  return server;
};

const TASK = "Make the build pass.";
const BUDGET = 600;
const FAILURE = "src/day.c:12:5: error: unknown type name 'foo'";
/** A line that is left out at first, and asked for. */
const WANTED = "step 777: cc -O2 -c zebra_777.c -o zebra_777.o";
const LOG = [
  ...Array.from(
    { length: 1500 },
    (_, at) => `step ${at}: cc -O2 -c ${at === 777 ? "zebra" : "file"}_${at}.c -o ${at === 777 ? "zebra" : "file"}_${at}.o`,
  ),
  FAILURE,
  ...Array.from({ length: 1500 }, (_, at) => `step ${at + 1500}: cc -O2 -c other_${at}.c -o other_${at}.o`),
  "make: *** [Makefile:3: day.o] Error 1",
].join("\n");
const SHORT = "On branch main, nothing to commit.";

/** The calls of the agent: two of its own, one of them with a long result, then recall, then the end. */
const CALLS = [
  { id: "call_make", name: "run", input: { command: "make" } },
  { id: "call_git", name: "run", input: { command: "git status" } },
  { id: "call_recall", name: "recall", input: { query: "zebra_777" } },
];
const outputOf = ({ command }) => (command === "make" ? LOG : SHORT);

const callAt = (index) => CALLS[index];

/** Checks the requests that the service received: the log is short from the first one on, each request is the beginning of the next, and recall brings its line back. */
function expectShort(server, { isRecalled = true } = {}) {
  const received = server.requests.map(({ body }) => (body.messages ?? body.input).map((message) => JSON.stringify(message)));
  expect(received).toHaveLength(CALLS.length + 1);
  const inJson = (line) => JSON.stringify(line).slice(1, -1);
  for (const [index, request] of received.entries()) {
    const text = request.join("\n");
    expect(countTokens(text)).toBeLessThan(BUDGET + 2500);
    if (index === 0) continue;
    expect(text).toContain(inJson(FAILURE));
    expect(text).toContain("make: *** [Makefile:3: day.o] Error 1");
    expect(text).toMatch(/\[Left out of this result: \d+ of 3002 lines, \d+ of \d+ tokens; whole result: call recall with/);
    expect(request.slice(0, received[index - 1].length)).toEqual(received[index - 1]);
  }
  expect(received[2].join("\n")).toContain(SHORT);
  expect(received[2].join("\n")).not.toContain(WANTED);
  if (isRecalled) expect(received[3].join("\n")).toContain(WANTED);
}

const warnings = [];
const options = {
  contextWindow: 200_000,
  recall: /** @type {const} */ (true),
  resultTokens: BUDGET,
  onWarning: (warning) => warnings.push(warning),
};
const aiTool = tool({
  description: "Runs a command.",
  inputSchema: z.object({ command: z.string() }),
  execute: async (input) => outputOf(input),
});
const aiModel = (server) => createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1`, apiKey: "key-0123456789" })("m");

test("AI SDK: the model's view is short, the application's steps are whole", async () => {
  const server = await serve(chatAgent(callAt));
  const middleware = aiSdk.condensingMiddleware(options);
  const model = wrapLanguageModel({ model: aiModel(server), middleware });
  const { steps } = await generateText({
    model,
    tools: { run: aiTool, recall: middleware.recall },
    prompt: TASK,
    stopWhen: stepCountIs(4),
  });
  expect(steps[0].toolResults[0].output).toBe(LOG);
  expectShort(server);
});

test("AI SDK, before each step", async () => {
  const server = await serve(chatAgent(callAt));
  const prepareStep = aiSdk.condensingPrepareStep(options);
  await generateText({
    model: aiModel(server),
    prepareStep,
    tools: { run: aiTool, recall: prepareStep.recall },
    prompt: TASK,
    stopWhen: stepCountIs(4),
  });
  expectShort(server);
});

const langchainModel = (server) =>
  new ChatAnthropic({ model: "claude-test", apiKey: "key-0123456789", anthropicApiUrl: server.url, maxRetries: 0, maxTokens: 500 });
const langchainRun = langchainTool(async (input) => outputOf(input), {
  name: "run",
  description: "Runs a command.",
  schema: z.object({ command: z.string() }),
});

test("LangChain: as a middleware, and as an edit, which has the state's messages shortened too", async () => {
  const server = await serve(anthropicAgent(callAt));
  const agent = createAgent({ model: langchainModel(server), tools: [langchainRun], middleware: [condensingMiddleware(options)] });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: TASK }] });
  expect(messages.find(({ tool_call_id: id }) => id === "call_make").content).toBe(LOG);
  expectShort(server);
  const edited = await serve(anthropicAgent(callAt));
  const recall = langchainTool(async () => "nothing", { name: "recall", description: "Recalls.", schema: z.object({ query: z.string() }) });
  const edits = [condensingEdit(options)];
  const other = createAgent({
    model: langchainModel(edited),
    tools: [langchainRun, recall],
    middleware: [contextEditingMiddleware({ edits })],
  });
  await other.invoke({ messages: [{ role: "user", content: TASK }] });
  expectShort(edited, { isRecalled: false });
});

test("Mastra", async () => {
  const server = await serve(chatAgent(callAt));
  const processor = condensingProcessor(options);
  const run = createTool({
    id: "run",
    description: "Runs a command.",
    inputSchema: z.object({ command: z.string() }),
    execute: async (input) => outputOf(input),
  });
  const coder = new Agent({
    id: "coder",
    name: "Coder",
    instructions: "You are an agent.",
    model: aiModel(server),
    tools: { run, recall: processor.recall },
    inputProcessors: [processor],
  });
  await coder.generate(TASK, { maxSteps: 4 });
  expectShort(server);
});

test("the official client of Anthropic, and marks of the prompt cache, which move on", async () => {
  const server = await serve(anthropicAgent(callAt));
  const client = condensing(new Anthropic({ apiKey: "key-0123456789", baseURL: server.url, maxRetries: 0 }), options);
  const tools = /** @type {any} */ ([
    { name: "run", description: "Runs.", input_schema: { type: "object" } },
    client.recall.tool("anthropic"),
  ]);
  const messages = /** @type {any[]} */ ([{ role: "user", content: TASK }]);
  for (let index = 0; index < 4; index++) {
    // As applications do: the newest block has the mark.
    const last = messages.at(-1);
    const marked = Array.isArray(last.content)
      ? { ...last, content: last.content.map((block) => ({ ...block, cache_control: { type: "ephemeral" } })) }
      : last;
    const { content } = await client.messages.create({
      model: "claude-test",
      max_tokens: 500,
      tools,
      messages: [...messages.slice(0, -1), marked],
    });
    messages.push({ role: "assistant", content });
    const call = /** @type {any} */ (content[0]);
    if (call.type !== "tool_use") break;
    const result =
      call.name === "recall"
        ? await client.recall.answer(call, messages)
        : { type: "tool_result", tool_use_id: call.id, content: outputOf(call.input) };
    messages.push({ role: "user", content: [result] });
  }
  for (const { text } of server.requests.slice(1)) expect(text.split("cache_control")).toHaveLength(2);
  const unmarked = server.requests.map(({ body }) => ({
    body: { messages: JSON.parse(JSON.stringify(body.messages).replaceAll(',"cache_control":{"type":"ephemeral"}', "")) },
  }));
  expectShort({ requests: unmarked });
  expect(messages[2].content[0].content).toBe(LOG);
});

test("the official client of OpenAI: chat completions and responses", async () => {
  for (const kind of ["chat", "responses"]) {
    const server = await serve((request, index) =>
      kind === "chat"
        ? chatAgent(callAt)(request, index)
        : json(200, {
            id: `resp_${index}`,
            object: "response",
            created_at: 1,
            model: "m",
            status: "completed",
            output: CALLS[index]
              ? [
                  {
                    type: "function_call",
                    id: `fc_${index}`,
                    call_id: CALLS[index].id,
                    name: CALLS[index].name,
                    arguments: JSON.stringify(CALLS[index].input),
                  },
                ]
              : [
                  {
                    type: "message",
                    id: "m1",
                    role: "assistant",
                    status: "completed",
                    content: [{ type: "output_text", text: "Done.", annotations: [] }],
                  },
                ],
            usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
          }),
    );
    const client = condensingOpenAI(new OpenAI({ apiKey: "key-0123456789", baseURL: `${server.url}/v1`, maxRetries: 0 }), options);
    const messages = /** @type {any[]} */ ([{ role: "user", content: TASK }]);
    for (let index = 0; index < 4; index++) {
      const call = await (kind === "chat" ? chatCall(client, messages) : responsesCall(client, messages));
      if (!call) break;
      const input = JSON.parse((call.function ?? call).arguments);
      if ((call.function ?? call).name === "recall") messages.push(await client.recall.answer(call, messages));
      else if (kind === "chat") messages.push({ role: "tool", tool_call_id: call.id, content: outputOf(input) });
      else messages.push({ type: "function_call_output", call_id: call.call_id, output: outputOf(input) });
    }
    expectShort(server);
  }
  expect(warnings).toEqual([]);
});

async function chatCall(client, messages) {
  const { choices } = await client.chat.completions.create({ model: "m", messages, tools: [client.recall.tool("openai-chat")] });
  messages.push(choices[0].message);
  return choices[0].message.tool_calls?.[0];
}

async function responsesCall(client, input) {
  const { output } = await client.responses.create({ model: "m", input, tools: [client.recall.tool("openai-responses")] });
  input.push(...output);
  return output.find(({ type }) => type === "function_call");
}

const results = (count, text = LOG) => [
  { role: "user", content: TASK },
  {
    role: "assistant",
    content: Array.from({ length: count }, (_, at) => ({ type: "tool_use", id: `c${at}`, name: "run", input: { command: "make" } })),
  },
  {
    role: "user",
    content: Array.from({ length: count }, (_, at) => ({ type: "tool_result", tool_use_id: `c${at}`, content: at === 0 ? SHORT : text })),
  },
];

test("each of several results has its budget; what is sent is valid, and the same where another process sends it", async () => {
  const history = results(3);
  const sent = await new KeptCondensations(options).messagesFor(history, { format: "anthropic" });
  expect(validateMessages(sent)).toEqual([]);
  expect(sent.slice(0, 2).map((message, at) => message === history[at])).toEqual([true, true]);
  const [first, ...others] = sent[2].content;
  expect(first).toBe(history[2].content[0]);
  for (const { content } of others) {
    expect(content).toContain(FAILURE);
    expect(countTokens(content)).toBeLessThanOrEqual(BUDGET);
    expect(countTokens(content)).toBeGreaterThan(BUDGET / 2);
  }
  expect(await new KeptCondensations(options).messagesFor(structuredClone(history), { format: "anthropic" })).toEqual(sent);
});

test("a text that became a block, as applications write it to mark it, is shortened the same", async () => {
  const kept = new KeptCondensations(options);
  const history = results(2);
  const [, result] = (await kept.messagesFor(history, { format: "anthropic" }))[2].content;
  const blocks = structuredClone(history);
  blocks[2].content[1].content = /** @type {any} */ ([{ type: "text", text: LOG, cache_control: { type: "ephemeral" } }]);
  const [, again] = (await kept.messagesFor(blocks, { format: "anthropic" }))[2].content;
  expect(/** @type {any} */ (again).content).toEqual([{ type: "text", text: result.content, cache_control: { type: "ephemeral" } }]);
});

test("short results stay short in a condensation, and what it leaves out is not pointed to", async () => {
  const kept = new KeptCondensations({ ...options, recall: false, contextWindow: 10_000 });
  const history = [{ role: "user", content: TASK }];
  let condensed = 0;
  let first;
  for (let round = 0; round < 12; round++) {
    const id = `c${round}`;
    const block = Array.from({ length: 60 }, (_, at) => `export const part_${round % 2}_${at} = compute(${at});`).join("\n");
    history.push(
      { role: "assistant", content: /** @type {any} */ ([{ type: "tool_use", id, name: "run", input: { command: `make ${round}` } }]) },
      {
        role: "user",
        content: /** @type {any} */ ([
          { type: "tool_result", tool_use_id: id, content: `${block}\n${LOG.replaceAll("step", `step of ${round}`)}` },
        ]),
      },
    );
    const sent = await kept.messagesFor([...history], { format: "anthropic" });
    expect(validateMessages(sent)).toEqual([]);
    expect(countTokens(sent)).toBeLessThan(10_000);
    expect(JSON.stringify(sent.at(-1))).toContain("[Left out of this result: ");
    if (JSON.stringify(sent[2]) !== JSON.stringify(first)) condensed++;
    first = sent[2];
    const { unresolved } = expand(sent);
    expect(unresolved).toEqual([]);
  }
  expect(condensed).toBeGreaterThan(1);
});

test("what cannot be shortened goes as it is, and is told; wrong values are refused", async () => {
  expect(() => new KeptCondensations({ ...options, resultTokens: 10 })).toThrow(
    expect.objectContaining({ code: "out_of_range", field: "options.resultTokens" }),
  );
  expect(() => new KeptCondensations({ ...options, resultTokens: "4k" })).toThrow(
    expect.objectContaining({ code: "invalid_argument", field: "options.resultTokens" }),
  );
  const odd = [{ role: "user", content: [null, 7, { type: "tool_result" }] }, null];
  expect(await new KeptCondensations(options).messagesFor(/** @type {any} */ (odd), { format: "anthropic" })).toBe(odd);
});
