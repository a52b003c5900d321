// Signed thinking behind what the drop-in changes or removes.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { assistant, call, handler, recordingHost, result, text, user } from "./support.mjs";

const require = createRequire(import.meta.url);
const { bindingOf, firstChange, settled, ruleOf } = require("../../js/roo/thinking.js");
const { createCondense, createContextManagement, createSlidingWindow, createTaggedCondense, compressOldToolResults, restoreDataOf } =
  require("../../js/roo/index.js");
const { CondensationManager, callbackHandler, restore } = require("../../index.js");

const thinking = (about) => ({ type: "thinking", thinking: `About ${about}, which takes a while.`, signature: `signed behind ${about}` });
const PRESERVED = { id: "claude-opus-5-5" };

/** `rounds` rounds of a tool loop, each with thinking. */
function history(rounds) {
  const messages = [user("Please fix the parser.", 1000)];
  for (let round = 0; round < rounds; round++) {
    const at = 2000 + 2000 * round;
    messages.push(assistant([thinking(round), text(`I look at ${round}.`), call(`t${round}`)], at));
    messages.push(user([result(`t${round}`, `${round} | a line that was read\n`.repeat(60))], at + 1000));
  }
  return messages;
}

/** An ApiHandler of this model. */
function apiHandler(model) {
  const api = handler();
  return {
    ...api,
    countTokens: async (content) => Math.ceil(JSON.stringify(content).length / 4),
    getModel: () => ({ id: model.id, info: {} }),
  };
}

const thoughts = (messages) =>
  messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(({ type }) => /thinking/.test(type)) : []));

const usage = (messages, api, more = {}) => ({
  messages,
  apiHandler: api,
  systemPrompt: "You are an agent.",
  taskId: "task",
  totalTokens: 20_000,
  contextWindow: 20_000,
  maxTokens: 1000,
  autoCondenseContext: false,
  autoCondenseContextPercent: 100,
  profileThresholds: {},
  currentProfileId: "default",
  ...more,
});

describe("names of models", () => {
  const { cases } = JSON.parse(readFileSync(new URL("../../fixtures/shared/thinking.json", import.meta.url), "utf8"));
  it.each(cases)("$model: $binding", ({ model, binding }) => expect(bindingOf(model)).toBe(binding));
});

describe("2025", () => {
  it("a truncation takes the thinking behind it along, where the model would refuse it", async () => {
    const messages = history(6);
    const { truncateConversationIfNeeded } = createSlidingWindow(recordingHost().host);
    const { messages: left } = await truncateConversationIfNeeded(usage(messages, apiHandler(PRESERVED)));
    expect(left.length).toBeLessThan(messages.length);
    expect(thoughts(left)).toEqual([]);
    expect(left.every((message) => messages.some(({ ts }) => ts === message.ts))).toBe(true);
    const older = await truncateConversationIfNeeded(usage(messages, apiHandler({ id: "claude-sonnet-4-5" })));
    expect(thoughts(older.messages).length).toBeGreaterThan(0);
  });

  it("of thinking that may be refused the host is told", async () => {
    const { host, told } = recordingHost();
    const { truncateConversationIfNeeded } = createSlidingWindow(host);
    const { messages: left } = await truncateConversationIfNeeded(usage(history(6), apiHandler({ id: "some-deployment" })));
    expect(told.warnings.some((warning) => warning.startsWith(`${thoughts(left).length} blocks of signed thinking`))).toBe(true);
  });

  it("a summary leaves none behind it", async () => {
    const messages = history(6);
    const { summarizeConversation } = createCondense(recordingHost().host);
    const summarize = (api) => summarizeConversation(messages, api, "You are an agent.", "task", 50_000, false);
    const { messages: condensed, error, newContextTokens } = await summarize(apiHandler(PRESERVED));
    expect(error).toBeUndefined();
    expect(thoughts(condensed)).toEqual([]);
    const kept = await summarize(apiHandler({ id: "claude-opus-4-8" }));
    expect(thoughts(kept.messages).length).toBe(1);
    expect(kept.newContextTokens).toBeGreaterThan(newContextTokens);
  });

  it("options and managers decide otherwise", async () => {
    const messages = history(6);
    const left = async (more, model) => {
      const { truncateConversationIfNeeded } = createSlidingWindow(recordingHost(more).host);
      return thoughts((await truncateConversationIfNeeded(usage(messages, apiHandler(model)))).messages).length;
    };
    expect(await left({ thinking: "keep" }, PRESERVED)).toBeGreaterThan(0);
    expect(await left({ thinking: "drop" }, { id: "gpt-5" })).toBe(3);
    expect(await left({ thinking: "drop" }, { id: "some-deployment" })).toBe(0);
    expect(await left({ manager: new CondensationManager({ thinking: "keep" }) }, PRESERVED)).toBeGreaterThan(0);
    expect(() => createSlidingWindow({ thinking: "never" })).toThrow(
      expect.objectContaining({ field: "host.thinking", message: expect.stringContaining("auto, keep, drop") }),
    );
    const { truncateConversation } = createSlidingWindow(recordingHost({ thinking: "drop" }).host);
    expect(thoughts(truncateConversation(messages, 0.5, "task"))).toEqual([]);
  });

  it.each(["lossless", "truncation", "smart"])("a manager with %s leaves only what stands before its first change", async (provider) => {
    const messages = history(8);
    const { summarizeConversation } = createCondense(recordingHost({ manager: new CondensationManager({ provider }) }).host);
    const { messages: condensed, error } = await summarizeConversation(messages, apiHandler(PRESERVED), "", "task", 50_000, false);
    expect(error).toBeUndefined();
    const change = firstChange(messages, condensed);
    expect(change).toBeDefined();
    expect(thoughts(condensed.slice(change[0] + 1))).toEqual([]);
  });
});

describe("2026", () => {
  it("a truncation hides the thinking behind it, and brings it back", async () => {
    const messages = history(6);
    const { manageContext } = createContextManagement(recordingHost().host);
    const { getEffectiveApiHistory, cleanupAfterTruncation } = createTaggedCondense(recordingHost().host);
    const { messages: tagged } = await manageContext(usage(messages, apiHandler(PRESERVED)));
    expect(thoughts(tagged)).toEqual(thoughts(messages));
    const sent = getEffectiveApiHistory(tagged);
    expect(sent.length).toBeLessThan(messages.length);
    expect(thoughts(sent)).toEqual([]);

    const newer = assistant([thinking("what came since"), text("Done.")], 99_000);
    expect(thoughts(getEffectiveApiHistory([...tagged, newer]))).toEqual([newer.content[0]]);

    const cleaned = cleanupAfterTruncation(tagged.filter(({ isTruncationMarker }) => !isTruncationMarker));
    expect(cleaned).toEqual(messages);

    const older = await manageContext(usage(messages, apiHandler({ id: "claude-sonnet-4-5" })));
    expect(older.messages.some(({ thinkingParent }) => thinkingParent)).toBe(false);
  });

  it("a second truncation that is taken back leaves what the first one hides", async () => {
    const messages = history(12);
    const { manageContext } = createContextManagement(recordingHost().host);
    const { getEffectiveApiHistory, cleanupAfterTruncation } = createTaggedCondense(recordingHost().host);
    const { messages: first } = await manageContext(usage(messages, apiHandler(PRESERVED)));
    const { messages: second, truncationId } = await manageContext(usage(first, apiHandler(PRESERVED)));
    expect(thoughts(getEffectiveApiHistory(second))).toEqual([]);
    const back = cleanupAfterTruncation(second.filter((message) => message.truncationId !== truncationId));
    expect(back).toEqual(first);
    expect(thoughts(getEffectiveApiHistory(back))).toEqual([]);
  });

  it("what a manager condensed is sent without it, and the copies carry no tags", async () => {
    const messages = history(8);
    const manager = new CondensationManager({ provider: "truncation" });
    const { manageContext } = createContextManagement(recordingHost({ manager }).host);
    const { getEffectiveApiHistory } = createTaggedCondense(recordingHost().host);
    const first = await manageContext(usage(messages, apiHandler(PRESERVED)));
    const due = usage(first.messages, apiHandler(PRESERVED), { autoCondenseContext: true, autoCondenseContextPercent: 50 });
    const { messages: tagged, error } = await manageContext(due);
    expect(error).toBeUndefined();
    expect(thoughts(getEffectiveApiHistory(tagged))).toEqual([]);
    expect(tagged.filter(({ condensedBy }) => condensedBy).some(({ thinkingParent }) => thinkingParent)).toBe(false);
  });
});

describe("the model that reads the conversation decides, whoever else is asked", () => {
  const cheap = callbackHandler({ ...handler(), getModel: () => ({ id: "gpt-5-mini", info: {} }) });
  const shortens = {
    condense: async ({ messages }) => ({
      messages: messages.map((message, index) => (index === 2 ? { ...message, content: [result("t0", "short")] } : message)),
      summary: "s",
      didCondense: true,
      cost: 0,
    }),
  };
  /** @type {[string, (model: object) => object, (model: object) => object][]} */
  const cases = [
    [
      "a profile with a handler of its own",
      () => ({ manager: new CondensationManager({ provider: "lossless", profiles: { d: { handler: cheap } } }) }),
      apiHandler,
    ],
    [
      "an apiHandler that cannot create messages",
      () => ({ manager: new CondensationManager({ provider: "lossless" }) }),
      (model) => ({ ...apiHandler(model), createMessage: undefined }),
    ],
    ["a manager of the host's own", () => ({ manager: shortens }), apiHandler],
    [
      "a condensing handler",
      () => ({ manager: new CondensationManager({ provider: "truncation" }), condensingHandler: cheap }),
      apiHandler,
    ],
  ];
  /** @type {[number, (host: object) => (options: object) => Promise<object[]>][]} */
  const generations = [
    [2025, (host) => async (options) => (await createSlidingWindow(host).truncateConversationIfNeeded(options)).messages],
    [
      2026,
      (host) => async (options) =>
        createTaggedCondense(host).getEffectiveApiHistory((await createContextManagement(host).manageContext(options)).messages),
    ],
  ];
  describe.each(cases)("%s", (_, more, api) => {
    it.each(generations)("%i", async (_, run) => {
      const left = async (model) => {
        const { host, told } = recordingHost(more(model));
        // The same line twice, so that lossless has something to do in the first result.
        const messages = history(8).map((message) => structuredClone(message));
        for (const at of [2, 4]) messages[at].content[0].content = "the same line that was read twice\n".repeat(60);
        const sent = await run(host)(
          usage(messages, api(model), {
            autoCondenseContext: true,
            autoCondenseContextPercent: 50,
            currentProfileId: "d",
            totalTokens: 11_000,
          }),
        );
        const change = firstChange(messages, sent);
        expect(change).toBeDefined();
        // Where a round went as a whole, another stands in its place, and its thinking is behind the change, too.
        const [first, ...rest] = sent.slice(change[0]);
        const behind = Array.isArray(first.content) ? first.content.slice(change[1]) : [];
        return {
          signed: thoughts([{ ...first, content: behind }, ...rest]).length,
          warnings: told.warnings.filter((warning) => /signed thinking/.test(warning)),
        };
      };
      expect(await left(PRESERVED)).toEqual({ signed: 0, warnings: [] });
      const older = await left({ id: "claude-sonnet-4-5" });
      expect(older.signed).toBeGreaterThan(0);
      expect(older.warnings).toEqual([]);
      const unknown = await left({ id: "some-deployment" });
      expect(unknown.warnings).toEqual([expect.stringMatching(new RegExp(`^${unknown.signed} blocks? of signed thinking`))]);
    });
  });

  it("of what a truncation of 2026 leaves behind it the host is told as in 2025", async () => {
    const { host, told } = recordingHost();
    await createContextManagement(host).manageContext(usage(history(6), apiHandler({ id: "some-deployment" })));
    expect(told.warnings.filter((warning) => /signed thinking/.test(warning))).toHaveLength(1);
  });
});

describe("old tool results", () => {
  it("thinking behind the first that is shortened goes for models that would refuse it", async () => {
    const messages = history(8);
    const sent = await compressOldToolResults(messages, { model: "claude-fable-5-1" });
    expect(thoughts(sent)).toEqual([messages[1].content[0]]);
    expect(await compressOldToolResults(messages, { model: "claude-fable-5-1" })).toEqual(sent);
    expect(restore({ messages: sent, restoreData: restoreDataOf(sent) })).toEqual(messages);
    expect(thoughts(await compressOldToolResults(messages)).length).toBe(8);
    expect(thoughts(await compressOldToolResults(messages, { thinking: "drop" }))).toHaveLength(1);
    await expect(compressOldToolResults(messages, { thinking: "no" })).rejects.toMatchObject({ field: "options.thinking" });
  });
});

describe("a message of nothing but thinking", () => {
  it("goes, unless two messages of one role would meet", () => {
    const before = [
      user("One."),
      assistant([text("Two.")]),
      user("Three."),
      assistant([thinking(3)]),
      user("Four."),
      assistant([thinking(4)]),
    ];
    const after = [before[0], assistant([text("2")]), ...before.slice(2)];
    const left = settled(before, after, ruleOf("drop"));
    expect(left.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(left[3].content).toEqual([text("[Message text suppressed]")]);
  });
});
