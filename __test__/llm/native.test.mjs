// The native provider over real HTTP and by callback: what is asked, what comes back, what it costs.

import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import {
  CondensationManager,
  callbackHandler,
  countTokens,
  createNativeProvider,
  httpHandler,
  restore,
  validateMessages,
} from "../../index.js";
import { anthropicEvents, json, openaiEvents, startFakeLlm, stream } from "./fake-llm.mjs";
import { talk, toolWork } from "./histories.mjs";

const KEY = "sk-test-0123456789abcdef";
const PRICE = { inputPrice: 3, outputPrice: 15 };

const servers = [];
const serve = async (script) => {
  const server = await startFakeLlm(script);
  servers.push(server);
  return server;
};
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const anthropic = (server, options) =>
  httpHandler({ api: "anthropic", model: "claude-test", baseUrl: server.url, apiKey: KEY, price: PRICE, retryDelayMs: 1, ...options });
const openai = (server, options) =>
  httpHandler({ api: "openai", model: "gpt-4o-mini", baseUrl: server.url, apiKey: KEY, price: PRICE, retryDelayMs: 1, ...options });

const codesOf = ({ warnings }) => warnings.map(({ code }) => code);

/** A handler of the host as Roo has them. */
function host(chunks, extra = {}) {
  const calls = [];
  return {
    calls,
    getModel: () => ({ id: "host-model", info: { contextWindow: 200_000, maxTokens: 8192, ...PRICE } }),
    async *createMessage(...args) {
      calls.push(args);
      yield* chunks;
    },
    ...extra,
  };
}
const SUMMARY = [
  { type: "text", text: "The " },
  { type: "reasoning", text: "hm" },
  { type: "text", text: "summary." },
  { type: "usage", inputTokens: 1, outputTokens: 1, totalCost: 9 },
  { type: "usage", inputTokens: 900, outputTokens: 40, totalCost: 0.25 },
];

describe("a summary takes the place of the middle", () => {
  test.each([
    ["anthropic", anthropic, () => stream(...anthropicEvents(["The ", "summary."]))],
    ["openai", openai, () => stream(...openaiEvents(["The ", "summary."]))],
  ])("%s", async (_, make, script) => {
    const server = await serve(script);
    const messages = talk(9);
    const manager = new CondensationManager({ handler: make(server) });
    const result = await manager.condense({ messages, systemPrompt: "You are a coder." });
    expect(result.error).toBeUndefined();
    expect(result.didCondense).toBe(true);
    expect(result.summary).toBe("The summary.");
    expect(result.messages[0]).toBe(messages[0]);
    expect(result.messages[1]).toEqual({ role: "assistant", content: "[Summary of 5 messages]\nThe summary.", ts: messages[6].ts });
    expect(result.messages.slice(2)).toEqual(messages.slice(6));
    result.messages.slice(2).forEach((message, index) => expect(message).toBe(messages[6 + index]));
    expect(restore(result)).toEqual(messages);
    expect(result.cost).toBeCloseTo((1000 * 3 + 50 * 15) / 1e6, 12);
    expect(result.stats.operationsPerformed).toEqual(["summarize"]);
    expect(result.metrics.providerId).toBe("native");
    const { body } = server.requests[0];
    const system = body.system ?? body.messages[0].content;
    expect(JSON.stringify(system)).toContain("word for word");
    expect(JSON.stringify(body.messages.at(-1))).toContain("Summarize the conversation so far");
    expect(manager.getMetrics().providers.native).toMatchObject({ calls: 1, successes: 1, cost: result.cost });
  });

  test("by callback: plain messages in, the last usage counts", async () => {
    const api = host(SUMMARY);
    const manager = new CondensationManager({ handler: callbackHandler(api) });
    const result = await manager.condense({ messages: toolWork(6) });
    expect(result.summary).toBe("The summary.");
    expect(result.cost).toBe(0.25);
    const [args] = api.calls;
    expect(args).toHaveLength(2);
    for (const message of args[1]) {
      expect(Object.keys(message).sort()).toEqual(["content", "role"]);
      expect(typeof message.content).toBe("string");
    }
    expect(args[1].map(({ role }) => role)).toEqual(args[1].map((_, index) => (index % 2 === 0 ? "user" : "assistant")));
    expect(args[1].at(-1).role).toBe("user");
    expect(args[1][1].content).toContain("[[tool call: read_file]]\npath: src/file0.ts");
  });

  test("a tail among tool calls stays legal", async () => {
    for (const messages of [toolWork(6), toolWork(6).slice(0, -1), talk(8), talk(9)]) {
      for (const maxMessagesToKeep of [1, 2, 3, 4, 5]) {
        const manager = new CondensationManager({ handler: host(SUMMARY), fallback: false });
        const result = await manager.condense({ messages }, { config: { maxMessagesToKeep } });
        expect(result.error).toBeUndefined();
        expect(validateMessages(result.messages)).toEqual([]);
        for (const [index, message] of messages.slice(-maxMessagesToKeep).entries()) {
          expect(result.messages.at(index - maxMessagesToKeep)).toBe(message);
        }
        expect(restore(result)).toEqual(messages);
      }
    }
  });

  test("an earlier summary is updated", async () => {
    const api = host(SUMMARY);
    const manager = new CondensationManager({ handler: api });
    const first = await manager.condense({ messages: talk(9) });
    const again = await manager.condense({ messages: first.messages }, { provider: "native" });
    expect([again.messages, again.didCondense]).toEqual([first.messages, false]);
    expect(again.error.code).toBe("condensed_recently");
    const longer = [
      ...first.messages,
      ...talk(7)
        .slice(1)
        .map((message) => ({ ...message, content: `new ${message.content}` })),
    ];
    const result = await manager.condense({ messages: longer });
    expect(result.error).toBeUndefined();
    expect(api.calls).toHaveLength(2);
    const [system, asked] = api.calls[1];
    expect(system).toContain("Update it");
    expect(asked.map(({ content }) => content).join("\n")).toContain("[[summary of everything before this point]]\nThe summary.");
    expect(result.messages.filter(({ content }) => String(content).startsWith("[Summary of "))).toHaveLength(1);
  });

  test("refusals", async () => {
    const manager = new CondensationManager({ handler: host(SUMMARY), fallback: false });
    for (const count of [0, 1, 3, 4]) expect((await manager.condense({ messages: talk(count) })).error.code).toBe("not_enough_messages");
    const messages = talk(9);
    messages[7].isSummary = true;
    expect((await manager.condense({ messages })).error.code).toBe("condensed_recently");
    expect((await new CondensationManager({ provider: "native", fallback: false }).condense({ messages: talk(9) })).error.code).toBe(
      "handler_invalid",
    );
  });
});

describe("which handler, prompt and price", () => {
  test("the condensing handler, unless it cannot answer", async () => {
    const main = host(SUMMARY);
    const condensing = host([{ type: "text", text: "Other." }]);
    const manager = new CondensationManager({ handler: callbackHandler(main), condensingHandler: callbackHandler(condensing) });
    expect((await manager.condense({ messages: talk(9) })).summary).toBe("Other.");
    const result = await manager.condense({ messages: talk(11) }, { condensingHandler: { getModel() {} } });
    expect(result.summary).toBe("Other.");
    expect(result.warnings).toContainEqual(
      expect.objectContaining({
        code: "handler_invalid",
        message: expect.stringContaining("options.condensingHandler has no"),
        field: "options.condensingHandler",
      }),
    );
    const invalid = new CondensationManager({ provider: "native", handler: {}, condensingHandler: {}, fallback: false });
    expect((await invalid.condense({ messages: talk(9) })).error.code).toBe("handler_invalid");
    for (const handler of [5, "x", true, []])
      expect(() => new CondensationManager({ handler })).toThrow(expect.objectContaining({ code: "invalid_argument" }));
  });

  test("prompts: the call's, the profile's, the configuration's, the default; blank ones do not count", async () => {
    const api = host(SUMMARY);
    const manager = new CondensationManager({
      handler: api,
      profiles: { p: { customCondensingPrompt: " of the profile " } },
      cache: false,
    });
    const ask = async (context, options) => {
      await manager.condense({ messages: talk(9), ...context }, options);
      // Behind every prompt stands what the lines of the question mean.
      const [prompt, explanation] = api.calls.at(-1)[0].split("\n\nThe conversation is told in pieces. ");
      expect(explanation).toContain("[[user]]");
      return prompt;
    };
    expect(await ask({}, { customCondensingPrompt: "  of the call\n" })).toBe("of the call");
    expect(await ask({ profileId: "p" }, {})).toBe("of the profile");
    expect(await ask({}, { config: { customCondensingPrompt: " configured " } })).toBe("configured");
    expect(await ask({}, { customCondensingPrompt: "  " })).toContain("memory of a coding assistant");
  });

  test("profiles bring handlers and prices, and have metrics of their own", async () => {
    const usage = [
      { type: "text", text: "S." },
      { type: "usage", inputTokens: 1000, outputTokens: 100 },
    ];
    const main = host(usage, { getModel: undefined });
    const cheap = host([{ type: "text", text: "Cheap." }, usage[1]], { getModel: undefined });
    const manager = new CondensationManager({
      profiles: {
        big: { handler: main, condensingApiConfigId: "small", price: PRICE },
        small: { handler: cheap, price: { inputPrice: 0.15, outputPrice: 0.6 } },
      },
    });
    const result = await manager.condense({ messages: talk(9), profileId: "big" });
    expect(result.summary).toBe("Cheap.");
    expect(result.cost).toBeCloseTo((1000 * 0.15 + 100 * 0.6) / 1e6, 12);
    expect(manager.getMetrics().profiles.big).toMatchObject({ calls: 1, cost: result.cost });
    expect(manager.getEffectiveConfig("big")).toMatchObject({ condensingApiConfigId: "small" });
  });

  test("the handler's own count decides the totals", async () => {
    const perBlock = (blocks) => blocks.reduce((sum, block) => sum + (block.text?.length ?? 40), 0);
    const api = host(SUMMARY, { countTokens: async (blocks) => perBlock(blocks) });
    const manager = new CondensationManager({ handler: api });
    const messages = talk(9);
    const result = await manager.condense({ messages, systemPrompt: "Be good." });
    const total = (list) => perBlock([{ text: "Be good." }, ...list.map(({ content }) => ({ text: content }))]);
    expect(result.newContextTokens).toBe(total(result.messages));
    expect(result.prevContextTokens).toBe(total(messages));
    const reported = await manager.condense({ messages: talk(11), totalTokens: 123_456 });
    expect(reported.prevContextTokens).toBe(123_456);
    const grows = host(SUMMARY, { countTokens: (blocks) => (JSON.stringify(blocks).includes("The summary.") ? 1e6 : 10) });
    const grown = await manager.condense({ messages }, { handler: grows });
    expect(grown.warnings).toContainEqual(
      expect.objectContaining({
        code: "provider_failed",
        errorCode: "context_grew",
        message: expect.stringContaining("context_grew"),
      }),
    );
    const fails = host(SUMMARY, { countTokens: () => Promise.reject(new Error("no network")) });
    expect(codesOf(await manager.condense({ messages }, { handler: fails }))).toContain("count_tokens_failed");
  });
});

describe("histories longer than the window", () => {
  const window = 6000;
  /** Refuses what does not fit, as services do. */
  const strict =
    (limit, seen = []) =>
    async (request) => {
      const text = JSON.stringify(request.body.messages);
      const tokens = countTokens(text);
      seen.push(tokens + (request.body.max_tokens ?? 0));
      // Long enough for the others to arrive.
      await new Promise((resolve) => setTimeout(resolve, 30));
      if (tokens > limit)
        return json(400, {
          type: "error",
          error: { type: "invalid_request_error", message: `prompt is too long: ${tokens} tokens > ${limit} maximum` },
        });
      return stream(
        ...anthropicEvents([text.includes("summaries of consecutive parts") ? "Merged." : `Part with ${tokens}.`], { inputTokens: tokens }),
      );
    };

  test("are summarised in parts, in parallel, and merged; every request fits", async () => {
    const seen = [];
    const server = await serve(strict(window, seen));
    const messages = talk(121, 150);
    messages[4].content = "x y z ".repeat(9000);
    const manager = new CondensationManager({ handler: anthropic(server, { contextWindow: window }), fallback: false });
    const result = await manager.condense({ messages });
    expect(result.error).toBeUndefined();
    expect(result.summary).toBe("Merged.");
    expect(server.requests.length).toBeGreaterThan(4);
    expect(Math.max(...seen)).toBeLessThanOrEqual(window);
    expect(server.mostUnderWay).toBeGreaterThan(1);
    expect(server.mostUnderWay).toBeLessThanOrEqual(3);
    expect(result.cost).toBeGreaterThan(0);
  });

  test("a window smaller than was said is found out once", async () => {
    const server = await serve(strict(9000));
    const manager = new CondensationManager({ handler: anthropic(server, { contextWindow: 40_000 }), fallback: false });
    const messages = talk(121, 60);
    const result = await manager.condense({ messages });
    expect(result.error).toBeUndefined();
    expect(codesOf(result)).toContain("window_too_large");
    const hopeless = await serve(strict(10));
    const failed = await new CondensationManager({ handler: anthropic(hopeless), fallback: false }).condense({ messages });
    expect(failed.error.code).toBe("llm_context_too_long");
    expect(failed.messages).toBe(messages);
  });
});

describe("money", () => {
  test("the estimate is within 20% of the real cost", async () => {
    const reported = (request) => countTokens(JSON.stringify(request.body.messages));
    for (const [make, events] of [
      [anthropic, anthropicEvents],
      [openai, openaiEvents],
    ]) {
      const server = await serve((request) => {
        const inputTokens = reported(request);
        const outputTokens = Math.round(450 + inputTokens / 45);
        return stream(...events(["Summary."], { inputTokens, outputTokens }));
      });
      for (const messages of [talk(41, 200), toolWork(20), toolWork(60)]) {
        // All of it in one request each: of several, the small ones that merge tell nothing of the large ones.
        const manager = new CondensationManager({ handler: make(server, { contextWindow: 200_000 }), cache: false });
        const estimate = await manager.estimateCost({ messages });
        expect(server.requests.length % 2).toBe(0);
        for (let round = 0; round < 2; round++) {
          const { cost } = await manager.condense({ messages });
          expect(Math.abs(estimate - cost) / cost).toBeLessThan(0.2);
          const learned = await manager.estimateCost({ messages });
          expect(Math.abs(learned - cost) / cost).toBeLessThan(0.05);
        }
      }
    }
  });

  test("a limit refuses before sending", async () => {
    const server = await serve(() => stream(...anthropicEvents(["Summary."], { inputTokens: 5000, outputTokens: 1000 })));
    const manager = new CondensationManager({ handler: anthropic(server), maxCost: 0.05, fallback: false, cache: false });
    const messages = talk(41, 100);
    let spent = 0;
    let result;
    for (let call = 0; call < 10; call++) {
      result = await manager.condense({ messages });
      spent += result.cost;
      if (result.error) break;
    }
    expect(result.error.code).toBe("cost_limit");
    expect(result.messages).toBe(messages);
    expect(spent).toBeLessThanOrEqual(0.05);
    const sent = server.requests.length;
    await Promise.all(Array.from({ length: 20 }, () => manager.condense({ messages })));
    expect(server.requests.length).toBe(sent);
    expect(await manager.estimateCost({ messages })).toBeGreaterThan(0);
  });

  test("little gained for money is an alert", async () => {
    const server = await serve(() => stream(...anthropicEvents(["word ".repeat(400)])));
    const manager = new CondensationManager({ handler: anthropic(server), profiles: {} });
    const result = await manager.condense({ messages: talk(9), profileId: "p" });
    expect(result.didCondense).toBe(true);
    expect(result.stats.reductionPercent).toBeLessThan(20);
    expect(codesOf(result)).toContain("low_reduction");
    expect(manager.getMetrics().alerts.map(({ code, providerId, profileId }) => [code, providerId ?? profileId])).toEqual([
      ["low_reduction", "native"],
      ["low_reduction", "p"],
    ]);
  });

  test("a summary cut short is kept, with a warning", async () => {
    const server = await serve(() => stream(...anthropicEvents(["Half a"], { stopReason: "max_tokens" })));
    const result = await new CondensationManager({ handler: anthropic(server) }).condense({ messages: talk(9) });
    expect(result.summary).toBe("Half a");
    expect(codesOf(result)).toContain("summary_truncated");
  });
});

describe("the summary cache", () => {
  const once = () => host(SUMMARY);

  test("in memory by default; false turns it off", async () => {
    const api = once();
    const manager = new CondensationManager({ handler: api });
    const [first, second] = [await manager.condense({ messages: talk(9) }), await manager.condense({ messages: talk(9) })];
    expect([api.calls.length, first.cost, second.cost, second.summary]).toEqual([1, 0.25, 0, "The summary."]);
    const off = once();
    const without = new CondensationManager({ handler: off, cache: false });
    await without.condense({ messages: talk(9) });
    await without.condense({ messages: talk(9) });
    expect(off.calls.length).toBe(2);
  });

  test("a store of the host, shared by managers", async () => {
    const kept = new Map();
    const store = { get: async (key) => kept.get(key), set: async (key, value) => void kept.set(key, value) };
    const api = once();
    await new CondensationManager({ handler: api, cache: store }).condense({ messages: talk(9) });
    const result = await new CondensationManager({ handler: api, cache: store }).condense({ messages: talk(9) });
    expect([api.calls.length, result.summary, kept.size]).toEqual([1, "The summary.", 1]);
    expect([...kept.keys()][0]).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    [
      "throws",
      {
        get: () => {
          throw new Error("down");
        },
        set: () => {
          throw new Error("down");
        },
      },
    ],
    ["rejects", { get: () => Promise.reject(new Error("down")), set: () => Promise.reject("down") }],
    ["answers with an object", { get: () => ({ not: "a text" }), set: () => {} }],
    ["answers with a number", { get: async () => 0, set: () => {} }],
    ["answers with an empty text", { get: () => "", set: () => {} }],
    ["answers with another text", { get: () => "The summary of somebody else.", set: () => {} }],
  ])("a store that %s is a warning, and no failure", async (_, cache) => {
    const result = await new CondensationManager({ handler: once(), cache }).condense({ messages: talk(9) });
    expect([result.error, result.summary]).toEqual([undefined, "The summary."]);
    expect(codesOf(result)).toContain("cache_failed");
  });

  test.each([
    ["cuts texts off", (kept) => kept.slice(0, -3)],
    ["answers with what it keeps under another key", (_, others) => others],
  ])("a store that %s is a warning, and what it says is not used", async (_, wrong) => {
    let [kept, others] = ["", ""];
    const ask = (messages, get, set) => new CondensationManager({ handler: once(), cache: { get, set } }).condense({ messages });
    await ask(
      talk(11),
      () => undefined,
      (_key, value) => (others = value),
    );
    await ask(
      talk(9),
      () => null,
      (_key, value) => (kept = value),
    );
    expect(kept).toMatch(/^[0-9a-f]{16}\nThe summary\.$/);
    const right = await ask(
      talk(9),
      () => kept,
      () => {},
    );
    expect([right.summary, right.cost, codesOf(right)]).toEqual(["The summary.", 0, expect.not.arrayContaining(["cache_failed"])]);
    const result = await ask(
      talk(9),
      () => wrong(kept, others),
      () => {},
    );
    expect([result.summary, codesOf(result)]).toEqual(["The summary.", expect.arrayContaining(["cache_failed"])]);
  });

  test("what is not a store is refused", () => {
    for (const cache of [5, {}, { get() {} }, "redis"])
      expect(() => new CondensationManager({ cache })).toThrow(expect.objectContaining({ code: "invalid_argument" }));
  });
});

describe("options of handlers", () => {
  test("are checked at once", () => {
    for (const options of [
      undefined,
      {},
      { api: "x", model: "m" },
      { api: "openai" },
      { api: "openai", model: "m" },
      { api: "anthropic", model: "m", apiKey: "k", retries: 1.5 },
      { api: "anthropic", model: "m", apiKey: "k", temprature: 1 },
      { api: "openai", model: "m", baseUrl: "ftp://x", apiKey: "k" },
      { api: "openai", model: "m", apiKey: "k", timeoutMs: NaN },
    ]) {
      expect(() => httpHandler(options)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(invalid_argument|out_of_range)$/) }),
      );
    }
    for (const api of [undefined, null, 5, {}, { createMessage: 5 }]) expect(() => callbackHandler(api)).toThrow(TypeError);
    expect(() => callbackHandler(host([]), { timeoutMs: 0 })).toThrow(RangeError);
    expect(() => callbackHandler(host([]), { timeout: 5 })).toThrow(TypeError);
  });

  test("keys cannot be read back", async () => {
    const server = await serve(() => json(401, { error: { message: `invalid key ${KEY}` } }));
    const handler = anthropic(server, { headers: { "x-gateway": KEY } });
    const manager = new CondensationManager({ handler, fallback: false });
    const events = [];
    const result = await manager.condense({ messages: talk(9) }, { onProgress: (event) => events.push(event) });
    expect(result.error.code).toBe("llm_unauthorized");
    let thrown;
    try {
      httpHandler({ api: "openai", model: "m", apiKey: KEY, baseUrl: `https://x/?key=${KEY}`, headers: { "bad name": KEY } });
    } catch (error) {
      thrown = error;
    }
    const deep = { depth: 10, showHidden: true, getters: true };
    const seen = [handler, manager, result, events, thrown].map((value) => inspect(value, deep) + JSON.stringify(value)).join();
    expect(thrown).toBeDefined();
    expect(seen).not.toContain(KEY);
    expect(seen).not.toContain(KEY.slice(3, 15));
  });
});

test("a provider on its own", async () => {
  const provider = createNativeProvider({ maxMessagesToKeep: 5 });
  const api = host(SUMMARY);
  const result = await provider.condense({ messages: talk(11) }, { handler: api });
  expect([result.summary, result.messages.length]).toEqual(["The summary.", 7]);
  expect(await provider.estimateCost({ messages: talk(11) }, undefined, { handler: api })).toBeGreaterThan(0);
  expect(api.calls).toHaveLength(1);
  expect(provider.validateConfig({ maxMessagesToKeep: 11 }).valid).toBe(false);
  expect(() => createNativeProvider({ maxMessagesToKeep: 0 })).toThrow(RangeError);
});
