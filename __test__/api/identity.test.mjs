// What is not changed is the same object, and the input is never touched.

import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { api, clone, conversation, deepFreeze } from "./support.mjs";

const { createLosslessProvider, createTruncationProvider, CondensationManager } = api;

/** Blocks of the result that are not the input's, though they are equal to it. */
function copiedForNothing(before, after) {
  const found = [];
  for (const [index, message] of after.entries()) {
    const original = before[index];
    if (message === original || !Array.isArray(message.content)) continue;
    message.content.forEach((block, at) => {
      if (block !== original.content[at] && JSON.stringify(block) === JSON.stringify(original.content[at])) found.push([index, at]);
    });
  }
  return found;
}

describe.each(["claude-code", "roo-xml", "roo-native", "cline-plain-text", "shell-only"])("a history of %s", (dialect) => {
  const messages = deepFreeze(buildHistory({ dialect, messages: 60 }));
  const before = JSON.stringify(messages);

  test.each([
    ["lossless", createLosslessProvider()],
    ["truncation", createTruncationProvider({ minTokensForTruncation: 20 })],
    ["truncation, suppressing", createTruncationProvider({ truncationMode: "suppress", minTokensForTruncation: 20 })],
  ])("%s copies only what it changes", async (_, provider) => {
    const result = await provider.condense({ messages });
    expect(result.error).toBeUndefined();
    expect(result.messages.length).toBe(messages.length);
    const changed = new Set(result.changes.map((change) => change.messageIndex));
    result.messages.forEach((message, index) => expect(message === messages[index], `message ${index}`).toBe(!changed.has(index)));
    expect(copiedForNothing(messages, result.messages)).toEqual([]);
    expect(JSON.stringify(messages)).toBe(before);
  });

  test("dropping messages leaves the others the same objects", async () => {
    const result = await createTruncationProvider({ mode: "window" }).condense({ messages });
    expect(result.didCondense).toBe(true);
    expect(result.messages.length).toBeLessThan(messages.length);
    for (const message of result.messages) expect(messages.includes(message)).toBe(true);
    expect(result.messages[0]).toBe(messages[0]);
    expect(result.messages.at(-1)).toBe(messages.at(-1));
  });
});

test("unchanged blocks and fields of a changed message are the same objects", async () => {
  const messages = conversation(6);
  messages[2].meta = { kept: [1] };
  const result = await createTruncationProvider().condense({ messages: deepFreeze(messages) });
  const [was, is] = [messages[2], result.messages[2]];
  expect(is).not.toBe(was);
  expect(is.meta).toBe(was.meta);
  expect(is.content[1]).toBe(was.content[1]);
  expect(is.content[0]).not.toBe(was.content[0]);
  expect(Object.isFrozen(is)).toBe(false);
});

test.each(["lossless", "truncation"])("%s: nothing to gain gives the array that came in, and no error", async (provider) => {
  for (const messages of [[], conversation(0), conversation(1)]) {
    const result = await new CondensationManager().condense({ messages: deepFreeze(messages) }, { provider });
    expect(result.messages).toBe(messages);
    expect(result).toMatchObject({ didCondense: false, changes: [], firstChangedIndex: -1, restoreData: { edits: [] } });
    expect(result.error).toBeUndefined();
  }
});

test("condensing a result again changes nothing more", async () => {
  for (const provider of [createLosslessProvider(), createTruncationProvider()]) {
    const { messages } = await provider.condense({ messages: buildHistory({ dialect: "claude-code", messages: 80 }) });
    const again = await provider.condense({ messages });
    expect(again.messages).toBe(messages);
  }
});

test("the same input gives the same bytes", async () => {
  const messages = buildHistory({ dialect: "roo-native", messages: 80 });
  const provider = createTruncationProvider();
  const texts = await Promise.all(
    [1, 2, 3].map(async () => JSON.stringify((await provider.condense({ messages: clone(messages) }, { targetTokens: 5000 })).messages)),
  );
  expect(new Set(texts).size).toBe(1);
});

test("the caller may change the array while it is condensed", async () => {
  const messages = conversation(8);
  const held = messages.slice();
  const promise = createTruncationProvider().condense({ messages });
  messages.length = 0;
  const result = await promise;
  expect(result.messages.length).toBe(held.length);
  expect(result.messages[0]).toBe(held[0]);
  expect(api.restore(result)).toEqual(held);
});

test("objects of a class and without one keep their prototype when they are changed", async () => {
  class HostMessage {
    constructor(fields) {
      Object.assign(this, fields);
    }
    get size() {
      return this.content.length;
    }
  }
  const plain = conversation(8);
  const messages = plain.map((message, index) => (index % 2 ? Object.assign(Object.create(null), message) : new HostMessage(message)));
  const result = await createTruncationProvider().condense({ messages });
  expect(result.messages[2]).not.toBe(messages[2]);
  expect(result.messages[2]).toBeInstanceOf(HostMessage);
  expect(result.messages[2].size).toBe(2);
  for (const [index, message] of result.messages.entries())
    expect(Object.getPrototypeOf(message)).toBe(Object.getPrototypeOf(messages[index]));
  expect(clone(result.messages)).toEqual(clone((await createTruncationProvider().condense({ messages: plain })).messages));
});

test("fields that are not enumerable stay so, and those that are computed become what they were", async () => {
  const messages = conversation(6);
  const own = Symbol("own");
  Object.defineProperties(messages[2], {
    hidden: { value: { kept: true }, enumerable: false },
    [own]: { value: 1, enumerable: false },
    computed: { get: () => "now", enumerable: true },
    lazy: {
      get() {
        return this.role;
      },
      enumerable: false,
    },
  });
  Object.freeze(messages[2]);
  const { messages: condensed, restoreData } = await createTruncationProvider().condense({ messages });
  const [before, after] = [messages[2], condensed[2]];
  expect(after).not.toBe(before);
  expect([after.hidden, after[own], after.computed, after.lazy]).toEqual([before.hidden, 1, "now", "user"]);
  const enumerable = (name) => Object.getOwnPropertyDescriptor(after, name)?.enumerable;
  expect(["hidden", own, "computed", "lazy"].map(enumerable)).toEqual([false, false, true, false]);
  expect(api.restore({ messages: condensed, restoreData })[2].hidden).toBe(before.hidden);
});

test("fields that JSON does not have stay: undefined, symbols, functions", async () => {
  const symbol = Symbol("host");
  const messages = conversation(8).map((message) => ({ ...message, nothing: undefined, [symbol]: { ours: true }, act() {} }));
  const result = await createTruncationProvider().condense({ messages: deepFreeze(messages) });
  expect(result.didCondense).toBe(true);
  for (const [index, message] of result.messages.entries()) {
    expect(Object.hasOwn(message, "nothing")).toBe(true);
    expect(message[symbol]).toBe(messages[index][symbol]);
    expect(message.act).toBe(messages[index].act);
  }
  expect(api.restore(result)).toEqual(messages);
});
