// The known faults of Roo-Code's modules: each is there without `fixes`, and mended with it.

import { describe, expect, test } from "vitest";
import { createNativeProvider } from "../../index.js";
import { createCondense, createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { assistant, brokenPairs, call, conversation, handler, recordingHost, result, text, user, windowOptions } from "./support.mjs";

const both = [
  ["without fixes", false],
  ["with fixes", true],
];
const tagged = (fixes) => createTaggedCondense(recordingHost({ fixes }).host);
const management = (fixes) => createContextManagement(recordingHost({ fixes }).host);

describe.each(both)("truncating after a condensation, %s", (_, fixes) => {
  const { getEffectiveApiHistory } = tagged(fixes);
  // Twelve messages that a summary stands for, and six after it.
  const condensed = [
    ...conversation(12).map((message) => ({ ...message, condenseParent: "s1" })),
    user([text("## Conversation Summary\nwork")], 12_001, { isSummary: true, condenseId: "s1" }),
    ...conversation(6).map((message, index) => ({ ...message, role: index % 2 ? "user" : "assistant", ts: 13_000 + index })),
  ];

  test(fixes ? "hides messages that were visible" : "hides what was hidden already", () => {
    const before = getEffectiveApiHistory(condensed);
    const truncated = management(fixes).truncateConversation(condensed, 0.5, "task");
    const after = getEffectiveApiHistory(truncated.messages).filter((message) => !message.isTruncationMarker);
    expect(before.length - after.length).toBe(fixes ? truncated.messagesRemoved : 0);
    expect(truncated.messagesRemoved).toBe(fixes ? 2 : 8);
    if (fixes) expect(after[0].isSummary).toBe(true);
  });

  test("the marker stands where the first visible message begins", async () => {
    const options = windowOptions(condensed, handler(), { autoCondenseContext: false });
    const { messages, newContextTokensAfterTruncation } = await management(fixes).manageContext(options);
    const counted = getEffectiveApiHistory(messages).filter((message) => !message.isTruncationMarker).length;
    // Counted by the system prompt and the messages that are sent; without the fixes those behind the summary count as well.
    expect(newContextTokensAfterTruncation > 50 * (counted + 2)).toBe(!fixes);
  });
});

describe.each(both)("two user messages in a row, %s", (_, fixes) => {
  const messages = [
    user("task", 1),
    assistant([call("a")], 2),
    user([result("a")], 3),
    user("one more thing", 4),
    assistant([call("b")], 5),
    user([result("b")], 6),
    assistant("done", 7),
  ];

  test(fixes ? "no window parts a call from its result" : "the window parts a call from its result", () => {
    const { getEffectiveApiHistory } = tagged(fixes);
    const hidden = getEffectiveApiHistory(management(fixes).truncateConversation(messages, 0.7, "task").messages);
    expect(brokenPairs(hidden)).toEqual(fixes ? [] : ["b"]);
    const removed = createSlidingWindow(recordingHost({ fixes }).host).truncateConversation(messages, 0.7, "task");
    expect(brokenPairs(removed)).toEqual(fixes ? [] : ["b"]);
    expect(removed.at(-1)).toBe(messages.at(-1));
  });
});

test("a window that would part every pair hides nothing when the fixes are on", () => {
  const messages = [user("task", 1), assistant([call("a")], 2), user("wait", 3), user([result("a")], 4)];
  expect(createSlidingWindow(recordingHost({ fixes: true }).host).truncateConversation(messages, 0.7, "task")).toBe(messages);
  expect(brokenPairs(createSlidingWindow(recordingHost().host).truncateConversation(messages, 0.7, "task"))).toEqual(["a"]);
});

describe.each(both)("a summary larger than the history, %s", (_, fixes) => {
  test(fixes ? "is refused, with what it cost" : "is accepted", async () => {
    const messages = conversation(6, 20);
    const apiHandler = handler([text("long ".repeat(500)), { type: "usage", inputTokens: 1, outputTokens: 600, totalCost: 0.5 }]);
    const response = await tagged(fixes).summarizeConversation({
      messages,
      apiHandler,
      systemPrompt: "system",
      taskId: "task",
      isAutomaticTrigger: false,
    });
    expect(response.cost).toBe(0.5);
    if (fixes) {
      expect(response.messages).toBe(messages);
      expect(response.error).toBe("common:errors.condense_context_grew");
    } else {
      expect(response).not.toHaveProperty("error");
      expect(response.newContextTokens).toBeGreaterThan(6 * 5);
    }
  });
});

describe.each(both)("an error chunk in the stream, %s", (_, fixes) => {
  const chunks = [
    text("half a summ"),
    { type: "usage", inputTokens: 1, outputTokens: 3, totalCost: 0.125 },
    { type: "error", error: "overloaded", message: "The model is overloaded" },
  ];

  test(`2026: ${fixes ? "is the failure of the request" : "is swallowed"}`, async () => {
    const messages = conversation(6);
    const response = await tagged(fixes).summarizeConversation({
      messages,
      apiHandler: handler(chunks),
      systemPrompt: "system",
      taskId: "task",
      isAutomaticTrigger: true,
    });
    expect(response.cost).toBe(0.125);
    expect(response.summary).toBe(fixes ? "" : "half a summ");
    if (!fixes) return;
    expect(response.messages).toBe(messages);
    expect(response.error).toBe("common:errors.condense_api_failed The model is overloaded");
    expect(response.errorDetails).toContain("The model is overloaded");
  });

  test(`2025: ${fixes ? "is a failure, with what it cost" : "is swallowed"}`, async () => {
    const { host, told } = recordingHost({ fixes });
    const messages = conversation(8);
    const response = await createCondense(host).summarizeConversation(messages, handler(chunks), "system", "task", 10_000, true);
    expect(response.cost).toBe(0.125);
    expect(response.summary).toBe(fixes ? "" : "half a summ");
    expect(response.messages === messages).toBe(fixes);
    expect(told.errors).toEqual(fixes ? ["Condensing failed: The model is overloaded"] : []);
  });
});

describe.each(both)("2025 in a tool loop, %s", (_, fixes) => {
  const rounds = (from, to) =>
    Array.from({ length: to - from }, (_, offset) => {
      const [id, ts] = [`call-${from + offset}`, 10 * (from + offset)];
      return [assistant([call(id)], ts + 1), user([result(id, "1 | const a = 1\n".repeat(50))], ts + 2)];
    }).flat();
  const roles = (messages) => messages.map(({ role }) => role);
  const condenseOnce = (messages, apiHandler = handler()) =>
    createCondense(recordingHost({ fixes, guard: false }).host).summarizeConversation(messages, apiHandler, "system", "task", 100_000);
  const { getMessagesSinceLastSummary } = createCondense();

  test(fixes ? "a message of the user stands between the summary and a kept call" : "a result is kept whose call went", async () => {
    const { messages, error } = await condenseOnce([user("task", 0), ...rounds(0, 6)]);
    expect(error).toBeUndefined();
    expect(roles(messages)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(brokenPairs(messages)).toEqual(fixes ? [] : ["call-4"]);
    expect(messages[1].isSummary).toBe(true);
    if (fixes) expect(messages[2]).toEqual({ role: "user", content: expect.stringContaining("summary above"), ts: messages[3].ts });
  });

  if (!fixes) return;

  test("the message counts", async () => {
    const { messages, newContextTokens } = await condenseOnce([user("task", 0), ...rounds(0, 6)]);
    const counted = [text("system"), ...messages.slice(2).flatMap(({ content }) => (Array.isArray(content) ? content : [text(content)]))];
    expect(newContextTokens).toBe(4 + (await handler().countTokens(counted)));
  });

  test("the next condensation reads it, and leaves one", async () => {
    const first = await condenseOnce([user("task", 0), ...rounds(0, 6)]);
    const longer = [...first.messages, ...rounds(6, 10)];
    const since = getMessagesSinceLastSummary(longer);
    expect(since).toEqual(longer);
    const apiHandler = handler();
    const next = await condenseOnce(longer, apiHandler);
    expect(roles(apiHandler.requests[0][1]).join(" ")).not.toContain("assistant assistant");
    expect(roles(next.messages)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(brokenPairs(next.messages)).toEqual([]);
    const again = await condenseOnce([...next.messages, assistant("done", 200)]);
    expect(roles(again.messages)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant"]);
  });

  test("a kept message of the user follows the summary itself", async () => {
    const { messages } = await condenseOnce(conversation(9));
    expect(roles(messages)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(messages).toContainEqual(conversation(9).at(-3));
  });

  test("it is what the provider native puts there", async () => {
    const { messages } = await condenseOnce([user("task", 0), ...rounds(0, 6)]);
    const native = await createNativeProvider().condense({ messages: [user("task", 0), ...rounds(0, 6)] }, { handler: handler() });
    expect(native.messages.map(({ content }) => content)).toContain(messages[2].content);
  });
});

test("2026: a counter of 2025, which sees nothing of calls and results, makes no summary larger than the history", async () => {
  const file = "export const value = 1;\n".repeat(400);
  const rounds = Array.from({ length: 6 }, (_, round) => [
    assistant([call(`call_${round}`)], 2000 * round + 2000),
    user([result(`call_${round}`, file)], 2000 * round + 3000),
  ]);
  const messages = [user("Go.", 1000), ...rounds.flat()];
  const seeing = handler([text("What was done, in some words. ".repeat(20))]);
  const blind = {
    ...seeing,
    countTokens: (blocks) => seeing.countTokens(blocks.filter(({ type }) => type !== "tool_use" && type !== "tool_result")),
  };
  for (const apiHandler of [seeing, blind]) {
    const { host } = recordingHost({ fixes: true });
    const response = await createTaggedCondense(host).summarizeConversation({ messages, apiHandler, systemPrompt: "s", taskId: "t" });
    expect(response.error).toBeUndefined();
    expect(response.newContextTokens).toBeGreaterThan(0);
  }
  // What is larger by any count still is refused.
  const talkative = handler([text("word ".repeat(20_000))]);
  const refused = await createTaggedCondense(recordingHost({ fixes: true }).host).summarizeConversation({
    messages,
    apiHandler: { ...talkative, countTokens: blind.countTokens },
    systemPrompt: "s",
    taskId: "t",
  });
  expect(refused.error).toBe("common:errors.condense_context_grew");
});
