// Summaries that are asked for behind the host's own request: its bytes, refused tool calls, prices, the host's function.

import { afterEach, expect, test } from "vitest";
import { CondensationManager, callbackHandler, createNativeProvider, httpHandler, restore, validateMessages } from "../../index.js";
import { anthropicEvent, anthropicEvents, openaiEvents, startFakeLlm, stream } from "./fake-llm.mjs";

const systemPrompt = [{ type: "text", text: "You are a  careful engineer.", cache_control: { type: "ephemeral" } }];
const tools = [{ name: "read_file", description: "Reads.", input_schema: { type: "object", properties: { path: { type: "string" } } } }];

/** A session with calls, images of text, cache marks, and a text with an escape of its own. */
function history(steps = 12) {
  const messages = [{ role: "user", content: "Make the parser of due dates faster. \u2028 \u00fc" }];
  for (let step = 0; step < steps; step++) {
    const id = `t${step}`;
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: `step ${step} ${"word ".repeat(60)}` },
          { type: "tool_use", id, name: "read_file", input: { path: `src/${step}.ts` } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `line ${step}\n`.repeat(40) }] },
    );
  }
  messages.at(-1).content[0].cache_control = { type: "ephemeral" };
  return messages;
}

/** What every request of the host has behind its settings, but for the end of the list of messages. */
function prefixOf(messages) {
  const sent = messages.map(({ role, content }) => ({ role, content }));
  return `"tools":${JSON.stringify(tools)},"system":${JSON.stringify(systemPrompt)},"messages":${JSON.stringify(sent).slice(0, -1)},`;
}

/** An answer that calls a tool and says nothing. */
const CALLS = [
  ...anthropicEvents([]).slice(0, 1),
  anthropicEvent("content_block_start", { index: 0, content_block: { type: "tool_use", id: "x1", name: "read_file", input: {} } }),
  anthropicEvent("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: "{}" } }),
  anthropicEvent("content_block_stop", { index: 0 }),
  anthropicEvent("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 9 } }),
  anthropicEvent("message_stop", {}),
];

const servers = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serviceSaying(...answers) {
  const server = await startFakeLlm((_, index) => stream(...answers[Math.min(index, answers.length - 1)]));
  servers.push(server);
  const price = { inputPrice: 3, outputPrice: 15, cacheReadsPrice: 0.3, cacheWritesPrice: 3.75 };
  const given = { model: "claude-test", baseUrl: server.url, apiKey: "sk-test-0123456789", price };
  return { server, handler: httpHandler({ api: "anthropic", ...given }), given };
}

const said = anthropicEvents(["The dates are read faster now."]);

test("the request is the host's own, byte for byte, and one more message", async () => {
  const { server, handler } = await serviceSaying(said);
  const messages = history();
  const result = await new CondensationManager({ handler }).condense({ messages, systemPrompt, tools }, { targetTokens: 1500 });
  expect([result.error, result.metrics.providerId, server.requests.length]).toEqual([undefined, "native", 1]);
  const { text, body } = server.requests[0];
  const at = text.indexOf(prefixOf(messages));
  expect(at).toBeGreaterThan(0);
  // Behind the prefix stands one message of the user, and nothing else.
  const question = JSON.parse(text.slice(at + prefixOf(messages).length, -2));
  expect(question).toMatchObject({ role: "user", content: expect.stringMatching(/summar/i) });
  expect(body.messages).toHaveLength(messages.length + 1);
  expect([body.model, body.stream]).toEqual(["claude-test", true]);
  expect(validateMessages(result.messages)).toEqual([]);
  expect(restore(result)).toEqual(messages);
});

test("an answer that calls tools is refused and asked for once more; then the question is asked without tools", async () => {
  const twice = await serviceSaying(CALLS, said);
  const messages = history();
  const result = await createNativeProvider().condense({ messages, systemPrompt, tools }, { handler: twice.handler });
  expect(result.summary).toBe("The dates are read faster now.");
  expect(twice.server.requests.map(({ text }) => text.includes(prefixOf(messages)))).toEqual([true, true]);
  const [first, second] = twice.server.requests.map(({ body }) => body.messages.at(-1).content);
  expect(second.startsWith(first)).toBe(true);
  expect(second.slice(first.length)).toMatch(/tool/);

  // In text, too.
  const inText = anthropicEvents(["<read_file>\n<path>src/1.ts</path>\n</read_file>"]);
  const stubborn = await serviceSaying(CALLS, inText, said);
  const other = await createNativeProvider().condense({ messages, systemPrompt, tools }, { handler: stubborn.handler });
  expect(other.summary).toBe("The dates are read faster now.");
  expect(stubborn.server.requests.map(({ body }) => body.tools !== undefined)).toEqual([true, true, false]);
});

test.each([
  ["where the host's tools are not known", { tools: undefined }, {}],
  ["where another model writes summaries", {}, { other: true }],
  ["with `summaryRequest: own`", {}, { options: { summaryRequest: "own" } }],
  ["to a service of another shape", {}, { api: "openai" }],
])("a request of our own %s", async (_, context, { other, options, api }) => {
  const { server, handler, given } = await serviceSaying(api ? openaiEvents(["Faster now."]) : said);
  const used = api ? httpHandler({ api, ...given }) : handler;
  const asked = other ? { handler: callbackHandler({ createMessage: never }), condensingHandler: used } : { handler: used };
  await createNativeProvider(options).condense({ messages: history(), systemPrompt, tools, ...context }, asked);
  expect(server.requests.length).toBeGreaterThan(0);
  expect(server.requests[0].body.tools).toBeUndefined();
});

async function* never() {
  yield { type: "error", error: "not asked", message: "not asked" };
}

test("estimates know that the prefix is read from the cache", async () => {
  const { server, handler } = await serviceSaying(said);
  const provider = createNativeProvider();
  const cost = (context) => provider.estimateCost({ messages: history(100), systemPrompt, ...context }, undefined, { handler });
  const [own, appended] = [await cost({}), await cost({ tools })];
  expect(appended).toBeLessThan(own / 2.5);
  expect(appended).toBeGreaterThan(0);
  expect(server.requests).toHaveLength(0);
});

test("the host's function is called as it calls the model itself", async () => {
  const calls = [];
  async function* createMessage(...values) {
    calls.push(values);
    yield { type: "text", text: "The dates are read faster now." };
  }
  const handler = callbackHandler({ createMessage, getModel: () => ({ id: "fake", info: { contextWindow: 200_000 } }) });
  const messages = history();
  const result = await createNativeProvider().condense({ messages, systemPrompt, tools }, { handler });
  expect(result.error).toBeUndefined();
  const [[system, sent, metadata]] = calls;
  // Functions of this kind take a text.
  expect(system).toBe(systemPrompt[0].text);
  expect(sent.slice(0, -1)).toEqual(messages);
  expect(sent.at(-1).role).toBe("user");
  expect(metadata.tools).toEqual(tools);
});

test.each([
  [{}, "context.tools"],
  ["read_file", "context.tools"],
  [[1], "context.tools[0]"],
])("tools that are none are refused: %j", async (bad, field) => {
  const { handler } = await serviceSaying(said);
  const call = createNativeProvider().condense({ messages: history(), systemPrompt, tools: bad }, { handler });
  await expect(call).rejects.toMatchObject({ code: "invalid_argument", field });
});
