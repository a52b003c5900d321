// Providers of the host are asked like ours: estimates, schema, configuration; and what they return is read by comparing.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { api, conversation, deepFreeze, managerWith, rejected, thrown } from "./support.mjs";

const { CondensationManager, restore, validateMessages } = api;
const messages = deepFreeze(conversation(12));
const fixture = (name) => {
  const history = JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), "utf8"));
  return Array.isArray(history) ? history : history.messages;
};

const codes = ({ warnings }) => warnings.map(({ code }) => code);

/** A manager with a provider `mine` that is more than a function. */
function managerWithAll(more = {}) {
  const asked = [];
  const manager = new CondensationManager({ provider: "mine", fallback: false });
  manager.registerProvider({
    id: "mine",
    condense: ({ messages: given }) => ({ messages: [given[0], ...given.slice(-4)] }),
    estimateCost: (context, config) => {
      asked.push({ context, config });
      return 0.25;
    },
    estimateReduction: (context) => ({ estimatedReduction: context.tokenCount / 2, confidence: 0.9 }),
    getConfigSchema: () => ({ type: "object", properties: { keep: { type: "integer" } } }),
    validateConfig: (config) =>
      Number.isInteger(config.keep) ? { valid: true } : { valid: false, errors: [{ path: "keep", message: "is no number" }] },
    ...more,
  });
  return { manager, asked };
}

test("in a strategy its configuration is checked as well", async () => {
  const stages = (config) => ({ provider: "pipeline", config: { stages: [{ provider: "mine", config }] } });
  const { manager } = managerWithAll();
  const wrong = await manager.condense({ messages }, stages({ keep: "all" }));
  expect(wrong.didCondense).toBe(false);
  expect(JSON.stringify([wrong.error, wrong.warnings])).toContain("config.keep: is no number");
  const right = await manager.condense({ messages }, stages({ keep: 4 }));
  expect(right.error).toBeUndefined();
  expect(right.didCondense).toBe(true);
  expect(right.messages.slice(-4)).toEqual(messages.slice(-4));
});

describe("the README's example", () => {
  const newest = ({ messages: given }) => ({ messages: given.slice(-20) });

  test.each(["claude-code", "roo-native-2026", "roo-xml-2025", "codex", "cline-with-logs"])("works on %s", async (name) => {
    const history = fixture(name);
    const before = validateMessages(history);
    const result = await managerWith(newest).condense({ messages: history });
    expect(result.error).toBeUndefined();
    expect(result.didCondense).toBe(true);
    expect(validateMessages(result.messages).length).toBeLessThanOrEqual(before.length);
    expect(result.messages.length).toBeLessThanOrEqual(23);
    expect(result.messages.slice(-20)).toEqual(history.slice(-20));
    expect(restore(result)).toEqual(history);
  });

  test("says what stays although it was left out", async () => {
    const result = await managerWith(newest).condense({ messages: [...messages, { role: "user", content: "Thanks." }] });
    expect(codes(result)).toContain("pairs_completed");
    const { message, messageIndex } = result.warnings.find(({ code }) => code === "pairs_completed");
    expect(message).toMatch(/^"mine" left out \d messages? that others need/);
    expect(messageIndex).toBe(0);
    expect(result.changes.every(({ operation, reason }) => operation === "drop" && reason === '"mine" left the message out')).toBe(true);
  });

  test.each([[1], [2]])("a half of a pair stays with the other: message %i", async (index) => {
    const result = await managerWith(({ messages: given }) => ({ messages: given.filter((_, at) => at !== index && at < 20) })).condense({
      messages,
    });
    expect(result.error).toBeUndefined();
    expect(result.messages[index]).toBe(messages[index]);
    expect(codes(result)).toEqual(["pairs_completed"]);
  });
});

describe("changes", () => {
  test("are those of blocks where only texts got shorter, and the rest stays the caller's own", async () => {
    const result = await managerWith(({ messages: given }) => ({
      messages: given.map((message) =>
        Array.isArray(message.content)
          ? {
              ...message,
              content: message.content.map((block) => (block.type === "tool_result" ? { ...block, content: "cut" } : { ...block })),
            }
          : { ...message },
      ),
    })).condense({ messages });
    expect(result.error).toBeUndefined();
    expect(result.changes.map(({ messageIndex, blockIndex, operation }) => [messageIndex, blockIndex, operation])).toEqual(
      Array.from({ length: 12 }, (_, round) => [2 * round + 2, 0, "replace"]),
    );
    expect(result.changes[0].reason).toMatch(/^"mine" shortened a tool result from \d+ to 1 tokens$/);
    expect(result.messages[0]).toBe(messages[0]);
    expect(result.messages[1]).toBe(messages[1]);
    expect(result.messages[2].content[1]).toBe(messages[2].content[1]);
    expect(restore(result, { only: [result.changes[3].id] }).messages[8]).toEqual(messages[8]);
  });

  test("an equal copy is no change", async () => {
    const result = await managerWith(({ messages: given }) => ({ messages: structuredClone(given) })).condense({ messages });
    expect(result).toMatchObject({ didCondense: false, changes: [] });
    expect(result.messages).toBe(messages);
  });

  test("what is added is added, with a reason", async () => {
    const added = { role: "assistant", content: "In short.", isSummary: true };
    const result = await managerWith(({ messages: given }) => ({ messages: [given[0], added] })).condense({ messages });
    expect(result.messages[1]).toBe(added);
    expect(result.changes.at(-1)).toMatchObject({ operation: "insert", reason: '"mine" added it in place of 25 messages' });
  });
});

describe("estimates", () => {
  test("are the provider's own", async () => {
    const { manager, asked } = managerWithAll();
    const tokens = api.countTokens(messages);
    expect(await manager.estimateCost({ messages, systemPrompt: "x" }, { config: { keep: 5 } })).toBe(0.25);
    expect(asked[0].config).toEqual({ keep: 5 });
    expect(asked[0].context).toMatchObject({ systemPrompt: "x", isPreview: true, tokenCount: tokens + 1 });
    expect(asked[0].context.messages[3]).toBe(messages[3]);
    expect(await manager.estimateReduction({ messages })).toEqual({
      originalTokens: tokens,
      estimatedTokens: tokens / 2,
      estimatedReduction: tokens / 2,
      reductionPercent: 50,
      confidence: 0.9,
      cost: 0.25,
    });
  });

  test.each([
    ["more left than there was", { estimatedTokens: 1e9 }],
    ["more left than it says there was", { originalTokens: 10, estimatedTokens: 11 }],
  ])("%s is no reduction", async (_, said) => {
    const { manager } = managerWithAll({ estimateReduction: () => said });
    const tokens = said.originalTokens ?? api.countTokens(messages);
    expect(await manager.estimateReduction({ messages })).toMatchObject({
      originalTokens: tokens,
      estimatedTokens: tokens,
      estimatedReduction: 0,
      reductionPercent: 0,
    });
  });

  test.each([
    [
      "it throws",
      () => {
        throw new Error("no");
      },
    ],
    ["it rejects", () => Promise.reject(new Error("no"))],
    ["it says nothing", () => undefined],
    ["it says NaN", () => NaN],
    ["it says less than nothing", () => -1],
    ["it says something else", () => ({ estimatedTokens: "few" })],
  ])("are tried where %s", async (_, estimate) => {
    const { manager } = managerWithAll({ estimateCost: estimate, estimateReduction: estimate });
    expect(await manager.estimateCost({ messages })).toBe(0);
    const { estimatedReduction, confidence } = await manager.estimateReduction({ messages });
    expect([estimatedReduction > 0, confidence]).toEqual([true, 1]);
  });

  test("wrong arguments reject", async () => {
    const { manager } = managerWithAll();
    expect((await rejected(() => manager.estimateCost({ messages: 5 }))).code).toBe("invalid_messages");
    expect((await rejected(() => manager.estimateCost({ messages }, { targetTokens: -1 }))).code).toBe("out_of_range");
    expect((await rejected(() => manager.estimateReduction({ messages }, { config: { keep: "x" } }))).code).toBe("invalid_config");
  });
});

describe("configuration", () => {
  test("is checked by the provider, wherever it is given", async () => {
    const { manager } = managerWithAll();
    const error = await rejected(() => manager.condense({ messages }, { config: { keep: "x" } }));
    expect(error).toBeInstanceOf(TypeError);
    expect([error.code, error.field, error.message]).toEqual([
      "invalid_config",
      "options.config.keep",
      "options.config.keep: is no number",
    ]);
    expect((await rejected(() => manager.preview({ messages }, { config: {} }))).code).toBe("invalid_config");
    expect((await manager.condense({ messages }, { config: { keep: 4 } })).error).toBeUndefined();
    expect((await manager.condense({ messages })).error).toBeUndefined();
    expect(manager.validateConfig("mine", {})).toEqual({
      valid: false,
      errors: [{ path: "keep", code: "invalid_config", message: "is no number" }],
    });
    expect(manager.validateConfig("mine", 5).valid).toBe(false);
    expect(manager.validateConfig("truncation", { mode: "windw" }).errors[0].path).toBe("mode");
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("what is this?");
      },
      false,
      "what is this?",
    ],
    ["says false", () => false, false, "is not valid, says the provider"],
    ["lists texts", () => ({ errors: ["too hot"] }), false, "too hot"],
    ["says nothing", () => undefined, true],
    ["says true", () => true, true],
    ["is asynchronous", () => Promise.reject(new Error("later")), true],
  ])("of a provider whose check %s", (_, validateConfig, valid, message) => {
    const { manager } = managerWithAll({ validateConfig });
    const found = manager.validateConfig("mine", { keep: 1 });
    expect(found.valid).toBe(valid);
    if (!valid) expect(found.errors[0].message).toBe(message);
  });

  test("has a schema", () => {
    const { manager } = managerWithAll();
    expect(manager.getConfigSchema("mine")).toEqual({ type: "object", properties: { keep: { type: "integer" } } });
    expect(manager.getConfigSchema("truncation").properties).toHaveProperty("mode");
    expect(thrown(() => manager.getConfigSchema("nobody")).code).toBe("unknown_provider");
    const broken = managerWithAll({
      getConfigSchema: () => {
        throw new Error("no");
      },
    });
    expect(broken.manager.getConfigSchema("mine")).toEqual({});
    expect(managerWith(() => ({ messages })).getConfigSchema("mine")).toEqual({});
  });

  test("what is no function is refused when it is registered", () => {
    for (const method of ["validateConfig", "estimateCost", "estimateReduction", "getConfigSchema"]) {
      const error = thrown(() => new CondensationManager().registerProvider({ id: "x", condense: () => ({ messages }), [method]: 5 }));
      expect([error.code, error.field]).toEqual(["invalid_argument", `provider.${method}`]);
    }
  });
});

test("capabilities say what providers do", () => {
  const manager = new CondensationManager();
  manager.registerProvider({
    id: "mine",
    condense: () => ({ messages }),
    getCapabilities: () => ({ supportsTruncation: true, isFree: true }),
  });
  const of = Object.fromEntries(manager.listProviders().map(({ id, capabilities }) => [id, capabilities]));
  const flags = (id) => [of[id].supportsTruncation, of[id].isFree, of[id].supportsLLMSummarization];
  expect(["native", "smart", "lossless", "truncation", "mine"].map(flags)).toEqual([
    [false, false, true],
    [true, false, true],
    [false, true, false],
    [true, true, false],
    [true, true, false],
  ]);
  const wrong = () => manager.registerProvider({ id: "x", condense: () => ({ messages }), getCapabilities: () => ({ isFree: "yes" }) });
  expect(thrown(wrong).message).toContain("isFree");
});
