// What the host does while a call is under way: it appends messages, goes back to an earlier one, or aborts.

import { describe, expect, test } from "vitest";
import { CondensationManager, validateMessages } from "../../index.js";
import { createCondense, createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { assistant, call, handler, recordingHost, result, text, user, windowOptions } from "./support.mjs";

/** A conversation that every provider finds something to condense in, of which the newest message is a result. */
function session() {
  const file = Array.from({ length: 60 }, (_, line) => `${line + 1} | export const value${line} = ${line};`).join("\n");
  const rounds = Array.from({ length: 8 }, (_, round) => [
    assistant([text(`Reading it for the time ${round}.`), call(`call_${round}`)], 2000 * round + 2000),
    user([result(`call_${round}`, round % 2 ? file : `${file}\n${"build output ".repeat(40)}${round}`)], 2000 * round + 3000),
  ]);
  return [user("Make the values even.", 1000), ...rounds.flat()];
}

const providers = ["none", "native", "lossless", "truncation", "smart"];
const GENERATIONS = {
  "2025, the window": (host, messages, apiHandler) =>
    createSlidingWindow(host).truncateConversationIfNeeded(windowOptions(messages, apiHandler)),
  "2025, by hand": (host, messages, apiHandler) =>
    createCondense(host).summarizeConversation(messages, apiHandler, "You are careful.", "task", 90_000, false),
  "2026, the window": (host, messages, apiHandler) => createContextManagement(host).manageContext(windowOptions(messages, apiHandler)),
  "2026, by hand": (host, messages, apiHandler) =>
    createTaggedCondense(host).summarizeConversation({
      messages,
      apiHandler,
      systemPrompt: "You are careful.",
      taskId: "task",
      filesReadByRoo: ["a.ts"],
      cwd: "/",
    }),
};
const { getEffectiveApiHistory, cleanupAfterTruncation } = createTaggedCondense();

/** A host of which `at(n)` is told, and waited for, before the `n`th call of any of its functions that is waited for. */
function observed(provider, { fixes = false, at = (_) => {}, more = {} } = {}) {
  let calls = 0;
  const told = async (answer) => {
    await at(++calls);
    return answer;
  };
  const asked = handler(async function* () {
    await at(++calls);
    yield text("a short summary of what was read");
    await at(++calls);
    yield { type: "usage", inputTokens: 10, outputTokens: 8, totalCost: 0.25 };
  });
  const apiHandler = {
    ...asked,
    // Counted by what the messages are, so that every run has the same calls.
    countTokens: async (blocks) => told(await asked.countTokens(blocks)),
  };
  const manager = provider === "none" ? undefined : new CondensationManager({ provider, fallback: false });
  const services = {
    fixes,
    manager,
    foldFiles: () => told(["## a.ts"]),
    ...(manager && { messagesForApi: (messages) => told(messages) }),
    ...more,
  };
  return { host: recordingHost(services).host, apiHandler, calls: () => calls };
}

const arrivals = {
  "a message of the user": () => [user("And keep the names.", 90_000)],
  "an answer, and the user's": () => [assistant("I am done.", 90_000), user("Then test it.", 90_001)],
};
const times = { fixes: [false, true] };

describe.each(Object.keys(GENERATIONS))("%s: what arrives meanwhile stays, behind what was condensed", (generation) => {
  const run = GENERATIONS[generation];
  const isTagged = generation.startsWith("2026");
  const effective = (messages) => (isTagged ? getEffectiveApiHistory(messages) : messages);
  const plain = (messages) => effective(messages).map(({ role, content }) => ({ role, content }));

  test.each(providers.flatMap((provider) => times.fixes.map((fixes) => [provider, fixes])))(
    "provider %s, fixes %s: at every moment",
    async (provider, fixes) => {
      const quiet = observed(provider, { fixes });
      const expected = await run(quiet.host, session(), quiet.apiHandler);
      expect(expected.error).toBeUndefined();
      expect(quiet.calls()).toBeGreaterThan(0);
      for (const arrive of Object.values(arrivals)) {
        for (let moment = 1; moment <= quiet.calls(); moment++) {
          const messages = session();
          const arrived = arrive();
          const at = (calls) => calls === moment && messages.push(...arrived);
          const { host, apiHandler } = observed(provider, { fixes, at });
          const response = await run(host, messages, apiHandler);
          expect(response.error).toBeUndefined();
          expect(plain(response.messages)).toEqual([
            ...plain(expected.messages),
            ...arrived.map(({ role, content }) => ({ role, content })),
          ]);
          expect(response.messages.slice(-arrived.length).every((message, index) => message === arrived[index])).toBe(true);
          if (!isTagged) continue;
          // A rewind to before the condensation has the messages as they were said.
          const rewound = cleanupAfterTruncation(
            response.messages.filter(({ isSummary, isTruncationMarker }) => !isSummary && !isTruncationMarker),
          );
          expect(rewound).toEqual([...session(), ...arrived]);
        }
      }
    },
  );
});

test.each(Object.keys(GENERATIONS))("%s: nothing is lost in any turn of the queue before the host goes on", async (generation) => {
  for (let turn = 0; ; turn++) {
    const messages = session();
    const arrived = user("Now.", 90_000);
    let isOver = false;
    let isLate = false;
    const push = (left) => {
      if (left > 0) queueMicrotask(() => push(left - 1));
      else if (isOver) isLate = true;
      else messages.push(arrived);
    };
    const { host, apiHandler } = observed("none");
    const running = GENERATIONS[generation](host, messages, apiHandler);
    push(turn);
    const response = await running;
    isOver = true;
    if (!messages.includes(arrived)) break;
    expect(response.messages.at(-1), `turn ${turn}`).toBe(arrived);
    expect(isLate).toBe(false);
  }
});

const forever = new Promise(() => {});

describe.each(Object.keys(GENERATIONS))("%s", (generation) => {
  const run = GENERATIONS[generation];

  test.each(providers)("provider %s: an aborted signal ends what hangs, at every moment, and changes nothing", async (provider) => {
    const quiet = observed(provider, { fixes: true });
    await run(quiet.host, session(), quiet.apiHandler);
    for (let moment = 1; moment <= quiet.calls(); moment++) {
      const messages = session();
      const cancel = new AbortController();
      const at = (calls) => {
        if (calls !== moment) return undefined;
        messages.push(user("Stop.", 90_000));
        setImmediate(() => cancel.abort());
        return forever;
      };
      const { host, apiHandler, calls } = observed(provider, { fixes: true, at, more: { signal: cancel.signal } });
      const begun = performance.now();
      const response = await run(host, messages, apiHandler);
      expect(performance.now() - begun).toBeLessThan(2000);
      expect(response.error).toBe("Condensing was cancelled; the conversation is unchanged.");
      expect(response.messages).toBe(messages);
      expect(messages).toEqual([...session(), user("Stop.", 90_000)]);
      expect(response).not.toHaveProperty("cancelled");
      // Nothing else of the host is asked after that.
      expect(calls()).toBe(moment);
    }
  });

  test.each(providers)("provider %s: what was paid for before is told", async (provider) => {
    const messages = session();
    const cancel = new AbortController();
    let isPaid = false;
    const { host, apiHandler } = observed(provider, { more: { signal: cancel.signal } });
    const asked = {
      ...apiHandler,
      async *createMessage(...values) {
        yield* apiHandler.createMessage(...values);
        isPaid = true;
      },
      countTokens: (blocks) => {
        if (!isPaid) return apiHandler.countTokens(blocks);
        setImmediate(() => cancel.abort());
        return forever;
      },
    };
    const response = await run(host, messages, asked);
    if (isPaid) expect(response).toMatchObject({ cost: 0.25, summary: "", error: expect.stringMatching(/cancelled/) });
    else expect(response.cost).toBe(0);
  });

  test.each([
    ["takes messages out", (messages) => messages.splice(5)],
    ["puts another in the place of one", (messages) => (messages[3] = assistant("edited", 4000))],
    ["puts one between", (messages) => messages.splice(3, 0, user("edited", 4000))],
    ["appends to the content of one", (messages) => messages[4].content.push(text("edited"))],
    ["puts another content into one", (messages) => (messages[4].content = "edited")],
  ])("a host that %s keeps what it has", async (_, change) => {
    for (const provider of providers) {
      const messages = session();
      const changed = session();
      change(changed);
      const at = (calls) => calls === 2 && change(messages);
      const { host, apiHandler } = observed(provider, { at });
      const response = await run(host, messages, apiHandler);
      expect(response.messages).toBe(messages);
      expect(messages).toEqual(changed);
      expect(response).toMatchObject({
        summary: "",
        error: expect.stringMatching(/changed while it was condensed|not what their JSON said/),
      });
      expect(response).not.toHaveProperty("newContextTokens");
    }
  });
});

describe("2026", () => {
  const open = () => [...session().slice(0, -1).slice(0, 15), assistant([text("Both."), call("one"), call("two")], 50_000)];
  const summarize = (messages, more, apiHandler = observed("none", more).apiHandler) =>
    GENERATIONS["2026, by hand"](recordingHost(more?.more).host, messages, apiHandler);

  test("what answers calls that a summary stands for is shown with them", async () => {
    const messages = [...open(), user([result("one")], 51_000)];
    const arrived = [user([result("two", "42")], 52_000), assistant("Done.", 53_000)];
    const { apiHandler } = observed("none", { at: (calls) => calls === 2 && messages.push(...arrived) });
    const response = await summarize(messages, undefined, apiHandler);
    const shown = getEffectiveApiHistory(response.messages);
    expect(shown.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    // Its call, and not the one that was answered before.
    expect(shown[1].content).toEqual([text("Both."), call("two")]);
    expect(shown.slice(2)).toEqual(arrived);
    expect(validateMessages(shown)).toEqual([]);
    const isBefore = ({ ts, isSummary }) => !isSummary && ts < 51_001;
    expect(cleanupAfterTruncation(response.messages.filter(isBefore))).toEqual([...open(), user([result("one")], 51_000)]);
  });

  test("thinking that was made before what is condensed is hidden where the model would refuse it", async () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "signed" };
    const arrived = [assistant([thinking, text("Done.")], 52_000), user("Go on.", 53_000)];
    for (const [id, isHidden] of [
      ["claude-opus-5-5", true],
      ["claude-sonnet-4-5", false],
    ]) {
      const messages = session();
      const { apiHandler } = observed("none", { at: (calls) => calls === 2 && messages.push(...arrived) });
      const response = await summarize(messages, undefined, { ...apiHandler, getModel: () => ({ id, info: {} }) });
      const shown = getEffectiveApiHistory(response.messages);
      expect(shown.at(-2).content).toEqual(isHidden ? [text("Done.")] : [thinking, text("Done.")]);
      const rewound = cleanupAfterTruncation(response.messages.filter(({ isSummary }) => !isSummary));
      expect(rewound).toEqual([...session(), ...arrived]);
    }
  });
});

describe("a host's own functions that hang", () => {
  const hanging = (more) => {
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 20);
    return recordingHost({ signal: cancel.signal, ...more }).host;
  };
  const cancelled = { summary: "", cost: 0, error: "Condensing was cancelled; the conversation is unchanged." };

  test.each(Object.keys(GENERATIONS))("%s: a manager of the host's own", async (generation) => {
    const host = hanging({ manager: { condense: () => forever } });
    const messages = session();
    const response = await GENERATIONS[generation](host, messages, handler());
    expect(response).toMatchObject(cancelled);
    expect(response.messages).toBe(messages);
  });

  test.each(["2025, the window", "2026, the window"])("%s: a function that condenses", async (generation) => {
    const response = await GENERATIONS[generation](hanging({ summarizeConversation: () => forever }), session(), handler());
    expect(response).toMatchObject({ ...cancelled, prevContextTokens: expect.any(Number) });
  });

  test.each(Object.keys(GENERATIONS))("%s: a handler that never returns its generator", async (generation) => {
    const apiHandler = { ...handler(), createMessage: () => forever };
    expect(await GENERATIONS[generation](hanging({}), session(), apiHandler)).toMatchObject(cancelled);
  });
});

test.each(Object.keys(GENERATIONS))("%s: an async function that returns a generator is one", async (generation) => {
  const asked = handler();
  const apiHandler = { ...asked, createMessage: async (...values) => asked.createMessage(...values) };
  const { summary } = await GENERATIONS[generation](recordingHost().host, session(), apiHandler);
  expect(summary).toBe("a short summary");
});
