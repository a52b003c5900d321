// Wrong arguments and wrong configuration: thrown at once, with a code, and a message that names the field, the value and what is allowed.

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { api, conversation, expectThrown, thrown } from "./support.mjs";

const { unknown } = createRequire(import.meta.url)("../../js/errors.js");

const { CondensationManager, callbackHandler, countTokens, createLosslessProvider, createTruncationProvider, warmUp } = api;

const messages = conversation(1);
const manager = new CondensationManager();
const boom = new Error("boom");

test.each([
  [
    "restore",
    () => api.restore({ messages, restoreData: { version: 2, edits: [] } }, { onl: [] }),
    "options.onl is unknown; did you mean only?",
  ],
  ["expand", () => api.expand(messages, { foo: 1 }), "options.foo is unknown; there are none"],
  ["validateMessages", () => api.validateMessages(messages, { strict: true }), "options.strict is unknown; there are none"],
  ["diffMessages", () => api.diffMessages(messages[0], messages[0], { contex: 1 }), "limits.contex is unknown; did you mean context?"],
  ["createStudioHost", () => api.createStudioHost(manager, { histories: [], contextWindw: 1 }), "did you mean contextWindow?"],
  ["studioPage", () => api.studioPage({ scriptUri: "a", styleUri: "b", cspSource: "c", lang: "fr" }), "did you mean language?"],
])("%s refuses options that it does not know", (_, call, told) => {
  expectThrown(call, TypeError, "invalid_argument", told);
});

test("what takes no options may be handed the index of map()", () => {
  expect([messages, messages].map(api.expand)).toEqual([api.expand(messages), api.expand(messages)]);
  expect([messages].map(api.validateMessages)).toEqual([[]]);
});

const wrongNumbers = [
  [NaN, RangeError, "out_of_range", "NaN"],
  [Infinity, RangeError, "out_of_range", "Infinity"],
  [-Infinity, RangeError, "out_of_range", "-Infinity"],
  [-1, RangeError, "out_of_range", "-1"],
];

describe.each([
  ["manager.condense", (options, context = { messages }) => manager.condense(context, options)],
  ["manager.preview", (options, context = { messages }) => manager.preview(context, options)],
  ["manager.estimateCost", (options, context = { messages }) => manager.estimateCost(context, options)],
  ["manager.estimateReduction", (options, context = { messages }) => manager.estimateReduction(context, options)],
  [
    "manager.condenseIfNeeded",
    (options, context) => manager.condenseIfNeeded(context ?? { messages, totalTokens: 1, contextWindow: 2 }, options),
  ],
  ["provider.condense", (options, context = { messages }) => createTruncationProvider().condense(context, options)],
])("%s", (_, call) => {
  test.each([[5], ["text"], [[]], [() => {}], [Symbol("x")]])("options: %s", (options) => {
    expectThrown(() => call(options), TypeError, "invalid_argument", "options", "an object");
  });

  test.each([[5], ["text"], [[]]])("context: %s", (context) => {
    expectThrown(() => call({}, context), TypeError, "invalid_argument", "context", "an object with messages");
  });

  test.each([
    ["unknown", { target: 5 }, "invalid_argument", "options.target is unknown; did you mean targetTokens?"],
    ["signal null", { signal: null }, "invalid_argument", "options.signal: null", "AbortSignal"],
    ["signal of another kind", { signal: { aborted: false } }, "invalid_argument", "options.signal: an object", "AbortSignal"],
    ["onProgress", { onProgress: "yes" }, "invalid_argument", 'options.onProgress: "yes"', "a function"],
    ["targetTokens text", { targetTokens: "50%" }, "invalid_config", 'targetTokens: "50%"', "a whole number"],
    ["targetTokens BigInt", { targetTokens: 5n }, "invalid_argument", "targetTokens: 5n", "allowed"],
    ["config array", { config: [] }, "invalid_config", "config: []", "an object"],
    ["config text", { config: "x" }, "invalid_config", 'config: "x"', "an object"],
    ["config with a function", { config: { mode: () => {} } }, "invalid_argument", "mode: a function", "allowed"],
    ["config with a symbol", { config: { mode: Symbol("m") } }, "invalid_argument", "mode: Symbol(m)", "allowed"],
    ["isAutomatic", { isAutomatic: 1 }, "invalid_config", "isAutomatic: 1", "true or false"],
  ])("option: %s", (_, options, code, ...parts) => {
    expectThrown(() => call(options), TypeError, code, ...parts);
  });

  test.each([...wrongNumbers, [1.5, RangeError, "out_of_range", "1.5"]])("targetTokens: %s", (targetTokens, Class, code, shown) => {
    expectThrown(() => call({ targetTokens }), Class, code, `targetTokens: ${shown}`, "allowed");
  });

  test("config with a cycle, and getters that throw", () => {
    const config = {};
    config.self = config;
    expectThrown(() => call({ config }), TypeError, "not_serializable", "options");
    expect(
      expectThrown(
        () =>
          call({
            get config() {
              throw boom;
            },
          }),
        TypeError,
        "not_serializable",
        "boom",
      ).cause,
    ).toBe(boom);
    expect(
      expectThrown(
        () =>
          call(
            {},
            {
              get messages() {
                throw boom;
              },
              totalTokens: 1,
              contextWindow: 1,
            },
          ),
        TypeError,
        "not_serializable",
        "boom",
      ).cause,
    ).toBe(boom);
    expectThrown(
      () =>
        call(
          {},
          new Proxy(
            {},
            {
              get() {
                throw boom;
              },
            },
          ),
        ),
      TypeError,
      "not_serializable",
      "boom",
    );
  });

  test.each([
    ["systemPrompt", 5, TypeError, "invalid_config", "a string"],
    ["taskId", {}, TypeError, "invalid_config", "a string"],
    ["profileId", 5, TypeError, "invalid_config", "a string"],
    ["maxTokens", "many", TypeError, "invalid_config", "a number"],
    ["maxTokens", -2, RangeError, "out_of_range", "0 or more"],
    ["maxTokens", NaN, RangeError, "out_of_range", "number"],
    ["totalTokens", "5", TypeError, undefined, "a number"],
    ["totalTokens", -5, RangeError, "out_of_range", "0 or more"],
    ["totalTokens", Infinity, RangeError, "out_of_range", "number"],
    ["contextWindow", 0, RangeError, "out_of_range", "1 or more"],
    ["contextWindow", [], TypeError, undefined, "a number"],
  ])("context.%s: %s", (field, value, Class, code, part) => {
    const error = expectThrown(
      () => call({}, { messages, totalTokens: 1, contextWindow: 1, [field]: value }),
      Class,
      code ?? expect.any(String),
      field,
      part,
    );
    if (!code) expect(["invalid_argument", "invalid_config"]).toContain(error.code);
  });

  test("null is the same as absent in a context; unknown fields are the host's own", async () => {
    const context = {
      messages,
      systemPrompt: null,
      taskId: null,
      maxTokens: null,
      profileId: null,
      totalTokens: 5,
      contextWindow: 1000,
      ours: () => {},
    };
    await call(undefined, context);
    await call({ config: undefined, targetTokens: undefined, signal: undefined, onProgress: undefined }, context);
  });
});

test("a configuration of a call is checked by the provider that is asked", () => {
  expectThrown(
    () => manager.condense({ messages }, { provider: "truncation", config: { mode: "windw" } }),
    TypeError,
    "invalid_config",
    'options.config.mode: "windw"',
    '"window"',
  );
  expectThrown(
    () => manager.condense({ messages }, { provider: "truncation", config: { maxToolResultLines: 0 } }),
    RangeError,
    "out_of_range",
    "options.config.maxToolResultLines: 0",
    "from 1",
  );
  expectThrown(
    () => createTruncationProvider().condense({ messages }, { config: { lines: 3 } }),
    TypeError,
    "invalid_config",
    "options.config.lines is unknown; did you mean maxToolResultLines?",
  );
});

test("where nobody chose a provider, by the one that can work: without a handler one that needs no model", async () => {
  const { metrics } = await manager.condense({ messages }, { config: { strict: true } });
  expect(metrics.providerId).toBe("lossless");
  const withHandler = new CondensationManager({ handler: callbackHandler({ async *createMessage() {} }) });
  expectThrown(
    () => withHandler.condense({ messages }, { config: { strict: true } }),
    TypeError,
    "invalid_config",
    "options.config.strict is unknown",
    "maxMessagesToKeep",
  );
});

test("which provider", () => {
  expectThrown(() => manager.condense({ messages }, { provider: "smrt" }), TypeError, "unknown_provider", '"smrt"', "lossless, truncation");
  expectThrown(() => manager.condense({ messages }, { provider: 5 }), TypeError, "invalid_config", "provider: 5", "a string");
  expectThrown(
    () => createLosslessProvider().condense({ messages }, { provider: "lossless" }),
    TypeError,
    "invalid_argument",
    'options.provider: "lossless"',
  );
});

test("what condenseIfNeeded needs", () => {
  expectThrown(
    () => manager.condenseIfNeeded({ messages, contextWindow: 5 }),
    TypeError,
    "invalid_argument",
    "context.totalTokens is missing",
  );
  expectThrown(
    () => manager.condenseIfNeeded({ messages, totalTokens: 5 }),
    TypeError,
    "invalid_argument",
    "context.contextWindow is missing",
  );
  expectThrown(() => manager.condense(null), TypeError, "invalid_argument", "context: null");
  expectThrown(() => manager.condenseIfNeeded(), TypeError, "invalid_argument", "context: undefined");
});

describe("new CondensationManager", () => {
  test.each([[null], [5], ["text"], [[]]])("(%s)", (options) => {
    expectThrown(() => new CondensationManager(options), TypeError, "invalid_argument", "options", "an object");
  });

  test.each([
    [{ provder: "x" }, TypeError, "invalid_config", "provder is unknown; did you mean provider?"],
    [{ provider: 1 }, TypeError, "invalid_config", "provider: 1", "a string"],
    [{ autoCondenseContext: "yes" }, TypeError, "invalid_config", 'autoCondenseContext: "yes"', "true or false"],
    [{ autoCondenseContextPercent: 4 }, RangeError, "out_of_range", "autoCondenseContextPercent: 4", "from 5 to 100"],
    [{ autoCondenseContextPercent: NaN }, RangeError, "out_of_range", "autoCondenseContextPercent: NaN", "number"],
    [{ autoCondenseContextPercent: "50" }, TypeError, "invalid_config", 'autoCondenseContextPercent: "50"', "number"],
    [{ profileThresholds: [] }, TypeError, "invalid_config", "profileThresholds: []", "an object"],
    [{ profileThresholds: { a: "b" } }, TypeError, "invalid_config", 'profileThresholds.a: "b"', "number"],
    [{ profileThresholds: { a: Infinity } }, RangeError, "out_of_range", "a: Infinity", "number"],
    [{ fallback: "lossless" }, TypeError, "invalid_config", 'fallback: "lossless"', "array of provider ids"],
    [{ fallback: true }, TypeError, "invalid_config", "fallback: true", "false"],
    [{ fallback: [1] }, TypeError, "invalid_config", "fallback[0]: 1", "a string"],
    [{ maxCost: -1 }, RangeError, "out_of_range", "maxCost: -1", "0 or more"],
    [{ guard: true }, TypeError, "invalid_config", "guard: true", "attempts"],
    [{ guard: { attempt: 1 } }, TypeError, "invalid_config", "guard.attempt is unknown; did you mean attempts?"],
    [{ guard: { minGainPercent: 101 } }, RangeError, "out_of_range", "minGainPercent: 101", "100"],
    [{ encoding: "gpt2" }, TypeError, "invalid_config", 'encoding: "gpt2"', '"o200k_base", "cl100k_base"'],
    [{ scale: 0 }, RangeError, "out_of_range", "scale: 0", "from 0.1 to 10"],
    [{ scale: "1.5" }, TypeError, "invalid_config", 'scale: "1.5"', "claude"],
    [{ scale: 5n }, TypeError, "invalid_argument", "scale: 5n", "from 0.1 to 10"],
  ])("(%o)", (options, Class, code, ...parts) => {
    expectThrown(() => new CondensationManager(options), Class, code, ...parts);
  });

  test("(several faults), told at once, each on its line", () => {
    const options = {
      encdoing: "o200k_base",
      guard: { attempts: 0 },
      provider: 1,
      scale: 0,
      handler: 5,
      cache: {},
      maxCost: NaN,
      fallback: () => {},
    };
    const handler = "a handler: httpHandler(…), callbackHandler(…), or an object with createMessage()";
    expect(thrown(() => new CondensationManager(options)).message.split("\n")).toEqual([
      "provider: 1 is not allowed; allowed: a string",
      `handler: 5 is not allowed; allowed: ${handler}`,
      "fallback: a function is not allowed; allowed: false, or an array of provider ids",
      "cache: an object is not allowed; allowed: true or false, or a store with get(key) and set(key, value)",
      "maxCost: NaN is not allowed; allowed: a number, 0 or more",
      "guard.attempts: 0 is not allowed; allowed: a whole number, 1 or more",
      'scale: 0 is not allowed; allowed: a number from 0.1 to 10, or "gpt", "gemini", "claude", "claude-4.7", "auto"',
      "encdoing is unknown; did you mean encoding?",
    ]);
  });

  test("(what throws when it is read)", () => {
    expectThrown(
      () =>
        new CondensationManager({
          get scale() {
            throw boom;
          },
        }),
      TypeError,
      "not_serializable",
      "boom",
    );
  });

  test("takes undefined for absent", () => {
    const { profileId, ...defaults } = new CondensationManager().getEffectiveConfig();
    const { profileId: _, ...given } = new CondensationManager({
      provider: undefined,
      fallback: undefined,
      guard: undefined,
      scale: undefined,
    }).getEffectiveConfig();
    expect(given).toEqual(defaults);
  });
});

describe.each([
  ["createLosslessProvider", createLosslessProvider, "keep"],
  ["createTruncationProvider", createTruncationProvider, "mode"],
])("%s", (_, create, field) => {
  test.each([[null], [5], ["text"], [[]], [() => {}]])("(%s)", (config) => {
    expectThrown(() => create(config), TypeError, "invalid_argument", "config", "an object");
  });

  test("names every wrong field", () => {
    expectThrown(() => create({ first: 1, second: 2 }), TypeError, "invalid_config", "first is unknown; known: ", "second is unknown");
    expectThrown(() => create({ [field]: NaN }), RangeError, "out_of_range", `${field}: NaN`);
    expectThrown(() => create({ [field]: () => {} }), TypeError, "invalid_argument", `${field}: a function`);
    const cyclic = {};
    cyclic.self = cyclic;
    expectThrown(() => create(cyclic), TypeError, "not_serializable", "config");
  });

  test("validateConfig throws for nothing", () => {
    const provider = create();
    const schema = provider.getConfigSchema();
    for (const config of [
      undefined,
      null,
      {},
      Object.fromEntries(Object.entries(schema.properties).map(([name, { default: value }]) => [name, value])),
    ]) {
      expect(provider.validateConfig(config)).toEqual({ valid: true, errors: [] });
    }
    const cyclic = {};
    cyclic.self = cyclic;
    for (const config of [
      5,
      "x",
      [],
      () => {},
      Symbol("x"),
      5n,
      { unknown: 1 },
      { keep: NaN },
      cyclic,
      {
        get x() {
          throw boom;
        },
      },
    ]) {
      const { valid, errors } = provider.validateConfig(config);
      expect(valid).toBe(false);
      for (const error of errors)
        expect(error).toMatchObject({
          path: expect.any(String),
          code: expect.stringMatching(/^[a-z_]+$/),
          message: expect.stringContaining(error.path),
        });
    }
  });
});

test("JavaScript and the addon guess the same name behind an unknown one", () => {
  const messageOf = (name) => thrown(() => createTruncationProvider({ [name]: 1 })).message;
  const known = messageOf("zzz").split("known: ")[1].split(", ");
  expect(known).toContain("maxToolResultLines");
  const slips = (name) =>
    [...name].flatMap((_, at) => {
      const [before, after] = [name.slice(0, at), name.slice(at + 1)];
      return [
        before + after,
        `${before}_${name.slice(at)}`,
        `${before}xy${after}`,
        name.slice(at),
        `${before}${after[0] ?? ""}${name[at]}${after.slice(1)}`,
      ];
    });
  let guessed = 0;
  for (const name of known.flatMap(slips)) {
    if (name === "" || known.includes(name)) continue;
    const message = messageOf(name);
    expect(unknown("config", name, known).message.replace(/^config\.?/, "")).toBe(message);
    guessed += message.includes("did you mean");
  }
  expect(guessed).toBeGreaterThan(300);
});

describe("other calls", () => {
  test.each([
    [
      "setProfileThreshold without a profile",
      () => manager.setProfileThreshold(undefined, 5),
      TypeError,
      "invalid_argument",
      "profileId: undefined",
    ],
    ["setProfileThreshold of an empty profile", () => manager.setProfileThreshold("", 5), TypeError, "invalid_argument", 'profileId: ""'],
    ["setProfileThreshold of text", () => manager.setProfileThreshold("p", "50"), TypeError, "invalid_argument", 'percent: "50"'],
    ["setProfileThreshold of 4", () => manager.setProfileThreshold("p", 4), RangeError, "out_of_range", "percent: 4", "5 to 100"],
    ["setProfileThreshold of 101", () => manager.setProfileThreshold("p", 101), RangeError, "out_of_range", "percent: 101"],
    ["setProfileThreshold of NaN", () => manager.setProfileThreshold("p", NaN), RangeError, "out_of_range", "percent: NaN"],
    ["effectiveThreshold", () => manager.effectiveThreshold(5), TypeError, "invalid_argument", "profileId: 5"],
    ["getEffectiveConfig", () => manager.getEffectiveConfig(""), TypeError, "invalid_argument", 'profileId: ""'],
    ["setActiveProvider of nobody", () => manager.setActiveProvider("nobody"), TypeError, "unknown_provider", '"nobody"', "lossless"],
    ["setActiveProvider of a number", () => manager.setActiveProvider(5), TypeError, "invalid_argument", "id: 5"],
    ["getProvider", () => manager.getProvider(), TypeError, "invalid_argument", "id: undefined"],
    ["unregisterProvider", () => manager.unregisterProvider(null), TypeError, "invalid_argument", "id: null"],
    ["shouldCondense without anything", () => manager.shouldCondense(), TypeError, "invalid_argument", "usage: undefined"],
    [
      "shouldCondense without a window",
      () => manager.shouldCondense({ totalTokens: 1 }),
      TypeError,
      "invalid_argument",
      "contextWindow is missing",
    ],
    [
      "shouldCondense with a window of 0",
      () => manager.shouldCondense({ totalTokens: 1, contextWindow: 0 }),
      RangeError,
      "out_of_range",
      "contextWindow: 0",
    ],
    [
      "shouldCondense with Infinity",
      () => manager.shouldCondense({ totalTokens: Infinity, contextWindow: 1 }),
      RangeError,
      "out_of_range",
      "totalTokens: Infinity",
    ],
    [
      "shouldCondense with NaN",
      () => manager.shouldCondense({ totalTokens: 1, lastMessageTokens: NaN, contextWindow: 1 }),
      RangeError,
      "out_of_range",
      "lastMessageTokens: NaN",
    ],
    [
      "shouldCondense with less than none",
      () => manager.shouldCondense({ totalTokens: 1, contextWindow: 1, maxTokens: -2 }),
      RangeError,
      "out_of_range",
      "maxTokens: -2",
    ],
    ["hasHandler without a profile", () => manager.hasHandler(), TypeError, "invalid_argument", "profileId: undefined"],
    [
      "shouldCondense for a profile that is none",
      () => manager.shouldCondense({ totalTokens: 1, contextWindow: 1, profileId: 5 }),
      TypeError,
      "invalid_argument",
      "profileId: 5",
    ],
    [
      "shouldCondense with a getter that throws",
      () =>
        manager.shouldCondense({
          get totalTokens() {
            throw boom;
          },
        }),
      TypeError,
      "not_serializable",
      "boom",
    ],
    ["calibrate without anything", () => manager.calibrate(), TypeError, "invalid_argument", "report: undefined"],
    ["calibrate with null", () => manager.calibrate(null), TypeError, "invalid_argument", "report: null"],
    [
      "calibrate with 0",
      () => manager.calibrate({ localTokens: 0, reportedTokens: 5, model: "m" }),
      RangeError,
      "invalid_calibration",
      "localTokens: 0",
    ],
    [
      "calibrate with Infinity",
      () => manager.calibrate({ localTokens: 5, reportedTokens: Infinity, model: "m" }),
      RangeError,
      "out_of_range",
      "reportedTokens: Infinity",
    ],
    [
      "calibrate with what cannot be",
      () => manager.calibrate({ localTokens: 10, reportedTokens: 1000, model: "m" }),
      RangeError,
      "invalid_calibration",
      "100",
    ],
    [
      "calibrate without a model",
      () => manager.calibrate({ localTokens: 10, reportedTokens: 10 }),
      TypeError,
      "invalid_argument",
      "model: undefined",
    ],
    ["countTokens of nothing", () => countTokens(), TypeError, "invalid_argument", "value: undefined"],
    ["countTokens of a number", () => countTokens(5), TypeError, "invalid_argument", "value: 5"],
    ["countTokens of texts", () => countTokens(["text"]), TypeError, "invalid_argument", "text"],
    [
      "countTokens of a cycle",
      () => {
        const block = { type: "text", text: "x" };
        block.self = block;
        return countTokens(block);
      },
      TypeError,
      "not_serializable",
      "circular",
    ],
    [
      "countTokens of a getter that throws a coded error of its own",
      () =>
        countTokens({
          role: "user",
          get content() {
            throw Object.assign(new Error("boom"), { code: "EBOOM" });
          },
        }),
      TypeError,
      "not_serializable",
      "boom",
    ],
    [
      "countTokens of a getter that throws null",
      () =>
        countTokens({
          role: "user",
          get content() {
            throw null;
          },
        }),
      TypeError,
      "not_serializable",
      "null",
    ],
    ["countTokens with options that are none", () => countTokens("x", null), TypeError, "invalid_argument", "options: null"],
    [
      "countTokens with an unknown option",
      () => countTokens("x", { encodng: "x" }),
      TypeError,
      "invalid_argument",
      "options.encodng is unknown; did you mean encoding?",
    ],
    [
      "countTokens in an unknown encoding",
      () => countTokens("x", { encoding: "p50k_base" }),
      TypeError,
      "unknown_encoding",
      '"p50k_base"',
      "o200k_base",
    ],
    [
      "countTokens of messages in an unknown encoding",
      () => countTokens(messages, { encoding: "p50k_base" }),
      TypeError,
      "unknown_encoding",
      '"p50k_base"',
    ],
    ["countTokens in an encoding that is a number", () => countTokens("x", { encoding: 5 }), TypeError, "invalid_argument", "encoding: 5"],
    ["countTokens with scale 0", () => countTokens("x", { scale: 0 }), RangeError, "invalid_scale", "scale: 0"],
    ["countTokens with scale NaN", () => countTokens("x", { scale: NaN }), RangeError, "invalid_scale", "scale"],
    ["countTokens with scale text", () => countTokens("x", { scale: "1.5" }), TypeError, "invalid_argument", 'scale: "1.5"'],
    ["countTokens with scale null", () => countTokens("x", { scale: null }), TypeError, "invalid_argument", "scale: null"],
    [
      "countTokens with a scale that throws",
      () =>
        countTokens("x", {
          scale: {
            toString() {
              throw boom;
            },
          },
        }),
      TypeError,
      "invalid_argument",
      "scale: an object",
    ],
    ["countTokens with an unknown family", () => countTokens("x", { scale: "lama" }), RangeError, "invalid_scale", "lama", "claude"],
    ["warmUp of an unknown encoding", () => warmUp("gpt2"), TypeError, "unknown_encoding", "gpt2"],
    ["warmUp of a number", () => warmUp(5), TypeError, "invalid_argument", "encoding: 5"],
  ])("%s", (_, call, Class, code, ...parts) => {
    expectThrown(call, Class, code, ...parts);
  });
});

describe("registerProvider", () => {
  const condense = () => {};
  test.each([
    ["undefined", undefined, "provider: undefined"],
    ["null", null, "provider: null"],
    ["a function", () => {}, "provider: a function"],
    ["an array", [], "provider: an array"],
    ["no id", { condense }, "provider.id: undefined"],
    ["an empty id", { id: "", condense }, 'provider.id: ""'],
    ["a number as id", { id: 5, condense }, "provider.id: 5"],
    ["no condense", { id: "mine" }, "provider.condense: undefined"],
    ["condense that is none", { id: "mine", condense: "x" }, 'provider.condense: "x"'],
    ["a name that is none", { id: "mine", condense, name: 5 }, "provider.name: 5"],
    ["capabilities that are none", { id: "mine", condense, getCapabilities: () => 5 }, "provider.getCapabilities(): 5"],
    ["getCapabilities that is none", { id: "mine", condense, getCapabilities: 5 }, "provider.getCapabilities: 5"],
    ["a speed that is none", { id: "mine", condense, getCapabilities: () => ({ estimatedSpeed: "warp" }) }, 'estimatedSpeed: "warp"'],
    ["a capability that is none", { id: "mine", condense, getCapabilities: () => ({ supportsLossy: 1 }) }, "supportsLossy: 1"],
  ])("%s", (_, provider, part) => {
    expectThrown(() => manager.registerProvider(provider), TypeError, "invalid_argument", part, "allowed");
    expect(manager.getProvider("mine")).toBe(null);
  });

  test("what throws when it is read", () => {
    expectThrown(
      () =>
        manager.registerProvider({
          id: "mine",
          condense,
          getCapabilities() {
            throw boom;
          },
        }),
      TypeError,
      "not_serializable",
      "boom",
    );
    expectThrown(
      () =>
        manager.registerProvider({
          get id() {
            throw boom;
          },
        }),
      TypeError,
      "not_serializable",
      "boom",
    );
  });
});
