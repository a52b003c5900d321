// The smart provider from JavaScript: presets, validation, functions that select, summaries by a handler of the host.

import { describe, expect, test } from "vitest";

import {
  CondensationManager,
  callbackHandler,
  countTokens,
  createNativeProvider,
  createSmartProvider,
  presets,
  restore,
  validateMessages,
} from "../../index.js";
import { expectThrown, rejected } from "./support.mjs";

const lines = (name, count) =>
  Array.from({ length: count }, (_, line) => `const ${name}_${line} = compute(${line}); // src/${name}.ts`).join("\n");

/** A task, `exchanges` files that are read, and an answer. */
function history(exchanges, count = 120) {
  const messages = [{ role: "user", content: "Fix src/file_1.ts", ts: 1 }];
  for (let index = 0; index < exchanges; index++) {
    messages.push({
      role: "assistant",
      content: [{ type: "tool_use", id: `t${index}`, name: "read_file", input: { path: `src/file_${index}.ts` } }],
    });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: lines(`file_${index}`, count) }] });
  }
  return [...messages, { role: "assistant", content: "Done." }];
}

const keep = { operation: "keep" };
const suppressing = (selection) => ({
  losslessPrelude: { enabled: false },
  passes: [
    {
      id: "p",
      selection,
      mode: "individual",
      individualConfig: { defaults: { messageText: keep, toolParameters: keep, toolResults: { operation: "suppress" } } },
    },
  ],
});

describe("presets", () => {
  test("nobody can change them for others", () => {
    const isFrozen = (value) =>
      typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    expect(isFrozen(presets)).toBe(true);
    expect(() => presets.balanced.passes.push({})).toThrow(TypeError);
    expect(() => Object.assign(presets.aggressive.passes[0].selection, { keepRecentCount: 1 })).toThrow(TypeError);
    const own = structuredClone(presets.balanced);
    own.passes.pop();
    expect(createSmartProvider(own).id).toBe("smart");
  });

  test("are exported and make providers, by name or as they are", async () => {
    expect(Object.keys(presets).sort()).toEqual(["aggressive", "balanced", "conservative", "multi_zone", "quality", "selective"]);
    const messages = history(40);
    for (const name of Object.keys(presets)) {
      const named = await createSmartProvider(name).condense({ messages });
      const whole = await createSmartProvider(presets[name]).condense({ messages });
      expect(named.messages, name).toEqual(whole.messages);
      expect(named.didCondense, name).toBe(true);
      expect(validateMessages(named.messages), name).toEqual([]);
      expect(restore(named), name).toEqual(messages);
    }
  });

  test("leave less the more aggressive they are, and say how each pass went", async () => {
    const messages = history(40);
    const results = [];
    for (const name of ["conservative", "balanced", "aggressive"]) results.push(await createSmartProvider(name).condense({ messages }));
    const tokens = results.map(({ stats }) => stats.finalTokens);
    expect(tokens).toEqual([...tokens].sort((a, b) => b - a));
    const { passes, metrics } = results[2];
    expect(passes.map(({ id }) => id)).toEqual(expect.arrayContaining(["lossless_prelude", "suppress-ancient", "truncate-middle"]));
    expect(passes.every(({ tokensBefore, tokensAfter, exact, cost }) => tokensAfter <= tokensBefore && exact && cost === 0)).toBe(true);
    expect(metrics.operationsApplied).toContain("pass_suppress-ancient");
    // Each names passes of its own, and none of a preset that stands in.
    expect(results[0].warnings).toMatchObject([{ code: "no_handler", message: expect.stringContaining('"llm-quality"') }]);
    expect(results[2].warnings.filter(({ message }) => message.includes('"llm-quality"'))).toEqual([]);
  });
});

describe("configuration", () => {
  test("is checked as a whole, and faults are named by their path", () => {
    const config = suppressing({ type: "preserve_recent", keepRecentCount: 3 });
    config.passes[0].individualConfig.defaults.toolResults.operation = "sumarize";
    const path = "passes[0].individualConfig.defaults.toolResults.operation";
    expectThrown(() => createSmartProvider(config), TypeError, "invalid_config", { field: path, shows: 'did you mean "summarize"?' });
    expectThrown(() => createSmartProvider("fast"), TypeError, "invalid_config", { field: "preset", shows: '"conservative"' });
    const { valid, errors } = createSmartProvider().validateConfig(config);
    expect([valid, errors[0].path]).toEqual([false, path]);
    expect(createSmartProvider().getConfigSchema().$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  });

  test("is refused with the whole path, each fault listed, and never by throwing when it is only checked", () => {
    const smart = createSmartProvider();
    const config = suppressing({ type: "preserve_recent", keepRecentCount: 3 });
    config.passes[0].individualConfig.defaults.toolResults = {
      operation: "summarize",
      params: { summarize: { maxTokens: NaN, minChars: 10n } },
    };
    config.maxConcurrency = Infinity;
    config.bogus = 1;
    const params = "passes[0].individualConfig.defaults.toolResults.params.summarize";
    const { valid, errors } = smart.validateConfig(config);
    expect([valid, errors.map(({ path }) => path).sort()]).toEqual([
      false,
      ["bogus", "maxConcurrency", `${params}.maxTokens`, `${params}.minChars`],
    ]);
    expect(errors.find(({ path }) => path === `${params}.maxTokens`)).toMatchObject({
      code: "out_of_range",
      message: expect.stringContaining("a whole number from 16 to 1000000000"),
    });
    expect(() => createSmartProvider(config)).toThrow(RangeError);
    for (const odd of ["\ud83c", NaN, 5, "fast", [], { name: "\ud83c", preset: 3 }, { "\ud83c": 1 }])
      expect(smart.validateConfig(odd).valid, String(odd)).toBe(false);
    for (const fine of [undefined, {}, "balanced", { name: "\ud83c" }])
      expect(smart.validateConfig(fine)).toEqual({ valid: true, errors: [] });
    expect(() => createSmartProvider(5)).toThrow(/an object, or the name of a preset: aggressive, balanced/);
  });

  test("of the manager's own provider is the default preset", async () => {
    const messages = history(40);
    const { passes, stats } = await new CondensationManager({ provider: "smart", fallback: false }).condense({ messages });
    const wanted = await createSmartProvider().condense({ messages });
    expect(passes.map(({ id }) => id)).toEqual(wanted.passes.map(({ id }) => id));
    expect(passes.length).toBeGreaterThan(3);
    expect(stats).toEqual(wanted.stats);
  });

  test("may select messages by a function", async () => {
    const messages = history(6);
    const select = (all) => all.filter((message) => message.content[0]?.tool_use_id === "t2");
    const config = suppressing({ type: "custom", customSelector: select });
    const manager = new CondensationManager({ provider: "smart", fallback: false });
    const changed = ({ changes }) => changes.map(({ messageIndex, operation }) => [messageIndex, operation]);
    expect(changed(await createSmartProvider(config).condense({ messages }))).toEqual([[6, "suppress"]]);
    expect(changed(await manager.condense({ messages }, { config }))).toEqual([[6, "suppress"]]);
    manager.registerProvider(createSmartProvider(config));
    expect(changed(await manager.condense({ messages }))).toEqual([[6, "suppress"]]);
    expect(createSmartProvider().validateConfig(config).valid).toBe(true);
    const wrong = suppressing({ type: "custom", customSelector: () => [{ role: "user", content: "mine" }] });
    await expect(createSmartProvider(wrong).condense({ messages })).rejects.toThrow(/passes\[0\]\.selection\.customSelector/);
    const boom = new Error("boom");
    const failing = createSmartProvider(
      suppressing({
        type: "custom",
        customSelector: () => {
          throw boom;
        },
      }),
    );
    expect(await rejected(() => failing.condense({ messages }))).toMatchObject({
      name: "TypeError",
      code: "invalid_argument",
      message: "passes[0].selection.customSelector threw: boom",
      cause: boom,
    });
  });
});

describe("conditions", () => {
  const changed = ({ changes }) => changes.map(({ messageIndex }) => messageIndex);
  const recent = { type: "preserve_recent", keepRecentCount: 1 };
  const when = (condition) => {
    const config = suppressing(recent);
    Object.assign(config.passes[0], { execution: { type: "conditional", condition } });
    return config;
  };

  test("may be functions, asked about each message", async () => {
    const messages = history(6);
    const seen = [];
    const config = when({
      executeIf: (context) => {
        seen.push(context);
        return context.messageAge > 10;
      },
    });
    expect(changed(await createSmartProvider(config).condense({ messages }))).toEqual([2]);
    expect(seen.map(({ messageAge }) => messageAge)).toEqual(messages.map((_, index) => messages.length - 1 - index));
    expect(seen.every(({ message, messageIndex }) => message === messages[messageIndex])).toBe(true);
    // Beside a threshold, in a call, and in the manager's provider.
    const manager = new CondensationManager({ provider: "smart", fallback: false });
    const both = (tokenThreshold) => when({ tokenThreshold, executeIf: ({ messageAge }) => messageAge > 8 });
    expect(changed(await manager.condense({ messages }, { config: both(1) }))).toEqual([2, 4]);
    expect(changed(await manager.condense({ messages }, { config: both(1e8) }))).toEqual([]);
    manager.registerProvider(createSmartProvider(both(1)));
    expect(changed(await manager.condense({ messages }))).toEqual([2, 4]);
    // As JSON, the messages themselves.
    expect(changed(await createSmartProvider(when({ messageIndices: [4, 6, 99] })).condense({ messages }))).toEqual([4, 6]);
  });

  test("are refused when they are none", async () => {
    const messages = history(6);
    const problems = (condition) =>
      createSmartProvider()
        .validateConfig(when(condition))
        .errors.map(({ path }) => path);
    expect(problems({})).toEqual(["passes[0].execution.condition.tokenThreshold"]);
    expect(problems({ executeIf: "always" })).toContain("passes[0].execution.condition.executeIf");
    expect(problems({ executeIf: () => true })).toEqual([]);
    const run = (executeIf) => rejected(() => createSmartProvider(when({ executeIf })).condense({ messages }));
    const boom = () => {
      throw new Error("boom");
    };
    for (const [executeIf, shows] of /** @type {[() => any, string][]} */ ([
      [() => 1, "a function that returns true or false; got 1"],
      [async () => true, "got"],
      [boom, "threw: boom"],
    ])) {
      const { code, field, message } = await run(executeIf);
      expect([code, field]).toEqual(["invalid_argument", "passes[0].execution.condition.executeIf"]);
      expect(message).toContain(shows);
    }
  });
});

describe("what summaries cost", () => {
  const asking = () => {
    const asked = [];
    const handler = callbackHandler(
      {
        async *createMessage(systemPrompt, questions) {
          asked.push(questions.length);
          const inputTokens = countTokens([{ role: "user", content: systemPrompt }, ...questions]);
          yield { type: "text", text: "What it said, in a few words." };
          yield { type: "usage", inputTokens, outputTokens: 12 };
        },
        getModel: () => ({ id: "m", info: { contextWindow: 200_000 } }),
      },
      { price: { inputPrice: 3, outputPrice: 15 } },
    );
    return { asked, handler };
  };
  const histories = { "small results": history(150, 12), "large results": history(25, 300), "a few": history(8, 80) };

  test.each(Object.keys(histories))("of a preset is never more than what one summary costs: %s", async (name) => {
    const messages = histories[name];
    const { handler } = asking();
    const one = await createNativeProvider().estimateCost({ messages }, undefined, { handler });
    for (const preset of Object.keys(presets))
      for (const share of [undefined, 0.9, 0.6, 0.4, 0.34, 0.3, 0.1]) {
        const targetTokens = share && Math.round(countTokens(messages) * share);
        const options = { handler, ...(targetTokens && { targetTokens }) };
        const preview = await createSmartProvider(preset).preview({ messages }, options);
        const isTold = preview.warnings.some(({ code }) => code === "dear_summaries");
        // The one that is for summaries of every large result asks for them, and says so where they cost a quarter more and up.
        if (!isTold) expect(preview.cost, `${preset} ${share}`).toBeLessThanOrEqual(one * (preset === "selective" ? 1.25 : 1.0001));
        if (preset !== "selective") expect(isTold).toBe(false);
      }
  });

  test("of passes of one's own may be more, and that is told before", async () => {
    const messages = histories["small results"];
    const { asked, handler } = asking();
    const summarize = { operation: "summarize", params: { summarize: { maxTokens: 100 } } };
    const passes = presets.selective.passes.map((pass) => ({ ...pass, individualConfig: { defaults: { toolResults: summarize } } }));
    const config = { passes };
    const provider = createSmartProvider(config);
    const { warnings, cost } = await provider.preview({ messages }, { handler });
    expect(warnings.find(({ code }) => code === "dear_summaries").message).toMatch(
      /^the passes request summaries that cost about \d\.\d times/,
    );
    expect(cost).toBeGreaterThan(await createNativeProvider().estimateCost({ messages }, undefined, { handler }));
    await provider.condense({ messages }, { handler });
    expect(asked.length).toBeGreaterThan(15);
  });
});

describe("summaries", () => {
  const handler = (asked) =>
    callbackHandler({
      async *createMessage(_system, [{ content }]) {
        asked.push(typeof content === "string" ? content : content[0].text);
        yield { type: "text", text: "Defines constants." };
        yield { type: "usage", inputTokens: 100, outputTokens: 5, totalCost: 0.01 };
      },
      async countTokens() {
        return 1;
      },
      getModel: () => ({ id: "model", info: { contextWindow: 200_000 } }),
    });

  test("of single tool results take their place, through the cache", async () => {
    const messages = history(6);
    const asked = [];
    const manager = new CondensationManager({ provider: "smart", fallback: false, handler: handler(asked) });
    const events = [];
    const result = await manager.condense(
      { messages },
      { config: { preset: "selective" }, onProgress: ({ phase, done, total }) => events.push([phase, done, total]) },
    );
    expect(result.error).toBeUndefined();
    expect(result.changes.map(({ messageIndex, operation }) => [messageIndex, operation])).toEqual(
      [2, 4, 6, 8, 10].map((index) => [index, "summarize"]),
    );
    expect(result.messages[2].content[0].content).toMatch(/^\[Summary of 120 lines\]\nDefines constants\.$/);
    expect(result.messages[1]).toBe(messages[1]);
    expect(events).toContainEqual(["summarizing", 5, 5]);
    expect(asked).toHaveLength(5);
    await manager.condense({ messages }, { config: { preset: "selective" } });
    expect(asked).toHaveLength(5);
    expect(restore(result)).toEqual(messages);
  });
});
