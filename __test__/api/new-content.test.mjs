// What stands where a change was made.

import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { strategiesOf } from "../../fixtures/strategies.mjs";
import { api, conversation } from "./support.mjs";

const { CondensationManager, callbackHandler, countTokens } = api;

const handler = callbackHandler({
  async *createMessage() {
    yield { type: "text", text: "What was done, in short." };
    yield { type: "usage", inputTokens: 10, outputTokens: 10 };
  },
  getModel: () => ({ id: "m", info: { contextWindow: 200_000 } }),
});

const tokensOf = (content) => countTokens(typeof content === "string" ? content : [content]);

describe.each(["native", "smart", "lossless", "truncation", ...Object.keys(strategiesOf(api))])("%s", (provider) => {
  test("says of each change what stands there now", async () => {
    for (const dialect of ["claude-code", "roo-xml", "roo-native"]) {
      const messages = buildHistory({ dialect, messages: 60, seed: 4 });
      const manager = new CondensationManager({ handler, cache: false });
      for (const share of [0.6, 0.2]) {
        const targetTokens = Math.round(countTokens(messages) * share);
        const result = await manager.condense({ messages }, { provider, targetTokens });
        const standing = new Set(
          result.messages.flatMap((message) => [message, message.content, ...(Array.isArray(message.content) ? message.content : [])]),
        );
        // Of several changes at one place the last says what stands there.
        const last = new Map(
          result.changes.map((change) => [`${change.messageIndex} ${change.blockIndex} ${change.tokensBefore === 0}`, change]),
        );
        for (const change of last.values()) {
          const { newContent, tokensAfter, messageIndex, blockIndex } = change;
          const told = JSON.stringify(change);
          if (newContent === null) continue;
          expect(standing.has(newContent), told).toBe(true);
          if (blockIndex !== null) expect(newContent, told).not.toBe(messages[messageIndex].content[blockIndex]);
          if (result.choices === undefined) expect(Math.abs(tokensOf(newContent) - tokensAfter), told).toBeLessThan(40 + tokensAfter / 10);
        }
        const whole = [...last.values()].filter(({ tokensAfter }) => tokensAfter > 0);
        expect(whole.filter(({ newContent }) => newContent === null).length).toBeLessThanOrEqual(whole.length / 2);
      }
    }
  });
});

test("is found when it is asked for, and is in no JSON", async () => {
  const messages = conversation(30);
  const result = await new CondensationManager().condense({ messages }, { provider: "truncation", targetTokens: 2000 });
  const [change] = result.changes;
  expect(Object.keys(change)).not.toContain("newContent");
  expect(JSON.stringify(result)).not.toContain("newContent");
  result.messages.length = 0;
  const cut = result.changes.find(({ blockIndex, tokensAfter }) => blockIndex !== null && tokensAfter > 0);
  expect(Math.abs(tokensOf(cut.newContent) - cut.tokensAfter)).toBeLessThan(20);
});
