// What a conversation is made of, and what providers would leave of it.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { rejected } from "./support.mjs";

const require = createRequire(import.meta.url);
const { CondensationManager, countTokens, inspect } = require("../../index.js");

const history = (name) => JSON.parse(readFileSync(path.join(root, "fixtures", `${name}.json`), "utf8"));
const messages = (name) => (Array.isArray(history(name)) ? history(name) : history(name).messages);
const sum = (numbers) => Object.values(numbers).reduce((total, number) => total + number, 0);
const call = (id, name, input) => ({ role: "assistant", content: [{ type: "tool_use", id, name, input }] });
const answer = (id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });

describe("inspect", () => {
  test.each(["claude-code", "roo-xml-2025", "roo-native-2026", "odd-shapes"])("every token of %s is told once", async (name) => {
    const given = messages(name);
    const found = await inspect({ messages: given });
    expect(found.tokens).toEqual({ total: countTokens(given), system: 0, tools: 0, messages: countTokens(given) });
    expect(sum(found.kinds)).toBe(found.tokens.messages);
    expect(found.messages).toHaveLength(given.length);
    for (const [index, message] of found.messages.entries()) {
      expect(sum(message.kinds)).toBe(message.tokens);
      expect(message.tokens).toBe(countTokens([given[index]]));
    }
    expect(found.largest.map(({ tokens }) => tokens)).toEqual(found.largest.map(({ tokens }) => tokens).sort((a, b) => b - a));
    expect(found.window).toBeNull();
    expect(found.providers).toBeUndefined();
  });

  test("system prompt, tools, window and target", async () => {
    const tools = [{ name: "read_file", input_schema: { type: "object" } }];
    const given = messages("claude-code");
    const found = await inspect({ messages: given, systemPrompt: "Be brief.", tools, contextWindow: 50_000 }, { targetTokens: 10_000 });
    expect(found.tokens.system).toBe(countTokens("Be brief."));
    expect(found.tokens.tools).toBe(countTokens(JSON.stringify(tools)));
    expect(found.tokens.total).toBe(found.tokens.system + found.tokens.tools + found.tokens.messages);
    let before = found.tokens.system + found.tokens.tools;
    const reached = found.messages.findIndex(({ tokens }) => {
      before += tokens;
      return before >= 10_000;
    });
    expect(found.target).toEqual({ tokens: 10_000, messageIndex: reached });
    expect(found.window).toMatchObject({
      contextWindow: 50_000,
      prevContextTokens: found.tokens.total,
      atLimit: { tokens: 36_808 },
      atEnd: { tokens: 50_000 },
    });
  });

  test("a manager's threshold, scale and tools count", async () => {
    const manager = new CondensationManager({
      scale: 1.5,
      autoCondenseContextPercent: 40,
      profileThresholds: { own: 20 },
      tools: { fs_grab: { meaning: "read", path: "target" } },
    });
    const given = [
      { role: "user", content: "Go." },
      call("1", "fs_grab", { target: "src/a.ts" }),
      answer("1", "1 | const a = 1;\n".repeat(20)),
    ];
    const found = await inspect({ messages: given, contextWindow: 1000, profileId: "own" }, { manager });
    expect(found.tokens.total).toBe(Math.ceil(countTokens(given) * 1.5));
    expect(found.window).toMatchObject({ threshold: 20, atThreshold: { tokens: 200, messageIndex: 2 }, due: true, reason: "threshold" });
    expect(found.byFile).toMatchObject([{ path: "src/a.ts", reads: 1, changes: 0 }]);
    expect(found.byTool).toMatchObject([{ tool: "fs_grab", calls: 1, failed: 0 }]);
    expect(await manager.inspect({ messages: given })).toMatchObject({ scale: 1.5, window: null });
  });

  test("what the API reported moves the lines", async () => {
    const given = messages("claude-code");
    const own = await inspect({ messages: given, contextWindow: 200_000 });
    const last = own.messages.at(-1).tokens;
    const found = await inspect({ messages: given, contextWindow: 200_000, totalTokens: 190_000 });
    expect(found.window).toMatchObject({ prevContextTokens: 190_000 + last, due: true });
    expect(found.window.atLimit.messageIndex).toBeGreaterThanOrEqual(0);
  });

  test("providers are tried each for itself, and nothing is remembered", async () => {
    const manager = new CondensationManager();
    manager.registerProvider({ id: "own", condense: async ({ messages: given }) => ({ messages: given.slice(0, 2) }) });
    const given = messages("claude-code");
    const before = JSON.stringify(given);
    const targetTokens = Math.floor(countTokens(given) / 3);
    const { providers } = await manager.inspect({ messages: given }, { providers: true, targetTokens });
    const known = ["lossless", "truncation", "smart:conservative", "smart:balanced", "smart:aggressive", "native"];
    expect(providers.map(({ id }) => id)).toEqual(expect.arrayContaining(known));
    const of = (id) => providers.find((trial) => trial.id === id);
    expect(of("lossless")).toMatchObject({ metTarget: false, cost: 0, exact: true, wouldCondense: true });
    expect(of("truncation")).toMatchObject({ metTarget: true, cost: 0 });
    expect(of("truncation").tokens).toBeLessThanOrEqual(targetTokens);
    expect(of("native").error.code).toBe("handler_invalid");
    for (const { tokens, tokensBefore, timeMs, changes, error } of providers) {
      if (!error) expect(tokens).toBeLessThan(tokensBefore);
      if (!error) expect(changes).toBeGreaterThan(0);
      expect(timeMs).toBeGreaterThan(0);
    }
    const own = await manager.inspect({ messages: given }, { providers: [{ provider: "own", id: "mine" }] });
    expect(own.providers).toMatchObject([{ id: "mine", provider: "own", wouldCondense: true, metTarget: null }]);
    expect(JSON.stringify(given)).toBe(before);
    expect(manager.getMetrics().total.calls).toBe(0);
  });

  test("a signal stops what is tried", async () => {
    const signal = AbortSignal.abort();
    const { providers, tokens } = await inspect({ messages: messages("claude-code") }, { providers: [{ provider: "lossless" }], signal });
    expect(tokens.total).toBeGreaterThan(0);
    expect(providers[0].error.code).toBe("aborted");
  });

  test.each([
    [[undefined], "invalid_argument", /context/],
    [[{}], "invalid_messages", /context\.messages/],
    [[{ messages: [] }, 5], "invalid_argument", /options/],
    [[{ messages: [] }, { manager: {} }], "invalid_argument", /options\.manager.*a CondensationManager/],
    [[{ messages: [] }, { provider: "lossless" }], "invalid_argument", /options\.provider is unknown; did you mean providers\?/],
    [[{ messages: [] }, { providers: [{}] }], "invalid_argument", /options\.providers\[0\]\.provider/],
    [[{ messages: [] }, { providers: [{ provider: "lossless", config: 1 }] }], "invalid_argument", /options\.providers\[0\]\.config/],
    [[{ messages: [] }, { targetTokens: -1 }], "out_of_range", /options\.targetTokens/],
    [[{ messages: [], contextWindow: "1" }], "invalid_config", /context\.contextWindow/],
    [[{ messages: [{ from: "human", value: "Hello" }] }], "unsupported_format", /ShareGPT/],
  ])("bad arguments reject: %#", async (given, code, message) => {
    expect(await rejected(() => inspect(...given))).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("an unknown provider is refused", async () => {
    const providers = [{ provider: "nobody" }];
    expect(await rejected(() => inspect({ messages: [] }, { providers }))).toMatchObject({ code: "unknown_provider", field: "provider" });
  });
});
