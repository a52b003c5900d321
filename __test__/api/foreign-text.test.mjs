// Text of every kind in every option: unpaired surrogates, and the private-use characters that stand for them inside the addon.

import { describe, expect, test } from "vitest";
import { api, clone, conversation, managerWith } from "./support.mjs";

const {
  CondensationManager,
  countTokens,
  createLosslessProvider,
  createNativeProvider,
  createSmartProvider,
  createTruncationProvider,
  restore,
} = api;

/** All characters that are reserved inside: U+10F000 to U+10F8BF. */
const RESERVED = String.fromCodePoint(...Array.from({ length: 0x8c0 }, (_, offset) => 0x10f000 + offset));
const TEXTS = [
  ["reserved characters", RESERVED],
  ["a stand-in", "a\u{10F000}b"],
  ["both halves of a pair", "\u{10F840}\u{10F880}"],
  ["one half", "x\u{10F841}y"],
  ["icons of a font", "\u{F0001}\u{100000}\ue0a0".repeat(20)],
  ["an unpaired surrogate", "a\ud800b"],
  ["surrogates the wrong way round", "\udc00\ud800"],
  ["all of it", `\ud800${RESERVED}\udfff`],
];

/** A handler that keeps what it is asked, and says `answer`. */
function asked(answer = "A summary of all that was said.") {
  const questions = [];
  return {
    questions,
    async *createMessage(systemPrompt, messages) {
      questions.push({ systemPrompt, messages });
      yield { type: "text", text: answer };
    },
    getModel: () => ({ id: "model", info: { contextWindow: 200_000 } }),
  };
}

const long = () =>
  conversation(14).map((message) => (typeof message.content === "string" ? { ...message, content: message.content.repeat(40) } : message));

describe.each(TEXTS)("%s", (_, text) => {
  const wellFormed = text.toWellFormed();

  test("in a prompt: the model is asked as it stands there", async () => {
    const prompt = `Summarise. ${text}`;
    for (const [manager, options] of [
      [new CondensationManager({ handler: asked() }), { customCondensingPrompt: prompt }],
      [new CondensationManager({ profiles: { [text]: { customCondensingPrompt: prompt } } }), {}],
    ]) {
      const handler = asked();
      const result = await manager.condense({ messages: long(), profileId: text }, { ...options, handler });
      expect(result.error).toBeUndefined();
      expect(JSON.stringify(handler.questions)).toContain(JSON.stringify(`Summarise. ${wellFormed}`).slice(1, -1));
    }
    const handler = asked();
    const result = await createNativeProvider().condense({ messages: long() }, { customCondensingPrompt: prompt, handler });
    expect(result.error).toBeUndefined();
    expect(JSON.stringify(handler.questions)).toContain(JSON.stringify(`Summarise. ${wellFormed}`).slice(1, -1));
  });

  test("in an answer: the summary says the same", async () => {
    const answer = `So far: ${[...text].slice(0, 40).join("")}.`;
    const result = await createNativeProvider().condense({ messages: long() }, { handler: asked(answer) });
    expect(result.summary).toContain(answer.toWellFormed());
    expect(JSON.stringify(result.messages)).toContain(JSON.stringify(answer.toWellFormed()).slice(1, -1));
    expect(restore(clone(result))).toEqual(long());
  });

  test("in a system prompt: it is counted as countTokens counts it, and the handler's count is given it", async () => {
    const messages = conversation(3);
    const expected = countTokens(text) + countTokens(messages);
    expect(countTokens(text)).toBe(countTokens(wellFormed));
    for (const provider of [createLosslessProvider(), createTruncationProvider(), new CondensationManager({ provider: "lossless" })]) {
      expect((await provider.condense({ messages, systemPrompt: text })).prevContextTokens).toBe(expected);
    }
    const seen = [];
    const countTokensOf = (blocks) => seen.push(...blocks) && 7;
    await createTruncationProvider().condense(
      { messages, systemPrompt: text },
      { targetTokens: 1, handler: { ...asked(), countTokens: countTokensOf } },
    );
    expect(seen[0].text).toBe(wellFormed);
  });

  test("in a conversation: counted alike, cut without harm, restored exactly", async () => {
    const messages = long().map((message) =>
      typeof message.content === "string" ? { ...message, content: `${text}\n${message.content}${text}` } : message,
    );
    const counted = countTokens(messages);
    expect(counted).toBe(
      countTokens(JSON.parse(JSON.stringify(messages), (_key, value) => (typeof value === "string" ? value.toWellFormed() : value))),
    );
    for (const provider of [createLosslessProvider(), createTruncationProvider({ strategy: "head" }), createSmartProvider("aggressive")]) {
      const result = await provider.condense({ messages }, { targetTokens: Math.round(counted / 3) });
      expect(result.error).toBeUndefined();
      expect(result.stats.originalTokens).toBe(counted);
      expect(result.stats.finalTokens).toBe(countTokens(result.messages));
      expect(restore(clone(result))).toEqual(messages);
    }
  });

  test("in ids and names: told as they are", async () => {
    const manager = new CondensationManager({
      profileThresholds: { [text]: 50 },
      profiles: { [text]: { customCondensingPrompt: text, condensingApiConfigId: text } },
    });
    expect(manager.effectiveThreshold(text)).toBe(50);
    expect(manager.getEffectiveConfig(text)).toMatchObject({
      profileId: wellFormed,
      customCondensingPrompt: wellFormed,
      condensingApiConfigId: wellFormed,
    });
    manager.setProfileThreshold(text, 60);
    expect(manager.effectiveThreshold(text)).toBe(60);
    await manager.condense({ messages: conversation(2), profileId: text, taskId: text }, { provider: "lossless" });
    expect(Object.keys(manager.getMetrics().profiles)).toEqual([wellFormed]);
    manager.calibrate({ localTokens: 1000, reportedTokens: 1200, model: text });

    const own = managerWith(({ messages, systemPrompt }, { config }) => ({
      messages,
      summary: `${systemPrompt} ${config.note}`,
      warnings: [text],
    }));
    own.registerProvider({
      id: text,
      name: text,
      description: text,
      version: text,
      condense: ({ messages }, { config }) => ({ messages, warnings: [config.note] }),
    });
    expect(own.listProviders().find(({ id }) => id === wellFormed)).toMatchObject({
      name: wellFormed,
      description: wellFormed,
      version: wellFormed,
    });
    own.setActiveProvider(text);
    expect(own.getEffectiveConfig().provider).toBe(wellFormed);
    const result = await own.condense({ messages: conversation(2) }, { config: { note: text } });
    expect(result.error).toBeUndefined();
    expect(result.metrics.providerId).toBe(wellFormed);
    expect(result.warnings.map(({ message }) => message)).toEqual([wellFormed]);
    expect(own.unregisterProvider(text)).toBe(true);
  });

  test("in tools: they are known by their names", async () => {
    const name = `fetch_${wellFormed}`;
    const page = "a line of a page that comes twice\n".repeat(60);
    const call = (id) => ({ type: "tool_use", id, name, input: { where: wellFormed } });
    const answer = (id) => ({ type: "tool_result", tool_use_id: id, content: page });
    const messages = [
      { role: "user", content: "Read it." },
      { role: "assistant", content: [call("a")] },
      { role: "user", content: [answer("a")] },
      { role: "assistant", content: [call("b")] },
      { role: "user", content: [answer("b")] },
      { role: "assistant", content: "Done." },
    ];
    const tools = { [name]: { meaning: "read", path: "where" } };
    const result = await createLosslessProvider({ tools }).condense({ messages });
    expect(result.error).toBeUndefined();
    expect(result.didCondense).toBe(true);
    expect(restore(result)).toEqual(messages);
  });

  test("in what is wrong: quoted as it was given", () => {
    const wrong = createTruncationProvider().validateConfig({ strategy: text.slice(0, 6) });
    expect(wrong.valid).toBe(false);
    if (text.length < 7) expect(wrong.errors[0].message).toContain(JSON.stringify(wellFormed).slice(1, -1));
    expect(() => createTruncationProvider({ [text]: 1 })).toThrow(TypeError);
    expect(() => new CondensationManager({ encoding: text })).toThrow(/encoding/);
  });
});
