// What Zoo-Code adds: its options, and what its users report.

import { describe, expect, test } from "vitest";
import { CondensationManager } from "../../index.js";
import { createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { assistant, call, conversation, handler, recordingHost, result, text, user, windowOptions } from "./support.mjs";

const usage = (more) => ({
  totalTokens: 0,
  lastMessageTokens: 0,
  contextWindow: 100_000,
  autoCondenseContext: true,
  autoCondenseContextPercent: 75,
  profileThresholds: {},
  currentProfileId: "default",
  ...more,
});

describe("windows", () => {
  const { willManageContext } = createContextManagement(recordingHost().host);
  const mended = createContextManagement(recordingHost({ fixes: true }).host).willManageContext;

  /** The smallest number of tokens that is due, to 1%. */
  function firstDue(manage, more) {
    for (let share = 0; share <= 2; share += 0.01) {
      const totalTokens = Math.ceil(share * 1_000_000);
      if (manage(usage({ totalTokens, ...more }))) return totalTokens;
    }
    return Number.POSITIVE_INFINITY;
  }

  test.each([undefined, null, 0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    "one that is not known (%s) has 128,000 tokens",
    (contextWindow) => {
      for (const manage of [willManageContext, mended]) expect(firstDue(manage, { contextWindow })).toBe(100_000);
    },
  );

  test.each([-1, 0, null, undefined, Number.NaN, Number.POSITIVE_INFINITY])("maxTokens %s is no reserve", (maxTokens) => {
    const more = { contextWindow: 32_768, maxTokens, autoCondenseContextPercent: 100 };
    expect(willManageContext(usage({ ...more, totalTokens: 21_299 }))).toBe(false);
    expect(willManageContext(usage({ ...more, totalTokens: 21_300 }))).toBe(true);
    const input = { ...more, autoCondenseContextPercent: 50, useAvailableInputForContextPercent: true };
    expect(willManageContext(usage({ ...input, totalTokens: 16_383 }))).toBe(false);
    expect(willManageContext(usage({ ...input, totalTokens: 16_384 }))).toBe(true);
  });

  test.each([8192, 16_384, 32_768, 131_072, 1_000_000])(
    "%i tokens of which the answer may take all: with the fixes half is left",
    (size) => {
      for (const useAvailableInputForContextPercent of [undefined, true]) {
        const more = { contextWindow: size, maxTokens: size, autoCondenseContextPercent: 100, useAvailableInputForContextPercent };
        expect(mended(usage({ ...more, totalTokens: Math.floor(size / 2) - 1 }))).toBe(false);
        expect(mended(usage({ ...more, totalTokens: Math.ceil(size / 2) + 1 }))).toBe(true);
        // As in Roo-Code: always due.
        expect(willManageContext(usage({ ...more, totalTokens: 1 }))).toBe(true);
      }
    },
  );

  test.each([
    [64_000, 116_000],
    [80_000, 100_000],
    [128_000, 100_000],
  ])("the fixes leave a reserve alone that leaves half: %i tokens for the answer", (maxTokens, most) => {
    const more = { contextWindow: 200_000, maxTokens, autoCondenseContextPercent: 100 };
    for (const totalTokens of [most, most + 1]) expect(mended(usage({ ...more, totalTokens }))).toBe(totalTokens > most);
  });

  test("the manager takes -1 for no reserve, too", async () => {
    const manager = new CondensationManager({ provider: "lossless" });
    const { reservedTokens } = manager.shouldCondense({ totalTokens: 1, contextWindow: 32_768, maxTokens: -1 });
    expect(reservedTokens).toBe(8192);
    const messages = conversation(4).map(({ role, content }) => ({ role, content }));
    const { trigger } = await manager.condenseIfNeeded({ messages, totalTokens: 1, contextWindow: 32_768, maxTokens: -1 });
    expect(trigger).toMatchObject({ due: false, reservedTokens: 8192 });
  });
});

describe("condensingApiHandler", () => {
  const of = (name, info) => handler([text(`by ${name}`)], info);
  const ask = (host, more) =>
    createTaggedCondense(host).summarizeConversation({ messages: conversation(6), systemPrompt: "s", taskId: "t", ...more });

  test("it answers, and wins over the host's; the conversation's counts", async () => {
    const [main, condensing, ofHost] = [of("main"), of("condensing"), of("host")];
    const counted = [];
    main.countTokens = async (blocks) => counted.push(blocks);
    const { host } = recordingHost({ condensingHandler: ofHost });
    expect((await ask(host, { apiHandler: main, condensingApiHandler: condensing })).summary).toBe("by condensing");
    expect([main.requests.length, condensing.requests.length, ofHost.requests.length]).toEqual([0, 1, 0]);
    expect(counted.length).toBeGreaterThan(0);
  });

  test("images go to the one that is asked as it can see them", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const messages = [user([text("look"), image], 1), assistant("I see", 2), user("go on", 3)];
    const blind = of("blind", { supportsImages: false });
    const seeing = of("seeing", { supportsImages: true });
    const { host } = recordingHost();
    await ask(host, { messages, apiHandler: seeing, condensingApiHandler: blind });
    await ask(host, { messages, apiHandler: blind, condensingApiHandler: seeing });
    expect([blind, seeing].map(({ requests }) => requests[0][1][0].content[1].type)).toEqual(["text", "image"]);
  });

  test("the window hands it on; through a manager it writes the summary", async () => {
    const [main, condensing] = [of("main"), of("condensing")];
    const messages = conversation(12, 400);
    const manager = new CondensationManager({ provider: "native", fallback: false });
    for (const more of [{}, { manager }]) {
      const { host } = recordingHost(more);
      const options = windowOptions(messages, main, { condensingApiHandler: condensing });
      expect((await createContextManagement(host).manageContext(options)).summary).toContain("by condensing");
    }
    expect(main.requests).toEqual([]);
  });

  test("one that cannot create messages gives way, after the refusals", async () => {
    const { host, told } = recordingHost();
    const main = of("main");
    await ask(host, { messages: conversation(1), apiHandler: main, condensingApiHandler: {} });
    expect(told.warnings).toEqual([]);
    expect((await ask(host, { apiHandler: main, condensingApiHandler: {} })).summary).toBe("by main");
    expect(told.warnings).toEqual([expect.stringMatching(/does not support message creation/)]);
  });
});

describe("all messages since the last reported usage", () => {
  const recent = [user([result("a", "x".repeat(400))], 3), user([result("b", "y".repeat(4000))], 4), user("go on", 5)];
  const messages = [user("task", 1), assistant([call("a"), call("b")], 2), ...recent];
  const apiHandler = handler();
  const tokensOf = (some) => apiHandler.countTokens(some.flatMap(({ content }) => (Array.isArray(content) ? content : [text(content)])));

  test.each([
    ["2025", (host, options) => createSlidingWindow(host).truncateConversationIfNeeded(options)],
    ["2026", (host, options) => createContextManagement(host).manageContext(options)],
  ])("%s: they count when that is asked for", async (_, manage) => {
    const options = windowOptions(messages, apiHandler, { totalTokens: 1000 });
    const prevOf = async (more) => (await manage(recordingHost(more).host, options)).prevContextTokens;
    expect(await prevOf()).toBe(1000 + (await tokensOf(recent.slice(-1))));
    expect(await prevOf({ countAllNew: true })).toBe(1000 + (await tokensOf(recent)));
  });

  test("what a condensation put there was counted then; what is hidden does not count", async () => {
    const { countNewTokens } = createContextManagement();
    const summary = user("summary", 6, { isSummary: true, condenseId: "c" });
    const copy = user("kept", 6, { condensedBy: "c" });
    const condensed = [...messages.map((message) => ({ ...message, condenseParent: "c" })), summary, copy, user("new", 7)];
    expect(await countNewTokens(condensed, apiHandler)).toBe(await tokensOf([user("new")]));
    const marker = user("[hidden]", 4, { isTruncationMarker: true, truncationId: "t" });
    const hidden = [...messages.slice(0, 2), { ...recent[0], truncationParent: "t" }, marker, ...recent.slice(1)];
    expect(await countNewTokens(hidden, apiHandler)).toBe(await tokensOf(recent.slice(1)));
    expect(await countNewTokens([], apiHandler)).toBe(0);
    expect(await countNewTokens(messages.slice(0, 2), apiHandler)).toBe(await tokensOf(messages.slice(1, 2)));
  });

  test("anything but true and false is refused", () => {
    expect(() => createContextManagement({ countAllNew: 1 })).toThrow(expect.objectContaining({ code: "invalid_argument" }));
  });
});

describe("the profile", () => {
  const profiled = (provider, more) => ({
    manager: new CondensationManager({ provider, fallback: false, cache: false, ...more }),
    messages: conversation(12, 400),
    main: handler([text("by main")]),
  });

  test("its handler writes the summary, at its price, and its metrics count", async () => {
    const cheap = handler([text("by the cheap one"), { type: "usage", inputTokens: 1_000_000, outputTokens: 0 }]);
    const { manager, messages, main } = profiled("native", { profiles: { cheap: { handler: cheap, price: { inputPrice: 2 } } } });
    for (const [manage, currentProfileId] of [
      [createSlidingWindow(recordingHost({ manager }).host).truncateConversationIfNeeded, "cheap"],
      [createContextManagement(recordingHost({ manager }).host).manageContext, "cheap"],
      [createContextManagement(recordingHost({ manager }).host).manageContext, "other"],
    ]) {
      const { summary, cost, error } = await manage(windowOptions(messages, main, { currentProfileId }));
      expect(error).toBeUndefined();
      expect(summary).toContain(currentProfileId === "cheap" ? "by the cheap one" : "by main");
      expect(cost).toBeCloseTo(currentProfileId === "cheap" ? 2 : 0, 3);
    }
    expect(manager.getMetrics().profiles).toMatchObject({ cheap: { calls: 2 }, other: { calls: 1 } });
  });

  test("by hand the host says which it is", async () => {
    const cheap = handler([text("by the cheap one")]);
    const { manager, messages, main } = profiled("native", { profiles: { cheap: { handler: cheap } } });
    const { host } = recordingHost({ manager, profileId: (taskId) => (taskId === "task" ? "cheap" : undefined) });
    const ask = (taskId) =>
      createTaggedCondense(host).summarizeConversation({
        messages,
        apiHandler: main,
        systemPrompt: "s",
        taskId,
        isAutomaticTrigger: false,
      });
    expect((await ask("task")).summary).toContain("by the cheap one");
    expect((await ask("another")).summary).toContain("by main");
  });

  test("its threshold in the manager holds where the host has none for it", () => {
    const { manager } = profiled("lossless", { profileThresholds: { low: 10, same: -1 } });
    const { willManageContext } = createContextManagement(recordingHost({ manager }).host);
    const due = (currentProfileId, profileThresholds = {}) =>
      willManageContext(usage({ totalTokens: 20_000, currentProfileId, profileThresholds }));
    expect([due("low"), due("same"), due("absent"), due("low", { low: 60 }), due("low", { low: -1 })]).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });
});
