// `roo-condense/openai` with the official client and a service on loopback.

import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, expect, test } from "vitest";
import { CondensationManager } from "../../index.js";
import { clientHandler, condensing } from "../../js/integrations/openai.js";
import { json, openaiEvents, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { talk } from "../llm/histories.mjs";
import { REQUESTS, TASK, WINDOW, expectGoodDay, rounds } from "./day.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));
const serve = async (script) => {
  const server = await startFakeLlm(script);
  servers.push(server);
  return { server, client: new OpenAI({ apiKey: "key-0123456789", baseURL: `${server.url}/v1`, maxRetries: 1 }) };
};
const COMPLETION = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-test",
  choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
};
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "gpt-test",
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Done.", annotations: [] }],
    },
  ],
};
const parameters = { type: "object", properties: { path: { type: "string" } } };

test("a day of chat completions", async () => {
  const { server, client } = await serve((_, index) => (index % 2 ? stream(...openaiEvents(["Do", "ne."])) : json(200, COMPLETION)));
  const warnings = [];
  const condensingClient = condensing(client, { contextWindow: WINDOW, onWarning: (warning) => warnings.push(warning) });
  const tools = /** @type {any[]} */ ([{ type: "function", function: { name: "read_file", description: "Reads a file.", parameters } }]);
  const messages = /** @type {any[]} */ ([
    { role: "system", content: "You are an agent." },
    { role: "user", content: TASK },
  ]);
  for (const [index, { id, said, path, file }] of rounds.entries()) {
    const before = structuredClone(messages);
    if (index % 2) {
      const completion = await condensingClient.chat.completions.stream({ model: "gpt-test", tools, messages }).finalChatCompletion();
      expect(completion.choices[0].message.content).toBe("Done.");
    } else {
      const { data, response } = await condensingClient.chat.completions.create({ model: "gpt-test", tools, messages }).withResponse();
      expect([data.choices[0].message.content, response.status]).toEqual(["Done.", 200]);
    }
    expect(messages).toEqual(before);
    const call = { id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path }) } };
    messages.push({ role: "assistant", content: said, tool_calls: [call] }, { role: "tool", tool_call_id: id, content: file });
  }
  for (const { body } of server.requests) expect([body.messages[0], body.tools]).toEqual([messages[0], tools]);
  expectGoodDay(
    server.requests.map(({ body }) => body.messages),
    { format: "openai-chat", warnings },
  );
});

test("a day of responses", async () => {
  const { server, client } = await serve(() => json(200, RESPONSE));
  const warnings = [];
  const condensingClient = condensing(client, { contextWindow: WINDOW, onWarning: (warning) => warnings.push(warning) });
  const tools = /** @type {any[]} */ ([{ type: "function", name: "read_file", description: "Reads a file.", parameters, strict: false }]);
  const input = /** @type {any[]} */ ([{ role: "user", content: TASK }]);
  for (const [round, { id, said, path, file }] of rounds.entries()) {
    const { output_text } = await condensingClient.responses.create({ model: "gpt-test", instructions: "You are an agent.", tools, input });
    expect(output_text).toBe("Done.");
    input.push(
      {
        type: "message",
        id: `msg_${round}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: said, annotations: [] }],
      },
      { type: "function_call", call_id: id, name: "read_file", arguments: JSON.stringify({ path }) },
      { type: "function_call_output", call_id: id, output: file },
    );
  }
  expectGoodDay(
    server.requests.map(({ body }) => body.input),
    { format: "openai-responses", warnings },
  );
  // A part of a history that the service has is sent as it is, and so is a text.
  for (const request of [{ input, previous_response_id: "resp_1" }, { input: "x ".repeat(WINDOW) }]) {
    await condensingClient.responses.create({ model: "gpt-test", ...request });
    expect(server.requests.at(-1).body).toEqual({ model: "gpt-test", ...request });
  }
  expect(REQUESTS).toBe(server.requests.length - 2);
});

test("clients for Azure, and those made of a condensing one, condense", async () => {
  const { server } = await serve(() => json(200, COMPLETION));
  const azure = new AzureOpenAI({ endpoint: server.url, apiKey: "key-0123456789", apiVersion: "2025-04-01-preview", deployment: "d" });
  const condensingClient = condensing(azure, { contextWindow: WINDOW });
  expect(condensingClient).toBeInstanceOf(AzureOpenAI);
  const messages = /** @type {any[]} */ ([
    { role: "user", content: TASK },
    ...rounds.slice(0, 30).flatMap(({ id, path, file }) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path }) } }],
      },
      { role: "tool", tool_call_id: id, content: file },
    ]),
  ]);
  await condensingClient.chat.completions.create({ model: "gpt-test", messages });
  expect(server.requests[0].path).toMatch(/^\/openai\/deployments\/d\/chat\/completions/);
  expect(server.requests[0].body.messages).not.toEqual(messages);
  await condensingClient.withOptions({ maxRetries: 0 }).chat.completions.create({ model: "gpt-test", messages });
  expect(server.requests[1].text).toBe(server.requests[0].text);
});

test("a client writes summaries, and is paid", async () => {
  const { server, client } = await serve(() => stream(...openaiEvents(["All ", "of it."], { inputTokens: 70, outputTokens: 30 })));
  const handler = clientHandler(client, { model: "gpt-small", price: { inputPrice: 1e6, outputPrice: 1e6 } });
  const { summary, cost, error } = await new CondensationManager({ handler }).condense({ messages: talk(41, 400) });
  expect([error, summary]).toEqual([undefined, expect.stringContaining("All of it.")]);
  expect(cost).toBeCloseTo(100 * server.requests.length, 6);
  const { model, stream: isStreamed, messages } = server.requests[0].body;
  expect([model, isStreamed, messages[0].role, messages[1].role]).toEqual(["gpt-small", true, "system", "user"]);
});

test("a summary that is cut off or filtered is none", async () => {
  for (const finishReason of ["length", "content_filter"]) {
    const { client } = await serve(() => stream(...openaiEvents(["All"], { finishReason })));
    const handler = clientHandler(client, { model: "gpt-small" });
    const { error } = await new CondensationManager({ handler, fallback: false }).condense({ messages: talk(41, 400) });
    expect(error).toMatchObject({ code: "llm_stream_error", message: expect.stringContaining(finishReason) });
  }
});

test.each([
  [() => condensing(/** @type {any} */ (null), { contextWindow: 1000 }), "client"],
  [() => condensing(new OpenAI({ apiKey: "k" }), { contextWindow: 0 }), "options.contextWindow"],
  [() => clientHandler(/** @type {any} */ ({ chat: {} }), { model: "m" }), "client"],
  [() => clientHandler(new OpenAI({ apiKey: "k" }), { model: "" }), "options.model"],
])("wrong arguments are errors with a code and a field (%#)", (call, field) => {
  expect(call).toThrow(expect.objectContaining({ code: expect.stringMatching(/^(?:invalid_argument|out_of_range)$/), field }));
});
