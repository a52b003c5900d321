// Messages that are wrong, and messages that are odd but right.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { api, clone, conversation, deepFreeze, expectFailed, expectRefused, expectRejected, lines, rejected } from "./support.mjs";

const { CondensationManager, countTokens, createLosslessProvider, createTruncationProvider, restore, validateMessages } = api;

const { stringify, stringifyDeep } = createRequire(import.meta.url)("../../js/deep-json.js");
const manager = new CondensationManager();
const lossless = createLosslessProvider();
const truncation = createTruncationProvider();

/** Everything that takes messages, and must throw at once. */
const takers = [
  ["manager.condense", (messages) => manager.condense({ messages })],
  ["manager.condenseIfNeeded", (messages) => manager.condenseIfNeeded({ messages, totalTokens: 1, contextWindow: 2 })],
  ["manager.preview", (messages) => manager.preview({ messages })],
  ["manager.estimateCost", (messages) => manager.estimateCost({ messages })],
  ["manager.estimateReduction", (messages) => manager.estimateReduction({ messages })],
  ["provider.condense", (messages) => lossless.condense({ messages })],
  ["provider.estimateCost", (messages) => lossless.estimateCost({ messages })],
  ["provider.estimateReduction", (messages) => lossless.estimateReduction({ messages })],
  ["validateMessages", (messages) => validateMessages(messages)],
];

const cyclic = () => {
  const messages = conversation(1);
  messages[1].self = messages;
  return messages;
};

const boom = new Error("boom");
const throws = (value) => ({
  get content() {
    throw value;
  },
  role: "user",
});

describe.each(takers)("%s refuses", (_, take) => {
  test.each([
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["a number", 5, "5"],
    ["a string", '[{"role":"user"}]', "role"],
    ["an object", { length: 0 }, "an object"],
    ["a function", () => [], "a function"],
    ["a symbol", Symbol("messages"), "Symbol(messages)"],
    ["an iterator", new Set([{ role: "user", content: "x" }]), "an object"],
    ["a typed array", new Uint8Array(2), "an object"],
    ["an array with toJSON", Object.assign([{ role: "user", content: "x" }], { toJSON: () => [] }), "an array"],
  ])("%s", async (_, messages, shown) => {
    await expectRefused(() => take(messages), TypeError, "invalid_messages", "messages", shown, "an array of messages");
  });

  test.each([
    ["a cycle", cyclic(), "circular"],
    ["a BigInt", [{ role: "user", content: "x", ts: 5n }], "BigInt"],
    ["a getter that throws", [throws(boom)], "boom"],
    ["a getter that throws null", [throws(null)], "null"],
    ["a getter that throws what cannot be shown", [throws(Object.create(null))], "without a message"],
    [
      "a toJSON that throws",
      [
        {
          role: "user",
          content: "x",
          toJSON() {
            throw boom;
          },
        },
      ],
      "boom",
    ],
    [
      "a proxy that throws",
      [
        new Proxy(
          {},
          {
            ownKeys() {
              throw boom;
            },
            get() {
              throw boom;
            },
          },
        ),
      ],
      "boom",
    ],
  ])("%s", async (_, messages, part) => {
    await expectRefused(() => take(messages), TypeError, "not_serializable", "messages", part);
  });

  test("a revoked proxy", async () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    await expectRefused(() => take(proxy), TypeError, "not_serializable", "messages");
  });
});

test("the error behind a coded one is its cause", async () => {
  const call = () => lossless.condense({ messages: [throws(boom)] });
  expect((await expectRejected(call, TypeError, "not_serializable")).cause).toBe(boom);
});

describe("is carried through whatever it is:", () => {
  const odd = {
    "no content": [{ role: "user" }, { role: "assistant", content: null, ts: 1 }],
    "blocks that are none": [
      {
        role: "user",
        content: [null, 1, "x", [], {}, { type: 5 }, { type: "text" }, { type: "tool_use" }, { type: "tool_result", content: 5 }],
      },
    ],
  };

  test.each(Object.entries(odd))("%s", async (_, messages) => {
    for (const provider of [lossless, truncation, createTruncationProvider({ truncationMode: "suppress", preserveRecentCount: 1 })]) {
      const result = await provider.condense({ messages });
      expect(result.error).toBeUndefined();
      expect(result.messages).toBe(messages);
      const long = [...conversation(2), ...messages, ...conversation(8)];
      const condensed = await provider.condense({ messages: long });
      expect(condensed.error).toBeUndefined();
      expect(condensed.didCondense).toBe(true);
      for (const message of messages)
        if (typeof message === "object" && message !== null && provider === truncation) expect(condensed.messages).toContain(message);
      expect(restore(condensed)).toEqual(long);
    }
    expect(validateMessages(messages).length).toBeGreaterThan(0);
    expect(countTokens([...messages, { role: "user", content: "x" }])).toBeGreaterThan(0);
  });

  test.each([
    ["null, numbers, texts", [null, 5, "text", true, []], "invalid_messages"],
    ["a sparse array", Object.assign(new Array(5), { 2: { role: "user", content: "x" } }), "invalid_messages"],
    ["undefined and functions", [undefined, () => {}, Symbol("x")], "invalid_messages"],
    ["no role", [{ content: "x" }], "unsupported_format"],
    ["a role that is none", [{ role: 5, content: {} }], "unsupported_format"],
  ])("but not what is no message: %s", async (_, messages, code) => {
    for (const odd of [messages, [...conversation(2), ...messages]]) {
      const at = `context.messages[${odd.length - messages.length}]`;
      for (const provider of [lossless, truncation])
        await expectRejected(() => provider.condense({ messages: odd }), TypeError, code, { field: at, shows: at });
    }
    expect(validateMessages(messages).length).toBeGreaterThan(0);
  });

  test("a proxy of an array and of messages", async () => {
    const messages = new Proxy(
      conversation(8).map((message) => new Proxy(message, {})),
      {},
    );
    const result = await truncation.condense({ messages });
    expect(result.didCondense).toBe(true);
    expect(clone(restore(result))).toEqual(clone(messages));
  });

  test("a frozen array of frozen messages", async () => {
    const messages = deepFreeze(conversation(8));
    expect((await truncation.condense({ messages })).didCondense).toBe(true);
  });

  test("messages whose toJSON says something else: refused where they would be changed, with nothing changed", async () => {
    const messages = conversation(8).map((message) => ({ kept: message, toJSON: () => message }));
    const result = await truncation.condense({ messages });
    expectFailed(result, "unsupported_messages", messages);
    expect(result.error.cause).toBeInstanceOf(Error);
    expect((await lossless.condense({ messages: messages.slice(0, 3) })).error).toBeUndefined();
  });

  test("messages that lose what was to be changed while they are condensed", async () => {
    const messages = conversation(8);
    const promise = truncation.condense({ messages });
    for (const message of messages) message.content = "Something else.";
    expectFailed(await promise, "unsupported_messages", messages);
  });
});

describe.each([0, 1, 2, 3])("a history of %i messages", (length) => {
  test.each([
    ["lossless", {}],
    ["truncation", {}],
    ["truncation", { mode: "window", preserveRecentCount: 1 }],
    ["truncation", { truncationMode: "suppress", preserveRecentCount: 1 }],
  ])("%s %o", async (provider, config) => {
    const messages = deepFreeze(conversation(1, { result: lines(500) }).slice(0, length));
    for (const targetTokens of [undefined, 0, 1, 100, 1e9]) {
      const result = await manager.condense({ messages }, { provider, config, targetTokens });
      expect(result.error).toBeUndefined();
      expect(restore(result)).toEqual(messages);
      expect(result.messages[0]).toBe(messages[0]);
      expect(validateMessages(result.messages).length).toBeLessThanOrEqual(validateMessages(messages).length);
      const missed = result.stats.finalTokens > (targetTokens ?? Infinity);
      expect(
        result.warnings.some(({ code }) => code === "target_not_met"),
        JSON.stringify(result.warnings),
      ).toBe(missed);
    }
    const none = await manager.condenseIfNeeded({ messages, totalTokens: 0, contextWindow: 1e6 });
    expect(none.messages).toBe(messages);
  });
});

describe("texts", () => {
  const nested = (levels) => {
    let value = "bottom";
    for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { level: value };
    return value;
  };
  const hard = {
    "lone surrogates": "\ud83c a \udf31 b \udf31\ud83c",
    "NUL and controls": "\u0000 \u0007 \u001b[31m \u2028 \ufeff",
    "line ends": "a\r\nb\rc\n\r\n",
    emoji: "👩‍👩‍👧‍👦 🇵🇹 e\u0301 \u202eabc\u202c 豆をまく",
    "what looks like an escape": '\\ud83c \\u0000 \\\\ " \ue000 \uf8ff \ufffd',
  };

  test.each(Object.entries(hard))("%s stay in what is kept, in what is cut and in what is restored", async (_, text) => {
    const messages = deepFreeze(conversation(8, { result: `${text}\n`.repeat(300), input: { [text]: text, note: text.repeat(100) } }));
    for (const provider of [
      truncation,
      createTruncationProvider({ strategy: "head_tail" }),
      lossless,
      createTruncationProvider({ truncationMode: "suppress" }),
    ]) {
      const result = await provider.condense({ messages });
      if (provider !== lossless) expect(result.didCondense).toBe(true);
      expect(restore(result)).toEqual(messages);
      expect(restore(clone(result))).toEqual(messages);
      if (provider === truncation) {
        expect(result.messages[2].content[0].content.startsWith(`0\n${text.split("\n")[0]}`)).toBe(true);
        expect(result.messages[1].content[1].input[text]).toBe(text);
      }
    }
  });

  test("equal results with lone surrogates are found, and others are not mixed up with them", async () => {
    const messages = conversation(2);
    const answers = ["\ud83c", "\ud83c", "\udf31", "\ufffd"].map((end) => lines(20) + end);
    const long = answers.flatMap((content, index) => [
      { role: "assistant", content: [{ type: "tool_use", id: `s${index}`, name: "execute_command", input: { command: `run ${index}` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `s${index}`, content }] },
    ]);
    const all = [...messages.slice(0, -1), { role: "assistant", content: "x" }, { role: "user", content: "y" }, ...long];
    // Lines that are the same in all of them are not what this is about.
    const config = { repeatedLines: false, diff: false, containment: false, lineNumbers: false };
    const result = await lossless.condense({ messages: all }, { config });
    expect(result.changes.map(({ operation }) => operation)).toEqual(["reference"]);
    expect(restore(result)).toEqual(all);
  });

  test("big integers and odd numbers", async () => {
    const numbers = JSON.parse('{"max":9007199254740993,"huge":123456789012345678901234567890,"tiny":5e-324,"zero":-0,"far":1e400}');
    const messages = conversation(8, { input: { numbers, long: "x ".repeat(500) } });
    const result = await truncation.condense({ messages: deepFreeze(messages) }, { config: { strategy: "head" } });
    expect(result.messages[1].content[1].input.long.length).toBeLessThan(1000);
    expect(result.messages[1].content[1].input.numbers).toBe(numbers);
  });

  test("a key named __proto__ is a key like any other", async () => {
    const input = JSON.parse(`{"__proto__":${JSON.stringify("p ".repeat(500))},"constructor":"c","hasOwnProperty":1}`);
    const messages = conversation(8, { input: {} });
    for (const message of messages) {
      if (message.content[1]?.input) message.content[1].input = JSON.parse(JSON.stringify(input));
      Object.defineProperty(message, "__proto__", { value: { role: "host" }, enumerable: true, configurable: true, writable: true });
    }
    const text = JSON.stringify(messages);
    const result = await truncation.condense({ messages: deepFreeze(messages) }, { config: { strategy: "head" } });
    const changed = result.messages[1];
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
    expect(Object.keys(changed)).toEqual(Object.keys(messages[1]));
    expect(Object.getOwnPropertyDescriptor(changed.content[1].input, "__proto__").value.length).toBeLessThan(1000);
    expect(JSON.stringify(restore(result))).toBe(text);
    expect(JSON.stringify(restore(JSON.parse(JSON.stringify(result))))).toBe(text);
    expect({}.role).toBeUndefined();
  });

  test.each([100, 5000])("%i levels of nesting", async (levels) => {
    const messages = conversation(8, { input: { tree: nested(levels), note: "n ".repeat(500) } });
    messages[3].extra = nested(levels);
    for (const provider of [lossless, truncation]) {
      const result = await provider.condense({ messages });
      expect(result.error).toBeUndefined();
      expect(result.didCondense).toBe(true);
      expect(restore(result)).toEqual(messages);
      expect(result.messages[1].content[1].input.tree).toBe(messages[1].content[1].input.tree);
    }
    expect(validateMessages(messages)).toEqual([]);
    expect(countTokens(messages)).toBeGreaterThan(levels);
    expect(countTokens(messages)).toBe(countTokens(JSON.parse(stringify(messages))));
  });

  test("thousands of tool results in each other", async () => {
    let content = "bottom";
    for (let level = 0; level < 4900; level++) content = [{ type: "tool_result", tool_use_id: "toolu_0", content }];
    const messages = conversation(8);
    messages[2].content[0].content = content;
    for (const provider of [lossless, truncation]) {
      const result = await provider.condense({ messages });
      expect(result.error).toBeUndefined();
    }
    expect(countTokens(messages)).toBeGreaterThan(0);
    expect(validateMessages(messages)).toEqual([]);
  });
});

test("the fixture of odd shapes is carried through by every provider", async () => {
  const messages = deepFreeze(JSON.parse(readFileSync(new URL("../../fixtures/odd-shapes.json", import.meta.url), "utf8")));
  const before = validateMessages(messages).length;
  for (const [provider, options] of [
    ["lossless", {}],
    ["truncation", {}],
    ["truncation", { targetTokens: 0 }],
    ["truncation", { config: { mode: "window" } }],
  ]) {
    const result = await manager.condense({ messages }, { provider, ...options });
    expect(result.error).toBeUndefined();
    expect(validateMessages(result.messages).length).toBeLessThanOrEqual(before);
    expect(restore(result)).toEqual(messages);
  }
});

describe("JSON of deep nesting", () => {
  const date = new Date(0);
  const values = [
    ...JSON.parse(readFileSync(new URL("../../fixtures/odd-shapes.json", import.meta.url), "utf8")),
    ...[
      null,
      5,
      NaN,
      "t",
      true,
      undefined,
      [],
      {},
      [[]],
      [undefined, () => {}, Symbol("x")],
      { a: undefined, b: () => {}, [Symbol("c")]: 1, d: [1, , 3] },
    ],
    ...[
      date,
      { date },
      Object(5),
      Object("t"),
      Object(false),
      [Object(5)],
      new Map([[1, 2]]),
      Object.create({ inherited: 1 }),
      { toJSON: () => undefined },
      { a: { toJSON: (key) => key } },
    ],
    JSON.parse('{"__proto__":{"a":1}}'),
    { "key \ud83c": "\udf31 \u2028" },
  ];

  test("is what JSON.stringify writes", () => {
    for (const value of values) expect(stringifyDeep(value)).toBe(JSON.stringify(value));
  });

  test("refuses what JSON.stringify refuses, and what is nested without end", async () => {
    const cyclic = { inside: [] };
    cyclic.inside.push(cyclic);
    for (const value of [cyclic, [5n], { a: Object(5n) }]) {
      expect(() => JSON.stringify(value)).toThrow(TypeError);
      expect(() => stringifyDeep(value)).toThrow(TypeError);
    }
    const shared = {};
    expect(stringifyDeep([shared, shared])).toBe("[{},{}]");
    const messages = conversation(1);
    messages[0].content = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
    for (const call of [() => lossless.condense({ messages }), () => countTokens(messages), () => validateMessages(messages)]) {
      await expectRefused(call, TypeError, "not_serializable", "nested deeper than 10000 levels");
    }
  });
});

describe("a system prompt of text blocks", () => {
  const messages = conversation(2);
  const systemPrompt = [
    { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } },
    { type: "text", text: "And kind." },
  ];

  test("counts as its texts do", async () => {
    const { stats } = await createTruncationProvider().condense({ messages, systemPrompt });
    expect(stats.originalTokens).toBe(countTokens(messages) + countTokens("Be brief.\n\nAnd kind."));
    expect((await createTruncationProvider().condense({ messages, systemPrompt: [] })).stats.originalTokens).toBe(countTokens(messages));
  });

  test.each([[[5]], [["text"]], [[{ type: "image" }]], [[{ type: "text" }]], [[null]]])("%j is refused with its place", async (wrong) => {
    const call = () => createTruncationProvider().condense({ messages, systemPrompt: wrong });
    await expectRejected(call, TypeError, "invalid_argument", { field: "context.systemPrompt[0]", shows: '{ type: "text", text }' });
  });
});

describe("a conversation that crosses the border in several parts", () => {
  const long = () =>
    Array.from({ length: 90 }, (_, index) => ({
      role: index % 2 ? "assistant" : "user",
      content: `${index}: ${"é → and \ud800 ".repeat(index % 9 ? 40 : 4000)}\n${index % 5 ? "" : lines(300)}`,
    }));

  test("comes back as it was", async () => {
    const messages = deepFreeze(long());
    const result = await truncation.condense({ messages }, { targetTokens: 20_000 });
    expect(result.didCondense).toBe(true);
    expect(result.messages.at(-1)).toBe(messages.at(-1));
    expect(restore(result)).toEqual(messages);
  });

  test("is refused with the place of the fault in the whole of it", async () => {
    const messages = long();
    messages[71] = { ...messages[71], ts: 5n };
    const call = () => lossless.condense({ messages });
    await expectRejected(call, TypeError, "not_serializable", { field: "context.messages[71].ts" });
  });

  test("leaves nothing behind where the call is refused for something else", async () => {
    for (let turn = 0; turn < 30; turn++) {
      expect((await rejected(() => truncation.condense({ messages: long() }, { targetTokens: "many" }))).field).toBe(
        "options.targetTokens",
      );
    }
    expect((await truncation.condense({ messages: long() }, { targetTokens: 20_000 })).didCondense).toBe(true);
  });
});
