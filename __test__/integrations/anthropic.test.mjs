// `roo-condense/anthropic` with the official client and a service on loopback.

import { createHash } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, describe, expect, test } from "vitest";
import { CondensationManager } from "../../index.js";
import { clientHandler, condensing } from "../../js/integrations/anthropic.js";
import { anthropicEvents, json, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { talk } from "../llm/histories.mjs";
import { REQUESTS, TASK, WINDOW, expectGoodDay, rounds } from "./day.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));
const serve = async (script) => {
  const server = await startFakeLlm(script);
  servers.push(server);
  return { server, client: new Anthropic({ apiKey: "key-0123456789", baseURL: server.url, maxRetries: 1 }) };
};
const ANSWER = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-test",
  content: [{ type: "text", text: "Done." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
};
const messagesUntil = (round) => [
  { role: "user", content: TASK },
  ...rounds.slice(0, round).flatMap(({ id, said, path, file }) => [
    {
      role: "assistant",
      content: [
        { type: "text", text: said },
        { type: "tool_use", id, name: "read_file", input: { path } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: file }] },
  ]),
];
const tools = /** @type {any} */ ([
  { name: "read_file", description: "Reads a file.", input_schema: { type: "object", properties: { path: { type: "string" } } } },
]);
const request = { model: "claude-test", max_tokens: 500, system: "You are an agent.", tools };

test("a day of requests", async () => {
  const { server, client } = await serve((_, index) => (index % 2 ? stream(...anthropicEvents(["Done."])) : json(200, ANSWER)));
  const warnings = [];
  const condensingClient = condensing(client, { contextWindow: WINDOW, onWarning: (warning) => warnings.push(warning) });
  const histories = [];
  for (let round = 0; round < REQUESTS; round++) {
    const messages = /** @type {any[]} */ (messagesUntil(round));
    histories.push([messages, structuredClone(messages)]);
    if (round % 2) {
      expect((await condensingClient.messages.stream({ ...request, messages }).finalMessage()).content[0]).toMatchObject({ text: "Done." });
    } else {
      const { data, response } = await condensingClient.messages.create({ ...request, messages }).withResponse();
      expect([data.content, response.status]).toEqual([ANSWER.content, 200]);
    }
  }
  expectGoodDay(
    server.requests.map(({ body }) => body.messages),
    { format: "anthropic", warnings },
  );
  for (const { body, path } of server.requests) expect([path, body.system, body.tools]).toEqual(["/v1/messages", request.system, tools]);
  // The application's own history is never touched.
  for (const [given, before] of histories) expect(given).toEqual(before);
});

test("a day of requests, with summaries that the plain client writes", async () => {
  const { server, client } = await serve(({ body }) =>
    body.model === "claude-small" ? stream(...anthropicEvents([`${TASK} All files that were read are fine.`])) : json(200, ANSWER),
  );
  const handler = clientHandler(client, { model: "claude-small", contextWindow: 200_000 });
  const manager = new CondensationManager({ autoCondenseContextPercent: 75, handler });
  const condensingClient = condensing(client, { contextWindow: WINDOW, manager });
  for (let round = 0; round < REQUESTS; round++)
    await condensingClient.messages.create({ ...request, messages: /** @type {any[]} */ (messagesUntil(round)) });
  const [summaries, requests] = [true, false].map((isSummary) =>
    server.requests.filter(({ body }) => (body.model === "claude-small") === isSummary),
  );
  const received = requests.map(({ body }) => body.messages);
  const condensations = expectGoodDay(received, { format: "anthropic", warnings: [] });
  expect(summaries.length).toBeGreaterThanOrEqual(condensations);
  expect(JSON.stringify(received.at(-1))).toContain("All files that were read are fine.");
});

test("marks of the prompt cache on the newest messages do not add up", async () => {
  const { server, client } = await serve(() => json(200, ANSWER));
  const condensingClient = condensing(client, { contextWindow: WINDOW });
  for (let round = 0; round < REQUESTS; round++) {
    const messages = /** @type {any[]} */ (messagesUntil(round));
    for (const message of messages.slice(-3))
      if (Array.isArray(message.content)) message.content.at(-1).cache_control = { type: "ephemeral" };
    await condensingClient.messages.create({ ...request, messages });
  }
  const unmarked = server.requests.map(({ text, body }) => {
    expect(text.split('"cache_control"').length - 1).toBeLessThanOrEqual(3);
    return JSON.parse(JSON.stringify(body.messages, (name, value) => (name === "cache_control" ? undefined : value)));
  });
  expectGoodDay(unmarked, { format: "anthropic", warnings: [] });
});

test("thinking is sent only behind what it was signed for", async () => {
  const signatureFor = (messages) => createHash("sha256").update(JSON.stringify(messages)).digest("base64");
  let signed = 0;
  const { server, client } = await serve(({ body }) => {
    body.messages.forEach(({ content }, index) => {
      for (const block of Array.isArray(content) ? content : []) {
        if (block.type !== "thinking") continue;
        signed++;
        expect(block.signature).toBe(signatureFor(body.messages.slice(0, index)));
      }
    });
    const thinking = { type: "thinking", thinking: "Which file is next?", signature: signatureFor(body.messages) };
    return json(200, { ...ANSWER, content: [thinking, ...ANSWER.content] });
  });
  const warnings = [];
  const condensingClient = condensing(client, { contextWindow: WINDOW, onWarning: (warning) => warnings.push(warning) });
  const messages = /** @type {any[]} */ ([{ role: "user", content: TASK }]);
  for (const { id, said, path, file } of rounds) {
    const { content } = await condensingClient.messages.create({ ...request, model: "claude-sonnet-5-5", messages });
    const call = { type: "tool_use", id, name: "read_file", input: { path } };
    messages.push(
      { role: "assistant", content: [content[0], { type: "text", text: said }, call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: file }] },
    );
  }
  expect(signed).toBeGreaterThan(REQUESTS);
  expectGoodDay(
    server.requests.map(({ body }) => body.messages),
    { format: "anthropic", warnings },
  );
});

test("a retry sends the same, and what is not a history is left alone", async () => {
  const { server, client } = await serve((_, index) =>
    index === 0 ? json(503, { type: "error", error: { type: "api_error", message: "no" } }) : json(200, { ...ANSWER, input_tokens: 3 }),
  );
  const condensingClient = condensing(client, { contextWindow: WINDOW });
  const messages = /** @type {any[]} */ (messagesUntil(30));
  await condensingClient.messages.create({ ...request, messages });
  await condensingClient.messages.countTokens({ model: "claude-test", messages });
  const [first, second, counted] = server.requests;
  expect(second.text).toBe(first.text);
  expect(first.text.length).toBeLessThan(counted.text.length / 2);
  expect(counted.body.messages).toEqual(messages);
  await condensingClient.beta.messages.create({ ...request, messages });
  expect(server.requests[3].body.messages).toEqual(first.body.messages);
});

test("an edited history is not taken for the one that was condensed; the one before the edit still is", async () => {
  const { server, client } = await serve(() => json(200, ANSWER));
  const condensingClient = condensing(client, { contextWindow: WINDOW });
  const send = async (messages) => {
    await condensingClient.messages.create({ ...request, messages });
    return server.requests.at(-1).body.messages;
  };
  const messages = /** @type {any[]} */ (messagesUntil(30));
  const condensed = await send(messages);
  const edited = messages.with(0, { role: "user", content: "Write a poem instead." });
  expect(JSON.stringify(await send(edited))).toContain("Write a poem instead.");
  expect(await send(messages)).toEqual(condensed);
  // Shorter than what was condensed: as it is.
  expect(await send(messages.slice(0, 5))).toEqual(messages.slice(0, 5));
});

test("what cannot be condensed goes as it is, and the application is told", async () => {
  const { server, client } = await serve(() => json(200, ANSWER));
  const warnings = [];
  const onWarning = (warning) => {
    warnings.push(warning);
    throw new Error("of the application");
  };
  const manager = new CondensationManager({ autoCondenseContextPercent: 50, provider: "broken", fallback: false });
  manager.registerProvider({
    id: "broken",
    condense() {
      throw new Error("broken");
    },
  });
  const condensingClient = condensing(client, { contextWindow: WINDOW, manager, onWarning });
  const messages = /** @type {any[]} */ (messagesUntil(20));
  await condensingClient.messages.create({ ...request, messages });
  expect(server.requests[0].body.messages).toEqual(messages);
  expect(warnings).toMatchObject([{ code: "provider_failed" }]);
  // Messages of another format are the service's business.
  const foreign = /** @type {any[]} */ ([
    { role: "user", parts: [{ functionCall: { name: "f" } }] },
    { role: "model", content: 1 },
  ]);
  await expect(condensingClient.messages.create({ ...request, messages: foreign })).rejects.toThrow("400");
  expect(server.requests[1].body.messages).toEqual(foreign);
  expect(warnings.at(-1)).toMatchObject({ code: "unsupported_format" });
});

describe("a client writes summaries", () => {
  test("and is paid", async () => {
    const { server, client } = await serve(() => stream(...anthropicEvents(["All ", "of it."], { inputTokens: 70, outputTokens: 30 })));
    const handler = clientHandler(client, { model: "claude-small", price: { inputPrice: 1e6, outputPrice: 1e6 } });
    const { summary, cost, error } = await new CondensationManager({ handler }).condense({ messages: talk(41, 400) });
    expect([error, summary]).toEqual([undefined, expect.stringContaining("All of it.")]);
    expect(cost).toBeCloseTo(100 * server.requests.length, 6);
    expect(server.requests[0].body).toMatchObject({ model: "claude-small", max_tokens: 8192, stream: true });
  });

  test("cut off or refused, it is none", async () => {
    for (const stopReason of ["max_tokens", "refusal"]) {
      const { client } = await serve(() => stream(...anthropicEvents(["All"], { stopReason })));
      const handler = clientHandler(client, { model: "claude-small" });
      const { error } = await new CondensationManager({ handler, fallback: false }).condense({ messages: talk(41, 400) });
      expect(error).toMatchObject({ code: "llm_stream_error", message: expect.stringContaining(stopReason) });
    }
  });

  test("an abort ends its request", async () => {
    const { server, client } = await serve(() => ({ status: 200, headers: {}, steps: [{ hang: true }] }));
    const handler = clientHandler(client, { model: "claude-small" });
    const controller = new AbortController();
    const running = new CondensationManager({ handler, fallback: false }).condense(
      { messages: talk(41, 400) },
      { signal: controller.signal },
    );
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort();
    expect((await running).error).toMatchObject({ code: "aborted" });
    await expect.poll(() => server.underWay, { timeout: 5000 }).toBe(0);
  });
});

test.each([
  [() => condensing(/** @type {any} */ ({}), { contextWindow: 1000 }), "client"],
  [() => condensing(new Anthropic({ apiKey: "k" }), /** @type {any} */ (undefined)), "options"],
  [() => condensing(new Anthropic({ apiKey: "k" }), /** @type {any} */ ({})), "options.contextWindow"],
  [() => condensing(new Anthropic({ apiKey: "k" }), { contextWindow: Number.NaN }), "options.contextWindow"],
  [() => condensing(new Anthropic({ apiKey: "k" }), { contextWindow: 1000, targetPercent: 0 }), "options.targetPercent"],
  [() => condensing(new Anthropic({ apiKey: "k" }), { contextWindow: 1000, manager: /** @type {any} */ ({}) }), "options.manager"],
  [() => condensing(new Anthropic({ apiKey: "k" }), { contextWindow: 1000, onWarning: /** @type {any} */ (1) }), "options.onWarning"],
  [() => condensing(new Anthropic({ apiKey: "k" }), /** @type {any} */ ({ contextWindow: 1000, window: 1 })), "options.window"],
  [() => clientHandler(/** @type {any} */ (null), { model: "m" }), "client"],
  [() => clientHandler(new Anthropic({ apiKey: "k" }), /** @type {any} */ ({})), "options.model"],
  [() => clientHandler(new Anthropic({ apiKey: "k" }), { model: "m", maxTokens: 0.5 }), "options.maxTokens"],
])("wrong arguments are errors with a code and a field (%#)", (call, field) => {
  expect(call).toThrow(expect.objectContaining({ code: expect.stringMatching(/^(?:invalid_argument|out_of_range)$/), field }));
});
