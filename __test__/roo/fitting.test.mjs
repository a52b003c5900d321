// The drop-in with a manager fits the window, whatever its size, or says why not.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CondensationManager, expand } from "../../index.js";
import { createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { assistant, brokenPairs, call, conversation, handler, recordingHost, result, text, user, windowOptions } from "./support.mjs";

const fixture = (name) => JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), "utf8"));

const SYSTEM = "You are careful.";
const RESERVED = 8192;
const WINDOWS = [8192, 16_384, 32_768, 65_536, 131_072, 200_000, 1_000_000];
/** The others take as long and find little that these do not find. */
const TELLING_WINDOWS = [8192, 32_768, 131_072];
const PROVIDERS = ["lossless", "truncation", "smart", "native"];

const answers = () =>
  handler([text("All that mattered."), { type: "usage", inputTokens: 100, outputTokens: 5, totalCost: 0.125 }], {
    contextWindow: 100_000,
  });

const blocksOf = ({ content }) => (Array.isArray(content) ? content : [text(content)]);
const countAll = (apiHandler, messages) => apiHandler.countTokens([text(SYSTEM), ...messages.flatMap(blocksOf)]);

/** The options of a window in which the API has reported all but the newest message. */
async function usageOf(messages, apiHandler, more) {
  const totalTokens = await countAll(apiHandler, messages.slice(0, -1));
  return windowOptions(messages, apiHandler, { totalTokens, systemPrompt: SYSTEM, autoCondenseContextPercent: 100, ...more });
}

const generations = {
  2025: {
    history: () => fixture("roo-xml-2025.json"),
    manage: (host, options) => createSlidingWindow(host).truncateConversationIfNeeded(options),
    effective: (messages) => messages,
  },
  2026: {
    history: () => fixture("roo-native-2026.json"),
    manage: (host, options) => createContextManagement(host).manageContext(options),
    effective: (messages) => createTaggedCondense().getEffectiveApiHistory(messages),
  },
};

/** A conversation three times as long, with ids of its own. */
const threefold = (messages) =>
  [0, 1, 2].flatMap((turn) =>
    messages.map((message, index) => ({
      ...message,
      ts: 1000 * (turn * messages.length + index + 1),
      content: Array.isArray(message.content)
        ? message.content.map((block) => ({
            ...block,
            ...(block.id && { id: `${block.id}-${turn}` }),
            ...(block.tool_use_id && { tool_use_id: `${block.tool_use_id}-${turn}` }),
          }))
        : message.content,
    })),
  );

describe.each(Object.entries(generations))("%s", (_, { history, manage, effective }) => {
  describe.each(PROVIDERS)("the %s provider", (provider) => {
    const inWindow = async (contextWindow) => {
      const messages = threefold(history());
      const apiHandler = answers();
      const manager = new CondensationManager({ provider });
      const options = await usageOf(messages, apiHandler, { contextWindow, maxTokens: -1 });
      const response = await manage(recordingHost({ manager }).host, options);
      const left = effective(response.messages);
      const allowed = contextWindow * 0.9 - RESERVED;
      const tokens = await countAll(apiHandler, left);
      if (tokens > allowed) expect(response.error).toMatch(allowed > 0 ? /does not fit/ : /leaves no room/);
      else expect(response).not.toHaveProperty("error");
      expect(left.at(-1).content).toEqual(messages.at(-1).content);
      expect(brokenPairs(messages)).toEqual(expect.arrayContaining(brokenPairs(left)));
      expect(structuredClone(response)).toEqual(response);
    };
    test.each(TELLING_WINDOWS)("in a window of %i tokens", inWindow);
    test.each(WINDOWS.filter((size) => !TELLING_WINDOWS.includes(size)))("in a window of %i tokens", { tags: ["long"] }, inWindow);
  });

  test("what a manager gains too little of is truncated in the same call, and fits", async () => {
    const messages = conversation(40, 4000);
    const apiHandler = answers();
    const manager = {
      condense: async (context) => ({ messages: context.messages.filter((_, index) => index !== 1), didCondense: true, cost: 0.5 }),
    };
    const { host, told } = recordingHost({ manager });
    const options = await usageOf(messages, apiHandler, { contextWindow: 30_000 });
    const response = await manage(host, options);
    const left = effective(response.messages);
    const tokens = await countAll(apiHandler, left);
    expect(tokens).toBeLessThanOrEqual(30_000 * 0.9 - RESERVED);
    expect(response).toMatchObject({ cost: 0.5, summary: expect.stringMatching(/^Condensed/), newContextTokens: tokens });
    expect(response).not.toHaveProperty("error");
    expect(told.truncated).toEqual([["task"]]);
  });

  test.each(PROVIDERS)("where the host counts more than the manager, one call gets as far as two: %s", async (provider) => {
    const frames = (blocks) => blocks.filter(({ type }) => type === "tool_use" || type === "tool_result").length;
    const counting = answers();
    const apiHandler = { ...counting, countTokens: async (blocks) => (await counting.countTokens(blocks)) + 60 * frames(blocks) };
    const { host } = recordingHost({ manager: new CondensationManager({ provider, guard: false }) });
    const contextWindow = 64_000;
    const allowed = 0.2 * contextWindow;
    const turn = async (messages) => {
      const options = { contextWindow, maxTokens: 4096, autoCondenseContextPercent: 20 };
      const { messages: left } = await manage(host, await usageOf(messages, apiHandler, options));
      return { left, tokens: await countAll(apiHandler, effective(left)) };
    };
    const first = await turn(threefold(history()));
    expect(first.tokens).toBeLessThan(64_000 * 0.9 - 4096);
    if (first.tokens > allowed) expect((await turn(first.left)).tokens).toBeGreaterThan(allowed);
  });

  test("what fails is truncated until it fits, with its error", async () => {
    const messages = conversation(60, 4000);
    const apiHandler = answers();
    const manager = { condense: async (context) => ({ messages: context.messages, didCondense: false }) };
    const response = await manage(
      recordingHost({ manager }).host,
      await usageOf(messages, apiHandler, { contextWindow: 30_000, maxTokens: 4096 }),
    );
    expect(response.error).toBe("common:errors.condense_context_grew");
    expect(await countAll(apiHandler, effective(response.messages))).toBeLessThanOrEqual(30_000 * 0.9 - 4096);
  });

  /** A task whose newest message is a result larger than the window. */
  const withHugeResult = () => [
    user("task", 1),
    assistant([call("a", "mcp_git_diff")], 2),
    user([result("a", Array.from({ length: 40_000 }, (_, line) => `line ${line} of a diff`).join("\n"))], 3),
  ];

  /** What is left of messages that do not fit a window of 128,000 tokens: the turn says no error, and it fits. */
  const fitted = async (messages, provider) => {
    const apiHandler = answers();
    const { host } = recordingHost({ manager: new CondensationManager({ provider }) });
    const response = await manage(host, await usageOf(messages, apiHandler, { contextWindow: 128_000 }));
    expect(response).not.toHaveProperty("error");
    const left = effective(response.messages);
    expect(await countAll(apiHandler, left)).toBeLessThanOrEqual(128_000 * 0.9 - RESERVED);
    return left;
  };

  test.each(PROVIDERS)("a result larger than the window does not leave the task stuck: %s", async (provider) => {
    const left = await fitted(withHugeResult(), provider);
    expect(left.map(({ content }) => content[0].tool_use_id ?? content[0].id ?? content)).toEqual(["task", "a", "a"]);
    expect(left.at(-1).content[0].content).toMatch(/line \d+ of a diff/);
  });

  test.each(PROVIDERS)("nor do all older messages go for it: %s", async (provider) => {
    const lines = (count, word) => Array.from({ length: count }, (_, line) => `${word} ${line} of a diff`).join("\n");
    const rounds = Array.from({ length: 8 }, (_, round) => [
      assistant([call(`r${round}`, "read_file", { path: `src/a${round}.ts` })], 10 + 2 * round),
      user([result(`r${round}`, lines(40, `const a${round}`))], 11 + 2 * round),
    ]);
    const messages = [
      user("Build the import.", 1),
      assistant("How are fields separated?", 2),
      user("By semicolons. Never push to main.", 3),
      assistant([call("t", "update_todo_list", { todos: "[x] Write parser\n[ ] Add tests for quotes" })], 4),
      user([result("t", "Todo list updated.")], 5),
      ...rounds.flat(),
      assistant([call("huge", "mcp_git_diff")], 40),
      user([result("huge", lines(40_000, "line"))], 41),
    ];
    const told = JSON.stringify(await fitted(messages, provider));
    for (const words of ["By semicolons. Never push to main.", "Add tests for quotes", "const a7 39 of a diff"])
      expect(told).toContain(words);
  });

  test.each(PROVIDERS)("what is protected in the newest message parts no call from its result: %s", async (provider) => {
    const lines = (count, word) => Array.from({ length: count }, (_, line) => `${word} ${line} of a file`).join("\n");
    const messages = [
      user("task", 1),
      assistant("How?", 2),
      user("By hand.", 3),
      assistant([call("a", "read_file", { path: "a.ts" }), call("b", "read_file", { path: "b.ts" })], 4),
      user([result("a", `RULE\n${lines(2000, "first")}`), result("b", lines(60, "second"))], 5),
    ];
    const apiHandler = answers();
    const { host } = recordingHost({ manager: new CondensationManager({ provider }), protect: { text: ["RULE"] } });
    const response = await manage(host, await usageOf(messages, apiHandler, { contextWindow: 16_000 }));
    expect(response.error).toContain("still does not fit");
    expect(brokenPairs(effective(response.messages))).toEqual([]);
    expect(JSON.stringify(effective(response.messages))).toContain("first 1999 of a file");
  });

  test.each(PROVIDERS)(
    "newest messages that do not fit as they are cost nothing that is protected, and no pointer its place: %s",
    async (provider) => {
      const file = (word) =>
        Array.from({ length: 110 }, (_, line) => `${word} statement ${line} sets value ${(line * 7919) % 1013}`).join("\n");
      const messages = [
        user("task", 1),
        assistant("How?", 2),
        user("PIN: never push to main.", 3),
        assistant([call("a", "read_file", { path: "a.ts" })], 4),
        user([result("a", file("alpha"))], 5),
        ...[0, 1, 2].flatMap((round) => [
          assistant([call(`n${round}`, "read_file", { path: `${round}.ts` })], 6 + 2 * round),
          user([result(`n${round}`, file(`file ${round}`))], 7 + 2 * round),
        ]),
      ];
      const apiHandler = answers();
      const { host } = recordingHost({ manager: new CondensationManager({ provider }), protect: { text: ["PIN:"] } });
      const response = await manage(host, await usageOf(messages, apiHandler, { contextWindow: 12_000 }));
      expect(response).not.toHaveProperty("error");
      const left = effective(response.messages);
      expect(left.some(({ isTruncationMarker }) => isTruncationMarker)).toBe(false);
      expect(JSON.stringify(left)).toContain("PIN: never push to main.");
      expect(expand(left).unresolved).toEqual([]);
      expect(await countAll(apiHandler, left)).toBeLessThanOrEqual(12_000 * 0.9 - RESERVED);
    },
  );

  test.each(PROVIDERS)("with automatic condensing off the window fits, too: %s", async (provider) => {
    const messages = threefold(history());
    const apiHandler = answers();
    const { host } = recordingHost({ manager: new CondensationManager({ provider }) });
    const contextWindow = 16_384;
    const usage = await usageOf(messages, apiHandler, { contextWindow, autoCondenseContext: false });
    const response = await manage(host, usage);
    const left = await countAll(apiHandler, effective(response.messages));
    if (!response.error) expect(left).toBeLessThanOrEqual(contextWindow * 0.9 - RESERVED);
    else expect(response.error).toContain("still does not fit");
  });

  // The window asks the manager more than once, each time about what the call before left.
  test.each(PROVIDERS.flatMap((provider) => ["indices", "a function", "the manager's own"].map((by) => ({ provider, by }))))(
    "messages that are protected stay the same ones: $provider, $by",
    async ({ provider, by }) => {
      const messages = conversation(60, 3000);
      const pinned = [5, 18, 31, 44];
      const chosen = new Set(pinned.map((index) => messages[index]));
      const rules = {
        indices: { messages: pinned },
        "a function": { messages: (message) => chosen.has(message) },
        "the manager's own": { text: pinned.map((index) => blocksOf(messages[index])[0].text).filter(Boolean) },
      }[by];
      const apiHandler = answers();
      for (const contextWindow of [24_000, 34_000, 60_000]) {
        for (const autoCondenseContext of [true, false]) {
          const isOwn = by === "the manager's own";
          const manager = new CondensationManager({ provider, ...(isOwn && { protect: rules }) });
          const { host } = recordingHost({ manager, ...(!isOwn && { protect: rules }) });
          const response = await manage(host, await usageOf(messages, apiHandler, { contextWindow, autoCondenseContext }));
          const left = effective(response.messages)
            .flatMap(blocksOf)
            .map((block) => JSON.stringify(block));
          const kept = pinned.flatMap((index) => blocksOf(messages[index])).filter((block) => !isOwn || block.type === "text");
          for (const block of kept) expect(left).toContain(JSON.stringify(block));
        }
      }
    },
  );

  // What the window drops by its own rule, it drops without regard to what is protected.
  const protectedStays = async ({ provider, why }) => {
    const lines = (word, count) => Array.from({ length: count }, (_, line) => `${word} line ${line}, ${(line * 7919) % 1009}`).join("\n");
    const pins = Array.from({ length: 10 }, (_, index) => [
      assistant(`PIN: I do not ${lines(`touch ${index}`, 8)}`, 2 * index + 2),
      user(`PIN: never ${lines(`push ${index}`, 8)}`, 2 * index + 3),
    ]).flat();
    for (const after of [1, 2, 5]) {
      const messages = [
        user("task", 1),
        ...pins,
        assistant([call("big", "execute_command", { command: "cat log" })], 30),
        user([result("big", lines("log", 4000))], 31),
        ...Array.from({ length: after }, (_, round) => [assistant("ok", 32 + 2 * round), user("go on", 33 + 2 * round)]).flat(),
      ];
      const apiHandler = why === "a model that fails" ? handler(() => Promise.reject(new Error("no"))) : answers();
      const manager = new CondensationManager({ provider, ...(why === "no other provider" && { fallback: false }) });
      const { host } = recordingHost({
        manager,
        protect: { text: ["PIN:"] },
        ...(why === "held back by the guard" && { guard: { attempts: 1 } }),
      });
      const more = { contextWindow: 32_000, autoCondenseContext: why !== "automatic condensing off" };
      const own =
        manage === generations[2025].manage
          ? createSlidingWindow(host).truncateConversationIfNeeded
          : createContextManagement(host).manageContext;
      let given = messages;
      for (let turn = 0; turn < 3; turn++) {
        const response = await own(await usageOf(given, apiHandler, more));
        expect(response.error).toBeUndefined();
        const left = effective(response.messages);
        for (const { content } of pins) expect(left.filter((message) => message.content === content).length).toBe(1);
        expect(await countAll(apiHandler, left)).toBeLessThanOrEqual(32_000 * 0.9 - RESERVED);
        given = [
          ...response.messages,
          assistant([call(`n${turn}`)], 90 + turn),
          user([result(`n${turn}`, lines("more", 2000))], 95 + turn),
        ];
      }
    }
  };
  const reasons = ["a model that fails", "automatic condensing off", "held back by the guard", "no other provider"];
  const withReasons = (...providers) => providers.flatMap((provider) => reasons.map((why) => ({ provider, why })));
  test.each(withReasons("truncation", "smart"))("what is protected stays: $provider, $why", protectedStays);
  test.each(withReasons("lossless", "native"))("what is protected stays: $provider, $why", { tags: ["long"] }, protectedStays);

  test("what nobody can shorten: it is said why it does not fit", async () => {
    const messages = withHugeResult();
    const apiHandler = answers();
    const manager = { condense: async (context) => ({ messages: context.messages, didCondense: false }) };
    const response = await manage(recordingHost({ manager }).host, await usageOf(messages, apiHandler, { contextWindow: 128_000 }));
    expect(response.messages).toBe(messages);
    expect(response.error).toMatch(/about \d+ tokens are left, and a window of 128000 allows 107008 .* larger context window/);
  });

  test("what the guard holds back is truncated until it fits", async () => {
    const messages = conversation(60, 4000);
    const apiHandler = answers();
    const manager = { condense: async (context) => ({ messages: context.messages, didCondense: false }) };
    const { host } = recordingHost({ manager, guard: { attempts: 1 } });
    const options = await usageOf(messages, apiHandler, { contextWindow: 30_000, maxTokens: 4096 });
    const own =
      manage === generations[2025].manage
        ? createSlidingWindow(host).truncateConversationIfNeeded
        : createContextManagement(host).manageContext;
    await own(options);
    const response = await own(options);
    expect(response.error).toBe("common:errors.condensed_recently");
    expect(await countAll(apiHandler, effective(response.messages))).toBeLessThanOrEqual(30_000 * 0.9 - 4096);
  });

  test("what the host starts during a call of the window is no part of it when it is over", async () => {
    const asked = [];
    const manager = {
      condense: async (context, options) => {
        asked.push(options.targetTokens);
        return { messages: context.messages.slice(-2), didCondense: true };
      },
    };
    const messages = conversation(40, 4000);
    const apiHandler = answers();
    let over;
    const later = new Promise((resolve) => (over = resolve));
    let byHand;
    const tagged = createTaggedCondense(recordingHost({ manager }).host);
    const starting = {
      condense: (context, options) => {
        byHand = later.then(() => tagged.summarizeConversation({ messages, apiHandler, systemPrompt: SYSTEM, taskId: "task" }));
        return manager.condense(context, options);
      },
    };
    await manage(recordingHost({ manager: starting }).host, await usageOf(messages, apiHandler, { contextWindow: 50_000 }));
    over();
    await byHand;
    expect(asked).toEqual([expect.any(Number), undefined]);
  });

  test("the manager is told the target that the host's arithmetic allows, and the profile", async () => {
    const asked = [];
    const manager = {
      condense: async (context, options) => {
        asked.push({ context, options });
        return { messages: context.messages.slice(-2), didCondense: true, summary: "s" };
      },
    };
    const messages = conversation(40, 4000);
    const apiHandler = answers();
    const more = { contextWindow: 50_000, currentProfileId: "cheap" };
    await manage(recordingHost({ manager }).host, await usageOf(messages, apiHandler, more));
    await manage(recordingHost({ manager }).host, await usageOf(messages, apiHandler, { ...more, autoCondenseContextPercent: 20 }));
    expect(asked.map(({ context }) => [context.profileId, context.contextWindow])).toEqual([
      ["cheap", 50_000],
      ["cheap", 50_000],
    ]);
    const [byWindow, byThreshold] = asked.map(({ options }) => options.targetTokens);
    expect(byWindow).toBeGreaterThan(0.9 * (45_000 - RESERVED));
    expect(byWindow).toBeLessThanOrEqual(45_000 - RESERVED);
    expect(byThreshold).toBeGreaterThan(0.9 * 10_000);
    expect(byThreshold).toBeLessThan(10_000);
  });

  test("after a condensation nothing is due any more", async () => {
    const messages = threefold(history());
    const apiHandler = answers();
    const { host } = recordingHost({ manager: new CondensationManager({ provider: "truncation" }) });
    const more = { contextWindow: 200_000, autoCondenseContextPercent: 30 };
    const response = await manage(host, await usageOf(messages, apiHandler, more));
    expect(response).not.toHaveProperty("error");
    expect(await countAll(apiHandler, effective(response.messages))).toBeLessThan(60_000);
  });

  test("the host's module may stand between the window and condensing", async () => {
    const messages = conversation(40, 4000);
    const apiHandler = answers();
    const manager = {
      condense: async (context) => ({ messages: context.messages.filter((_, index) => index !== 1), didCondense: true }),
    };
    const { host } = recordingHost();
    const { createCondense } = await import("../../js/roo/index.js");
    const own = manage === generations[2025].manage ? createCondense({ ...host, manager }) : createTaggedCondense({ ...host, manager });
    const summarizeConversation = async (...parameters) => own.summarizeConversation(...parameters);
    const response = await manage({ ...host, summarizeConversation }, await usageOf(messages, apiHandler, { contextWindow: 30_000 }));
    expect(await countAll(apiHandler, effective(response.messages))).toBeLessThanOrEqual(30_000 * 0.9 - RESERVED);
  });
});

test("2026: rewinding to before a condensation that was truncated gives back what was there; showing what it hid gives back the condensation", async () => {
  const messages = conversation(40, 4000);
  const apiHandler = answers();
  const manager = { condense: async (context) => ({ messages: context.messages.filter((_, index) => index !== 1), didCondense: true }) };
  const { host } = recordingHost({ manager });
  const { cleanupAfterTruncation, getEffectiveApiHistory } = createTaggedCondense(host);
  const response = await createContextManagement(host).manageContext(await usageOf(messages, apiHandler, { contextWindow: 30_000 }));
  expect(response.messagesRemoved).toBeGreaterThan(0);
  expect(response.newContextTokensAfterTruncation).toBe(response.newContextTokens);
  const rewound = cleanupAfterTruncation(response.messages.filter(({ ts }) => ts <= messages.at(-1).ts));
  expect(rewound).toEqual(messages);
  const shown = cleanupAfterTruncation(response.messages.filter(({ truncationId }) => truncationId !== response.truncationId));
  expect(getEffectiveApiHistory(shown)).toHaveLength(39);
  const undone = cleanupAfterTruncation(response.messages.filter(({ condenseId }) => condenseId !== response.condenseId));
  expect(undone).toEqual(messages);
});
