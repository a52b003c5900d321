// `restore` gives back what came in.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { api, clone, conversation, deepFreeze, expectThrown, managerWith } from "./support.mjs";

const { CondensationManager, createLosslessProvider, createTruncationProvider, restore } = api;

const providers = [
  ["lossless", createLosslessProvider(), {}],
  ["lossless, keeping the first", createLosslessProvider({ keep: "first" }), {}],
  ["truncation", createTruncationProvider({ minTokensForTruncation: 20 }), {}],
  ["suppression", createTruncationProvider({ truncationMode: "suppress", minTokensForTruncation: 20 }), {}],
  ["window", createTruncationProvider({ mode: "window" }), {}],
  ["a target", createTruncationProvider(), { targetTokens: 2500 }],
];

describe.each(providers)("%s", (_, provider, options) => {
  test.each(["claude-code", "roo-xml", "roo-native", "cline-plain-text", "shell-only"])("of a history of %s", async (dialect) => {
    const messages = deepFreeze(buildHistory({ dialect, messages: 70, seed: 3 }));
    const result = await provider.condense({ messages }, options);
    expect(JSON.stringify(restore(result))).toBe(JSON.stringify(messages));
    const { messages: condensed, restoreData } = clone(result);
    expect(JSON.stringify(restore({ messages: condensed, restoreData }))).toBe(JSON.stringify(messages));
  });
});

test("of the fixture of odd shapes", async () => {
  const text = readFileSync(new URL("../../fixtures/odd-shapes.json", import.meta.url), "utf8");
  const messages = [...JSON.parse(text), ...conversation(12)];
  for (const [, provider, options] of providers) {
    const result = await provider.condense({ messages: deepFreeze(messages) }, options);
    expect(result.error).toBeUndefined();
    expect(JSON.stringify(restore(result))).toBe(JSON.stringify(messages));
  }
});

test("of several providers in a chain", async () => {
  const messages = deepFreeze(buildHistory({ dialect: "claude-code", messages: 90 }));
  const result = await new CondensationManager().condense({ messages }, { provider: "lossless", targetTokens: 4000 });
  expect(result.metrics.providerId).toBe("truncation");
  expect(restore(result)).toEqual(messages);
  expect(restore(clone(result))).toEqual(clone(messages));
});

test("of a provider of the host that drops, adds and moves", async () => {
  const messages = conversation(6);
  const manager = managerWith(({ messages: given }) => ({
    messages: [given[0], { role: "assistant", content: "In short: nothing." }, { ...given[2], content: "And then?" }, given.at(-1)],
  }));
  const result = await manager.condense({ messages: deepFreeze(messages) });
  expect(result.error).toBeUndefined();
  expect(result.messages.length).toBe(4);
  const back = restore(result);
  back.forEach((message, index) => expect(message).toBe(messages[index]));
  expect(restore(clone(result))).toEqual(messages);
});

test("messages added since stay at the end", async () => {
  const messages = conversation(6);
  const result = await createTruncationProvider().condense({ messages });
  const added = { role: "user", content: "Go on." };
  expect(restore({ messages: [...result.messages, added], restoreData: result.restoreData })).toEqual([...messages, added]);
});

test("of a result that changed nothing it gives the same array", async () => {
  const messages = conversation(1);
  const result = await createLosslessProvider().condense({ messages });
  expect(restore(result)).toBe(messages);
});

test("it mutates neither the result nor the data", async () => {
  const result = deepFreeze(await createTruncationProvider().condense({ messages: conversation(6) }));
  const before = JSON.stringify(result);
  restore(result);
  expect(JSON.stringify(result)).toBe(before);
});

describe("what is not a result", () => {
  const messages = conversation(3);
  const data = (edits, version = 1) => ({ messages, restoreData: { version, edits } });

  test.each([[undefined], [null], [5], ["text"], [Symbol("x")]])("%s", (value) => {
    expectThrown(() => restore(value), TypeError, "invalid_argument", "result");
  });

  test("messages that are no array", () => {
    expectThrown(() => restore({ messages: {}, restoreData: { version: 1, edits: [] } }), TypeError, "invalid_argument", "messages");
  });

  test.each([
    ["none", { messages }],
    ["null", { messages, restoreData: null }],
    ["text", { messages, restoreData: "x" }],
    ["of another version", data([], 2)],
    ["without edits", data(undefined)],
    ["an unknown edit", data([{ op: "move", message: 0 }])],
    ["an edit that is null", data([null])],
    ["a message that is not there", data([{ op: "drop", message: messages.length }])],
    ["a negative index", data([{ op: "drop", message: -1 }])],
    ["a fraction", data([{ op: "drop", message: 0.5 }])],
    ["an insert behind the end", data([{ op: "insert", before: messages.length + 1, value: { message: {} } }])],
    ["an insert of nothing", data([{ op: "insert", before: 0, value: {} }])],
    ["an insert of another's object", data([{ op: "insert", before: 0, value: { message: {}, foreign: 0 } }])],
    ["a path to nowhere", data([{ op: "set", message: 0, path: ["content", 3, "text"], value: "x" }])],
    ["a path that is empty", data([{ op: "set", message: 0, path: [], value: "x" }])],
    ["a path to what is inherited", data([{ op: "set", message: 1, path: ["__proto__", "polluted"], value: "x" }])],
    ["a path through what is inherited", data([{ op: "set", message: 1, path: ["content", "constructor", "prototype"], value: "x" }])],
    ["a path of objects", data([{ op: "set", message: 0, path: [{}], value: "x" }])],
  ])("restoreData: %s", (_, condensed) => {
    expectThrown(() => restore(condensed), TypeError, "invalid_restore_data", "restoreData");
    expect({}.polluted).toBeUndefined();
  });

  test("a getter that throws", () => {
    const boom = new Error("boom");
    const condensed = {
      get messages() {
        throw boom;
      },
    };
    expect(expectThrown(() => restore(condensed), TypeError, "not_serializable", "boom").cause).toBe(boom);
  });
});
