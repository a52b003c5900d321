// Pointers replaced by what they stand for.

import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { api } from "./support.mjs";

const { createLosslessProvider, expand } = api;

describe("expand", () => {
  test.each(["claude-code", "roo-xml", "roo-native", "shell-only"])("%s: what strict has left out comes back", async (dialect) => {
    const messages = buildHistory({ dialect, messages: 200 });
    const condensed = await createLosslessProvider({ strict: true }).condense({ messages });
    expect(condensed.didCondense).toBe(true);
    const expanded = expand(condensed.messages);
    expect(expanded.unresolved).toEqual([]);
    expect(expanded.messages).toEqual(messages);
    for (const [index, message] of condensed.messages.entries()) {
      if (message === messages[index]) expect(expanded.messages[index]).toBe(message);
    }
  });

  test("without pointers the array is the same", () => {
    const messages = [{ role: "user", content: "Hello" }];
    expect(expand(messages)).toEqual({ messages, unresolved: [] });
    expect(expand(messages).messages).toBe(messages);
  });

  test("what leads nowhere stays and is told", () => {
    const text = 'see\n[3 lines as below from "nowhere to be found"]';
    const messages = [{ role: "user", content: [{ type: "text", text }] }];
    expect(expand(messages)).toEqual({
      messages,
      unresolved: [{ messageIndex: 0, blockIndex: 0, text: '[3 lines as below from "nowhere to be found"]' }],
    });
  });

  test("no forged pointer can ask for more than there is room for", () => {
    const line = "x".repeat(100_000);
    const content = `${line}\n[The line above 9999999 more times]`;
    const { messages, unresolved } = expand([{ role: "user", content }]);
    expect([messages[0].content, unresolved.length]).toEqual([content, 1]);
  });

  test("only an array of messages will do", () => {
    expect(() => expand("x")).toThrow(expect.objectContaining({ code: "invalid_messages" }));
  });
});
