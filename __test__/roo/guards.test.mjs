// No condensing without end, cancellation, a condensing handler of one's own, errors that say what to do.

import vm from "node:vm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createCondense, createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { conversation, handler, recordingHost, text, windowOptions } from "./support.mjs";

describe("no condensing without end", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 }));
  afterEach(() => vi.useRealTimers());

  /** Turns in which a file larger than the window keeps the condensation due. */
  async function turns(host, count, apiHandler, messages) {
    const { manageContext } = createContextManagement(host);
    const responses = [];
    for (let turn = 0; turn < count; turn++) {
      responses.push(await manageContext(windowOptions(messages, apiHandler, { totalTokens: 81_000, maxTokens: 1000 })));
      vi.advanceTimersByTime(20_000);
    }
    return responses;
  }
  const saysNothing = () => handler([text("   ")]);
  const savesNothing = () => handler([text("long ".repeat(400)), { type: "usage", inputTokens: 9, outputTokens: 500, totalCost: 0.5 }]);

  test.each([
    ["fails", saysNothing],
    ["saves nothing", savesNothing],
  ])("a summary that %s is asked for three times, then no more", async (_, make) => {
    const messages = conversation(6, 40);
    const unguarded = make();
    await turns(recordingHost().host, 6, unguarded, messages);
    expect(unguarded.requests).toHaveLength(6);
    const guarded = make();
    const responses = await turns(recordingHost({ fixes: true }).host, 6, guarded, messages);
    expect(guarded.requests).toHaveLength(3);
    expect(responses.at(-1)).toMatchObject({ cost: 0, error: "common:errors.condensed_recently" });
    expect(responses.at(-1).messages).toBe(messages);
  });

  test("after the time it is asked for again; other tasks are asked for at once; by hand always", async () => {
    const { summarizeConversation } = createTaggedCondense(recordingHost({ guard: { attempts: 1, windowMs: 30_000 } }).host);
    const apiHandler = saysNothing();
    const ask = (more) =>
      summarizeConversation({
        messages: conversation(6),
        apiHandler,
        systemPrompt: "system",
        taskId: "task",
        isAutomaticTrigger: true,
        ...more,
      });
    await ask();
    await ask();
    expect(apiHandler.requests).toHaveLength(1);
    await ask({ taskId: "other" });
    await ask({ isAutomaticTrigger: false });
    expect(apiHandler.requests).toHaveLength(3);
    vi.advanceTimersByTime(30_001);
    await ask();
    expect(apiHandler.requests).toHaveLength(4);
  });

  test("condensations that gain enough are never held back", async () => {
    const apiHandler = handler();
    await turns(recordingHost({ fixes: true }).host, 6, apiHandler, conversation(10, 2000));
    expect(apiHandler.requests).toHaveLength(6);
  });

  test("what the tools take is no part of what is gained", async () => {
    const { summarizeConversation } = createTaggedCondense(recordingHost({ guard: { attempts: 1 } }).host);
    const apiHandler = handler();
    const metadata = { tools: [{ name: "read_file", description: "x".repeat(8000) }] };
    // 2000 tokens of tools, and 800 of messages that become 10: a quarter is saved.
    for (let turn = 0; turn < 3; turn++) {
      await summarizeConversation({
        messages: conversation(8, 400),
        apiHandler,
        systemPrompt: "s",
        taskId: "t",
        isAutomaticTrigger: true,
        metadata,
      });
    }
    expect(apiHandler.requests).toHaveLength(3);
  });

  test("2025: a rejected request counts as an attempt, and still reaches the caller", async () => {
    const { summarizeConversation } = createCondense(recordingHost({ guard: { attempts: 2 } }).host);
    const apiHandler = handler(() => {
      throw new Error("offline");
    });
    const ask = () => summarizeConversation(conversation(8), apiHandler, "system", "task", 10_000, true);
    await expect(ask()).rejects.toThrow("offline");
    await expect(ask()).rejects.toThrow("offline");
    await expect(ask()).resolves.toMatchObject({ error: "common:errors.condensed_recently" });
    expect(apiHandler.requests).toHaveLength(2);
  });
});

describe("cancellation", () => {
  /** A stream that says something and then hangs; `ended` tells whether its `finally` ran. */
  function hanging() {
    const state = { ended: false };
    const wake = new AbortController();
    const apiHandler = handler(async function* () {
      try {
        yield text("half");
        await new Promise((resolve) => wake.signal.addEventListener("abort", resolve));
        yield text("never read");
      } finally {
        state.ended = true;
      }
    });
    return { apiHandler, state, wake };
  }

  test.each([2025, 2026])("%i: a stream that hangs is left, and nothing is truncated instead", async (year) => {
    const cancel = new AbortController();
    const { host, told } = recordingHost({ signal: (taskId) => (taskId === "task" ? cancel.signal : undefined) });
    const { apiHandler, state, wake } = hanging();
    const messages = conversation(10);
    const options = windowOptions(messages, apiHandler);
    const pending =
      year === 2025
        ? createSlidingWindow(host).truncateConversationIfNeeded(options)
        : createContextManagement(host).manageContext(options);
    setTimeout(() => cancel.abort(), 10);
    const response = await pending;
    expect(response.messages).toBe(messages);
    expect(response.error).toBe("Condensing was cancelled; the conversation is unchanged.");
    expect(response).not.toHaveProperty("cancelled");
    expect(told.truncated).toEqual([]);
    wake.abort();
    await vi.waitFor(() => expect(state.ended).toBe(true));
  });

  test("a signal that has fired before asks nothing", async () => {
    const { host } = recordingHost({ signal: AbortSignal.abort() });
    const apiHandler = handler();
    const response = await createTaggedCondense(host).summarizeConversation({
      messages: conversation(6),
      apiHandler,
      systemPrompt: "s",
      taskId: "t",
    });
    expect(apiHandler.requests).toEqual([]);
    expect(response.error).toMatch(/cancelled/);
  });

  test("a signal that does not fire changes nothing", async () => {
    const { signal } = new AbortController();
    const ask = (host) => createCondense(host).summarizeConversation(conversation(8), handler(), "system", "task", 10_000);
    expect(await ask(recordingHost({ signal }).host)).toEqual(await ask(recordingHost().host));
  });

  test("the manager gets the signal", async () => {
    const cancel = new AbortController();
    const manager = {
      condense: ({ messages }, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () =>
            resolve({ messages, didCondense: false, cost: 0.5, error: { code: "aborted", message: "" } }),
          ),
        ),
    };
    const pending = createTaggedCondense(recordingHost({ manager, signal: cancel.signal }).host).summarizeConversation({
      messages: conversation(6),
      apiHandler: handler(),
      systemPrompt: "s",
      taskId: "t",
    });
    cancel.abort();
    expect(await pending).toMatchObject({ cost: 0.5, summary: "", error: expect.stringMatching(/cancelled/) });
  });
});

describe("a condensing handler of one's own", () => {
  const ask = (host, apiHandler) =>
    createTaggedCondense(host).summarizeConversation({ messages: conversation(6), apiHandler, systemPrompt: "s", taskId: "t" });

  test("2026: it is asked instead of the conversation's, which still counts", async () => {
    const [condensing, main] = [handler([text("from the cheap model")]), handler()];
    const response = await ask(recordingHost({ condensingHandler: condensing }).host, main);
    expect(response.summary).toBe("from the cheap model");
    expect([condensing.requests.length, main.requests.length]).toEqual([1, 0]);
  });

  test("2026: one that cannot create messages gives way, with a warning", async () => {
    const { host, told } = recordingHost({ condensingHandler: () => ({}) });
    const main = handler();
    expect((await ask(host, main)).summary).toBe("a short summary");
    expect(told.warnings).toEqual([expect.stringMatching(/^Chosen API handler for condensing does not support message creation/)]);
  });

  test("2025: the one of the call wins over the host's", async () => {
    const [ofHost, ofCall] = [handler([text("host")]), handler([text("call")])];
    const { summarizeConversation } = createCondense(recordingHost({ condensingHandler: () => ofHost }).host);
    const summarize = (condensing) =>
      summarizeConversation(conversation(8), handler(), "system", "task", 10_000, false, undefined, condensing);
    expect((await summarize(ofCall)).summary).toBe("call");
    expect((await summarize()).summary).toBe("host");
  });
});

describe("errors that say what to do", () => {
  test("without the host's texts they are in English and name a remedy", async () => {
    const quiet = { warn() {}, error() {} };
    const ask = (messages, apiHandler) =>
      createTaggedCondense(quiet)
        .summarizeConversation({ messages, apiHandler, systemPrompt: "s", taskId: "t" })
        .then(({ error }) => error);
    expect(await ask(conversation(1), handler())).toMatch(/not enough messages.*Go on/);
    expect(await ask(conversation(6), {})).toMatch(/cannot create messages. Choose/);
    expect(await ask(conversation(6), handler([]))).toMatch(/no summary.*Try again/);
    expect(
      await ask(
        conversation(6),
        handler(() => {
          throw new Error("offline");
        }),
      ),
    ).toMatch(/failed.*offline.*Check/);
  });

  test.each([
    ["this realm", Error],
    ["another realm", vm.runInNewContext("Error")],
  ])("the details hold what the API said: an error of %s", async (_, Failure) => {
    const failure = Object.assign(new Failure("too many requests"), { status: 429, code: "rate_limit", body: { retry_after: 3 } });
    const apiHandler = handler(() => {
      throw failure;
    });
    const { host, told } = recordingHost();
    const response = await createTaggedCondense(host).summarizeConversation({
      messages: conversation(6),
      apiHandler,
      systemPrompt: "s",
      taskId: "t",
    });
    expect(response.error).toBe("common:errors.condense_api_failed too many requests");
    expect(response.errorDetails).toMatch(/too many requests[\s\S]*429[\s\S]*rate_limit[\s\S]*"retry_after": 3/);
    expect(told.errors).toHaveLength(1);
  });

  test.each([
    [null, "host"],
    [{ t: "text" }, "host.t"],
    [{ telemetry: {} }, "host.telemetry"],
    [{ prompts: "p" }, "host.prompts"],
    [{ manager: {} }, "host.manager"],
    [{ guard: 3 }, "host.guard"],
    [{ guard: { attempts: -1 } }, "host.guard.attempts"],
    [{ guard: { tries: 1 } }, "host.guard.tries"],
  ])("a host that cannot be used is refused at once: %j", (host, field) => {
    for (const create of [createSlidingWindow, createCondense, createContextManagement, createTaggedCondense]) {
      expect(() => create(host)).toThrow(
        expect.objectContaining({ name: "TypeError", code: "invalid_argument", field, message: expect.stringContaining(field) }),
      );
    }
  });
});
