// Restore data in a store of the host: nothing is adopted before it is kept, nothing dangles, and what is lost is said.

import Keyv from "keyv";
import { describe, expect, it } from "vitest";
import roo from "../../index.js";

const { CondensationManager, createRecall } = roo;

const call = (id, name, input) => ({ role: "assistant", content: [{ type: "tool_use", id, name, input }] });
const result = (id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });

const opening = { role: "user", content: "Keep the relay on port 8471." };
const round = (index) => [
  call(`c${index}`, "Bash", { command: `make part${index}` }),
  result(`c${index}`, Array.from({ length: 60 }, (_, line) => `part${index} line ${line} checksum ${index * 1000 + line * 7}`).join("\n")),
];
const rounds = (from, to) => Array.from({ length: to - from }, (_, index) => round(from + index)).flat();

/** A host that keeps condensed messages alone. */
function host(store, conversation) {
  let messages = [opening];
  const recall = createRecall({ messages: () => messages, store, conversation });
  const manager = new CondensationManager({ provider: "truncation" });
  return {
    recall,
    add: (more) => {
      messages = [...messages, ...more];
    },
    async condense() {
      const condensed = await manager.condense({ messages }, { targetTokens: 3_000 });
      await recall.keep(condensed);
      messages = condensed.messages;
    },
    get messages() {
      return messages;
    },
  };
}

const stores = { Keyv: () => new Keyv(), "a Map": () => new Map() };

describe.each(Object.entries(stores))("%s", (_, made) => {
  it("brings everything back after several condensations, also in another process", async () => {
    const store = made();
    const task = host(store, "task 1");
    for (const [from, to] of [
      [0, 12],
      [12, 20],
      [20, 30],
    ]) {
      task.add(rounds(from, to));
      await task.condense();
    }
    const shown = JSON.stringify(task.messages);
    expect(shown).not.toContain("part3 line 41 checksum 3287");
    // Another process has the condensed messages and the store.
    const again = createRecall({ messages: JSON.parse(shown), store, conversation: "task 1" });
    for (const recall of [task.recall, again]) {
      const { hits, text } = await recall.search("part3 line 41");
      expect(text).toContain("checksum 3287");
      expect(text).not.toContain("no longer kept");
      expect((await recall.read(hits[0].key)).content).toContain("part3 line 59 checksum 3413");
    }
  });

  it("never shows one conversation to another", async () => {
    const store = made();
    const one = host(store, "one");
    const other = host(store, "other");
    one.add([...rounds(0, 12), { role: "assistant", content: "the password is heron" }, ...rounds(12, 14)]);
    other.add(rounds(0, 14));
    await Promise.all([one.condense(), other.condense()]);
    expect((await one.recall.search("heron")).hits).toHaveLength(1);
    expect((await other.recall.search("heron")).hits).toHaveLength(0);
  });
});

describe("what goes wrong", () => {
  const failing = {
    "set rejects": { get: () => undefined, set: async () => Promise.reject(new Error("disk full")) },
    "set throws": {
      get: () => undefined,
      set: () => {
        throw new Error("disk full");
      },
    },
    "set says nothing and keeps nothing": { get: async () => undefined, set: async () => true },
    "get rejects": { get: async () => Promise.reject(new Error("no connection")), set: async () => true },
    "another text comes back": { get: async (key) => (/\d$/.test(key) ? "{}" : undefined), set: async () => true },
  };
  it.each(Object.entries(failing))("nothing is adopted: %s", async (_, store) => {
    const task = host(store, "task");
    task.add(rounds(0, 12));
    const before = task.messages;
    await expect(task.condense()).rejects.toMatchObject({ code: "store_failed" });
    expect(task.messages).toBe(before);
  });

  it("a result that was not gone on with is passed over", async () => {
    const store = new Map();
    const task = host(store, "task");
    task.add(rounds(0, 12));
    const manager = new CondensationManager({ provider: "truncation" });
    await task.recall.keep(await manager.condense({ messages: task.messages }, { targetTokens: 2_000 }));
    expect((await task.recall.search("part3 line 41")).text).toContain("in your view above");
    await task.condense();
    task.add(rounds(12, 14));
    const { text } = await task.recall.search("part3 line 41");
    expect(text).toMatch(/checksum 3287/);
    expect(text).not.toContain("no longer kept");
  });

  it.each([
    ["an entry that expired", (store) => store.delete("roo-condense:recall:task:1")],
    ["a damaged entry", (store) => store.set("roo-condense:recall:task:1", '{"version":2')],
  ])("%s is said once and ends the matter", async (_, harm) => {
    const store = new Map();
    const task = host(store, "task");
    task.add(rounds(0, 12));
    await task.condense();
    harm(store);
    const { text } = await task.recall.search("part3 line 41 heron");
    expect(text).toContain("What 1 condensation left out is no longer kept and cannot be recalled.");
    expect(text).not.toMatch(/try again|retry/i);
    expect((await task.recall.read("zzzz")).text).toContain("no longer kept");
    // Content that is still in view is found.
    expect((await task.recall.search("8471")).hits).toHaveLength(1);
  });

  it("an edited message makes its condensation unknown, and is no error", async () => {
    const store = new Map();
    const task = host(store, "task");
    task.add(rounds(0, 12));
    await task.condense();
    const edited = [{ ...opening, content: "Keep the relay on port 9." }, ...task.messages.slice(1)];
    const { text } = await createRecall({ messages: edited, store, conversation: "task" }).search("relay port");
    expect(text).toMatch(/port 9\./);
    expect(text).toContain("no longer kept");
  });
});

describe("wrong options", () => {
  const messages = [opening];
  it.each([
    [{ store: 5, conversation: "a" }, "options.store"],
    [{ store: { get() {} }, conversation: "a" }, "options.store"],
    [{ store: new Map() }, "options.conversation"],
    [{ store: new Map(), conversation: "" }, "options.conversation"],
    [{ conversation: "a" }, "options.conversation"],
    [{ store: new Map(), conversation: "a", restoreData: { version: 2, edits: [] } }, "options.restoreData"],
  ])("%o", (options, field) => {
    expect(() => createRecall({ messages, ...options })).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });

  it.each([undefined, null, 5, {}, { restoreData: 1 }, { restoreData: {} }])("keep(%o)", async (value) => {
    const recall = createRecall({ messages, store: new Map(), conversation: "a" });
    await expect(recall.keep(value)).rejects.toMatchObject({ code: "invalid_argument", field: "result" });
  });

  it("keep without a store", async () => {
    await expect(createRecall({ messages }).keep({ restoreData: { version: 2, edits: [] } })).rejects.toMatchObject({
      code: "invalid_argument",
    });
  });
});
