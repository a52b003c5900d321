import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CondensationManager, callbackHandler, createTruncationProvider } from "../../index.js";
import { thrown } from "./support.mjs";

const { messages } = JSON.parse(readFileSync(new URL("../../fixtures/claude-code.json", import.meta.url), "utf8"));
async function* answer() {
  yield { type: "text", text: "They worked on dates." };
}
const handler = callbackHandler({ createMessage: answer, getModel: () => ({ id: "fake", info: { contextWindow: 1_000_000 } }) });

describe("frozenMessages", () => {
  test.each(["lossless", "truncation", "smart", "native"])(
    "%s leaves the first messages the same objects, and puts nothing between them",
    async (provider) => {
      const manager = new CondensationManager({ provider, handler, frozenMessages: 30 });
      const result = await manager.condense({ messages }, { targetTokens: 40_000 });
      expect(result.error).toBeUndefined();
      expect(result.didCondense).toBe(true);
      expect(result.messages.slice(0, 30).map((message, index) => message === messages[index])).toEqual(Array(30).fill(true));
      expect(result.firstChangedIndex).toBeGreaterThanOrEqual(30);
    },
  );

  test("the largest of what manager, call and configuration say counts", async () => {
    const manager = new CondensationManager({ provider: "truncation", frozenMessages: 10 });
    manager.registerProvider(createTruncationProvider({ frozenMessages: 20 }));
    const firstOf = async (options) => (await manager.condense({ messages }, { targetTokens: 30_000, ...options })).firstChangedIndex;
    expect(await firstOf({})).toBeGreaterThanOrEqual(20);
    expect(await firstOf({ frozenMessages: 40 })).toBeGreaterThanOrEqual(40);
  });

  test("what a provider of the host puts between them stands behind them", async () => {
    const manager = new CondensationManager({ provider: "mine", frozenMessages: 4 });
    const note = { role: "user", content: "A summary of all.", isSummary: true };
    manager.registerProvider({ id: "mine", condense: ({ messages: given }) => ({ messages: [given[0], note, ...given.slice(-3)] }) });
    const result = await manager.condense({ messages });
    expect(result.messages.slice(0, 4)).toEqual(messages.slice(0, 4));
    expect(result.messages.some(({ content }) => content === note.content)).toBe(true);
  });

  test.each([-1, 1.5, "3"])("%j is refused", (frozenMessages) => {
    for (const create of [() => new CondensationManager({ frozenMessages }), () => createTruncationProvider({ frozenMessages })])
      expect(thrown(create)).toMatchObject({ code: expect.stringMatching(/^(?:invalid_config|out_of_range)$/), field: "frozenMessages" });
  });
});
