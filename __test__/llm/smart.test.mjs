// The smart provider with services over HTTP: several requests at once, aborting, failures, retries, profiles, previews.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CondensationManager, createSmartProvider, httpHandler, presets, restore, validateMessages } from "../../index.js";
import { anthropicEvents, json, openaiEvents, startFakeLlm, stream, wait } from "./fake-llm.mjs";

const lines = (name, count) =>
  Array.from({ length: count }, (_, line) => `const ${name}_${line} = compute(${line}); // src/${name}.ts`).join("\n");

/** A task, `exchanges` files of `count` lines that are read, and an answer. */
function reads(exchanges, count = 60) {
  const messages = [{ role: "user", content: "Fix src/file_1.ts" }];
  for (let index = 0; index < exchanges; index++) {
    messages.push({
      role: "assistant",
      content: [{ type: "tool_use", id: `t${index}`, name: "read_file", input: { path: `src/file_${index}.ts` } }],
    });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: lines(`file_${index}`, count) }] });
  }
  return [...messages, { role: "assistant", content: "Done." }];
}

const asked = ({ body }) => body.messages[0].content[0]?.text ?? body.messages[0].content;
const summaryOf = (request) => `Defines ${/const (\w+)_0/.exec(JSON.stringify(request.body.messages))?.[1]}.`;

let server;
let script;
beforeEach(async () => {
  server = await startFakeLlm((request, index) => script(request, index));
});
afterEach(() => server.close());

const handlerOf = (model = "claude-test", options = {}) =>
  httpHandler({ api: "anthropic", model, baseUrl: server.url, apiKey: "k", retryDelayMs: 1, ...options });
const managerOf = (options = {}) =>
  new CondensationManager({ provider: "smart", fallback: false, costAlert: false, handler: handlerOf(), ...options });
const selective = (config) => ({ config: { preset: "selective", ...config } });

describe("summaries over HTTP", () => {
  test("60 with 6 requests at once", { timeout: 20_000 }, async () => {
    script = (request) => {
      const [start, ...rest] = anthropicEvents([summaryOf(request)]);
      return stream(start, wait(50), ...rest);
    };
    const messages = reads(62);
    const progress = [];
    const result = await managerOf().condense(
      { messages },
      {
        ...selective({ maxConcurrency: 6 }),
        onProgress: ({ phase, done, total, passId }) => phase === "summarizing" && progress.push([done, total, passId]),
      },
    );
    expect(result.error).toBeUndefined();
    expect(result.warnings).toEqual([]);
    expect([server.requests.length, server.mostUnderWay]).toEqual([61, 6]);
    expect(result.changes).toHaveLength(61);
    expect(result.messages[24].content[0].content).toBe("[Summary of 60 lines]\nDefines file_11.");
    expect(progress).toEqual(Array.from({ length: 62 }, (_, done) => [done, 61, "selective"]));
    expect(server.requests.every(({ body }) => body.max_tokens === 150 && body.system.includes("output of a tool"))).toBe(true);
    expect(validateMessages(result.messages)).toEqual([]);
    expect(restore(result)).toEqual(messages);
  });

  test("aborted in the middle: the messages as they were, what was spent, and no request under way", async () => {
    const controller = new AbortController();
    script = (request, index) => {
      if (index === 12) controller.abort();
      const [start, ...rest] = anthropicEvents([summaryOf(request)], { inputTokens: 1000, outputTokens: 10 });
      return stream(start, wait(index < 8 ? 5 : 60_000), ...rest);
    };
    const messages = reads(62);
    const handler = handlerOf("claude-test", { price: { inputPrice: 1, outputPrice: 5 } });
    const result = await managerOf({ handler }).condense({ messages }, { ...selective({ maxConcurrency: 6 }), signal: controller.signal });
    expect(result.error.code).toBe("aborted");
    expect(result.messages).toBe(messages);
    expect([result.didCondense, result.changes, result.firstChangedIndex]).toEqual([false, [], -1]);
    expect(result.cost).toBeGreaterThan(0.008);
    await expect.poll(() => server.underWay, { timeout: 5000 }).toBe(0);
    const sent = server.requests.length;
    expect(sent).toBeLessThanOrEqual(14);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests.length).toBe(sent);
  });

  test("failed ones leave their text, retried ones are told", async () => {
    let failures = 0;
    script = (request) => {
      const text = asked(request);
      if (text.includes("file_3_")) return json(400, { error: { type: "invalid_request_error", message: "not this one" } });
      if (text.includes("file_2_") && failures++ < 2) return json(529, { error: { type: "overloaded_error", message: "busy" } });
      return stream(...anthropicEvents([summaryOf(request)]));
    };
    const messages = reads(7);
    const retries = [];
    const result = await managerOf().condense(
      { messages },
      { ...selective(), onProgress: (event) => event.phase === "retrying" && retries.push(event) },
    );
    expect(result.error).toBeUndefined();
    expect(result.changes.map(({ messageIndex }) => messageIndex)).toEqual([2, 4, 6, 10, 12]);
    expect(result.messages[8]).toBe(messages[8]);
    const message = expect.stringMatching(/^message 8 left as it was: llm_bad_request/);
    expect(result.warnings).toMatchObject([{ code: "summary_failed", errorCode: "llm_bad_request", message, messageIndex: 8 }]);
    expect(retries).toEqual(
      [1, 2].map((done) => ({
        phase: "retrying",
        providerId: "smart",
        passId: "selective",
        done,
        total: 4,
        waitMs: expect.any(Number),
        code: "llm_overloaded",
      })),
    );
  });

  test("small texts share requests", async () => {
    script = (request) => {
      const numbers = asked(request).match(/^\[\[\d+\]\]/gm);
      return stream(...anthropicEvents(numbers.map((number) => `${number}\nShort ${number}\n`)));
    };
    const messages = reads(35, 14);
    const passes = [
      {
        id: "each",
        selection: { type: "preserve_recent", keepRecentCount: 3 },
        mode: "individual",
        individualConfig: { defaults: { toolResults: { operation: "summarize", params: { summarize: { maxTokens: 50 } } } } },
      },
    ];
    const result = await managerOf().condense({ messages }, { config: { losslessPrelude: { enabled: false }, passes } });
    expect(result.changes).toHaveLength(34);
    expect(server.requests.length).toBeLessThanOrEqual(6);
    expect(result.messages[2].content[0].content).toBe("[Summary of 14 lines]\nShort [[1]]");
  });

  test("are asked of the profile that a pass names", async () => {
    script = (request) =>
      request.body.stream_options
        ? stream(...openaiEvents(["By the other one."], { inputTokens: 1_000_000 }))
        : stream(...anthropicEvents([summaryOf(request)]));
    const other = httpHandler({ api: "openai", model: "gpt-4o-mini", baseUrl: server.url, apiKey: "other" });
    const manager = managerOf({ profiles: { "claude-haiku": { handler: other, price: { inputPrice: 0.5 } } } });
    const conservative = {
      losslessPrelude: {
        enabled: true,
        operations: { deduplicateFileReads: true, consolidateToolResults: true, removeObsoleteState: true },
      },
      passes: [
        {
          id: "pass-1-quality",
          name: "LLM Summarization of Old Content",
          selection: { type: "preserve_recent", keepRecentCount: 10 },
          mode: "individual",
          individualConfig: {
            defaults: {
              messageText: { operation: "keep" },
              toolParameters: { operation: "keep" },
              toolResults: { operation: "summarize", params: { summarize: { apiProfile: "claude-haiku", maxTokens: 150 } } },
            },
          },
          execution: { type: "always" },
        },
        {
          id: "pass-2-fallback",
          name: "Batch Summary Fallback",
          selection: { type: "preserve_percent", keepPercentage: 40 },
          mode: "batch",
          batchConfig: { operation: "summarize", summarizationConfig: { apiProfile: "gone", keepFirst: 1, keepLast: 8 } },
          execution: { type: "conditional", condition: { tokenThreshold: 1000 } },
        },
      ],
    };
    manager.registerProvider(createSmartProvider(conservative));
    const result = await manager.condense({ messages: reads(9) });
    expect(result.error).toBeUndefined();
    const message = expect.stringMatching(/^profile "gone"/);
    expect(result.warnings).toMatchObject([{ code: "handler_missing", message, field: "profiles.gone.handler" }]);
    const models = server.requests.map(({ body }) => body.model);
    expect(models).toEqual([...Array(4).fill("gpt-4o-mini"), "claude-test"]);
    expect(result.passes.map(({ id, cost }) => [id, cost])).toEqual([
      ["lossless_prelude", 0],
      ["pass-1-quality", 2],
      ["pass-2-fallback", 0],
    ]);
  });
});

describe("previews", () => {
  test("say what would happen, what it would cost, and what it does to the prompt cache", async () => {
    script = () => json(500, {});
    const messages = reads(40, 120);
    const price = { inputPrice: 3, outputPrice: 15, cacheWritesPrice: 3.75, cacheReadsPrice: 0.3 };
    const manager = managerOf({ condensingHandler: handlerOf("haiku", { price: { inputPrice: 1, outputPrice: 5 } }) });
    const preview = await manager.preview({ messages, systemPrompt: "You are a careful assistant." }, { config: presets.balanced, price });
    expect(server.requests).toEqual([]);
    const { passes, promptCache, stats, samples, cost } = preview;
    expect(passes.map(({ id, ran, exact }) => [id, ran, exact])).toEqual([
      ["lossless_prelude", true, true],
      ["llm-quality", true, false],
      ["mechanical-fallback", false, false],
      ["batch-old", false, false],
    ]);
    expect(passes[1]).toMatchObject({ messagesChanged: 35, firstChangedIndex: 2, operationsApplied: ["summarize"], cost });
    expect(passes[1].tokensSaved).toBe(stats.originalTokens - stats.finalTokens);
    expect(passes[1].reductionPercentage).toBeCloseTo(stats.reductionPercent);
    expect(passes[2].skipped).toMatch(/not more than its threshold of 40000$/);
    // 35 questions of some 2,300 tokens, and as many answers of 120.
    expect(cost).toBeGreaterThan((35 * (2200 * 1 + 120 * 5)) / 1e6);
    expect(cost).toBeLessThan((35 * (3200 * 1 + 120 * 5)) / 1e6);
    expect(promptCache.keptTokens + promptCache.rewrittenTokens).toBe(stats.finalTokens);
    expect(promptCache.keptTokens).toBeLessThan(40);
    expect(promptCache.rewriteCost).toBeCloseTo((promptCache.rewrittenTokens * 3.75) / 1e6);
    expect(promptCache.savedPerRequest).toBeCloseTo(((stats.originalTokens - stats.finalTokens) * 0.3) / 1e6);
    expect(promptCache.extraCost).toBeCloseTo(promptCache.rewriteCost + ((promptCache.keptTokens - stats.originalTokens) * 0.3) / 1e6);
    expect([preview.exact, preview.warnings]).toEqual([false, []]);
    const estimate = await manager.estimateReduction({ messages }, { config: presets.balanced });
    expect(estimate.confidence).toBeCloseTo(1 - (35 * 112) / estimate.estimatedReduction);
    expect(samples).toHaveLength(5);
    for (const { before, after, exact, operations, messageIndex } of samples) {
      expect(before).toBe(messages[messageIndex]);
      expect(after.content[0].content).toBe("[Summary of 120 lines]\n(what a model would write here, about 112 tokens)");
      expect([exact, operations]).toEqual([false, ["summarize"]]);
    }
  });

  test("take prices as hosts have them: of the call, the handler or the profile, with tiers, and without a cache", async () => {
    const messages = reads(12, 120);
    const tiers = [
      { contextWindow: 1000, inputPrice: 100 },
      { contextWindow: Infinity, inputPrice: 2 },
    ];
    const effect = async (options, call) =>
      (await new CondensationManager({ provider: "truncation", ...options }).preview({ messages, profileId: "mine" }, call)).promptCache;
    const { rewrittenTokens, ...none } = await effect({});
    expect(Object.keys(none)).toEqual(["keptTokens"]);
    const written = (per) => expect.closeTo((rewrittenTokens * per) / 1e6, 9);
    expect((await effect({}, { price: { inputPrice: 1, tiers } })).rewriteCost).toEqual(written(2));
    expect((await effect({ profiles: { mine: { price: { inputPrice: 1, tiers } } } })).rewriteCost).toEqual(written(2));
    expect((await effect({ handler: handlerOf("m", { price: { inputPrice: 1, cacheWritesPrice: 1.25 } }) })).rewriteCost).toEqual(
      written(1.25),
    );
    const uncached = await effect({}, { price: { inputPrice: 1 } });
    expect(uncached.extraCost).toEqual(expect.closeTo(-uncached.savedPerRequest, 9));
    const manager = new CondensationManager();
    for (const [price, code, field] of [
      [{ inputPrice: -1 }, "out_of_range", "options.price.inputPrice"],
      ["3", "invalid_config", "options.price"],
      [{ inputPrice: Infinity }, "out_of_range", "options.price.inputPrice"],
    ]) {
      await expect(manager.preview({ messages }, { price })).rejects.toMatchObject({ code, field });
    }
  });

  test("meet the limit on cost where the work would", async () => {
    script = (request) => stream(...anthropicEvents([summaryOf(request)], { inputTokens: 1000, outputTokens: 100 }));
    const messages = reads(20);
    const price = { inputPrice: 1, outputPrice: 5 };
    const whole = await managerOf({ handler: handlerOf("m", { price }) }).preview({ messages }, selective());
    const maxCost = whole.cost / 2;
    const manager = managerOf({ handler: handlerOf("m", { price }), maxCost });
    const preview = await manager.preview({ messages }, selective({ maxConcurrency: 1 }));
    expect(preview.cost).toBeLessThanOrEqual(maxCost);
    expect(preview.cost).toBeGreaterThan(maxCost * 0.8);
    const message = expect.stringMatching(/^message .* left as it was: cost_limit: /);
    const [failed, ...others] = preview.warnings;
    expect(failed).toMatchObject({ code: "summary_failed", errorCode: "cost_limit", message, messageIndex: expect.any(Number) });
    expect(others.map(({ code }) => code)).toEqual(["dear_summaries"]);
    // Nothing of that was spent.
    expect((await manager.preview({ messages }, selective({ maxConcurrency: 1 }))).cost).toBe(preview.cost);
    const result = await manager.condense({ messages }, selective({ maxConcurrency: 1 }));
    expect(result.cost).toBeLessThanOrEqual(maxCost);
    expect(result.changes.length).toBeLessThan(whole.changes.length);
  });

  test("tell what a model would write from a history that says the same", async () => {
    const said = "(what a model would write here) … … … … …";
    const messages = reads(6).map((message, index) => {
      if (index % 2 === 1 || index === 0) return message;
      const [block] = message.content;
      return { ...message, content: [{ ...block, content: `${said}\n${block.content}` }] };
    });
    const each = (toolResults, ...messageIndices) => ({
      id: toolResults.operation,
      selection: { type: "custom", messageIndices },
      mode: "individual",
      individualConfig: { defaults: { toolResults } },
    });
    const passes = [
      each({ operation: "summarize", params: { summarize: { maxTokens: 100 } } }, 4),
      each({ operation: "truncate", params: { truncate: { maxLines: 3, strategy: "head" } } }, 6),
    ];
    const preview = await createSmartProvider({ passes, losslessPrelude: { enabled: false } }).preview(
      { messages },
      { handler: handlerOf() },
    );
    expect(server.requests).toEqual([]);
    expect([preview.exact, preview.samples.map(({ messageIndex, exact }) => [messageIndex, exact])]).toEqual([
      false,
      [
        [4, false],
        [6, true],
      ],
    ]);
    const [summarised, cut] = preview.samples.map(({ after }) => after.content[0].content);
    expect(summarised).toBe("[Summary of 61 lines]\n(what a model would write here, about 92 tokens)");
    expect(cut.split("\n")[0]).toBe(said);
    const { confidence, estimatedReduction } = await createSmartProvider({ passes, losslessPrelude: { enabled: false } }).estimateReduction(
      { messages },
      undefined,
      { handler: handlerOf() },
    );
    expect(confidence).toBeCloseTo(1 - 92 / estimatedReduction);
  });

  test("show the summary of a batch, and messages that go", async () => {
    const messages = reads(12, 120);
    const passes = [
      { id: "b", selection: { type: "preserve_recent", keepRecentCount: 5 }, mode: "batch", batchConfig: { operation: "summarize" } },
    ];
    const provider = createSmartProvider({ passes, losslessPrelude: { enabled: false } });
    const { samples, summary, wouldCondense } = await provider.preview({ messages }, { handler: handlerOf() });
    expect(server.requests).toEqual([]);
    expect([wouldCondense, summary]).toEqual([true, expect.stringMatching(/^\(what a model would write here, about \d+ tokens\)$/)]);
    expect(samples[0]).toMatchObject({
      messageIndex: 1,
      before: null,
      after: { content: `[Summary of 20 messages]\n${summary}` },
      exact: false,
    });
    expect(samples.filter(({ after }) => after === null).every(({ messageIndex, before }) => before === messages[messageIndex])).toBe(true);
  });

  test("ask nobody either when too little could be saved", async () => {
    script = () => json(500, {});
    const messages = reads(6);
    const result = await managerOf().condense({ messages }, selective({ minReductionTokens: 50_000 }));
    expect(server.requests).toEqual([]);
    expect(result.messages).toBe(messages);
    expect([result.cost, result.error]).toEqual([0, undefined]);
    const message = expect.stringMatching(/^\d+ tokens would be saved at best/);
    expect(result.warnings).toMatchObject([{ code: "reduction_too_small", message, field: "minReductionTokens" }]);
  });
});
