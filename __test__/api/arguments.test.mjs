// Wrong arguments and wrong configuration: thrown, or rejected by what returns a promise, with a code and a field, and a message that names the field, the value
// and what is allowed.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { api, conversation, expectRejected, expectThrown, packageFile, rejected, thrown } from "./support.mjs";

const { unknown } = createRequire(import.meta.url)("../../js/errors.js");

const { CondensationManager, callbackHandler, countTokens, createLosslessProvider, createTruncationProvider, warmUp } = api;

const messages = conversation(1);
const manager = new CondensationManager();
const boom = new Error("boom");

test.each([
  [
    "restore",
    () => api.restore({ messages, restoreData: { version: 2, edits: [] } }, { onl: [] }),
    { field: "options.onl", shows: "only" },
  ],
  ["expand", () => api.expand(messages, { foo: 1 }), { field: "options.foo", shows: "format" }],
  ["validateMessages", () => api.validateMessages(messages, { strict: true }), { field: "options.strict", shows: "format" }],
  ["diffMessages", () => api.diffMessages(messages[0], messages[0], { contex: 1 }), { field: "limits.contex", shows: "context" }],
  ["createStudioHost", () => api.createStudioHost(manager, { histories: [], contextWindw: 1 }), "did you mean contextWindow?"],
  ["studioPage", () => api.studioPage({ scriptUri: "a", styleUri: "b", cspSource: "c", lang: "fr" }), "did you mean language?"],
])("%s refuses options that it does not know", (_, call, told) => {
  expectThrown(call, TypeError, "invalid_argument", told);
});

test("inspect and shouldCondense name what belongs elsewhere or is unknown", async () => {
  await expectRejected(() => api.inspect({ messages, largest: 1 }), TypeError, "invalid_argument", "context.largest is unknown");
  await expectRejected(() => api.inspect({ messages, targetTokens: 1 }), TypeError, "invalid_argument", "give it as options.targetTokens");
  await expectRejected(
    () => api.inspect({ messages }, { systemPrompt: "x" }),
    TypeError,
    "invalid_argument",
    "give it as context.systemPrompt",
  );
  const usage = { totalTokens: 1, contextWindow: 2 };
  expectThrown(() => manager.shouldCondense({ ...usage, targetTokens: 5 }), TypeError, "invalid_argument", "usage.targetTokens is unknown");
  expect(manager.shouldCondense({ ...usage, messages, taskId: "t" })).toEqual(manager.shouldCondense(usage));
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
  test.each([[5], ["text"], [[]], [() => {}], [Symbol("x")]])("options: %s", async (options) => {
    await expectRejected(() => call(options), TypeError, "invalid_argument", "options", "an object");
  });

  test.each([[5], ["text"], [[]]])("context: %s", async (context) => {
    await expectRejected(() => call({}, context), TypeError, "invalid_argument", "context", "an object with messages");
  });

  test.each([
    ["unknown", { target: 5 }, "invalid_argument", { field: "options.target", shows: "targetTokens" }],
    ["signal null", { signal: null }, "invalid_argument", { field: "options.signal", shows: "null" }, "AbortSignal"],
    [
      "signal of another kind",
      { signal: { aborted: false } },
      "invalid_argument",
      { field: "options.signal", shows: "an object" },
      "AbortSignal",
    ],
    ["onProgress", { onProgress: "yes" }, "invalid_argument", { field: "options.onProgress", shows: '"yes"' }, "a function"],
    ["targetTokens text", { targetTokens: "50%" }, "invalid_config", { field: "targetTokens", shows: '"50%"' }, "a whole number"],
    ["targetTokens BigInt", { targetTokens: 5n }, "invalid_argument", { field: "targetTokens", shows: "5n" }],
    ["config array", { config: [] }, "invalid_config", { field: "config", shows: "[]" }, "an object"],
    ["config text", { config: "x" }, "invalid_config", { field: "config", shows: '"x"' }, "an object"],
    ["config with a function", { config: { mode: () => {} } }, "invalid_argument", { field: "mode", shows: "a function" }],
    ["config with a symbol", { config: { mode: Symbol("m") } }, "invalid_argument", { field: "mode", shows: "Symbol(m)" }],
    ["isAutomatic", { isAutomatic: 1 }, "invalid_config", { field: "isAutomatic", shows: "1" }, "true or false"],
  ])("option: %s", async (_, options, code, ...parts) => {
    await expectRejected(() => call(options), TypeError, code, ...parts);
  });

  test.each([
    ["options", "context", { systemPrompt: "x" }],
    ["options", "context", { messages }],
    ["options", "context", { apiHandler: null, taskId: "t" }],
    ["context", "options", { targetTokens: 5 }],
    ["context", "options", { signal: new AbortController().signal }],
    ["context", "options", { format: "gemini" }],
    ["context", "options", { config: {} }],
  ])("in %s what belongs into %s: %o", async (holder, other, fields) => {
    const usage = { messages, totalTokens: 1, contextWindow: 2 };
    const asked = holder === "options" ? () => call(fields) : () => call({}, { ...usage, ...fields });
    const [name] = Object.keys(fields);
    const told = `${holder}.${name} belongs to the other argument: give it as ${other}.${name}`;
    await expectRejected(asked, TypeError, "invalid_argument", { field: `${holder}.${name}`, shows: told });
  });

  test("context: a field that is unknown", async () => {
    const context = { messages, totalTokens: 1, contextWindow: 2, taskid: "x" };
    const error = await expectRejected(() => call({}, context), TypeError, "invalid_argument", {
      field: "context.taskid",
      shows: "taskId",
    });
    expect(error.message).toContain("did you mean taskId?");
    await call({}, { messages, totalTokens: 1, contextWindow: 2, anything: undefined, tokenCount: 5, isPreview: true });
  });

  test.each([...wrongNumbers, [1.5, RangeError, "out_of_range", "1.5"]])("targetTokens: %s", async (targetTokens, Class, code, shown) => {
    await expectRejected(() => call({ targetTokens }), Class, code, { field: "targetTokens", shows: `${shown}` });
  });

  test("config with a cycle, and getters that throw", async () => {
    const config = {};
    config.self = config;
    await expectRejected(() => call({ config }), TypeError, "not_serializable", "options");
    let deep = {};
    for (let level = 0; level < 200; level++) deep = { deep };
    await expectRejected(() => call({ config: deep }), TypeError, "not_serializable", "127 levels");
    expect(
      (
        await expectRejected(
          () =>
            call({
              get config() {
                throw boom;
              },
            }),
          TypeError,
          "not_serializable",
          "boom",
        )
      ).cause,
    ).toBe(boom);
    expect(
      (
        await expectRejected(
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
        )
      ).cause,
    ).toBe(boom);
    await expectRejected(
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
  ])("context.%s: %s", async (field, value, Class, code, part) => {
    const error = await expectRejected(
      () => call({}, { messages, totalTokens: 1, contextWindow: 1, [field]: value }),
      Class,
      code ?? expect.any(String),
      field,
      part,
    );
    if (!code) expect(["invalid_argument", "invalid_config"]).toContain(error.code);
  });

  test("null is the same as absent in a context, and so is undefined", async () => {
    const context = {
      messages,
      systemPrompt: null,
      taskId: null,
      maxTokens: null,
      profileId: null,
      totalTokens: 5,
      contextWindow: 1000,
      apiHandler: null,
      ours: undefined,
    };
    await call(undefined, context);
    await call({ config: undefined, targetTokens: undefined, signal: undefined, onProgress: undefined }, context);
  });
});

test("a configuration of a call is checked by the provider that is asked", async () => {
  await expectRejected(
    () => manager.condense({ messages }, { provider: "truncation", config: { mode: "windw" } }),
    TypeError,
    "invalid_config",
    { field: "options.config.mode", shows: '"windw"' },
    '"window"',
  );
  await expectRejected(
    () => manager.condense({ messages }, { provider: "truncation", config: { maxToolResultLines: 0 } }),
    RangeError,
    "out_of_range",
    { field: "options.config.maxToolResultLines", shows: "0" },
    "from 1",
  );
  await expectRejected(() => createTruncationProvider().condense({ messages }, { config: { lines: 3 } }), TypeError, "invalid_config", {
    field: "options.config.lines",
    shows: "maxToolResultLines",
  });
});

test("where nobody chose a provider, by the one that can work: without a handler one that needs no model", async () => {
  const { metrics } = await manager.condense({ messages }, { config: { strict: true } });
  expect(metrics.providerId).toBe("lossless");
  const withHandler = new CondensationManager({ handler: callbackHandler({ async *createMessage() {} }) });
  await expectRejected(
    () => withHandler.condense({ messages }, { config: { strict: true } }),
    TypeError,
    "invalid_config",
    { field: "options.config.strict", shows: "is unknown" },
    "maxMessagesToKeep",
  );
});

test("which provider", async () => {
  await expectRejected(
    () => manager.condense({ messages }, { provider: "smrt" }),
    TypeError,
    "unknown_provider",
    '"smrt"',
    "lossless, truncation",
  );
  await expectRejected(
    () => manager.condense({ messages }, { provider: 5 }),
    TypeError,
    "invalid_config",
    { field: "provider", shows: "5" },
    "a string",
  );
  await expectRejected(() => createLosslessProvider().condense({ messages }, { provider: "lossless" }), TypeError, "invalid_argument", {
    field: "options.provider",
    shows: '"lossless"',
  });
});

test("what condenseIfNeeded needs", async () => {
  await expectRejected(() => manager.condenseIfNeeded({ messages, contextWindow: 5 }), TypeError, "invalid_argument", {
    field: "context.totalTokens",
    shows: "is missing",
  });
  await expectRejected(() => manager.condenseIfNeeded({ messages, totalTokens: 5 }), TypeError, "invalid_argument", {
    field: "context.contextWindow",
    shows: "is missing",
  });
  await expectRejected(() => manager.condense(null), TypeError, "invalid_argument", { field: "context", shows: "null" });
  await expectRejected(() => manager.condenseIfNeeded(), TypeError, "invalid_argument", { field: "context", shows: "undefined" });
});

describe("new CondensationManager", () => {
  test.each([[null], [5], ["text"], [[]]])("(%s)", (options) => {
    expectThrown(() => new CondensationManager(options), TypeError, "invalid_argument", "options", "an object");
  });

  test.each([
    [{ provder: "x" }, TypeError, "invalid_config", { field: "provder", shows: "provider" }],
    [{ provider: 1 }, TypeError, "invalid_config", { field: "provider", shows: "1" }, "a string"],
    [{ autoCondenseContext: "yes" }, TypeError, "invalid_config", { field: "autoCondenseContext", shows: '"yes"' }, "true or false"],
    [{ autoCondenseContextPercent: 4 }, RangeError, "out_of_range", { field: "autoCondenseContextPercent", shows: "4" }, "from 5 to 100"],
    [{ autoCondenseContextPercent: NaN }, RangeError, "out_of_range", { field: "autoCondenseContextPercent", shows: "NaN" }, "number"],
    [{ autoCondenseContextPercent: "50" }, TypeError, "invalid_config", { field: "autoCondenseContextPercent", shows: '"50"' }, "number"],
    [{ profileThresholds: [] }, TypeError, "invalid_config", { field: "profileThresholds", shows: "[]" }, "an object"],
    [{ profileThresholds: { a: "b" } }, TypeError, "invalid_config", { field: "profileThresholds.a", shows: '"b"' }, "number"],
    [{ profileThresholds: { a: Infinity } }, RangeError, "out_of_range", { field: "a", shows: "Infinity" }, "number"],
    [{ fallback: "lossless" }, TypeError, "invalid_config", { field: "fallback", shows: '"lossless"' }, "array of provider ids"],
    [{ fallback: true }, TypeError, "invalid_config", { field: "fallback", shows: "true" }, "false"],
    [{ fallback: [1] }, TypeError, "invalid_config", { field: "fallback[0]", shows: "1" }, "a string"],
    [{ maxCost: -1 }, RangeError, "out_of_range", { field: "maxCost", shows: "-1" }, "0 or more"],
    [{ guard: true }, TypeError, "invalid_config", { field: "guard", shows: "true" }, "attempts"],
    [{ guard: { attempt: 1 } }, TypeError, "invalid_config", { field: "guard.attempt", shows: "attempts" }],
    [{ guard: { minGainPercent: 101 } }, RangeError, "out_of_range", { field: "minGainPercent", shows: "101" }, "100"],
    [{ encoding: "gpt2" }, TypeError, "invalid_config", { field: "encoding", shows: '"gpt2"' }, '"o200k_base", "cl100k_base"'],
    [{ scale: 0 }, RangeError, "out_of_range", { field: "scale", shows: "0" }, "from 0.1 to 10"],
    [{ scale: "1.5" }, TypeError, "invalid_config", { field: "scale", shows: '"1.5"' }, "claude"],
    [{ scale: 5n }, TypeError, "invalid_argument", { field: "scale", shows: "5n" }, "from 0.1 to 10"],
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
    const handler = "httpHandler(…), callbackHandler(…), or an object with createMessage()";
    expect(thrown(() => new CondensationManager(options)).message.split("\n")).toEqual([
      "provider must be a string; got 1",
      `handler must be ${handler}; got 5`,
      "fallback must be false, or an array of provider ids; got a function",
      "cache must be true or false, or a store with get(key) and set(key, value); got an object",
      "maxCost must be a number, 0 or more; got NaN",
      "guard.attempts must be a whole number, 1 or more; got 0",
      'scale must be a number from 0.1 to 10, or one of "gpt", "gemini", "claude", "claude-4.7", "auto"; got 0',
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
    expectThrown(() => create({ first: 1, second: 2 }), TypeError, "invalid_config", { field: "first" }, "second");
    expectThrown(() => create({ [field]: NaN }), RangeError, "out_of_range", { field, shows: "NaN" });
    expectThrown(() => create({ [field]: () => {} }), TypeError, "invalid_argument", { field, shows: "a function" });
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
      { field: "profileId", shows: "undefined" },
    ],
    [
      "setProfileThreshold of an empty profile",
      () => manager.setProfileThreshold("", 5),
      TypeError,
      "invalid_argument",
      { field: "profileId", shows: '""' },
    ],
    [
      "setProfileThreshold of text",
      () => manager.setProfileThreshold("p", "50"),
      TypeError,
      "invalid_argument",
      { field: "percent", shows: '"50"' },
    ],
    [
      "setProfileThreshold of 4",
      () => manager.setProfileThreshold("p", 4),
      RangeError,
      "out_of_range",
      { field: "percent", shows: "4" },
      "5 to 100",
    ],
    [
      "setProfileThreshold of 101",
      () => manager.setProfileThreshold("p", 101),
      RangeError,
      "out_of_range",
      { field: "percent", shows: "101" },
    ],
    [
      "setProfileThreshold of NaN",
      () => manager.setProfileThreshold("p", NaN),
      RangeError,
      "out_of_range",
      { field: "percent", shows: "NaN" },
    ],
    ["effectiveThreshold", () => manager.effectiveThreshold(5), TypeError, "invalid_argument", { field: "profileId", shows: "5" }],
    ["getEffectiveConfig", () => manager.getEffectiveConfig(""), TypeError, "invalid_argument", { field: "profileId", shows: '""' }],
    ["setActiveProvider of nobody", () => manager.setActiveProvider("nobody"), TypeError, "unknown_provider", '"nobody"', "lossless"],
    ["setActiveProvider of a number", () => manager.setActiveProvider(5), TypeError, "invalid_argument", { field: "id", shows: "5" }],
    ["getProvider", () => manager.getProvider(), TypeError, "invalid_argument", { field: "id", shows: "undefined" }],
    ["unregisterProvider", () => manager.unregisterProvider(null), TypeError, "invalid_argument", { field: "id", shows: "null" }],
    [
      "shouldCondense without anything",
      () => manager.shouldCondense(),
      TypeError,
      "invalid_argument",
      { field: "usage", shows: "undefined" },
    ],
    [
      "shouldCondense without a window",
      () => manager.shouldCondense({ totalTokens: 1 }),
      TypeError,
      "invalid_argument",
      { field: "contextWindow", shows: "is missing" },
    ],
    [
      "shouldCondense with a window of 0",
      () => manager.shouldCondense({ totalTokens: 1, contextWindow: 0 }),
      RangeError,
      "out_of_range",
      { field: "contextWindow", shows: "0" },
    ],
    [
      "shouldCondense with Infinity",
      () => manager.shouldCondense({ totalTokens: Infinity, contextWindow: 1 }),
      RangeError,
      "out_of_range",
      { field: "totalTokens", shows: "Infinity" },
    ],
    [
      "shouldCondense with NaN",
      () => manager.shouldCondense({ totalTokens: 1, lastMessageTokens: NaN, contextWindow: 1 }),
      RangeError,
      "out_of_range",
      { field: "lastMessageTokens", shows: "NaN" },
    ],
    [
      "shouldCondense with less than none",
      () => manager.shouldCondense({ totalTokens: 1, contextWindow: 1, maxTokens: -2 }),
      RangeError,
      "out_of_range",
      { field: "maxTokens", shows: "-2" },
    ],
    ["hasHandler without a profile", () => manager.hasHandler(), TypeError, "invalid_argument", { field: "profileId", shows: "undefined" }],
    [
      "shouldCondense for a profile that is none",
      () => manager.shouldCondense({ totalTokens: 1, contextWindow: 1, profileId: 5 }),
      TypeError,
      "invalid_argument",
      { field: "profileId", shows: "5" },
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
    ["calibrate without anything", () => manager.calibrate(), TypeError, "invalid_argument", { field: "report", shows: "undefined" }],
    ["calibrate with null", () => manager.calibrate(null), TypeError, "invalid_argument", { field: "report", shows: "null" }],
    [
      "calibrate with 0",
      () => manager.calibrate({ localTokens: 0, reportedTokens: 5, model: "m" }),
      RangeError,
      "invalid_calibration",
      { field: "localTokens", shows: "0" },
    ],
    [
      "calibrate with Infinity",
      () => manager.calibrate({ localTokens: 5, reportedTokens: Infinity, model: "m" }),
      RangeError,
      "out_of_range",
      { field: "reportedTokens", shows: "Infinity" },
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
      { field: "model", shows: "undefined" },
    ],
    ["countTokens of nothing", () => countTokens(), TypeError, "invalid_argument", { field: "value", shows: "undefined" }],
    ["countTokens of a number", () => countTokens(5), TypeError, "invalid_argument", { field: "value", shows: "5" }],
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
    [
      "countTokens with options that are none",
      () => countTokens("x", null),
      TypeError,
      "invalid_argument",
      { field: "options", shows: "null" },
    ],
    [
      "countTokens with an unknown option",
      () => countTokens("x", { encodng: "x" }),
      TypeError,
      "invalid_argument",
      { field: "options.encodng", shows: "encoding" },
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
    [
      "countTokens in an encoding that is a number",
      () => countTokens("x", { encoding: 5 }),
      TypeError,
      "invalid_argument",
      { field: "encoding", shows: "5" },
    ],
    ["countTokens with scale 0", () => countTokens("x", { scale: 0 }), RangeError, "invalid_scale", { field: "scale", shows: "0" }],
    ["countTokens with scale NaN", () => countTokens("x", { scale: NaN }), RangeError, "invalid_scale", "scale"],
    [
      "countTokens with scale text",
      () => countTokens("x", { scale: "1.5" }),
      TypeError,
      "invalid_argument",
      { field: "scale", shows: '"1.5"' },
    ],
    [
      "countTokens with scale null",
      () => countTokens("x", { scale: null }),
      TypeError,
      "invalid_argument",
      { field: "scale", shows: "null" },
    ],
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
      { field: "scale", shows: "an object" },
    ],
    ["countTokens with an unknown family", () => countTokens("x", { scale: "lama" }), RangeError, "invalid_scale", "lama", "claude"],
  ])("%s", (_, call, Class, code, ...parts) => {
    expectThrown(call, Class, code, ...parts);
  });
});

describe("the sentences", () => {
  test.each([
    [() => new CondensationManager({ maxCost: -1 }), "maxCost must be a number, 0 or more; got -1"],
    [
      () => new CondensationManager({ encoding: "o200k" }),
      'encoding must be one of "o200k_base", "cl100k_base"; got "o200k"; did you mean "o200k_base"?',
    ],
    [() => new CondensationManager({ guard: { attempt: 1 } }), "guard.attempt is unknown; did you mean attempts?"],
    [() => api.httpHandler({ api: "openai" }), "model is missing; it must be the name of a model"],
    [() => manager.setThreshold(4), "percent must be a number from 5 to 100; got 4"],
    [() => manager.shouldCondense({}), "totalTokens is missing; it must be a number, 0 or more"],
    [() => api.expand(messages, { foo: 1 }), "options.foo is unknown; known: format"],
    [
      () => countTokens("x", { scale: 0 }),
      'scale must be a number from 0.1 to 10, or one of "gpt", "gemini", "claude", "claude-4.7", "auto"; got 0',
    ],
  ])("%#", (call, sentence) => {
    expect(thrown(call).message).toBe(sentence);
  });
});

describe("ids at construction", () => {
  const mine = (id) => ({ id, condense: () => ({ messages }) });

  test.each([
    ["provider", { provider: "losless" }, "lossless"],
    ["provider", { provider: "Lossless" }, "lossless"],
    ["provider", { provider: "cost-aware" }, "cost_aware"],
    ["provider", { provider: "smar" }, "smart"],
    ["fallback[1]", { fallback: ["mine", "lossles"] }, "lossless"],
    ["provider", { provider: "mien", providers: [mine("mine")] }, "mine"],
  ])("a misspelt %s is refused: %o", (field, options, meant) => {
    expectThrown(() => new CondensationManager(options), TypeError, "unknown_provider", { field, shows: `did you mean "${meant}"?` });
  });

  test.each(["mine", "smart2", "lossless-fast", "quality", "summaries"])(
    "%s may be registered later, and is refused by calls until then",
    async (id) => {
      const manager = new CondensationManager({ provider: id, fallback: [id] });
      await expectRejected(() => manager.condense({ messages }), TypeError, "unknown_provider", { field: "provider", shows: `"${id}"` });
      manager.registerProvider(mine(id));
      expect((await manager.condense({ messages })).error).toBe(undefined);
    },
  );

  test("an id that looks misspelt is that of a custom provider in providers", async () => {
    const manager = new CondensationManager({
      provider: "naive",
      providers: [mine("naive"), api.createTruncationProvider({ preserveRecentCount: 2 })],
    });
    expect(manager.getActiveProvider().id).toBe("naive");
    expect((await manager.condense({ messages })).metrics.providerId).toBe("naive");
    const { providers } = await manager.inspect({ messages }, { providers: [{ provider: "naive" }] });
    expect(providers.map(({ error }) => error)).toEqual([undefined]);
    manager.unregisterProvider("naive");
    await expectRejected(() => manager.inspect({ messages }, { providers: [{ provider: "naive" }] }), TypeError, "unknown_provider");
  });

  test.each([
    [{ providers: 5 }, "providers", "5"],
    [{ providers: {} }, "providers", "an object"],
    [{ providers: [{ id: "mine" }] }, "providers[0].condense", "undefined"],
    [{ providers: [mine("mine"), null] }, "providers[1]", "null"],
  ])("what is no provider is refused: %o", (options, field, shows) => {
    expectThrown(() => new CondensationManager(options), TypeError, "invalid_argument", { field, shows });
  });
});

describe("what returns a promise rejects", () => {
  const provider = createLosslessProvider();
  test.each([
    ["condense", () => manager.condense()],
    ["condenseIfNeeded", () => manager.condenseIfNeeded()],
    ["decide", () => manager.decide()],
    ["prepare", () => manager.prepare()],
    ["preview", () => manager.preview()],
    ["estimateCost", () => manager.estimateCost()],
    ["estimateReduction", () => manager.estimateReduction()],
    ["manager.inspect", () => manager.inspect()],
    ["provider.condense", () => provider.condense()],
    ["provider.preview", () => provider.preview()],
    ["provider.estimateCost", () => provider.estimateCost()],
    ["provider.estimateReduction", () => provider.estimateReduction()],
    ["inspect", () => api.inspect()],
    ["recommend", () => api.recommend(5)],
    ["calibrateThresholds", () => api.calibrateThresholds()],
    ["warmUp", () => warmUp(5)],
  ])("%s", async (_, call) => {
    const error = await expectRejected(call, TypeError, "invalid_argument");
    expect(error.field).toMatch(/^(context|answers|histories|encoding)/);
  });

  test("warmUp of an unknown encoding", () =>
    expectRejected(() => warmUp("gpt2"), TypeError, "unknown_encoding", { field: "encoding", shows: '"gpt2"' }));
});

describe("values of any size", () => {
  const hollow = new Array(4_000_000_000);

  test.each([
    ["fallback", { fallback: hollow }, "options.fallback"],
    ["protect.text", { protect: { text: hollow } }, "options.protect.text"],
  ])("an array that is little more than a length is refused by its place: %s", (_, options, field) => {
    expectThrown(() => new CondensationManager(options), TypeError, "not_serializable", { field, shows: "4,000,000,000 places" });
  });

  test("an array with a hole is refused by the place of the hole", () => {
    const fallback = ["lossless", , "truncation"];
    expectThrown(() => new CondensationManager({ fallback }), TypeError, "invalid_config", { field: "fallback[1]", shows: "a string" });
  });

  test("a message names twenty errors, and the number of the others", () => {
    const { message } = thrown(() => new CondensationManager({ fallback: new Array(10_000).fill(5) }));
    expect(message.split("\n")).toHaveLength(21);
    expect(message).toMatch(/and 9,?980 more errors$/);
  });

  test("long ids and messages of the host are cut", async () => {
    const unregistered = await rejected(() => manager.condense({ messages }, { provider: "x".repeat(1_000_000) }));
    expect([unregistered.code, unregistered.message.length < 1000]).toEqual(["unknown_provider", true]);
    const context = {
      get messages() {
        throw new Error("y".repeat(1_000_000));
      },
    };
    const unreadable = await rejected(() => manager.condense(context));
    expect([unreadable.code, unreadable.message.length < 11_000]).toEqual(["not_serializable", true]);
  });
});

test("a field that is missing because it is misspelt is named as it was written", async () => {
  const context = { messages, totlTokens: 1000, contextWindow: 10_000 };
  for (const call of ["condenseIfNeeded", "decide", "prepare"]) {
    await expectRejected(() => manager[call](context), TypeError, "invalid_argument", {
      field: "context.totlTokens",
      shows: "did you mean totalTokens?",
    });
  }
});

test("what the host hands over beside options is checked too", async () => {
  expectThrown(() => callbackHandler({ createMessage() {}, countTokens: 5 }), TypeError, "invalid_argument", {
    field: "api.countTokens",
    shows: "a function",
  });
  expectThrown(() => api.studioPage(), TypeError, "invalid_argument", { field: "options", shows: "scriptUri" });
  expectThrown(() => api.studioPage({ scriptUri: "a", styleUri: "b" }), TypeError, "invalid_argument", {
    field: "options.cspSource",
    shows: "a string",
  });
  const tools = [{ name: "a" }, 5];
  await expectRejected(() => manager.condense({ messages, tools }), TypeError, "invalid_argument", {
    field: "context.tools[1]",
    shows: "got 5",
  });
  const search = (source) => api.createRecall({ messages: source }).search("word");
  await expectRejected(() => search(() => 5), TypeError, "invalid_messages", { field: "messages", shows: "got 5" });
  const throws = () => {
    throw boom;
  };
  expect(await rejected(() => search(throws))).toBe(boom);
});

describe("isRooCondenseError", () => {
  test("knows the errors of every origin, and no others", async () => {
    const ours = [
      thrown(() => new CondensationManager(5)),
      thrown(() => new CondensationManager({ maxCost: -1 })),
      thrown(() => countTokens("x", { scale: 0 })),
      await rejected(() => api.recommend({ signal: AbortSignal.abort() })),
    ];
    for (const error of ours) {
      expect(api.isRooCondenseError(error), error.message).toBe(true);
      expect(error).toBeInstanceOf(api.RooCondenseError);
      expect(Object.keys(error)).not.toContain("roo-condense.error");
    }
    expect(ours.map(({ code, field }) => [code, field])).toEqual([
      ["invalid_argument", "options"],
      ["out_of_range", "maxCost"],
      ["invalid_scale", "scale"],
      ["aborted", undefined],
    ]);
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const other of [
      boom,
      new TypeError("x"),
      Object.assign(new Error("x"), { code: "invalid_argument" }),
      { code: "invalid_argument" },
      null,
      undefined,
      "x",
      revoked.proxy,
    ]) {
      expect(api.isRooCondenseError(other)).toBe(false);
      expect(other instanceof api.RooCondenseError).toBe(false);
    }
  });

  test("knows that of the loader, although the guard cannot be imported then", () => {
    const script = `try { require(${JSON.stringify(packageFile)}) } catch (error) { console.log(error.code, error[Symbol.for("roo-condense.error")]) }`;
    const env = { ...process.env, ROO_CONDENSE_BINARY: path.join(root, "no-such-file.node") };
    expect(execFileSync(process.execPath, ["-e", script], { env, encoding: "utf8" })).toBe("binary_not_found true\n");
  });
});

describe("registerProvider", () => {
  const condense = () => {};
  test.each([
    ["undefined", undefined, { field: "provider", shows: "undefined" }],
    ["null", null, { field: "provider", shows: "null" }],
    ["a function", () => {}, { field: "provider", shows: "a function" }],
    ["an array", [], { field: "provider", shows: "an array" }],
    ["no id", { condense }, { field: "provider.id", shows: "undefined" }],
    ["an empty id", { id: "", condense }, { field: "provider.id", shows: '""' }],
    ["a number as id", { id: 5, condense }, { field: "provider.id", shows: "5" }],
    ["no condense", { id: "mine" }, { field: "provider.condense", shows: "undefined" }],
    ["condense that is none", { id: "mine", condense: "x" }, { field: "provider.condense", shows: '"x"' }],
    ["a name that is none", { id: "mine", condense, name: 5 }, { field: "provider.name", shows: "5" }],
    ["capabilities that are none", { id: "mine", condense, getCapabilities: () => 5 }, { field: "provider.getCapabilities()", shows: "5" }],
    ["getCapabilities that is none", { id: "mine", condense, getCapabilities: 5 }, { field: "provider.getCapabilities", shows: "5" }],
    [
      "a speed that is none",
      { id: "mine", condense, getCapabilities: () => ({ estimatedSpeed: "warp" }) },
      { field: "estimatedSpeed", shows: '"warp"' },
    ],
    [
      "a capability that is none",
      { id: "mine", condense, getCapabilities: () => ({ supportsLossy: 1 }) },
      { field: "supportsLossy", shows: "1" },
    ],
  ])("%s", (_, provider, part) => {
    expectThrown(() => manager.registerProvider(provider), TypeError, "invalid_argument", part);
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
