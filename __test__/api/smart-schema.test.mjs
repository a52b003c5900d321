// The JSON Schema of the smart provider's configuration accepts what the provider accepts, and nothing else.

import Ajv2020 from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";

import { createLosslessProvider, createNativeProvider, createSmartProvider, createTruncationProvider, presets } from "../../index.js";

const ajv = new Ajv2020({ strict: true, allErrors: true });
const smart = createSmartProvider();
const accepts = ajv.compile(smart.getConfigSchema());

/** A configuration with every field there is. */
const EVERYTHING = {
  preset: "balanced",
  name: "n",
  description: "d",
  enabled: true,
  losslessPrelude: { enabled: true, operations: { strict: true, keep: "first" } },
  maxConcurrency: 2,
  minReductionTokens: 3,
  meetTarget: true,
  noMoreTokensThan: "conservative",
  passes: [
    {
      id: "each",
      name: "n",
      description: "d",
      selection: { type: "custom", messageIndices: [1, 2] },
      mode: "individual",
      individualConfig: {
        defaults: {
          messageText: {
            operation: "truncate",
            params: { truncate: { maxChars: 10, maxLines: 3, addEllipsis: false, strategy: "head_tail", maxLineChars: 30 } },
          },
          toolParameters: { operation: "suppress" },
          toolResults: {
            operation: "summarize",
            params: { summarize: { maxTokens: 30, apiProfile: "x", customPrompt: "y", minChars: 3 } },
          },
        },
        messageTokenThresholds: { messageText: 1, toolParameters: 2, toolResults: 3 },
        overrides: [{ messageIndex: 2, operations: { toolResults: { operation: "keep" } }, messageTokenThresholds: { toolResults: 4 } }],
      },
      execution: { type: "always" },
    },
    {
      id: "all",
      selection: { type: "preserve_percent", keepPercentage: 12.5 },
      mode: "batch",
      batchConfig: { operation: "summarize", summarizationConfig: { apiProfile: "x", customPrompt: "y", keepFirst: 1, keepLast: 2 } },
      execution: { type: "conditional", condition: { tokenThreshold: 40_000 } },
    },
  ],
};

describe("the schema", () => {
  test("of every provider is one that a strict validator takes", () => {
    for (const create of [createLosslessProvider, createNativeProvider, createSmartProvider, createTruncationProvider]) {
      const validate = new Ajv2020({ strict: true }).compile(create().getConfigSchema());
      expect(validate({})).toBe(true);
      expect(validate({ unknown: 1 })).toBe(false);
    }
  });

  test("accepts presets, every field, and functions that select", () => {
    const selector = {
      id: "s",
      selection: { type: "custom", customSelector: (all) => all },
      mode: "batch",
      batchConfig: { operation: "keep" },
    };
    for (const config of [EVERYTHING, { passes: [selector] }, ...Object.values(presets)]) {
      expect(accepts(config), JSON.stringify(accepts.errors)).toBe(true);
      expect(smart.validateConfig(config)).toEqual({ valid: true, errors: [] });
    }
    const condition = { executeIf: () => true };
    const conditional = { ...selector, id: "c", execution: { type: "conditional", condition } };
    expect([accepts({ passes: [conditional] }), smart.validateConfig({ passes: [conditional] }).valid]).toEqual([true, true]);
    selector.selection.customSelector = "all";
    expect([accepts({ passes: [selector] }), smart.validateConfig({ passes: [selector] }).valid]).toEqual([false, false]);
  });

  test("says the same as the provider of 4,000 configurations with something else in them", () => {
    // Numbers that are always the same (Park and Miller's generator), so that a failure can be looked at again.
    let state = 20_251_122;
    const random = (below) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const pick = (list) => list[random(list.length)];
    const values = [
      0,
      1,
      -1,
      1.5,
      1e12,
      40_000,
      "",
      "x",
      "keep",
      "suppress",
      "summarize",
      "batch",
      "individual",
      "conditional",
      "custom",
      "preserve_recent",
      "head",
      true,
      [],
      {},
      [1],
      [-1],
      { a: 1 },
    ];
    const names = ["zz", "maxChars", "params", "keepRecentCount", "batchConfig", "messageIndices"];
    const places = (value, path = []) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([name, inner]) => [[...path, name], ...places(inner, [...path, name])])
        : [];
    let valid = 0;
    for (let round = 0; round < 4000; round++) {
      const config = structuredClone(pick([EVERYTHING, ...Object.values(presets)]));
      const path = pick(places(config));
      const holder = path.slice(0, -1).reduce((inner, name) => inner[name], config);
      const change = random(10);
      if (change < 3) delete holder[path.at(-1)];
      else if (change < 8 || Array.isArray(holder)) holder[path.at(-1)] = pick(values);
      else holder[pick(names)] = pick(values);
      // A hole in a list is null in JSON.
      const plain = JSON.parse(JSON.stringify(config).replaceAll("null", "0"));
      const { valid: ours, errors } = smart.validateConfig(plain);
      expect(accepts(plain), JSON.stringify([plain, errors, accepts.errors])).toBe(ours);
      valid += ours;
    }
    expect(valid).toBeGreaterThan(400);
    expect(valid).toBeLessThan(3600);
  });
});
