// Providers written in JavaScript: whatever they do, the caller gets a result.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { api, conversation, deepFreeze, expectFailed, managerWith } from "./support.mjs";

const { CondensationManager, countTokens, createLosslessProvider, createTruncationProvider, expand, restore } = api;

const messages = deepFreeze(conversation(4));
const shorten = ({ messages: given }) => ({ messages: [given[0], given.at(-1)] });

describe("what it returns", () => {
  test.each([
    ["at once", (result) => result],
    ["as a promise", async (result) => result],
    ["later", (result) => new Promise((resolve) => setTimeout(() => resolve(result), 5))],
    ["as a thenable", (result) => ({ then: (resolve) => resolve(result) })],
  ])("%s", async (_, give) => {
    const own = { code: "too_hot", message: "wait", messageIndex: 1, field: "config.own", more: 1 };
    const known = { code: "summary_truncated", message: "cut", messageIndex: -1 };
    const result = await managerWith(
      (context) => give({ ...shorten(context), summary: "short", cost: 0.25, warnings: ["careful", 5, own, known], more: 1 }),
      { costAlert: false },
    ).condense({ messages });
    expect(result.error).toBeUndefined();
    expect(result.messages).toEqual([messages[0], messages.at(-1)]);
    expect(result.messages[0]).toBe(messages[0]);
    expect(result).toMatchObject({
      didCondense: true,
      summary: "short",
      cost: 0.25,
      warnings: [
        { code: "provider_warning", message: "careful" },
        { code: "provider_warning", message: "5" },
        { code: "too_hot", message: "wait", messageIndex: 1, field: "config.own" },
        { code: "summary_truncated", message: "cut" },
      ],
      stats: { cost: 0.25, operationsPerformed: ["drop"] },
      metrics: { providerId: "mine" },
    });
    expect(result.changes.map(({ messageIndex, blockIndex, operation }) => [messageIndex, blockIndex, operation])).toEqual(
      Array.from({ length: 8 }, (_, index) => [index + 1, null, "drop"]),
    );
    expect(result.firstChangedIndex).toBe(1);
    expect(restore(result)).toEqual(messages);
  });

  test("the same messages: nothing has changed", async () => {
    for (const give of [(given) => given, (given) => given.slice()]) {
      const result = await managerWith(({ messages: given }) => ({ messages: give(given) })).condense({ messages });
      expect(result.messages).toBe(messages);
      expect(result).toMatchObject({ didCondense: false, changes: [] });
      expect(result.error).toBeUndefined();
    }
  });

  test("a conversation that holds the same object twice", async () => {
    const again = messages[1];
    const odd = [{ role: "user" }, ...messages, { role: "user" }, again, { role: "user" }, again];
    const same = await managerWith(({ messages: given }) => ({ messages: given })).condense({ messages: odd });
    expect(same.messages).toBe(odd);
    expect(same.error).toBeUndefined();
    const fewer = await managerWith(({ messages: given }) => ({ messages: given.slice(0, -4) })).condense({ messages: odd });
    expect(fewer.error).toBeUndefined();
    expect(fewer.messages).toEqual(odd.slice(0, -4));
    expect(restore(fewer)).toEqual(odd);
  });

  test("new messages are the provider's own objects", async () => {
    const added = { role: "assistant", content: "In short.", isSummary: true, [Symbol.for("own")]: 1 };
    const result = await managerWith(({ messages: given }) => ({ messages: [given[0], added] })).condense({ messages });
    expect(result.messages[1]).toBe(added);
    expect(result.changes.filter(({ operation }) => operation === "insert")).toEqual([
      expect.objectContaining({ blockIndex: null, tokensBefore: 0, tokensAfter: api.countTokens(added) }),
    ]);
  });

  test("a changed message shares its blocks", async () => {
    const result = await managerWith(({ messages: given }) => ({
      messages: given.map((message, index) =>
        index === 2 ? { ...message, content: [{ ...message.content[0], content: "cut" }, message.content[1]] } : message,
      ),
    })).condense({ messages });
    expect(result.error).toBeUndefined();
    expect(result.messages[2].content[1]).toBe(messages[2].content[1]);
    expect(result.messages[3]).toBe(messages[3]);
    expect(restore(result)).toEqual(messages);
  });

  test.each([
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["a text", "done"],
    ["an array", messages.slice(0, 1)],
    ["nothing in it", {}],
    ["messages that are null", { messages: null }],
    ["messages that are a text", { messages: "[]" }],
    ["messages that are a set", { messages: new Set() }],
    ["no message at all", { messages: [] }],
    ["a message that is null", { messages: [null] }],
    ["a message that is a text", { messages: ["hi"] }],
    ["a message that is an array", { messages: [[]] }],
    ["a sparse array", { messages: [messages[0], , messages[1]] }],
    [
      "a cyclic message",
      (() => {
        const message = { role: "user" };
        message.content = [message];
        return { messages: [message] };
      })(),
    ],
    ["a BigInt", { messages: [{ role: "user", content: "x", ts: 5n }] }],
    [
      "a getter that throws",
      {
        get messages() {
          throw new Error("boom");
        },
      },
    ],
    [
      "a message with a getter that throws",
      {
        messages: [
          {
            role: "user",
            get content() {
              throw new Error("boom");
            },
          },
        ],
      },
    ],
    [
      "an array that throws",
      {
        messages: new Proxy([], {
          get() {
            throw new Error("boom");
          },
        }),
      },
    ],
  ])("%s is an error", async (_, returned) => {
    const result = await managerWith(() => returned).condense({ messages });
    expectFailed(result, "provider_failed", messages);
    expect(result.error.message).toMatch(/^provider "mine" failed: /);
    expect(result.error.cause).toBeInstanceOf(Error);
  });

  test.each([
    [
      "an id that was changed",
      (given) =>
        given.map((message, index) =>
          index === 2 ? { ...message, content: [{ ...message.content[0], content: "x", tool_use_id: "other" }] } : message,
        ),
      "broken_result",
    ],
    ["an empty message", (given) => [given[0], { role: "assistant", content: "" }], "broken_result"],
    ["a message without role", (given) => [given[0], {}], "broken_result"],
    ["a toJSON that says undefined", (given) => [given[0], { toJSON() {} }], "broken_result"],
    ["the order turned round", (given) => given.toReversed?.() ?? given.slice().reverse(), "broken_result|context_grew"],
    ["two messages changed places", (given) => [given[0], ...given.slice(3, 5), ...given.slice(1, 3), ...given.slice(5)], "context_grew"],
    ["a message twice", (given) => [...given, given.at(-1)], "context_grew|broken_result"],
    ["more than there was", (given) => [...given, { role: "user", content: "x ".repeat(5000) }], "context_grew"],
    ["as much as there was", (given) => [...given.slice(0, -1), { ...given.at(-1), ts: 99 }], "context_grew"],
  ])("%s is refused", async (_, make, codes) => {
    const result = await managerWith(({ messages: given }) => ({ messages: make(given) })).condense({ messages });
    expect(codes.split("|")).toContain(result.error?.code);
    expectFailed(result, result.error.code, messages);
  });

  test.each([
    [
      "an answer without its call",
      (given) =>
        given.map((message, index) =>
          index === 2 ? { ...message, content: [{ ...message.content[0], content: "x", tool_use_id: "other" }] } : message,
        ),
      { code: "orphan_tool_result", messageIndex: 2, blockIndex: 0, toolId: "other", message: expect.stringContaining("answers nothing") },
      'rule orphan_tool_result, messages[2].content[0] of the result: tool_result "other"',
    ],
    [
      "an empty message",
      (given) => [given[0], { role: "assistant", content: "" }],
      { code: "empty_content", messageIndex: 1, message: "content is blank" },
      "rule empty_content, messages[1] of the result: content is blank",
    ],
  ])("%s: the error says which rule, where, and which call", async (_, make, problem, told) => {
    const manager = managerWith(({ messages: given }) => ({ messages: make(given) }));
    const { error } = await manager.condense({ messages });
    expect(error).toMatchObject({ code: "broken_result", message: expect.stringContaining(told), problem });
    // Where another stands in for it, the warning says so.
    const withFallback = new CondensationManager({ provider: "mine", fallback: ["truncation"] });
    withFallback.registerProvider({ id: "mine", condense: ({ messages: given }) => ({ messages: make(given) }) });
    const stood = await withFallback.condense({ messages: conversation(6) }, { targetTokens: 900 });
    expect(stood.error).toBeUndefined();
    expect(stood.warnings).toContainEqual(
      expect.objectContaining({ code: "provider_failed", errorCode: "broken_result", message: expect.stringContaining(told) }),
    );
    expect(stood.providers).toEqual([
      { id: "mine", tokensSaved: 0 },
      { id: "truncation", tokensSaved: stood.metrics.tokensSaved },
    ]);
  });

  test("what is added and what stays are kept apart where they have the same role", async () => {
    const added = { role: "user", content: "In short: nothing." };
    const result = await managerWith(({ messages: given }) => ({ messages: [given[0], added] })).condense({ messages });
    expect(result.error).toBe(undefined);
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect([result.messages[0], result.messages[2]]).toEqual([messages[0], added]);
    expect(api.validateMessages(result.messages)).toEqual([]);
  });

  test("wrong extras are left out", async () => {
    const result = await managerWith((context) => ({ ...shorten(context), summary: 5, cost: -1, warnings: "no" })).condense({ messages });
    expect(result).toMatchObject({ didCondense: true, summary: "", cost: 0, warnings: [] });
    expect((await managerWith((context) => ({ ...shorten(context), cost: NaN })).condense({ messages })).cost).toBe(0);
  });
});

describe("how it fails", () => {
  class HostError extends Error {}
  const causes = [
    ["an Error", new HostError("quota exceeded"), "quota exceeded"],
    ["a text", "no luck", "no luck"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["a number", 404, "404"],
    ["a symbol", Symbol("why"), "Symbol(why)"],
    ["an object with a message", { message: "plain", code: 5 }, "plain"],
    ["what cannot be shown", Object.create(null), "without a message"],
    [
      "what throws when it is looked at",
      {
        get message() {
          throw new Error("again");
        },
      },
      "without a message",
    ],
    ["a frozen object", Object.freeze({ reason: 1 }), "[object Object]"],
  ];

  test.each(causes)("throws %s", async (_, cause, part) => {
    const result = await managerWith(() => {
      throw cause;
    }).condense({ messages });
    expectFailed(result, "provider_failed", messages);
    expect(result.error.cause).toBe(cause);
    expect(result.error.message).toContain(part);
  });

  test.each(causes)("rejects with %s", async (_, cause, part) => {
    const result = await managerWith(() => Promise.reject(cause)).condense({ messages });
    expectFailed(result, "provider_failed", messages);
    expect(Object.hasOwn(result.error, "cause")).toBe(true);
    expect(result.error.cause).toBe(cause);
    expect(result.error.message).toContain(part);
  });

  test("reports an error in its result, with or without messages", async () => {
    for (const error of [new HostError("said so"), { code: "summary_empty", message: "said so" }]) {
      for (const result of [{ error }, { messages, error }]) {
        const failed = await managerWith(() => result).condense({ messages });
        expectFailed(failed, "provider_failed", messages);
        expect(failed.error.cause).toBe(error);
        expect(failed.error.message).toContain("said so");
      }
    }
  });

  test("a promise that never resolves ends with the signal", async () => {
    const controller = new AbortController();
    let given;
    const promise = managerWith((_, options) => {
      given = options.signal;
      setTimeout(() => controller.abort(), 5);
      return new Promise(() => {});
    }).condense({ messages }, { signal: controller.signal });
    expectFailed(await promise, "aborted", messages);
    expect(given).toBe(controller.signal);
  });

  test("what it does after the call is over is nobody's concern", async () => {
    const controller = new AbortController();
    let reject;
    const promise = managerWith(() => {
      setTimeout(() => controller.abort(), 5);
      return new Promise((_, no) => {
        reject = no;
      });
    }).condense({ messages }, { signal: controller.signal });
    expectFailed(await promise, "aborted", messages);
    reject(new Error("too late"));
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test("a thenable that throws, and one that calls back twice", async () => {
    const boom = new Error("boom");
    const failed = await managerWith(() => ({
      then() {
        throw boom;
      },
    })).condense({ messages });
    expect(failed.error.cause).toBe(boom);
    const twice = await managerWith((context) => ({
      then(yes, no) {
        yes(shorten(context));
        yes(5);
        no(boom);
      },
    })).condense({ messages });
    expect(twice.didCondense).toBe(true);
  });
});

describe("what it is given", () => {
  test("the caller's own objects, and what is known about them", async () => {
    let seen;
    const manager = managerWith((context, options) => {
      seen = { context, options };
      return { messages: context.messages };
    });
    const { signal } = new AbortController();
    const onProgress = () => {};
    const context = { messages, systemPrompt: "Be brief.", taskId: "t", profileId: "p", model: "claude" };
    await manager.condense(context, { provider: "mine", targetTokens: 10, config: { tone: "dry" }, isAutomatic: true, signal, onProgress });
    expect(seen.context).toEqual({ ...context, tokenCount: api.countTokens(messages) + api.countTokens("Be brief.") });
    expect(seen.context.messages).not.toBe(messages);
    seen.context.messages.forEach((message, index) => expect(message).toBe(messages[index]));
    expect(seen.options).toEqual({ targetTokens: 10, config: { tone: "dry" }, isAutomatic: true, signal, onProgress });
    await manager.condense({ messages });
    expect(seen.options).toEqual({ config: {} });
    expect(seen.context.isPreview).toBeUndefined();
    await manager.preview({ messages });
    expect(seen.context.isPreview).toBe(true);
  });

  test("`this` is the provider", async () => {
    class Own {
      id = "own";
      #keep = 1;
      condense({ messages: given }) {
        return { messages: given.slice(0, this.#keep) };
      }
    }
    const manager = new CondensationManager();
    manager.registerProvider(new Own());
    expect((await manager.condense({ messages }, { provider: "own" })).messages).toEqual([messages[0]]);
  });

  test("the array is its own: emptying it harms nobody", async () => {
    const result = await managerWith(({ messages: given }) => {
      given.length = 0;
      return Promise.reject(new Error("x"));
    }).condense({ messages });
    expectFailed(result, "provider_failed", messages);
    expect(messages.length).toBe(10);
  });

  test("it can hand the call on to one of ours, options and all", async () => {
    const lossless = createLosslessProvider();
    const manager = managerWith((context, options) => lossless.condense(context, options));
    const twice = [
      ...messages.slice(0, -1),
      ...conversation(4)
        .slice(1)
        .map((message) => JSON.parse(JSON.stringify(message).replaceAll("toolu_", "again_"))),
    ];
    const [own, handedOn] = [
      await lossless.condense({ messages: twice }),
      await manager.condense({ messages: twice }, { provider: "mine", isAutomatic: true }),
    ];
    expect(own.didCondense).toBe(true);
    expect(handedOn.messages).toEqual(own.messages);
    expect(restore(handedOn)).toEqual(twice);
  });

  test.each(["claude-code", "claude-code-older", "cline-with-logs", "codex"])("what ours wrote for it stays as it is: %s", async (name) => {
    const read = JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), "utf8"));
    const history = read.messages ?? read;
    const [lossless, truncation] = [createLosslessProvider(), createTruncationProvider()];
    let handedOn;
    const manager = managerWith(
      async ({ messages: given }, { targetTokens }) => {
        const once = await lossless.condense({ messages: given });
        handedOn = await truncation.condense({ messages: once.messages }, { targetTokens });
        return { messages: handedOn.messages };
      },
      { fallback: false },
    );
    const tokens = countTokens({ messages: history });
    const result = await manager.condense({ messages: history }, { targetTokens: Math.floor(tokens / 3) });
    expect(JSON.stringify(handedOn.messages)).toContain(" as below from ");
    expect(result.messages).toEqual(handedOn.messages);
    expect(expand(result.messages).unresolved).toEqual([]);
    expect(restore(result)).toEqual(history);
  });
});

/** Rounds of calls, each with the results of all its calls in one message. */
function rounds(...results) {
  const made = [{ role: "user", content: "task" }];
  results.forEach((texts, round) => {
    const ids = texts.map((_, call) => `t${round}-${call}`);
    made.push({ role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "bash", input: { command: `run ${id}` } })) });
    made.push({ role: "user", content: ids.map((id, call) => ({ type: "tool_result", tool_use_id: id, content: texts[call] })) });
  });
  return made;
}

const lines = (word, count) => Array.from({ length: count }, (_, line) => `${word}(${line}, of_many, ${line * 7919})`);
const resultsOf = (given) =>
  given.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === "tool_result");

describe("what it writes around lines of ours stays true", () => {
  const filler = Array.from({ length: 12 }, (_, index) => [`done ${index}`]);

  test.each([
    ["as they are", (message) => message],
    ["with another field", (message) => ({ ...message, ts: 5 })],
    ["with another block", (message) => ({ ...message, content: [...message.content, { type: "text", text: "(noted)" }] })],
  ])("pointers whose lines it leaves out: messages %s", async (_, change) => {
    const same = [lines("first", 40).join("\n"), lines("second", 40).join("\n"), lines("third", 40).join("\n")];
    const given = rounds(same, ["between"], same, ...filler);
    const { messages: once } = await createLosslessProvider().condense({ messages: given });
    expect(resultsOf(once).filter(({ content }) => content.startsWith("[40 lines as below from "))).toHaveLength(3);
    const manager = managerWith(
      ({ messages }) => ({ messages: [messages[0], messages[1], change(messages[2]), ...messages.slice(3, 5), ...messages.slice(7)] }),
      { fallback: false },
    );
    const result = await manager.condense({ messages: once });
    expect(resultsOf(result.messages).filter(({ content }) => content === "[… 40 lines left out]")).toHaveLength(3);
    expect(expand(result.messages).unresolved).toEqual([]);
    expect(restore(result)).toEqual(once);
  });

  test.each([
    ["in one call", false],
    ["in two", true],
  ])("numbers of lines below a heading of which it leaves some out: %s", async (_, isBefore) => {
    const numbered = lines("numbered", 60).map((line, index) => `${String(index + 1).padStart(6)}→${line}`);
    const given = rounds([numbered.join("\n")], ...filler);
    const lossless = createLosslessProvider();
    const { messages: once } = await lossless.condense({ messages: given });
    expect(resultsOf(once)[0].content).toContain("→[60 lines, every 10th numbered:]");
    for (const isGone of [(line) => line === 3, (line) => line > 8 && line < 31, (line) => line % 7 === 5, (line) => line > 40]) {
      const shorter = (block) =>
        block.type === "tool_result"
          ? {
              ...block,
              content: block.content
                .split("\n")
                .flatMap((line, index) => (isGone(index) ? (index === 3 ? ["(a note)"] : []) : [line]))
                .join("\n"),
            }
          : block;
      const manager = managerWith(
        async (context) => {
          const { messages } = isBefore ? context : await lossless.condense(context);
          return {
            messages: messages.map((message) =>
              Array.isArray(message.content) ? { ...message, content: message.content.map(shorter) } : message,
            ),
          };
        },
        { fallback: false },
      );
      const result = await manager.condense({ messages: isBefore ? once : given });
      const [{ content }] = resultsOf(expand(result.messages).messages);
      const left = content.split("\n").filter((line) => !line.endsWith("(a note)"));
      expect(left.length).toBeGreaterThan(30);
      expect(left.filter((line) => !numbered.includes(line))).toEqual([]);
    }
  });
});

describe("in a chain", () => {
  test("it is asked once, also when it says that it is fast and the target is missed", async () => {
    let calls = 0;
    const manager = new CondensationManager({ provider: "mine", fallback: false });
    manager.registerProvider({
      id: "mine",
      getCapabilities: () => ({ supportsLossy: true, estimatedSpeed: "fast" }),
      condense: ({ messages: given }) => {
        calls++;
        return { messages: [given[0], ...given.slice(3)] };
      },
    });
    const result = await manager.condense({ messages }, { targetTokens: 1 });
    expect(result.messages).toEqual([messages[0], ...messages.slice(3)]);
    expect(calls).toBe(1);
  });

  test("it stands in for one that fails, and is told what that left", async () => {
    const asked = [];
    const manager = managerWith(
      () => {
        throw new Error("first");
      },
      { fallback: ["second", "nobody", "third"] },
    );
    manager.registerProvider({ id: "second", condense: (_, options) => asked.push(options) && { messages: 5 } });
    manager.registerProvider({ id: "third", condense: (context, options) => asked.push(options) && shorten(context) });
    const result = await manager.condense({ messages }, { config: { only: "for the first" } });
    expect(result.error).toBeUndefined();
    expect(result.metrics.providerId).toBe("third");
    expect(asked).toEqual([{ config: {} }, { config: {} }]);
    expect(result.warnings).toMatchObject([
      { code: "unknown_provider", message: expect.stringContaining("nobody"), field: "fallback[1]" },
      { code: "provider_failed", errorCode: "provider_failed", message: expect.stringMatching(/^mine: provider_failed: .*first/) },
      { code: "provider_failed", errorCode: "provider_failed", message: expect.stringMatching(/^second: provider_failed: /) },
    ]);
    const { providers, total } = manager.getMetrics();
    expect(Object.fromEntries(Object.entries(providers).map(([id, { calls, errors }]) => [id, [calls, errors]]))).toEqual({
      mine: [1, 1],
      second: [1, 1],
      third: [1, 0],
    });
    expect(total).toMatchObject({ calls: 1, successes: 1, errors: 0 });
  });

  test("when all fail, the first error counts, and its cause is the first's", async () => {
    const first = new Error("first");
    const manager = managerWith(
      () => {
        throw first;
      },
      { fallback: ["second"] },
    );
    manager.registerProvider({ id: "second", condense: () => Promise.reject(new Error("second")) });
    const result = await manager.condense({ messages });
    expectFailed(result, "provider_failed", messages);
    expect(result.error.cause).toBe(first);
  });

  test("it goes on where another stopped short of the target", async () => {
    let seen;
    const manager = new CondensationManager({ provider: "truncation", fallback: ["mine"] });
    manager.registerProvider({
      id: "mine",
      condense(context) {
        seen = context;
        return shorten(context);
      },
    });
    const result = await manager.condense(
      { messages: deepFreeze(conversation(12, { result: "word ".repeat(600) })) },
      { targetTokens: 40, config: { preserveRecentCount: 11 } },
    );
    expect(result.error).toBeUndefined();
    expect(seen.tokenCount).toBeLessThan(result.stats.originalTokens);
    expect(seen.tokenCount).toBe(api.countTokens(seen.messages));
    expect(result.metrics.operationsApplied).toEqual(expect.arrayContaining(["drop"]));
    expect(result.messages.length).toBe(2);
    expect(restore(result)).toEqual(conversation(12, { result: "word ".repeat(600) }));
  });

  test("new messages of one are the input of the next", async () => {
    const manager = managerWith(
      ({ messages: given }) => ({
        messages: [given[0], { role: "assistant", content: "word ".repeat(50) }, { role: "user", content: "On." }, given.at(-1)],
      }),
      { fallback: ["second"] },
    );
    const added = [];
    manager.registerProvider({
      id: "second",
      condense: ({ messages: given }) =>
        added.push(given[1]) && { messages: [given[0], { role: "assistant", content: "In short." }, given[2], given[3]] },
    });
    const result = await manager.condense({ messages }, { targetTokens: 25 });
    expect(result.error).toBeUndefined();
    expect(added[0].content).toBe("word ".repeat(50));
    expect(result.messages.map(({ content }) => content)).toEqual([messages[0].content, "In short.", "On.", "That is all."]);
    expect(restore(result)).toEqual(messages);
  });
});
