// A due condensation through a CondensationManager: the shape of the result is Roo-Code's, for replaced and for tagged histories.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CondensationManager } from "../../index.js";
import { createCondense, createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { assistant, brokenPairs, call, conversation, handler, recordingHost, result, text, user, windowOptions } from "./support.mjs";

const fixture = (name) => JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), "utf8"));
const contents = (messages) => messages.map(({ role, content }) => ({ role, content }));

/** A manager that does as told, and keeps what it was asked. */
function fakeManager(condense) {
  const asked = [];
  return {
    asked,
    async condense(context, options) {
      asked.push({ context, options });
      return { summary: "", cost: 0, didCondense: true, ...(await condense(context, options)) };
    },
  };
}

/** Drops the second and third message and shortens the text of the fourth. */
const dropAndRewrite = fakeManager(({ messages }) => ({
  messages: [messages[0], { ...messages[3], content: "short" }, ...messages.slice(4)],
  cost: 0.5,
}));

describe("2025", () => {
  test("the window returns what the manager made, and what was reported is scaled by what the handler counts", async () => {
    const { host, told } = recordingHost({ manager: dropAndRewrite });
    const messages = conversation(10);
    const apiHandler = handler([], { contextWindow: 100_000 });
    const response = await createSlidingWindow(host).truncateConversationIfNeeded(windowOptions(messages, apiHandler));
    expect(response.messages.map((message) => messages.indexOf(message))).toEqual([0, -1, 4, 5, 6, 7, 8, 9]);
    expect(response).toMatchObject({ cost: 0.5, prevContextTokens: 90_050 });
    expect(response).not.toHaveProperty("error");
    const count = (history) => apiHandler.countTokens([text("You are careful."), ...history.map(({ content }) => text(content))]);
    const [before, after] = [await count(messages), await count(response.messages)];
    expect(response.newContextTokens).toBe(Math.ceil((90_050 * after) / before));
    expect(response.summary).toContain(`${Math.round(100 - (100 * after) / before)}% less`);
    // Roo tells the user only of condensations that have a summary.
    expect(response.summary).toMatch(/^Condensed without a summary/);
    expect(apiHandler.requests).toEqual([]);
    expect(told.condensed).toEqual([["task", true, false, false]]);
    const { context, options } = dropAndRewrite.asked.at(-1);
    expect(context).toEqual({
      messages,
      systemPrompt: "You are careful.",
      taskId: "task",
      contextWindow: 100_000,
      profileId: "default",
      model: "model",
    });
    expect(options.isAutomatic).toBe(true);
  });

  test("nothing to gain: the same array and an error, so that the window is truncated when it has to be", async () => {
    const manager = fakeManager(({ messages }) => ({ messages, didCondense: false }));
    const messages = conversation(10);
    const { truncateConversationIfNeeded } = createSlidingWindow(recordingHost({ manager }).host);
    const small = await truncateConversationIfNeeded(windowOptions(messages, handler(), { totalTokens: 81_000, maxTokens: 1000 }));
    expect(small).toEqual({ messages, prevContextTokens: 81_050, summary: "", cost: 0, error: "common:errors.condense_context_grew" });
    expect(small.messages).toBe(messages);
    const large = await truncateConversationIfNeeded(windowOptions(messages, handler()));
    expect(large.messages).toHaveLength(6);
  });

  test.each([
    ["not_enough_messages", "common:errors.condense_not_enough_messages"],
    ["condensed_recently", "common:errors.condensed_recently"],
    ["condense_loop", "common:errors.condensed_recently"],
    ["handler_invalid", "common:errors.condense_handler_invalid"],
    ["summary_empty", "common:errors.condense_failed"],
    ["context_grew", "common:errors.condense_context_grew"],
    ["timeout", "common:errors.condense_api_failed no answer"],
  ])("the manager's %s is told in Roo's words", async (code, expected) => {
    const { host, told } = recordingHost({
      manager: fakeManager(({ messages }) => ({ messages, didCondense: false, cost: 0.25, error: { code, message: "no answer" } })),
    });
    const messages = conversation(10);
    const response = await createCondense(host).summarizeConversation(messages, handler(), "system", "task", 90_000, true);
    expect(response).toEqual({ messages, summary: "", cost: 0.25, error: expected });
    expect(response.messages).toBe(messages);
    expect(told.warnings).toEqual([`Condensing failed: ${code}: no answer`]);
  });

  test("what makes the context larger by the handler's count is refused; what the handler does not count is not", async () => {
    const ask = (manager, apiHandler) =>
      createCondense(recordingHost({ manager }).host).summarizeConversation(messages, apiHandler, "system", "task", 90_000);
    const messages = [...conversation(4), assistant([call("a")], 5000), user([result("a", "long ".repeat(500))], 6000)];
    const grown = await ask(
      fakeManager(({ messages: [first, ...rest] }) => ({ messages: [{ ...first, content: "x".repeat(9000) }, ...rest] })),
      handler(),
    );
    expect(grown).toEqual({ messages, summary: "", cost: 0, error: "common:errors.condense_context_grew" });
    const textOnly = {
      ...handler(),
      countTokens: async (blocks) => blocks.filter((block) => block.type === "text").reduce((sum, block) => sum + block.text.length, 0),
    };
    const shorter = await ask(
      fakeManager((context) => ({ messages: [...context.messages.slice(0, -1), user([result("a", "short")], 6000)] })),
      textOnly,
    );
    expect(shorter).not.toHaveProperty("error");
    expect(shorter.messages.at(-1).content[0].content).toBe("short");
  });

  test("a manager that throws changes nothing", async () => {
    const manager = {
      condense: () => {
        throw new TypeError("provider: none has this id");
      },
    };
    const messages = conversation(10);
    const response = await createCondense(recordingHost({ manager }).host).summarizeConversation(
      messages,
      handler(),
      "system",
      "task",
      90_000,
    );
    expect(response).toEqual({ messages, summary: "", cost: 0, error: "common:errors.condense_api_failed provider: none has this id" });
  });

  test.each(["lossless", "truncation"])("the %s provider condenses a real history of 2025", async (provider) => {
    const messages = fixture("roo-xml-2025.json");
    const { host } = recordingHost({ manager: new CondensationManager({ provider }) });
    const response = await createSlidingWindow(host).truncateConversationIfNeeded(windowOptions(messages, handler()));
    expect(response).not.toHaveProperty("error");
    expect(response.messages.length).toBeGreaterThan(1);
    expect(response.messages[0]).toBe(messages[0]);
    expect(response.messages.at(-1)).toBe(messages.at(-1));
    expect(JSON.stringify(response.messages).length).toBeLessThan(JSON.stringify(messages).length);
    expect(structuredClone(response)).toEqual(response);
  });
});

describe("the native provider, which asks the host's handler", () => {
  const manager = () => new CondensationManager({ provider: "native", fallback: false });
  const answers = () =>
    handler([text("All that mattered."), { type: "usage", inputTokens: 100, outputTokens: 5, totalCost: 0.125 }], {
      contextWindow: 100_000,
    });

  test("2025: the first message, the summary, the newest ones", async () => {
    const messages = conversation(12, 400);
    const apiHandler = answers();
    const { summarizeConversation } = createCondense(recordingHost({ manager: manager() }).host);
    const response = await summarizeConversation(messages, apiHandler, "system", "task", 90_000, true, "  Only file names. ");
    expect(response).toMatchObject({ summary: expect.stringContaining("All that mattered."), cost: 0.125 });
    expect(response).not.toHaveProperty("error");
    expect(response.messages[0]).toBe(messages[0]);
    expect(response.messages.slice(-3).map((message) => messages.indexOf(message))).toEqual([9, 10, 11]);
    expect(JSON.stringify(response.messages)).toContain("All that mattered.");
    expect(JSON.stringify(apiHandler.requests)).toContain("Only file names.");
  });

  test("2026: the same, tagged; the handler gets Roo's metadata", async () => {
    const messages = conversation(12, 400);
    const apiHandler = answers();
    const metadata = { taskId: "task", mode: "code" };
    const condense = createTaggedCondense(recordingHost({ manager: manager() }).host);
    const response = await condense.summarizeConversation({
      messages,
      apiHandler,
      systemPrompt: "system",
      taskId: "task",
      isAutomaticTrigger: true,
      metadata,
    });
    expect(response).toMatchObject({ summary: expect.stringContaining("All that mattered."), cost: 0.125 });
    expect(apiHandler.requests.map((values) => values[2])).toEqual([metadata]);
    const effective = condense.getEffectiveApiHistory(response.messages);
    expect(effective[0].content).toBe(messages[0].content);
    expect(effective.at(-1).content).toBe(messages.at(-1).content);
    expect(effective.length).toBeLessThan(messages.length);
    expect(effective.filter((message) => message.isSummary)).toEqual([effective[0]]);
    expect(condense.cleanupAfterTruncation(response.messages.filter((message) => message.ts <= messages.at(-1).ts))).toEqual(messages);
  });

  test("the condensing handler is asked when there is one", async () => {
    const [main, condensing] = [answers(), answers()];
    const { summarizeConversation } = createCondense(recordingHost({ manager: manager() }).host);
    await summarizeConversation(conversation(12, 400), main, "system", "task", 90_000, true, undefined, condensing);
    expect([main.requests.length, condensing.requests.length]).toEqual([0, 1]);
  });

  test("what the handler throws is told, and nothing changes", async () => {
    const messages = conversation(12, 400);
    const apiHandler = handler(() => {
      throw Object.assign(new Error("quota used up"), { status: 403 });
    });
    const condense = createTaggedCondense(recordingHost({ manager: manager() }).host);
    const response = await condense.summarizeConversation({
      messages,
      apiHandler,
      systemPrompt: "system",
      taskId: "task",
      isAutomaticTrigger: true,
    });
    expect(response.messages).toBe(messages);
    expect(response.error).toMatch(/^common:errors.condense_api_failed .*quota used up/);
    expect(response.errorDetails).toMatch(/quota used up/);
  });

  test("cancelling ends a request that hangs", async () => {
    const cancel = new AbortController();
    const apiHandler = handler(async function* () {
      await new Promise(() => {});
      yield text("never");
    });
    const messages = conversation(12, 400);
    const condense = createTaggedCondense(recordingHost({ manager: manager(), signal: cancel.signal }).host);
    setTimeout(() => cancel.abort(), 20);
    const response = await condense.summarizeConversation({
      messages,
      apiHandler,
      systemPrompt: "system",
      taskId: "task",
      isAutomaticTrigger: true,
    });
    expect(response.messages).toBe(messages);
    expect(response.error).toMatch(/cancelled/);
  });
});

describe("2026", () => {
  const condenseWith = (manager, more) => createTaggedCondense(recordingHost({ manager, ...more }).host);
  const ask = (messages, more = {}) => ({
    messages,
    apiHandler: handler(),
    systemPrompt: "system",
    taskId: "task",
    isAutomaticTrigger: true,
    ...more,
  });

  test("what is dropped and rewritten stays and is tagged; the effective history is the condensed form", async () => {
    const messages = conversation(10);
    const before = structuredClone(messages);
    const condense = condenseWith(dropAndRewrite);
    const response = await condense.summarizeConversation(ask(messages));
    expect(messages).toEqual(before);
    expect(response.condenseId).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.messages.slice(0, 10)).toEqual(before.map((message) => ({ ...message, condenseParent: response.condenseId })));
    const effective = condense.getEffectiveApiHistory(response.messages);
    expect(contents(effective)).toEqual(contents([messages[0], { role: "assistant", content: "short" }, ...messages.slice(4)]));
    expect(effective[0]).toMatchObject({ isSummary: true, condenseId: response.condenseId });
    expect(response.newContextTokens).toBe(await handler().countTokens([text("system"), ...effective.map(({ content }) => text(content))]));
  });

  test("rewinding to before the condensation restores everything", async () => {
    const messages = conversation(10);
    const condense = condenseWith(dropAndRewrite);
    const { messages: history, condenseId } = await condense.summarizeConversation(ask(messages));
    const later = [...history, assistant("later", 20_000)];
    // By time: all up to the eighth message.
    const byTime = condense.cleanupAfterTruncation(later.filter((message) => message.ts < messages[8].ts));
    expect(byTime).toEqual(messages.slice(0, 8));
    expect(condense.getEffectiveApiHistory(byTime)).toEqual(messages.slice(0, 8));
    // By the id of the condensation.
    const byId = condense.cleanupAfterTruncation(later.filter((message) => !(message.isSummary && message.condenseId === condenseId)));
    expect(byId).toEqual([...messages, later.at(-1)]);
    // To after the condensation: it stays.
    const after = condense.cleanupAfterTruncation(later.filter((message) => message.ts < 20_000));
    expect(after).toEqual(history);
  });

  test("a second condensation stands on the first, and going back one step shows the first again", async () => {
    const messages = conversation(12);
    const condense = condenseWith(dropAndRewrite);
    const first = await condense.summarizeConversation(ask(messages));
    const continued = [
      ...first.messages,
      ...conversation(4).map((message, index) => ({ ...message, role: index % 2 ? "user" : "assistant", ts: 50_000 + index })),
    ];
    const second = await condense.summarizeConversation(ask(continued));
    const effective = condense.getEffectiveApiHistory(continued);
    expect(condense.getEffectiveApiHistory(second.messages)).toHaveLength(effective.length - 2);
    expect(second.messages.filter((message) => message.condenseParent === first.condenseId)).toHaveLength(12);
    const back = condense.cleanupAfterTruncation(second.messages.filter((message) => message.ts <= 50_003));
    expect(back).toEqual(continued);
    expect(contents(condense.getEffectiveApiHistory(back))).toEqual(contents(effective));
  });

  test("what a truncation has hidden is not condensed, and stays hidden and restorable", async () => {
    const messages = conversation(12);
    const { host } = recordingHost({ manager: dropAndRewrite });
    const { messages: truncated, truncationId } = createContextManagement(host).truncateConversation(messages, 0.5, "task");
    const condense = createTaggedCondense(host);
    const { messages: history } = await condense.summarizeConversation(ask(truncated));
    expect(dropAndRewrite.asked.at(-1).context.messages).toEqual(condense.getEffectiveApiHistory(truncated));
    const rewound = condense.cleanupAfterTruncation(
      history.filter((message) => message.ts < 12_001 && message.truncationId !== truncationId),
    );
    expect(rewound).toEqual(messages);
  });

  test.each(["lossless", "truncation"])("the %s provider condenses a real history of 2026 in the window", async (provider) => {
    const messages = fixture("roo-native-2026.json");
    const { host } = recordingHost({ manager: new CondensationManager({ provider }) });
    const { getEffectiveApiHistory, cleanupAfterTruncation } = createTaggedCondense(host);
    const response = await createContextManagement(host).manageContext(
      windowOptions(messages, handler(), { metadata: { taskId: "task", tools: [{ name: "read_file" }] } }),
    );
    expect(response).not.toHaveProperty("error");
    expect(response.prevContextTokens).toBeGreaterThan(90_000);
    const effective = getEffectiveApiHistory(response.messages);
    expect(JSON.stringify(effective).length).toBeLessThan(JSON.stringify(messages).length);
    expect(brokenPairs(effective)).toEqual(brokenPairs(messages));
    expect(cleanupAfterTruncation(response.messages.filter((message) => message.ts <= messages.at(-1).ts))).toEqual(messages);
    expect(structuredClone(response)).toEqual(response);
  });

  test("results whose call was condensed away are not sent alone", async () => {
    const manager = fakeManager(({ messages }) => ({ messages: [messages[0], ...messages.slice(3)] }));
    const messages = [
      user("task ".repeat(40), 1),
      assistant([text("reading ".repeat(40)), call("a")], 2),
      user([result("a")], 3),
      assistant("done", 4),
      user("next", 5),
    ];
    const condense = condenseWith(manager);
    const response = await condense.summarizeConversation(ask(messages));
    expect(brokenPairs(condense.getEffectiveApiHistory(response.messages))).toEqual([]);
  });

  test("errors come with details, and nothing changes", async () => {
    const cause = Object.assign(new Error("quota"), { status: 429 });
    const manager = fakeManager(({ messages }) => ({
      messages,
      didCondense: false,
      error: { code: "llm_failed", message: "quota used up", cause },
    }));
    const messages = conversation(8);
    const response = await condenseWith(manager).summarizeConversation(ask(messages));
    expect(response.messages).toBe(messages);
    expect(response.error).toBe("common:errors.condense_api_failed quota used up");
    expect(response.errorDetails).toMatch(/^llm_failed: quota used up[\s\S]*HTTP Status: 429$/);
  });
});

test("of rules that protect nothing the host is told, once", async () => {
  const { host, told } = recordingHost({
    manager: new CondensationManager({ provider: "truncation" }),
    protect: { paths: ["D:\\\\nowhere"] },
  });
  const { summarizeConversation } = createCondense(host);
  for (let call = 0; call < 2; call++) await summarizeConversation(conversation(12), handler(), "", "task", 50_000, false);
  expect(told.warnings).toEqual(['protect.paths: "D:\\\\\\\\nowhere" matches nothing in this conversation.']);
});

test("what gained nothing is told by what was used", async () => {
  const told = async (provider, more = {}) => {
    const { host } = recordingHost({ manager: new CondensationManager({ provider, fallback: [], guard: false }), t: undefined, ...more });
    return (await createCondense(host).summarizeConversation(conversation(4), handler(), "", "task", 500, false)).error;
  };
  expect(await told("lossless")).toMatch(/^Nothing in the conversation could be shortened/);
  expect(await told("lossless", { t: (key) => key })).toBe("common:errors.condense_context_grew");
});
