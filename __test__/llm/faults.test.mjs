// What services and hosts do wrong, through the manager, with and without providers that stand in.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { CondensationManager, callbackHandler, httpHandler, validateMessages } from "../../index.js";
import { CUT, HANG, answer, anthropicEvent, anthropicEvents, json, openaiEvents, startFakeLlm, stream, wait } from "./fake-llm.mjs";
import { toolWork } from "./histories.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const error = (type, message) => ({ type: "error", error: { type, message } });
const events = anthropicEvents(["Some ", "text ", "comes."]);
const half = events.slice(0, 4);

/** A service that always does the same; few and quick retries, short patience. */
async function http(steps, options) {
  const server = await startFakeLlm(() => steps);
  servers.push(server);
  return httpHandler({
    api: "anthropic",
    model: "claude-test",
    baseUrl: server.url,
    apiKey: "sk-0123456789",
    retries: 1,
    retryDelayMs: 1,
    idleTimeoutMs: 300,
    timeoutMs: 5000,
    price: { inputPrice: 3, outputPrice: 15 },
    ...options,
  });
}

async function refusingPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** A generator that says whether its `finally` has run. */
function generator(body, extra) {
  const state = { started: 0, finished: 0 };
  const api = {
    getModel: () => ({ id: "host", info: { inputPrice: 3, outputPrice: 15 } }),
    async *createMessage() {
      state.started++;
      try {
        yield* body();
      } finally {
        state.finished++;
      }
    },
    ...extra,
  };
  return { handler: callbackHandler(api, { idleTimeoutMs: 200, timeoutMs: 1000 }), state };
}

const cause = new Error("the host's own");
const plain = (createMessage) => ({ handler: callbackHandler({ createMessage }, { idleTimeoutMs: 200, timeoutMs: 1000 }) });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());
const paid = { type: "usage", inputTokens: 100, outputTokens: 10, totalCost: 0.5 };

const FAULTS = [
  ["400", "llm_bad_request", () => http(json(400, error("invalid_request_error", "no")))],
  [
    "400, too long",
    "llm_context_too_long",
    () => http(json(400, error("invalid_request_error", "prompt is too long: 3 tokens > 2 maximum"))),
  ],
  ["401", "llm_unauthorized", () => http(json(401, error("authentication_error", "no")))],
  ["402", "llm_quota_exceeded", () => http(json(402, error("billing_error", "no")))],
  ["403", "llm_unauthorized", () => http(json(403, error("permission_error", "no")))],
  ["404", "llm_not_found", () => http(json(404, error("not_found_error", "no")))],
  ["408 for ever", "llm_timeout", () => http(json(408, error("timeout", "no")))],
  ["409 for ever", "llm_server_error", () => http(json(409, error("conflict", "no")))],
  ["413", "llm_context_too_long", () => http(json(413, error("request_too_large", "no")))],
  ["429 for ever", "llm_rate_limited", () => http(json(429, error("rate_limit_error", "no")))],
  ["429 and an hour to wait", "llm_rate_limited", () => http(json(429, error("rate_limit_error", "no"), { "retry-after": "3600" }))],
  ["500 for ever", "llm_server_error", () => http(json(500, error("api_error", "no")))],
  ["529 for ever", "llm_overloaded", () => http(json(529, error("overloaded_error", "no")))],
  [
    "a web page of a proxy",
    "llm_invalid_response",
    () => http(answer(200, { "content-type": "text/html" }, "<html><title>Log in</title></html>")),
  ],
  ["200 with an error in it", "llm_invalid_response", () => http(json(200, error("api_error", "no")))],
  ["an event that is not JSON", "llm_invalid_response", () => http(stream(...half, "event: content_block_delta\ndata: {oops\n\n"))],
  [
    "text that is not UTF-8",
    "llm_invalid_response",
    () => http(stream(...half, Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0x20, 0x22, 0xff, 0xfe, 0x22, 0x0a, 0x0a]))),
  ],
  [
    "an error event",
    "llm_stream_error",
    () => http(stream(...half, anthropicEvent("error", { error: { type: "api_error", message: "no" } }))),
  ],
  ["cut before the first chunk", "llm_stream_cut", () => http(stream(CUT))],
  ["cut in the middle", "llm_stream_cut", () => http(stream(...half, CUT))],
  ["an end without the end event", "llm_stream_cut", () => http(stream(...events.slice(0, -2)))],
  [
    "[DONE] missing, cut",
    "llm_stream_cut",
    () => http(stream(...openaiEvents(["a", "b"]).slice(0, 2), CUT), { api: "openai", model: "gpt-test" }),
  ],
  ["no first byte", "llm_timeout", () => http(stream(HANG))],
  ["silence in the middle", "llm_timeout", () => http(stream(...half, HANG))],
  [
    "too slow as a whole",
    "llm_timeout",
    () => http(stream(...Array.from({ length: 40 }, () => [": \n\n", wait(50)]).flat()), { timeoutMs: 400 }),
  ],
  [
    "an endless answer",
    "llm_response_too_large",
    () => http(stream(...anthropicEvents(Array(200).fill("x".repeat(100)))), { maxResponseBytes: 4096 }),
  ],
  ["a redirect to elsewhere", "llm_redirected", () => http(answer(307, { location: "http://example.invalid/v1/messages" }))],
  ["nobody listens", "llm_connection_failed", async () => http(stream(), { baseUrl: await refusingPort() })],
  ["an empty summary", "summary_empty", () => http(stream(...anthropicEvents([])))],
  ["a blank summary", "summary_empty", () => http(stream(...anthropicEvents([" \n\t ", "\u00a0"])))],
  ["a refusal", "summary_refused", () => http(stream(...anthropicEvents(["I"], { stopReason: "refusal" })))],
  ["a summary longer than the history", "context_grew", () => http(stream(...anthropicEvents(["many words ".repeat(20_000)])))],
  [
    "throws at once",
    "llm_callback_failed",
    () => ({
      ...plain(() => {
        throw cause;
      }),
      cause,
    }),
  ],
  ["rejects with a string", "llm_callback_failed", () => ({ ...plain(() => Promise.reject("no credit")), cause: "no credit" })],
  ["returns nothing", "llm_invalid_response", () => plain(() => undefined)],
  ["returns a number", "llm_invalid_response", () => plain(() => 5)],
  ["returns a text", "llm_invalid_response", () => plain(() => "a summary")],
  ["resolves to an object", "llm_invalid_response", () => plain(async () => ({ text: "a summary" }))],
  ["next() returns nothing", "llm_invalid_response", () => plain(() => ({ [Symbol.asyncIterator]: () => ({ next: () => undefined }) }))],
  [
    "throws in the middle",
    "llm_callback_failed",
    () => ({
      ...generator(async function* () {
        yield { type: "text", text: "a" };
        yield paid;
        throw cause;
      }),
      cause,
      cost: 0.5,
    }),
  ],
  [
    "throws null",
    "llm_callback_failed",
    () => ({
      ...generator(async function* () {
        throw null;
      }),
      cause: null,
    }),
  ],
  [
    "throws what cannot be shown",
    "llm_callback_failed",
    () =>
      generator(async function* () {
        throw {
          get message() {
            throw new Error("trap");
          },
        };
      }),
  ],
  [
    "an error chunk",
    "llm_stream_error",
    () => ({
      ...generator(async function* () {
        yield paid;
        yield { type: "error", error: "overloaded", message: "no" };
        yield { type: "text", text: "more" };
      }),
      cost: 0.5,
    }),
  ],
  [
    "an error chunk that says too long",
    "llm_context_too_long",
    () =>
      generator(async function* () {
        yield { type: "error", message: "prompt is too long" };
      }),
  ],
  [
    "never yields",
    "llm_timeout",
    () => ({
      ...generator(async function* () {
        await sleep(60_000);
      }),
      waits: true,
    }),
  ],
  [
    "stops yielding",
    "llm_timeout",
    () => ({
      ...generator(async function* () {
        yield paid;
        await sleep(60_000);
      }),
      cost: 0.5,
      waits: true,
    }),
  ],
  [
    "yields for ever",
    "llm_timeout",
    () =>
      generator(async function* () {
        for (;;) {
          yield { type: "reasoning", text: "hm" };
          await sleep(20);
        }
      }),
  ],
  [
    "yields too much",
    "llm_response_too_large",
    () =>
      generator(async function* () {
        for (;;) yield { type: "text", text: "x".repeat(1024 * 1024) };
      }),
  ],
  ["yields nothing", "summary_empty", () => generator(async function* () {})],
  [
    "yields odd chunks",
    "summary_empty",
    () =>
      generator(async function* () {
        yield null;
        yield 5;
        yield {};
        yield { type: "text" };
        yield { type: "usage", inputTokens: "many", totalCost: NaN };
      }),
  ],
];

describe.each(FAULTS)("%s", (_, code, make) => {
  const messages = toolWork(12);
  const before = JSON.stringify(messages);

  // None may take longer than its own limits allow, with room for a busy machine.
  test.each([false, undefined])("fallback %s", { timeout: 15_000 }, async (fallback) => {
    const made = await make();
    const { handler = made, state, cost, waits } = made;
    const manager = new CondensationManager({ handler, fallback });
    const result = await manager.condense({ messages });
    expect(JSON.stringify(messages)).toBe(before);
    if (fallback === false) {
      expect(result.error?.code).toBe(code);
      expect(result.messages).toBe(messages);
      expect(result.didCondense).toBe(false);
      if ("cause" in made) expect(result.error.cause).toBe(made.cause);
      expect(manager.getMetrics().providers.native).toMatchObject({ calls: 1, errors: 1, cost: result.cost });
    } else {
      expect(result.error).toBeUndefined();
      expect(result.warnings).toContainEqual(expect.objectContaining({ code: "provider_failed", errorCode: code }));
      expect(result.metrics.providerId).toBe("lossless");
      expect(validateMessages(result.messages)).toEqual([]);
    }
    if (cost !== undefined) expect(result.cost).toBeCloseTo(cost, 12);
    // A generator that waits for something else cannot be ended before that.
    if (state && !waits) {
      await sleep(50);
      expect(state.finished).toBe(state.started);
    }
  });
});

describe("abort", () => {
  const messages = toolWork(12);

  async function aborted(handler, after = 100) {
    const controller = new AbortController();
    const manager = new CondensationManager({ handler });
    let abortedAt;
    setTimeout(() => {
      abortedAt = performance.now();
      controller.abort();
    }, after);
    const result = await manager.condense({ messages }, { signal: controller.signal });
    expect(result.error?.code).toBe("aborted");
    expect(result.messages).toBe(messages);
    return { result, took: performance.now() - abortedAt };
  }

  /** 50 ms are promised on a machine that has time: one of some rounds has to keep that. */
  async function quickly(round) {
    for (let rounds = 1; ; rounds++) {
      const { took } = await round();
      if (took < 50) return rounds;
      expect(rounds).toBeLessThan(10);
    }
  }

  test.each([
    ["before the first byte", () => http(stream(HANG), { idleTimeoutMs: 60_000, timeoutMs: 60_000 })],
    ["in the stream", () => http(stream(...half, HANG), { idleTimeoutMs: 60_000, timeoutMs: 60_000 })],
    ["between attempts", () => http(json(429, error("rate_limit_error", "no"), { "retry-after": "30" }), { timeoutMs: 60_000 })],
  ])("%s, over HTTP", async (_, make) => {
    await quickly(async () => aborted(await make()));
  });

  test("ends the generator, which may yield on for all we care", async () => {
    const state = { finished: 0, yielded: 0 };
    const api = {
      async *createMessage() {
        try {
          for (;;) {
            yield paid;
            state.yielded++;
            await sleep(5);
          }
        } finally {
          state.finished++;
        }
      },
    };
    const { result } = await aborted(callbackHandler(api));
    expect(result.cost).toBe(0.5);
    await sleep(50);
    expect(state.finished).toBe(1);
    const yielded = state.yielded;
    await sleep(50);
    expect(state.yielded).toBe(yielded);
  });

  test("does not wait for a generator that never wakes up", async () => {
    let returned = 0;
    const stuck = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: () => ++returned && new Promise(() => {}) }),
    });
    const rounds = await quickly(() => aborted(callbackHandler({ createMessage: stuck })));
    expect(returned).toBe(rounds);
  });

  test("ignores what comes after", async () => {
    let yieldOn;
    const late = {
      async *createMessage() {
        await new Promise((resolve) => (yieldOn = resolve));
        yield { type: "text", text: "Too late." };
        throw new Error("nobody hears this");
      },
    };
    const { result } = await aborted(callbackHandler(late));
    yieldOn();
    await sleep(30);
    expect(result.summary).toBe("");
  });

  test("a signal that is aborted already sends nothing", async () => {
    const server = await startFakeLlm(() => stream(...events));
    servers.push(server);
    const handler = httpHandler({ api: "anthropic", model: "m", baseUrl: server.url, apiKey: "k" });
    const result = await new CondensationManager({ handler }).condense({ messages }, { signal: AbortSignal.abort() });
    expect([result.error.code, server.requests.length]).toEqual(["aborted", 0]);
  });
});

test("the process ends when the work is done, whatever went wrong", async () => {
  const program = fileURLToPath(new URL("./ends-by-itself.mjs", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (output += data));
  const code = await new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    child.on("exit", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
  expect(output).toMatch(/^(\w+ )+done\n$/);
  expect(code).toBe(0);
});
