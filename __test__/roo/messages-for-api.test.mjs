// A manager of a host that sends something else than it stores, as with old tool results: what is sent is condensed, measured and fits.

import { describe, expect, test, vi } from "vitest";
import { CondensationManager, countTokens } from "../../index.js";
import {
  compressOldToolResults,
  createCondense,
  createContextManagement,
  createSlidingWindow,
  createTaggedCondense,
} from "../../js/roo/index.js";
import { assistant, brokenPairs, call, recordingHost, result, text, user, windowOptions } from "./support.mjs";

const { cleanupAfterTruncation, getEffectiveApiHistory } = createTaggedCondense();
const PROVIDERS = ["lossless", "truncation", "smart", "native"];
const GENERATIONS = [2025, 2026];

const apiHandler = {
  getModel: () => ({ id: "gpt-5", info: {} }),
  countTokens: async (content) => countTokens([{ role: "user", content }]),
  async *createMessage() {
    yield text("The parser was read.");
    yield { type: "usage", inputTokens: 10, outputTokens: 5, totalCost: 0.25 };
  },
};
const messagesForApi = (messages, { getModel }) => compressOldToolResults(messages, { model: getModel().id });
const systemPrompt = "You are careful.";
const countSent = async (messages) => {
  const sent = await messagesForApi(messages, apiHandler);
  const content = sent.flatMap((message) => (Array.isArray(message.content) ? message.content : [text(message.content)]));
  return apiHandler.countTokens([text(systemPrompt), ...content]);
};

const lines = (name, count) =>
  Array.from({ length: count }, (_, line) => `${line + 1} | const ${name}_${line} = compute(${line * 31});`).join("\n");

/** A task with long results, of which the three newest are sent whole. */
function history({ newest = 70, rounds = 16 } = {}) {
  const round = (index) => [
    assistant([call(`call-${index}`, "read_file", { path: `src/f${index}.ts` })], 2 * index + 2),
    user([result(`call-${index}`, lines(`v${index}`, index >= rounds - 3 ? newest : 450))], 2 * index + 3),
  ];
  return [user("Fix the parser.", 1), ...Array.from({ length: rounds }, (_, index) => round(index)).flat()];
}

/** What a window does with the history that is at `percent` of it, by what is sent. */
async function manage(generation, host, messages, { percent = 85, more = {} } = {}) {
  const contextWindow = Math.round((await countSent(messages)) / (percent / 100));
  const totalTokens = await countSent(messages.slice(0, -1));
  const usage = { totalTokens, contextWindow, maxTokens: Math.round(0.2 * contextWindow), autoCondenseContextPercent: 100, systemPrompt };
  const options = windowOptions(messages, apiHandler, { ...usage, ...more });
  const { host: services } = recordingHost({ messagesForApi, ...host });
  const window = generation === 2025 ? createSlidingWindow(services) : createContextManagement(services);
  const response = await (window.truncateConversationIfNeeded ?? window.manageContext)(options);
  return {
    response,
    left: generation === 2025 ? response.messages : getEffectiveApiHistory(response.messages),
    allowed: 0.7 * contextWindow,
  };
}

describe.each(GENERATIONS)("%i", (generation) => {
  test.each(PROVIDERS)("what is sent after a condensation fits, and is what was told: %s", async (provider) => {
    for (const newest of [20, 70, 200]) {
      const messages = history({ newest });
      const { response, left, allowed } = await manage(generation, { manager: new CondensationManager({ provider }) }, messages);
      const sent = await countSent(left);
      expect(response.error).toBeUndefined();
      expect(response.messages).not.toBe(messages);
      expect(sent).toBeLessThanOrEqual(allowed);
      const told = response.newContextTokensAfterTruncation ?? response.newContextTokens;
      expect(Math.abs(told - sent)).toBeLessThan(0.02 * sent);
      expect(brokenPairs(left)).toEqual([]);
    }
  });

  test.each([
    ["the manager fails", { manager: { condense: () => Promise.reject(new Error("no")) } }, {}],
    ["automatic condensing is off", { manager: new CondensationManager() }, { autoCondenseContext: false }],
  ])("what the window truncates fits as it is sent, where %s", async (_, host, more) => {
    const messages = history();
    const { response, left, allowed } = await manage(generation, host, messages, { more });
    expect(response.messages).not.toBe(messages);
    expect(await countSent(left)).toBeLessThanOrEqual(allowed);
  });

  test("what does not fit says so", async () => {
    const messages = [user(lines("task", 4000), 1), ...history().slice(1)];
    const { response, left, allowed } = await manage(generation, { manager: new CondensationManager() }, messages);
    expect(await countSent(left)).toBeGreaterThan(allowed);
    expect(response.error).toContain("fit");
  });

  test.each([
    ["indices", { messages: [7, 8] }],
    ["a function", { messages: (message) => message.ts === 8 || message.ts === 9 }],
  ])("messages that are protected are those of the history that is stored: %s", async (_, protect) => {
    const messages = history();
    const manager = new CondensationManager({ provider: "truncation" });
    const { response, left } = await manage(generation, { manager, protect }, messages);
    expect(response.messages).not.toBe(messages);
    const sent = await messagesForApi(messages, apiHandler);
    const contents = left.map(({ content }) => content);
    for (const index of [7, 8]) expect(contents).toContainEqual(sent[index].content);
  });
});

describe("the manager", () => {
  const condensing = (more) => recordingHost({ messagesForApi, ...more }).host;
  const request = { apiHandler, systemPrompt, taskId: "task" };
  const newest = (messages) => [messages[0], ...messages.slice(-8)];
  const halved = vi.fn(async ({ messages }) => ({ messages: newest(messages), summary: "", cost: 0, didCondense: true }));

  test("is asked about what is sent; nothing that is stored changes, and a rewind shows it whole", async () => {
    const messages = history();
    const before = structuredClone(messages);
    const { summarizeConversation } = createTaggedCondense(condensing({ manager: { condense: halved } }));
    const response = await summarizeConversation({ ...request, messages });
    const sent = await compressOldToolResults(messages, { model: "gpt-5" });
    expect(halved.mock.calls.at(-1)?.[0].messages).toEqual(sent);
    expect(getEffectiveApiHistory(response.messages).map(({ content }) => content)).toEqual(newest(sent).map(({ content }) => content));
    expect(response.newContextTokens).toBe(await countSent(newest(sent)));
    expect(messages).toEqual(before);
    const rewound = cleanupAfterTruncation(response.messages.slice(0, messages.length));
    expect(getEffectiveApiHistory(rewound)).toEqual(before);
  });

  test("is the only one: without it nobody asks what is sent", async () => {
    const never = vi.fn();
    await createTaggedCondense(condensing({ messagesForApi: never })).summarizeConversation({ ...request, messages: history() });
    await createCondense(condensing({ messagesForApi: never })).summarizeConversation(history(), apiHandler, systemPrompt, "task", 1e6);
    expect(never).not.toHaveBeenCalled();
  });

  test("is not asked when the host cancels in the meantime", async () => {
    const cancel = new AbortController();
    const condense = vi.fn();
    const slow = async (messages) => {
      cancel.abort();
      return messages;
    };
    const host = condensing({ manager: { condense }, messagesForApi: slow, signal: cancel.signal });
    const response = await createTaggedCondense(host).summarizeConversation({ ...request, messages: history() });
    expect(response.error).toContain("cancelled");
    expect(condense).not.toHaveBeenCalled();
  });

  test.each([
    ["nothing", () => undefined],
    ["no messages", async () => [undefined]],
  ])("a host that sends %s is a coded error", async (_, wrong) => {
    const { summarizeConversation } = createTaggedCondense(condensing({ manager: { condense: halved }, messagesForApi: wrong }));
    await expect(summarizeConversation({ ...request, messages: history() })).rejects.toMatchObject({
      code: "invalid_argument",
      field: "host.messagesForApi()",
    });
    expect(() => createTaggedCondense(/** @type {any} */ ({ messagesForApi: 5 }))).toThrow(
      expect.objectContaining({ field: "host.messagesForApi" }),
    );
  });

  test("rules about messages that are not there are refused in its own words", async () => {
    const protect = { messages: /** @type {any} */ (["x"]) };
    const host = condensing({ manager: new CondensationManager(), protect });
    const response = await createTaggedCondense(host).summarizeConversation({ ...request, messages: history() });
    expect(response.error).toContain("protect.messages[0]");
  });
});
