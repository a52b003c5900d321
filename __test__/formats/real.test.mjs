// Real histories of other programs: the caller's own messages come back, in their format, whatever was done to them.

import { describe, expect, test } from "vitest";
import { api, clone } from "../api/support.mjs";
import { withShared } from "../shared.mjs";
import { historiesIn } from "./histories.mjs";

const handler = {
  async *createMessage() {
    yield { type: "text", text: "The files were looked at, and the fault was found and fixed." };
    yield { type: "usage", inputTokens: 100, outputTokens: 20 };
  },
};

/** Provider, and the share of the tokens that may be left. */
const RUNS = [
  ["lossless", undefined],
  ["truncation", undefined],
  ["truncation", 0.3],
  ["smart", 0.5],
  ["smart", 0.15],
  ["native", undefined],
];

const count = (problems) => {
  const counts = new Map();
  for (const { code, message } of problems) {
    const key = code.includes("tool") ? `${code} ${/"[^"]*"/.exec(message)?.[0]}` : code;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};

withShared("formats", (folder) => {
  describe.each(historiesIn(folder))("$name", ({ format, messages }) => {
    const before = JSON.stringify(messages);
    const known = count(api.validateMessages(messages, { format }));

    test("its format is seen, and it is counted and inspected", async () => {
      const tokens = api.countTokens(messages, { format });
      expect(tokens).toBeGreaterThan(0);
      const found = await api.inspect({ messages }, { format });
      expect(found.messages).toHaveLength(messages.length);
      expect(Math.abs(found.tokens.messages - tokens)).toBeLessThanOrEqual(tokens * 0.001);
      const isText = messages.every(({ role, content }) => ["system", "user", "assistant"].includes(role) && typeof content === "string");
      if (!isText) expect(api.countTokens(messages)).toBe(tokens);
      for (const { messageIndex } of found.largest) expect(messages[messageIndex]).toBeDefined();
    });

    test.each(RUNS)("%s to %s", async (provider, share) => {
      const manager = new api.CondensationManager({ provider, fallback: false, guard: false });
      const targetTokens = share && Math.round(api.countTokens(messages, { format }) * share);
      const options = { format, ...(targetTokens && { targetTokens }), ...(provider === "native" && { handler }) };
      const result = await manager.condense({ messages }, options);
      if (result.error) {
        expect(["not_enough_messages", "context_grew"]).toContain(result.error.code);
        expect(result.messages).toBe(messages);
        return;
      }
      expect(JSON.stringify(messages)).toBe(before);
      const after = count(api.validateMessages(result.messages, { format }));
      for (const [problem, times] of after) expect(known.get(problem) ?? 0, problem).toBeGreaterThanOrEqual(times);
      const left = api.countTokens(result.messages, { format });
      expect(Math.abs(left - result.stats.finalTokens)).toBeLessThanOrEqual(2 + result.stats.finalTokens * 0.001);
      const own = new Set(messages);
      const kept = result.messages.filter((message) => own.has(message)).length;
      expect(kept).toBeGreaterThan(0);
      for (const { messageIndex, newContent } of result.changes) {
        expect(messageIndex).toBeLessThanOrEqual(messages.length);
        expect(newContent === undefined).toBe(false);
      }
      if (result.didCondense)
        expect(result.messages.slice(0, result.firstChangedIndex)).toEqual(messages.slice(0, result.firstChangedIndex));
      const stored = clone({ messages: result.messages, restoreData: result.restoreData });
      expect(JSON.stringify(api.restore(stored))).toBe(before);
      const here = api.restore(result);
      for (const [index, message] of here.entries()) expect(message).toEqual(messages[index]);
      expect(api.expand(result.messages, { format }).unresolved).toEqual(api.expand(messages, { format }).unresolved);
    });

    test("single changes are undone", async () => {
      const { messages: condensed, changes, restoreData } = await api.createTruncationProvider().condense({ messages }, { format });
      for (const { id } of changes.slice(0, 5)) {
        const undone = api.restore({ messages: condensed, restoreData }, { only: [id], withDependants: true });
        expect(undone.restored).toEqual([id]);
        expect(JSON.stringify(api.restore({ messages: undone.messages, restoreData: undone.restoreData }))).toBe(before);
      }
    });

    test("what would be done is shown", async () => {
      const targetTokens = Math.round(api.countTokens(messages, { format }) * 0.4);
      const shown = await new api.CondensationManager({ provider: "smart" }).preview({ messages }, { format, targetTokens });
      for (const { messageIndex, before: was, after } of shown.samples) {
        if (was !== null) expect(was).toBe(messages[messageIndex]);
        else expect(after).not.toBeNull();
      }
    });
  });
});
