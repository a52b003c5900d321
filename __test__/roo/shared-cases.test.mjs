// What the drop-in and the manager both do means the same in both: the Rust tests run these cases, too.

import { afterEach, describe, expect, test, vi } from "vitest";
import cost from "../../js/roo/cost.js";
import guards from "../../js/roo/guard.js";
import trigger from "../../js/roo/trigger.js";
import { readJson } from "../../scripts/tools.mjs";

const casesOf = (name) => readJson(new URL(`../../fixtures/shared/${name}.json`, import.meta.url)).cases;
const START = 1_800_000_000_000;

afterEach(() => vi.useRealTimers());

describe("guard", () => {
  test.each(casesOf("guard"))("$name", ({ options, steps }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: START });
    const guard = new guards.Guard(options);
    for (const { at, task, attempt, refused } of steps) {
      vi.setSystemTime(START + at);
      if (attempt) guard.record(task, attempt.before, attempt.after ?? undefined);
      else expect(guard.refuses(task), `at ${at}`).toBe(refused);
    }
  });
});

describe("trigger", () => {
  test.each(casesOf("trigger"))("$name", ({ input, expected, withRoom }) => {
    const { lastMessageTokens, profileId, ...rest } = input;
    const options = { ...rest, currentProfileId: profileId };
    for (const [given, { warned, ...decision }] of [
      [options, expected],
      [trigger.withRoom(options), { ...expected, ...withRoom }],
    ]) {
      const warnings = [];
      expect(trigger.decide(given, lastMessageTokens, (text) => warnings.push(text))).toMatchObject(decision);
      expect(warnings.length > 0).toBe(warned);
    }
  });
});

describe("cost", () => {
  test.each(casesOf("cost"))("$api, $name", ({ api, price, usage, cost: dollars }) => {
    const calculate = api === "openai" ? cost.calculateApiCostOpenAI : cost.calculateApiCostAnthropic;
    const { inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens } = usage;
    expect(calculate(price, inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens).totalCost).toBe(dollars);
  });
});
