// The fake service is a service: the official clients of both protocols read from it what ours reads.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { CondensationManager, httpHandler } from "../../index.js";
import { CUT, anthropicEvent, anthropicEvents, json, openaiEvents, startFakeLlm, stream } from "./fake-llm.mjs";
import { talk } from "./histories.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));
const serve = async (steps) => {
  const server = await startFakeLlm(() => steps);
  servers.push(server);
  return server;
};

const PRICE = { inputPrice: 1e6, outputPrice: 1e6, cacheReadsPrice: 1e6, cacheWritesPrice: 1e6 };

/** What our client sees: the summary, its dollars (a dollar a token), or the error. */
async function ours(server, api) {
  const handler = httpHandler({ api, model: "m", baseUrl: server.url, apiKey: "key-0123456789", retries: 0, price: PRICE, maxTokens: 100 });
  const { summary, cost, error, messages } = await new CondensationManager({ handler, fallback: false }).condense({
    messages: talk(41, 400),
  });
  return { text: error ? undefined : messages[1].content, summary, tokens: cost, code: error?.code };
}

async function anthropicSdk(server, request) {
  const client = new Anthropic({ apiKey: "key-0123456789", baseURL: server.url, maxRetries: 0 });
  const message = await client.messages.stream(request).finalMessage();
  return {
    text: message.content
      .map((block) => block.text ?? "")
      .join("")
      .trim(),
    tokens:
      message.usage.input_tokens +
      (message.usage.cache_creation_input_tokens ?? 0) +
      (message.usage.cache_read_input_tokens ?? 0) +
      message.usage.output_tokens,
  };
}

async function openaiSdk(server, request) {
  const client = new OpenAI({ apiKey: "key-0123456789", baseURL: `${server.url}/v1`, maxRetries: 0 });
  let text = "";
  let tokens;
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true, stream_options: { include_usage: true } })) {
    text += chunk.choices[0]?.delta?.content ?? "";
    if (chunk.usage) tokens = chunk.usage.total_tokens;
  }
  return { text: text.trim(), tokens };
}

const fixture = (name) => readFileSync(new URL(`../../fixtures/llm/${name}`, import.meta.url));
const pieces = ["Ünï", "cødé 🦀 ", 'and "quotes"\n', "done."];
const inPieces = (bytes, size) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));

describe("anthropic", () => {
  const request = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hello." }] };

  test.each([
    ["events", stream(...anthropicEvents(pieces))],
    ["bytes cut anywhere", stream(...inPieces(Buffer.from(anthropicEvents(pieces).join("")), 7))],
    ["a realistic exchange", stream(fixture("anthropic.sse"))],
  ])("%s", async (_, steps) => {
    const server = await serve(steps);
    const [sdk, mine] = [await anthropicSdk(server, request), await ours(server, "anthropic")];
    expect(mine.text.replace(/^\[Summary of \d+ messages\]\n/, "")).toBe(sdk.text);
    expect(mine.tokens).toBeCloseTo(sdk.tokens, 6);
    // And our request has what theirs has.
    const [theirs, own] = server.requests;
    expect(own.path).toBe(theirs.path);
    expect(Object.keys(own.body)).toEqual(expect.arrayContaining(Object.keys(theirs.body)));
    // Theirs speaks the API version of 2026 with a bearer token, ours that of 2023 with `x-api-key`.
    expect(own.headers["content-type"]).toBe(theirs.headers["content-type"]);
    expect(own.headers).toMatchObject({ "x-api-key": "key-0123456789", "anthropic-version": "2023-06-01" });
    expect(theirs.headers.authorization).toBe("Bearer key-0123456789");
  });

  test.each([
    [
      json(401, { type: "error", error: { type: "authentication_error", message: "no" } }),
      "llm_unauthorized",
      Anthropic.AuthenticationError,
    ],
    [json(429, { type: "error", error: { type: "rate_limit_error", message: "no" } }), "llm_rate_limited", Anthropic.RateLimitError],
    [json(500, { type: "error", error: { type: "api_error", message: "no" } }), "llm_server_error", Anthropic.InternalServerError],
    [
      stream(anthropicEvents(["a"])[0], anthropicEvent("error", { error: { type: "overloaded_error", message: "no" } })),
      "llm_stream_error",
      Anthropic.APIError,
    ],
    [stream(...anthropicEvents(["a"]).slice(0, 4), CUT), "llm_stream_cut", Error],
  ])("errors are errors for both (%#)", async (steps, code, type) => {
    const server = await serve(steps);
    await expect(anthropicSdk(server, request)).rejects.toBeInstanceOf(type);
    expect((await ours(server, "anthropic")).code).toBe(code);
  });
});

describe("openai", () => {
  const request = { model: "m", messages: [{ role: "user", content: "Hello." }] };

  test.each([
    ["events", stream(...openaiEvents(pieces))],
    ["bytes cut anywhere", stream(...inPieces(Buffer.from(openaiEvents(pieces).join("")), 7))],
    ["a realistic exchange", stream(fixture("openai.sse"))],
  ])("%s", async (_, steps) => {
    const server = await serve(steps);
    const [sdk, mine] = [await openaiSdk(server, request), await ours(server, "openai")];
    expect(mine.text.replace(/^\[Summary of \d+ messages\]\n/, "")).toBe(sdk.text);
    expect(mine.tokens).toBeCloseTo(sdk.tokens, 6);
    const [theirs, own] = server.requests;
    expect(own.path).toBe(theirs.path);
    expect(Object.keys(own.body)).toEqual(expect.arrayContaining(Object.keys(theirs.body)));
    for (const header of ["authorization", "content-type"]) expect(own.headers[header]).toBe(theirs.headers[header]);
  });

  test.each([
    [json(401, { error: { type: "invalid_request_error", message: "no" } }), "llm_unauthorized", OpenAI.AuthenticationError],
    [json(429, { error: { type: "requests", message: "no" } }), "llm_rate_limited", OpenAI.RateLimitError],
    [json(503, { error: { message: "no" } }), "llm_overloaded", OpenAI.InternalServerError],
    [stream('data: {"error":{"message":"no","type":"server_error"}}\n\n'), "llm_stream_error", OpenAI.APIError],
  ])("errors are errors for both (%#)", async (steps, code, type) => {
    const server = await serve(steps);
    await expect(openaiSdk(server, request)).rejects.toBeInstanceOf(type);
    expect((await ours(server, "openai")).code).toBe(code);
  });
});
