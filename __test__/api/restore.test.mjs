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

/** A lossless result with recipes, and one of a window, which drops messages. */
async function resultsOf(messages) {
  const lossless = await createLosslessProvider().condense({ messages });
  const window = await createTruncationProvider({ mode: "window" }).condense({ messages });
  expect(lossless.restoreData.edits.some(({ recipe }) => recipe)).toBe(true);
  expect(window.restoreData.edits.some(({ op }) => op === "insert")).toBe(true);
  return { lossless, window };
}

describe("messages that the data is not for", () => {
  const messages = deepFreeze(buildHistory({ dialect: "claude-code", messages: 60, seed: 5 }));
  const others = buildHistory({ dialect: "claude-code", messages: 60, seed: 6 });
  const edited = (list, index) => {
    const copy = clone(list);
    const [block] = copy[index].content;
    if (block.type === "text") block.text += "!";
    else if (block.type === "tool_use") block.input.more = 1;
    else block.is_error = !block.is_error;
    return copy;
  };

  test.each(["lossless", "window"])("%s: every message that was edited since is named", async (name) => {
    const { messages: condensed, restoreData } = (await resultsOf(messages))[name];
    for (const index of condensed.keys()) {
      const changed = typeof condensed[index].content === "string" ? clone(condensed) : edited(condensed, index);
      if (typeof changed[index].content === "string") changed[index].content += "!";
      const error = expectThrown(
        () => restore({ messages: changed, restoreData }),
        TypeError,
        "invalid_restore_data",
        `messages[${index}]`,
      );
      expect(error.field).toBe(`messages[${index}]`);
    }
  });

  test.each(["lossless", "window"])("%s: dropped from the beginning, moved, inserted or taken from the end", async (name) => {
    const { messages: condensed, restoreData } = (await resultsOf(messages))[name];
    const swapped = condensed.toSpliced(1, 2, condensed[2], condensed[1]);
    for (const list of [
      condensed.slice(1),
      condensed.slice(2),
      swapped,
      condensed.toSpliced(3, 0, condensed[1]),
      condensed.slice(0, -1),
      [],
    ]) {
      expectThrown(() => restore({ messages: list, restoreData }), TypeError, "invalid_restore_data", "messages");
    }
  });

  test.each(["lossless", "window"])("%s: condensed again, or of another conversation of the same shape", async (name) => {
    const { messages: condensed, restoreData } = (await resultsOf(messages))[name];
    const again = await createTruncationProvider({ minTokensForTruncation: 20 }).condense({ messages: condensed });
    expect(again.didCondense).toBe(true);
    expectThrown(() => restore({ messages: again.messages, restoreData }), TypeError, "invalid_restore_data", "messages[");
    const other = (await resultsOf(others))[name];
    expectThrown(() => restore({ messages: other.messages, restoreData }), TypeError, "invalid_restore_data", "messages[");
    expectThrown(() => restore({ messages, restoreData }), TypeError, "invalid_restore_data", "messages");
  });

  test("fields that a host adds and removes are no edit, nor is another order of fields", async () => {
    const { lossless, window } = await resultsOf(messages);
    for (const { messages: condensed, restoreData } of [lossless, window]) {
      const marked = clone(condensed).map(({ role, content, ts, ...rest }) => ({ content, seen: true, ...rest, role }));
      marked.at(-1).content.at(-1).cache_control = { type: "ephemeral" };
      const back = restore({ messages: marked, restoreData: clone(restoreData) });
      expect(back.map(({ role }) => role)).toEqual(messages.map(({ role }) => role));
    }
  });
});

describe("restore data that was damaged", () => {
  const messages = deepFreeze(buildHistory({ dialect: "claude-code", messages: 60, seed: 5 }));
  const deep = (levels) => {
    let value = "x";
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };
  const cyclic = () => {
    const value = {};
    value.self = value;
    return value;
  };
  const recipeOf = (data) => data.edits.find(({ recipe }) => recipe);
  const setOf = (data) => data.edits.find(({ op, value }) => op === "set" && value !== undefined);
  const part = (value) => (data) => {
    recipeOf(data).recipe.parts[0] = value;
  };

  const rows = [
    ["no edits any more", (data) => data.edits.splice(0)],
    ["a part a thousand million times", part([0, 0, 1, 0, 0, 1e9])],
    [
      "and with a length to go with it",
      (data) => {
        part([0, 0, 1, 0, 0, 1e9])(data);
        recipeOf(data).was = `2000000000:${"0".repeat(16)}`;
      },
    ],
    ["a length that no text has", (data) => (recipeOf(data).was = `9999999999:${"0".repeat(16)}`)],
    ["a part of a text that is not there", part([99, 0, 1])],
    ["a negative start", part([0, -1, 1])],
    ["a start behind the end", part([0, 5, 1])],
    ["an end behind the text", part([0, 0, 4e9])],
    ["NaN", part([0, NaN, 1])],
    ["Infinity", part([0, 0, Infinity])],
    ["a fraction", part([0, 0.5, 1])],
    ["more than 32 bits", part([0, 0, 2 ** 40])],
    ["numbers as texts", part(["0", "0", "1"])],
    ["a negative number of times", part([0, 0, 1, 0, 0, -1])],
    ["no times", part([0, 0, 1, 0, 0, 0])],
    ["too many fields", part([0, 0, 1, 0, 0, 1, 1])],
    ["too few", part([0, 0])],
    ["no part", part(null)],
    ["a width of a thousand million", part([0, 0, 1, 0, [1, 1e9, "→"]])],
    ["a separator of a megabyte", part([0, 0, 1, 0, [1, 6, "x".repeat(2 ** 20)]])],
    ["a negative line number", part([0, 0, 1, [-1, 6, "→", 1]])],
    ["every zeroth line", part([0, 0, 1, [1, 6, "→", 0]])],
    ["a number that is an object", part([0, 0, 1, { valueOf: () => 1 }])],
    ["a part twice, which overlaps", (data) => recipeOf(data).recipe.parts.push(recipeOf(data).recipe.parts[0])],
    ["a part less", (data) => recipeOf(data).recipe.parts.pop()],
    ["an array of holes for parts", (data) => (recipeOf(data).recipe.parts = new Array(2 ** 32 - 1))],
    ["parts that are an object", (data) => (recipeOf(data).recipe.parts = { length: 1, 0: [0, 0, 1] })],
    ["a text at a prototype's key", (data) => (recipeOf(data).recipe.texts[0][1] = ["__proto__", "toString", "name"])],
    ["a text at a length", (data) => (recipeOf(data).recipe.texts[0][1] = ["content", "length"])],
    ["a text in a message that is not there", (data) => (recipeOf(data).recipe.texts[0][0] = 4000)],
    ["a recipe that is itself", (data) => (recipeOf(data).recipe.parts = recipeOf(data).recipe)],
    ["a recipe that is nothing", (data) => (recipeOf(data).recipe = null)],
    ["another text", (data) => (setOf(data).value = "nothing of the kind")],
    ["a number for a text", (data) => (setOf(data).value = 5)],
    ["a text that is undefined", (data) => (setOf(data).value = undefined)],
    ["a value that holds itself", (data) => (setOf(data).value = cyclic())],
    ["a BigInt", (data) => (setOf(data).value = 5n)],
    ["a value of 20,000 levels", (data) => (setOf(data).value = deep(20_000))],
    ["no fingerprint", (data) => delete setOf(data).was],
    ["a fingerprint that is none", (data) => (setOf(data).was = "5")],
    ["a path of a million steps", (data) => (setOf(data).path = Array.from({ length: 1e6 }, () => "content"))],
    ["a path of holes", (data) => (setOf(data).path = new Array(200))],
    ["a path to a prototype", (data) => (setOf(data).path = ["content", "__proto__"])],
    ["an edit less", (data) => data.edits.pop()],
    ["the same edit twice", (data) => data.edits.push(data.edits[0])],
    ["an edit of what holds another", (data) => data.edits.push({ ...setOf(data), path: ["content"] })],
    ["edits of holes", (data) => (data.edits = new Array(2 ** 32 - 1))],
    ["another message for an edit", (data) => (setOf(data).message = (setOf(data).message + 2) % 50)],
    ["no contents", (data) => delete data.messages],
    ["half of the contents", (data) => (data.messages = data.messages.slice(4))],
    ["contents of less messages", (data) => (data.messages = data.messages.slice(8))],
    ["no hash of all", (data) => delete data.original],
    ["another hash of all", (data) => (data.original = `60:${"0".repeat(16)}`)],
  ];

  test.each(rows)("%s", async (_, damage) => {
    const { messages: condensed, restoreData } = (await resultsOf(messages)).lossless;
    const data = clone(restoreData);
    damage(data);
    const begun = performance.now();
    const error = expectThrown(() => restore({ messages: condensed, restoreData: data }), TypeError, "invalid_restore_data");
    expect(error.message).toMatch(/^(restoreData|messages)/);
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  test("any character of it: an error, or the same messages", async () => {
    for (const { messages: condensed, restoreData } of Object.values(await resultsOf(messages))) {
      const json = JSON.stringify(restoreData);
      const expected = JSON.stringify(messages);
      for (let at = 3; at < json.length; at += Math.ceil(json.length / 400)) {
        const damaged = json.slice(0, at) + (json[at] === "1" ? "2" : "1") + json.slice(at + 1);
        let data;
        try {
          data = JSON.parse(damaged);
        } catch {
          continue;
        }
        let back;
        try {
          back = restore({ messages: condensed, restoreData: data });
        } catch (error) {
          expect(error.code).toBe("invalid_restore_data");
          continue;
        }
        expect(JSON.stringify(back)).toBe(expected);
      }
    }
  });
});

describe("what the host changes while it is condensed", () => {
  const history = () => buildHistory({ dialect: "claude-code", messages: 60, seed: 5 });
  // A record of work is added, and stands where nothing was.
  const touched = async (provider) =>
    (await provider.condense({ messages: history() })).changes.filter(({ operation }) => operation !== "log");

  test.each([
    ["lossless", createLosslessProvider()],
    ["truncation", createTruncationProvider({ minTokensForTruncation: 20 })],
    ["a window", createTruncationProvider({ mode: "window" })],
  ])("%s: a text that it would overwrite or drop", async (_, provider) => {
    for (const { messageIndex, blockIndex } of (await touched(provider)).slice(0, 5)) {
      const messages = history();
      const pending = provider.condense({ messages });
      const block = messages[messageIndex].content[blockIndex ?? 0];
      if (block.type === "text") block.text += " and more";
      else if (block.type === "tool_use") for (const key in block.input) block.input[key] += " and more";
      else if (typeof block.content === "string") block.content += " and more";
      else block.content[0].text += " and more";
      const now = clone(messages);
      const result = await pending;
      expect(result.error).toMatchObject({ code: "unsupported_messages", message: expect.stringContaining(`messages[${messageIndex}]`) });
      expect(result.didCondense).toBe(false);
      expect(result.messages).toBe(messages);
      expect(messages).toEqual(now);
      expect(restore(result)).toBe(messages);
    }
  });

  test("fields that say nothing to the model may change", async () => {
    const messages = history();
    const pending = createTruncationProvider({ mode: "window" }).condense({ messages });
    for (const message of messages) message.seen = true;
    const result = await pending;
    expect(result.error).toBeUndefined();
    expect(restore(result)).toEqual(messages);
    expect(restore(clone(result))).toEqual(messages);
  });

  test("a text that stays is taken as it is now", async () => {
    const messages = history();
    const pending = createLosslessProvider().condense({ messages });
    messages.at(-1).content = "changed";
    const result = await pending;
    expect(result.messages.at(-1).content).toBe("changed");
    expectThrown(() => restore(result), TypeError, "invalid_restore_data", `messages[${result.messages.length - 1}]`);
  });
});

describe("what is not a result", () => {
  const messages = conversation(3);
  const data = (edits, version = 2) => ({ messages, restoreData: { version, edits } });

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
    ["of an earlier version", data([], 1)],
    ["of another version", data([], 3)],
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
