// What callers of Roo-Code's modules rely on and no recorded call shows: identity, arguments of the host's functions, prompts.

import { describe, expect, test, vi } from "vitest";
import { countTokens, createCondense, createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { assistant, call, conversation, handler, recordingHost, text, user, windowOptions } from "./support.mjs";

describe("identity", () => {
  const { host } = recordingHost();

  test("2025: unchanged is the same array, kept messages are the same objects", async () => {
    const window = createSlidingWindow(host);
    const messages = conversation(9);
    expect((await window.truncateConversationIfNeeded(windowOptions(messages, handler(), { totalTokens: 10 }))).messages).toBe(messages);
    const truncated = window.truncateConversation(messages, 0.5, "task");
    expect(truncated.map((message) => messages.indexOf(message))).toEqual([0, 5, 6, 7, 8]);
    const { messages: condensed } = await window.truncateConversationIfNeeded(windowOptions(messages, handler()));
    expect(condensed.map((message) => messages.indexOf(message))).toEqual([0, -1, 6, 7, 8]);
  });

  test("2026: unchanged is the same array, what gets no tag is the same object", async () => {
    const { manageContext, truncateConversation } = createContextManagement(host);
    const condense = createTaggedCondense(host);
    const messages = conversation(9);
    expect((await manageContext(windowOptions(messages, handler(), { totalTokens: 10 }))).messages).toBe(messages);
    for (const unchanged of [
      condense.getMessagesSinceLastSummary,
      condense.getEffectiveApiHistory,
      condense.cleanupAfterTruncation,
      condense.injectSyntheticToolResults,
    ]) {
      expect(unchanged(messages)).toBe(messages);
    }
    expect(truncateConversation(messages, 0, "task").messages).toBe(messages);
    expect(truncateConversation(messages, 0.5, "task").messages.map((message) => messages.indexOf(message))).toEqual([
      0, -1, -1, -1, -1, -1, 5, 6, 7, 8,
    ]);
    const text1 = [text("a")];
    expect(condense.convertToolBlocksToText(text1)).toBe(text1);
    expect(condense.convertToolBlocksToText("a")).toBe("a");
  });

  test("a result that lost a block at the start of the history is not taken for unchanged", () => {
    const { getEffectiveApiHistory } = createTaggedCondense(host);
    const summary = user([text("## Conversation Summary"), { type: "tool_result", tool_use_id: "gone" }], 1, { isSummary: true });
    expect(getEffectiveApiHistory([summary])[0].content).toEqual([text("## Conversation Summary")]);
  });
});

describe("what the host is asked", () => {
  test("2025: the window calls the host's summarizeConversation with Roo's eight arguments", async () => {
    const summarizeConversation = vi.fn(async (messages) => ({
      messages: messages.slice(0, 1),
      summary: "s",
      cost: 0.5,
      newContextTokens: 7,
    }));
    const { host } = recordingHost({ summarizeConversation });
    const messages = conversation(8);
    const apiHandler = handler();
    const response = await createSlidingWindow(host).truncateConversationIfNeeded(
      windowOptions(messages, apiHandler, { customCondensingPrompt: "p" }),
    );
    expect(summarizeConversation.mock.calls).toEqual([[messages, apiHandler, "You are careful.", "task", 90_050, true, "p", undefined]]);
    expect(response).toEqual({ messages: messages.slice(0, 1), summary: "s", cost: 0.5, newContextTokens: 7, prevContextTokens: 90_050 });
  });

  test("2026: the window calls it with Roo's object", async () => {
    const summarizeConversation = vi.fn(async ({ messages }) => ({ messages, summary: "", cost: 0.5, error: "no", errorDetails: "why" }));
    const { host, told } = recordingHost({ summarizeConversation });
    const messages = conversation(8);
    const apiHandler = handler();
    const more = {
      metadata: { taskId: "task" },
      environmentDetails: "env",
      filesReadByRoo: ["a.ts"],
      cwd: "/home",
      rooIgnoreController: {},
      customCondensingPrompt: "p",
    };
    const response = await createContextManagement(host).manageContext(windowOptions(messages, apiHandler, more));
    expect(summarizeConversation.mock.calls).toEqual([
      [{ messages, apiHandler, systemPrompt: "You are careful.", taskId: "task", isAutomaticTrigger: true, ...more }],
    ]);
    expect(response).toMatchObject({ error: "no", errorDetails: "why", cost: 0.5, messagesRemoved: 2 });
    expect(told.truncated).toEqual([["task"]]);
  });

  test("createMessage gets two arguments in 2025, three in 2026; the prompts are the package's own unless the host has others", async () => {
    const requests = async (prompts) => {
      const [old, recent] = [handler(), handler()];
      const { host } = recordingHost({ prompts });
      await createCondense(host).summarizeConversation(conversation(8), old, "system", "task", 10_000);
      await createTaggedCondense(host).summarizeConversation({
        messages: conversation(6),
        apiHandler: recent,
        systemPrompt: "system",
        taskId: "task",
      });
      return [old.requests[0], recent.requests[0]];
    };
    const [[...old], [...recent]] = await requests();
    expect([old.length, recent.length]).toEqual([2, 3]);
    expect(old[0]).toMatch(/Goal[\s\S]*Next/);
    expect(recent[0]).toMatch(/call no tool/);
    expect(recent[1].at(-1).content).toMatch(/Goal[\s\S]*Next/);
    const [[oldPrompt], [recentPrompt, messages]] = await requests({ summary: "S", condense: "C" });
    expect([oldPrompt, recentPrompt, messages.at(-1).content]).toEqual(["S", "S", "C"]);
  });

  test("2026: folded files come in blocks of their own, and their failure is no failure of the summary", async () => {
    const foldFiles = vi.fn(async () => ["## a.ts", " ", "## b.ts"]);
    const ask = (host) =>
      createTaggedCondense(host).summarizeConversation({
        messages: conversation(6),
        apiHandler: handler(),
        systemPrompt: "s",
        taskId: "t",
        filesReadByRoo: ["a.ts", "b.ts"],
        cwd: "/home",
        rooIgnoreController: "r",
      });
    const folded = await ask(recordingHost({ foldFiles }).host);
    expect(foldFiles.mock.calls).toEqual([[["a.ts", "b.ts"], { cwd: "/home", rooIgnoreController: "r" }]]);
    expect(folded.messages.at(-1).content.map((block) => block.text)).toEqual([
      "## Conversation Summary\na short summary",
      "## a.ts",
      "## b.ts",
    ]);
    const { host, told } = recordingHost({
      foldFiles: async () => {
        throw new Error("no such file");
      },
    });
    expect((await ask(host)).messages.at(-1).content).toHaveLength(1);
    expect(told.errors).toHaveLength(1);
  });

  test("images become text for a model that cannot see them, also when the host has no way of its own", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const blind = handler(undefined, { supportsImages: false });
    const messages = [
      user([text("look"), image], 1),
      assistant([call("a")], 2),
      user([{ type: "tool_result", tool_use_id: "a", content: [image] }], 3),
    ];
    await createTaggedCondense(recordingHost().host).summarizeConversation({ messages, apiHandler: blind, systemPrompt: "s", taskId: "t" });
    const [, sent] = blind.requests[0];
    expect(sent[0].content).toEqual([text("look"), text("[Referenced image in conversation]")]);
    expect(sent[2].content).toEqual([text("[Tool Result]\n[Image]")]);
  });

  test("warnings go to the console of the moment when the host takes none", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    try {
      await createSlidingWindow().truncateConversationIfNeeded(
        windowOptions(conversation(3), handler(), { totalTokens: 10, profileThresholds: { default: 101 } }),
      );
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/threshold 101 of profile "default" is not used/)]]);
    } finally {
      warn.mockRestore();
    }
  });
});

describe("counting", () => {
  test("wrong arguments are refused", async () => {
    await expect(countTokens("text")).rejects.toMatchObject({ name: "TypeError", code: "invalid_argument" });
    await expect(countTokens([], { toolBlocks: 1 })).rejects.toMatchObject({ code: "invalid_argument" });
    await expect(countTokens([], null)).rejects.toMatchObject({ code: "invalid_argument" });
  });

  test("the scale is applied once per call", async () => {
    expect(await countTokens([text("a")])).toBe(2);
    expect(await countTokens([text("a"), text("a")])).toBe(3);
  });

  test("tool blocks count as text, or nothing", async () => {
    const blocks = [call("a"), { type: "tool_result", tool_use_id: "a", is_error: true, content: [text("x"), { type: "image" }] }];
    expect(await countTokens(blocks, { toolBlocks: false })).toBe(0);
    expect(await countTokens(blocks)).toBe(
      await countTokens([text('Tool: read_file\nArguments: {"path":"a.ts"}'), text("Tool Result (a)\n[Error]\nx\n[Image content]")]),
    );
  });

  test("blocks that lack their content count nothing", async () => {
    expect(await countTokens([{ type: "text" }, { type: "thinking", thinking: "long" }, null])).toBe(0);
  });
});
