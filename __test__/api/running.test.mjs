// While a condensation runs: abort, progress, many at once.

import { getEventListeners } from "node:events";
import { beforeAll, describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { api, conversation, deepFreeze, expectFailed, managerWith } from "./support.mjs";

const { CondensationManager, countTokens, createLosslessProvider, createTruncationProvider } = api;

const providers = [
  ["manager", () => new CondensationManager({ provider: "truncation" })],
  ["provider", () => createTruncationProvider()],
];

describe.each(providers)("abort, with a %s", (_, make) => {
  let big;
  beforeAll(() => {
    big = deepFreeze(buildHistory({ dialect: "claude-code", messages: 3000 }));
  });

  test("a signal that is aborted already", async () => {
    const messages = conversation(6);
    expectFailed(await make().condense({ messages }, { signal: AbortSignal.abort() }), "aborted", messages);
  });

  test("while it runs", async () => {
    // On a busy machine one may be done before it is aborted.
    let result;
    for (let attempt = 0; attempt < 5 && !result?.error; attempt++) {
      const controller = new AbortController();
      const promise = make().condense({ messages: big }, { signal: controller.signal });
      controller.abort();
      result = await promise;
    }
    expectFailed(result, "aborted", big);
    expect(result.cost).toBe(0);
  });

  test("as soon as it has begun to condense", async () => {
    const controller = new AbortController();
    const result = await make().condense(
      { messages: big },
      { signal: controller.signal, onProgress: ({ phase }) => phase === "counting" && controller.abort() },
    );
    // It may have been faster than the abort.
    if (result.error) expectFailed(result, "aborted", big);
    else expect(result.didCondense).toBe(true);
  });

  test("the listener is removed, and the signal's own handler stays", async () => {
    const { signal } = new AbortController();
    const own = () => {};
    signal.onabort = own;
    const before = getEventListeners(signal, "abort").length;
    const promise = make().condense({ messages: conversation(6) }, { signal });
    expect(getEventListeners(signal, "abort").length).toBe(before + 1);
    await promise;
    expect(getEventListeners(signal, "abort").length).toBe(before);
    expect(signal.onabort).toBe(own);
  });

  test("arguments that are wrong leave no listener behind", async () => {
    const { signal } = new AbortController();
    await expect(make().condense({ messages: big }, { signal, config: { mode: "windw" } })).rejects.toThrow(TypeError);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("afterwards it does nothing", async () => {
    const controller = new AbortController();
    const result = await make().condense({ messages: conversation(6) }, { signal: controller.signal });
    controller.abort();
    expect(result.didCondense).toBe(true);
  });

  test("one signal for many", async () => {
    const controller = new AbortController();
    const target = make();
    const all = Array.from({ length: 5 }, () => target.condense({ messages: big }, { signal: controller.signal }));
    // One listener for all: Node warns on the console from the eleventh on.
    expect(getEventListeners(controller.signal, "abort").length).toBe(1);
    controller.abort();
    const results = await Promise.all(all);
    expect(results.some((result) => result.error)).toBe(true);
    for (const result of results) if (result.error) expectFailed(result, "aborted", big);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});

test("an aborted call is not handed to a provider that stands in", async () => {
  const asked = [];
  const controller = new AbortController();
  const manager = managerWith(
    () => {
      controller.abort();
      return new Promise(() => {});
    },
    { fallback: ["second", "truncation"] },
  );
  manager.registerProvider({ id: "second", condense: () => asked.push("second") });
  const messages = conversation(6);
  expectFailed(await manager.condense({ messages }, { signal: controller.signal }), "aborted", messages);
  expect(asked).toEqual([]);
});

describe.each(providers)("progress, with a %s", (_, make) => {
  test("is told in order, and never after the result", async () => {
    for (let round = 0; round < 20; round++) {
      const events = [];
      let isOver = false;
      const result = await make().condense(
        { messages: conversation(6) },
        { onProgress: (event) => events.push(isOver ? "too late" : event) },
      );
      isOver = true;
      await new Promise((resolve) => setImmediate(resolve));
      expect(result.didCondense).toBe(true);
      expect(events).toEqual([
        { phase: "counting", providerId: "", done: 0, total: 1 },
        { phase: "condensing", providerId: "truncation", done: 0, total: 1 },
        { phase: "done", providerId: "truncation", done: 1, total: 1 },
      ]);
    }
  });

  test.each([
    ["an Error", new Error("my mistake"), "my mistake"],
    ["undefined", undefined, "undefined"],
    ["what cannot be shown", Object.create(null), "without a message"],
  ])("a listener that throws %s becomes a warning", async (_, thrown, part) => {
    let calls = 0;
    const result = await make().condense(
      { messages: conversation(6) },
      {
        onProgress() {
          calls++;
          throw thrown;
        },
      },
    );
    expect(calls).toBe(3);
    expect(result.error).toBeUndefined();
    expect(result.didCondense).toBe(true);
    const message = expect.stringContaining(part);
    expect(result.warnings).toEqual([{ code: "progress_listener_failed", message, field: "options.onProgress" }]);
  });

  test("a listener whose promise rejects is its own affair, but not called late", async () => {
    const result = await make().condense({ messages: conversation(6) }, { onProgress: async () => {} });
    expect(result.warnings).toEqual([]);
  });
});

test("every provider of a chain is named", async () => {
  const phases = [];
  const messages = buildHistory({ dialect: "claude-code", messages: 60 });
  // Lossless work does not reach it, but comes near enough to be done first.
  const targetTokens = Math.round(countTokens(messages) * 0.41);
  await new CondensationManager({ provider: "lossless" }).condense(
    { messages },
    { targetTokens, onProgress: ({ phase, providerId, done, total }) => phases.push([phase, providerId, done, total]) },
  );
  expect(phases).toEqual([
    ["counting", "", 0, 1],
    ["condensing", "lossless", 0, 2],
    ["condensing", "truncation", 1, 2],
    ["done", "truncation", 1, 1],
  ]);
});

test("50 at once through one manager do not mix", async () => {
  const manager = managerWith(async ({ messages, taskId }) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    return { messages: [{ role: "user", content: `Summary of ${taskId}` }, messages.at(-1)], summary: taskId };
  });
  const all = Array.from({ length: 50 }, async (_, index) => {
    const messages = deepFreeze(conversation(2 + (index % 7), { result: `${index}\n`.repeat(300) }));
    const provider = ["mine", "truncation", "lossless"][index % 3];
    const events = [];
    const result = await manager.condense(
      { messages, taskId: `task ${index}` },
      { provider, onProgress: (event) => events.push(event.providerId) },
    );
    expect(result.error).toBeUndefined();
    expect(events.at(-1)).toBe(provider);
    expect(api.restore(result)).toEqual(messages);
    if (provider === "mine") {
      expect(result.summary).toBe(`task ${index}`);
      expect(result.messages[0].content).toBe(`Summary of task ${index}`);
      expect(result.messages[1]).toBe(messages.at(-1));
    }
  });
  await Promise.all(all);
  expect(manager.getMetrics().total.calls).toBe(50);
});

test("two managers share neither providers nor thresholds nor metrics", async () => {
  const [one, two] = [new CondensationManager(), new CondensationManager()];
  one.registerProvider({ id: "mine", condense: ({ messages }) => ({ messages }) });
  one.setActiveProvider("mine");
  one.setProfileThreshold("p", 50);
  await one.condense({ messages: conversation(1) });
  expect(two.getProvider("mine")).toBe(null);
  expect(two.getActiveProvider().id).not.toBe("mine");
  expect(two.effectiveThreshold("p")).toBe(100);
  expect(two.getMetrics().total.calls).toBe(0);
});

test("20 MB of history", { tags: ["long"] }, async () => {
  const messages = buildHistory({ dialect: "claude-code", messages: 20 });
  let bytes = 0;
  for (let seed = 2; bytes < 20e6; seed++) {
    const more = buildHistory({ dialect: "claude-code", messages: 4000, seed });
    bytes += JSON.stringify(more).length;
    // Ids are the same for every seed; within their neighbours they are enough.
    messages.push(...more);
  }
  deepFreeze(messages);
  for (const [provider, options] of [
    [createLosslessProvider(), {}],
    [createTruncationProvider(), {}],
    [createTruncationProvider(), { targetTokens: 100_000 }],
  ]) {
    const result = await provider.condense({ messages }, options);
    expect(result.error).toBeUndefined();
    expect(result.didCondense).toBe(true);
    if (options.targetTokens) expect(result.stats.finalTokens).toBeLessThanOrEqual(options.targetTokens);
    const back = api.restore(result);
    expect(back.length).toBe(messages.length);
    expect(JSON.stringify(back) === JSON.stringify(messages)).toBe(true);
    expect(api.validateMessages(result.messages).length).toBeLessThanOrEqual(api.validateMessages(messages).length);
  }
});

describe("a chain of providers", () => {
  const messages = conversation(40, { result: "a line of what it said, src/a.ts:12\n".repeat(60) });

  test.each(["lossless", "truncation"])("that is aborted while %s stands in leaves everything as it was", async (provider) => {
    const manager = new CondensationManager({ provider: "smart" });
    const controller = new AbortController();
    const onProgress = ({ phase, providerId }) => phase === "condensing" && providerId === provider && controller.abort();
    const options = {
      config: { passes: [], losslessPrelude: { enabled: false } },
      targetTokens: 10,
      signal: controller.signal,
      onProgress,
    };
    const result = await manager.condense({ messages }, options);
    // The listener hears of it a moment later; what ended before that is done.
    if (result.error) expectFailed(result, "aborted", messages);
    else expect(result.warnings.some(({ code }) => code === "target_not_met")).toBe(true);
  });

  test("has no error where the provider that was asked had nothing to do", async () => {
    const few = [{ role: "user", content: "hi" }];
    const {
      error,
      warnings,
      messages: same,
    } = await new CondensationManager({ provider: "smart" }).condense({ messages: few }, { targetTokens: 0 });
    expect([error, same]).toEqual([undefined, few]);
    expect(warnings.filter(({ code }) => code === "target_not_met")).toHaveLength(1);
  });
});

test("unpaired surrogates in settings are no reason to fail", async () => {
  const messages = conversation(4);
  const manager = new CondensationManager({
    provider: "truncation",
    profiles: { "\ud83c": { customCondensingPrompt: "\ud83c \\ud83c 🎉" } },
  });
  const context = { messages, systemPrompt: "\ud83c", taskId: "\udf89", profileId: "\ud83c" };
  expect((await manager.condense(context, { customCondensingPrompt: "\ud83c" })).error).toBeUndefined();
  expect((await manager.preview(context)).error).toBeUndefined();
  expect(manager.shouldCondense({ totalTokens: 1, contextWindow: 200_000, profileId: "\ud83c" }).due).toBe(false);
  expect(manager.getEffectiveConfig("\ufffd").customCondensingPrompt).toBe("\ufffd \\ud83c 🎉");
});
