// Thresholds learned from conversations.

import { expect, test } from "vitest";
import { calibrateThresholds, createSmartProvider } from "../../index.js";
import { rejected } from "./support.mjs";

/** An agent that reads files, notes names in small calls, and goes on to use what stands in the calls. */
function work(rounds) {
  const messages = [{ role: "user", content: "Make the tests pass." }];
  for (let round = 0; round < rounds; round++) {
    const id = `toolu_${round}`;
    const lines = Array.from({ length: 40 }, (_, line) => `const noise_${round}_${line} = "nobody needs line ${line} again";`);
    const earlier = Math.max(0, round - 40);
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: `I come back to important_symbol_${earlier}.` },
          { type: "tool_use", id, name: "note", input: { name: `important_symbol_${round}`, about: "x ".repeat(260) } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: lines.join("\n") }] },
    );
  }
  return messages;
}

test("thresholds are learned that keep more in as many tokens", { timeout: 60_000, tags: ["long"] }, async () => {
  const tried = [];
  const found = await calibrateThresholds([work(120)], { preset: "multi_zone", maxCuts: 1, onProgress: (told) => tried.push(told.tried) });
  expect(found).toMatchObject({ preset: "multi_zone", reached: true, cuts: 1 });
  expect(found.learned.kept).toBeGreaterThanOrEqual(found.fixed.kept);
  expect(found.learned.reductionPercent).toBeGreaterThanOrEqual(found.fixed.reductionPercent);
  expect(tried.at(-1)).toBe(found.tried);
  expect(found.thresholds.map(({ pass, kind }) => `${pass} ${kind}`)).toContain("zone-ancient toolParameters");
  const calls = found.evidence.filter(({ kind, used }) => kind === "toolParameters" && used > 0);
  expect(calls.length).toBeGreaterThan(0);
  expect(createSmartProvider().validateConfig(found.config)).toEqual({ valid: true, errors: [] });
});

test("learned thresholds of a preset are others than its own", async () => {
  const messages = work(90);
  const left = async (config) => (await createSmartProvider(config).condense({ messages })).newContextTokens;
  for (const preset of ["aggressive", "balanced"]) expect(await left({ preset, thresholds: "learned" })).not.toBe(await left({ preset }));
});

test("an abort is told", async () => {
  const signal = AbortSignal.abort();
  await expect(calibrateThresholds([work(120)], { signal })).rejects.toMatchObject({ code: "aborted" });
});

test("conversations that are too short say nothing", async () => {
  await expect(calibrateThresholds([[{ role: "user", content: "Hello" }]])).rejects.toMatchObject({ code: "invalid_argument" });
});

test.each([
  [["no messages"], {}, "histories[0]"],
  ["history.json", {}, "histories"],
  [[], { preset: "conservative" }, "options.preset"],
  [[], { goal: { reductionPercent: 100 } }, "options.goal.reductionPercent"],
  [[], { goal: { tokens: 5 } }, "options.goal.tokens"],
  [[], { maxCuts: 0 }, "options.maxCuts"],
  [[], { presets: [] }, "options.presets"],
  [[], { onProgress: 1 }, "options.onProgress"],
  [[], "fast", "options"],
])("%j with %j is refused", async (histories, options, place) => {
  const call = /** @type {any} */ (calibrateThresholds);
  expect((await rejected(() => call(histories, options))).field).toBe(place);
});
