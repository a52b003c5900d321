// The host's half of the studio.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { afterEach, describe, expect, test } from "vitest";
import { asking } from "./asking.mjs";
import { root } from "../../scripts/tools.mjs";

const require = createRequire(import.meta.url);
const { CondensationManager, countTokens, createStudioHost, restore, studioPage } = require("../../index.js");

const read = (name) => JSON.parse(readFileSync(path.join(root, "fixtures", `${name}.json`), "utf8"));
const messagesOf = (name) => (Array.isArray(read(name)) ? read(name) : read(name).messages);

const hosts = [];
afterEach(() => hosts.splice(0).forEach((host) => host.dispose()));

/** A host of one history, and a way to ask it. */
function hostOf(source = {}, options = {}, manager = new CondensationManager()) {
  const messages = messagesOf("claude-code");
  const host = createStudioHost(manager, { histories: [{ id: "h", read: () => ({ messages }), ...source }], ...options });
  hosts.push(host);
  return { host, ask: asking(host), messages, manager };
}

describe("createStudioHost", () => {
  test("says who it is and what there is", async () => {
    const { ask } = hostOf({}, { contextWindow: 100_000, language: "fr" });
    expect(await ask("hello")).toMatchObject({
      canWrite: false,
      histories: [{ id: "h", name: "h", messages: 200, canWrite: false }],
      activeProvider: "native",
      contextWindow: 100_000,
      language: "fr",
      presets: expect.arrayContaining(["balanced"]),
      providers: expect.arrayContaining([expect.objectContaining({ id: "lossless", isFree: true, isLossy: false, speed: "fast" })]),
    });
  });

  test("inspects, condenses, and leaves no trace of it in the manager", async () => {
    const { ask, messages, manager } = hostOf();
    const before = JSON.stringify(messages);
    const { inspection } = await ask("inspect", { history: "h", contextWindow: 200_000 });
    expect(inspection).toMatchObject({ tokens: { total: countTokens(messages) }, window: { contextWindow: 200_000 } });
    const found = await ask("condense", { history: "h", provider: "lossless" });
    expect(found).toMatchObject({ exact: true, didCondense: true, provider: "lossless", tokensBefore: countTokens(messages) });
    expect(found.after).toHaveLength(200);
    const kept =
      found.after.reduce((sum, tokens) => sum + Math.max(0, tokens), 0) + found.added.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(kept).toBe(found.tokensAfter);
    expect(found.changes.length).toBeGreaterThan(0);
    expect(JSON.stringify(messages)).toBe(before);
    expect(manager.getMetrics().total.calls).toBe(0);
  });

  test("says of what is lost what the library says, also of what is only tried", async () => {
    const { ask, messages, manager } = hostOf();
    for (const provider of ["lossless", "truncation"]) {
      const { survival } = await new CondensationManager().condense({ messages }, { provider });
      const { pointed, superseded, summarized, recorded, lost } = survival.total;
      const said = await ask("condense", { history: "h", provider });
      expect(said.fate).toEqual({
        pointed: pointed.tokens,
        superseded: superseded.tokens,
        told: summarized.tokens + recorded.tokens,
        lost: lost.tokens,
      });
      expect((await ask("try", { history: "h", id: provider, provider })).trial.lost).toBe(lost.tokens);
      expect((await manager.inspect({ messages }, { providers: [{ provider }] })).providers[0].lost).toBe(lost.tokens);
    }
    // What is taken back is not lost, to the last token.
    const whole = await ask("condense", { history: "h", provider: "truncation" });
    const [first] = whole.changes.filter(({ tokensAfter }) => tokensAfter > 0);
    const { condensation } = await ask("undo", { condensation: whole.id, changes: [first.id] });
    expect(condensation.fate.lost).toBeLessThan(whole.fate.lost);
    const all = await ask("undo", { condensation: whole.id, changes: whole.changes.map(({ id }) => id) });
    expect(all.condensation.fate).toMatchObject({ pointed: 0, superseded: 0, lost: 0 });
  });

  test("shows a message as it is and as it would be", async () => {
    const { ask } = hostOf();
    const { id, changes } = await ask("condense", { history: "h", provider: "truncation", targetTokens: 5000 });
    const [{ messageIndex }] = changes;
    expect(await ask("message", { history: "h", index: messageIndex })).toMatchObject({ fate: null, diff: [] });
    const shown = await ask("message", { history: "h", index: messageIndex, condensation: id });
    expect(["changed", "removed"]).toContain(shown.fate);
    expect(shown.texts.length).toBeGreaterThan(0);
    expect(shown.diff[0].hunks[0].lines.some(({ kind }) => kind === "removed")).toBe(true);
    await expect(ask("message", { history: "h", index: 5000 })).rejects.toMatchObject({ code: "no_such_message" });
    await expect(ask("message", { history: "h", index: 1, condensation: "x" })).rejects.toMatchObject({ code: "unknown_condensation" });
  });

  test("takes single changes back, until nothing is left", async () => {
    const { ask, messages } = hostOf();
    const first = await ask("condense", { history: "h", provider: "lossless" });
    const id = first.changes[0].id;
    const { condensation, refused, dependants } = await ask("undo", { condensation: first.id, changes: [id] });
    expect(refused).toEqual([]);
    expect(condensation.changes).toHaveLength(first.changes.length - 1 - dependants.length);
    expect(condensation.changes.filter((change) => [id, ...dependants].includes(change.id))).toEqual([]);
    expect(condensation.tokensAfter).toBeGreaterThanOrEqual(first.tokensAfter);
    const all = await ask("undo", { condensation: condensation.id, changes: condensation.changes.map((change) => change.id) });
    expect(all.condensation).toMatchObject({ didCondense: false, changes: [], tokensAfter: countTokens(messages) });
    const unknown = await ask("undo", { condensation: first.id, changes: ["nobody"] });
    expect(unknown.refused).toMatchObject([{ id: "nobody", code: "unknown_change" }]);
  });

  test("says of the prompt cache what is left of it, also when changes were taken back", async () => {
    const { ask, messages } = hostOf();
    const first = await ask("condense", { history: "h", provider: "truncation" });
    const { keptTokens, rewrittenTokens } = first.promptCache;
    expect(keptTokens + rewrittenTokens).toBe(first.tokensAfter);
    const early = first.changes.filter(({ messageIndex }) => messageIndex < 60).map(({ id }) => id);
    const { condensation: later } = await ask("undo", { condensation: first.id, changes: early });
    expect(later.firstChangedIndex).toBeGreaterThanOrEqual(60);
    expect(later.promptCache.keptTokens).toBe(countTokens(messages.slice(0, later.firstChangedIndex)));
    expect(later.promptCache.keptTokens + later.promptCache.rewrittenTokens).toBe(later.tokensAfter);
    const all = await ask("undo", { condensation: first.id, changes: first.changes.map(({ id }) => id) });
    expect(all.condensation.promptCache).toBeUndefined();
  });

  test("proves what can be read back by reading it, and says where it stands", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `const value${at} = ${at} * ${at};`);
    const call = (id, path) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path } }] });
    const answer = (id, text) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] });
    const file = lines.join("\n");
    const messages = [
      { role: "user", content: "Look." },
      call("1", "a.ts"),
      answer("1", file),
      call("2", "a.ts"),
      answer("2", file),
      { role: "assistant", content: "Done." },
    ];
    const { ask } = hostOf({ read: () => ({ messages }) });
    const { id, changes } = await ask("condense", { history: "h", provider: "lossless" });
    expect(changes).toMatchObject([{ grade: "inline" }]);
    const proof = await ask("proof", { condensation: id, change: changes[0].id });
    const other = changes[0].messageIndex === 2 ? 4 : 2;
    expect(proof).toMatchObject({ lines: 40, readBack: 40, identical: true, message: other, omitted: 0 });
    expect(proof.pairs).toHaveLength(40);
    expect(proof.pairs[6]).toEqual({ text: lines[6], from: 7, to: 7 });
    await expect(ask("proof", { condensation: id, change: "x" })).rejects.toMatchObject({ code: "unknown_change" });
    // On a real session: a tick for nothing that is lost, and for what stands elsewhere alone only where all of it does.
    const { ask: real } = hostOf();
    const cut = await real("condense", { history: "h", provider: "truncation", targetTokens: 12_000 });
    for (const change of cut.changes.filter(({ grade }) => grade === "lossy").slice(0, 20))
      expect(await real("proof", { condensation: cut.id, change: change.id })).toMatchObject({ identical: false });
    const whole = await real("condense", { history: "h", provider: "lossless" });
    const mixed = new Set(whole.changes.filter(({ grade }) => grade !== "inline").map(({ messageIndex }) => messageIndex));
    const pure = whole.changes.filter(({ messageIndex }) => !mixed.has(messageIndex));
    expect(pure.length).toBeGreaterThan(20);
    for (const change of pure)
      expect(await real("proof", { condensation: whole.id, change: change.id })).toMatchObject({ identical: true });
  });

  test("saves where it may, and only what is still true", async () => {
    const saved = [];
    const { ask: readOnly } = hostOf();
    const looked = await readOnly("condense", { history: "h", provider: "lossless" });
    await expect(readOnly("save", { condensation: looked.id })).rejects.toMatchObject({ code: "read_only" });
    let changed;
    let now = messagesOf("claude-code");
    const { ask, messages } = hostOf({
      read: () => ({ messages: now }),
      save: (condensed, restoreData) => {
        saved.push({ messages: condensed, restoreData });
        return { file: "h.json", backup: "h.json.bak" };
      },
      watch: (listener) => {
        changed = listener;
        return () => {};
      },
    });
    const { id } = await ask("condense", { history: "h", provider: "truncation", targetTokens: 5000 });
    expect(await ask("save", { condensation: id })).toEqual({ file: "h.json", backup: "h.json.bak", revision: 1 });
    expect(restore(saved[0])).toEqual(messages);
    now = [...now, { role: "user", content: "One more." }];
    const told = ask("wait", { revisions: { h: 1 } });
    changed();
    expect((await told).histories[0]).toMatchObject({ messages: 201, revision: 2 });
    await expect(ask("save", { condensation: id })).rejects.toMatchObject({ code: "changed_since" });
  });

  /** A history that is kept in memory, as a file would keep it. */
  function written(first) {
    const state = { now: first, problem: undefined };
    const source = {
      read() {
        if (state.problem) throw new Error(state.problem);
        return { messages: structuredClone(state.now) };
      },
      save(messages) {
        state.now = structuredClone(messages);
        return { file: "h.json", backup: "h.json.bak" };
      },
      undoSave(messages) {
        state.now = structuredClone(messages);
        return { file: "h.json" };
      },
    };
    return { state, source };
  }

  test("what was kept stays at the hardest target, whoever condenses then", async () => {
    const { ask, messages } = hostOf();
    for (const first of ["lossless", "truncation"]) {
      const made = await ask("condense", { history: "h", provider: first });
      // Some of every operation, with what stands on it.
      const of = new Map(made.changes.map((change) => [change.operation, change.id]));
      const { condensation } = await ask("undo", { condensation: made.id, changes: [...of.values()] });
      expect(condensation.kept.length).toBeGreaterThan(0);
      for (const provider of ["lossless", "truncation", "smart", "pipeline", undefined]) {
        const again = await ask("condense", {
          history: "h",
          ...(provider && { provider }),
          targetTokens: Math.floor(countTokens(messages) / 50),
          kept: condensation.kept,
        });
        expect(again.kept).toHaveLength(condensation.kept.length);
        expect(again.kept.filter(({ fault }) => fault)).toEqual([]);
      }
    }
  });

  test("keeps again what was kept, wherever it stands now, and says what stands nowhere", async () => {
    const first = messagesOf("claude-code");
    const { state, source } = written(first);
    const { ask } = hostOf(source);
    const condense = (kept, provider = "truncation") => ask("condense", { history: "h", provider, kept });
    const plain = await condense();
    expect(plain.kept).toEqual([]);
    const largest = [...plain.changes].sort((one, other) => other.tokensBefore - one.tokensBefore)[0];
    const { condensation: one } = await ask("undo", { condensation: plain.id, changes: [largest.id] });
    expect(one.kept).toMatchObject([{ messageIndex: largest.messageIndex, operation: largest.operation }]);
    expect(one.after[largest.messageIndex]).toBeGreaterThan(plain.after[largest.messageIndex]);
    // Other numbers, and later messages.
    state.now = [first[0], ...first.slice(3), { role: "user", content: "One more." }];
    await ask("hello");
    const again = await save(ask, condense, one.kept, state);
    expect(again.kept).toMatchObject([{ messageIndex: largest.messageIndex - 2, blockIndex: one.kept[0].blockIndex }]);
    expect(again.kept[0].fault).toBeUndefined();
    expect(again.after[largest.messageIndex - 2]).toBe(one.after[largest.messageIndex]);
    // Another provider keeps it as well.
    const other = await condense(again.kept, "lossless");
    expect(other.changes.filter(({ messageIndex }) => messageIndex === largest.messageIndex - 2)).toEqual([]);
    // Gone.
    state.now = first.slice(0, largest.messageIndex);
    const gone = await save(ask, condense, again.kept, state);
    expect(gone.kept).toMatchObject([{ fault: { code: "kept_gone" } }]);
    // What a page says is checked.
    await expect(condense([{ messageIndex: 1 }])).rejects.toMatchObject({ code: "invalid_message" });
    const strange = [{ messageIndex: 9999, blockIndex: 7, operation: "x", print: "y", around: [] }];
    expect((await condense(strange)).kept).toMatchObject([{ fault: { code: "kept_gone" } }]);
  });

  /** What `condense` answers once the host has read the history anew, which the refused saving of something else makes it do. */
  async function save(ask, condense, kept, state) {
    const { id } = await condense(kept);
    const now = state.now;
    await expect(ask("save", { condensation: id })).rejects.toMatchObject({ code: "changed_since" });
    expect(state.now).toBe(now);
    return condense(kept);
  }

  test("among many that say the same, keeps the one that was meant", async () => {
    // Ids that a client begins anew with each request.
    const call = (path) => ({ role: "assistant", content: [{ type: "tool_use", id: "call_0", name: "read_file", input: { path } }] });
    const same = { role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: "the same everywhere\n".repeat(200) }] };
    const rest = Array.from({ length: 12 }, (_, at) => [call(`${at}`), { ...same, content: [{ ...same.content[0], content: "ok" }] }]);
    const first = [{ role: "user", content: "Go." }, call("a"), same, call("b"), same, call("c"), same, ...rest.flat()];
    const { state, source } = written(first);
    const { ask } = hostOf(source);
    const condense = (kept) => ask("condense", { history: "h", provider: "truncation", kept });
    const plain = await condense();
    const change = plain.changes.find(({ messageIndex }) => messageIndex === 4);
    const { condensation } = await ask("undo", { condensation: plain.id, changes: [change.id] });
    state.now = [first[0], call("new"), same, ...first.slice(1)];
    const again = await save(ask, condense, condensation.kept, state);
    expect(again.kept[0]).toMatchObject({ messageIndex: 6 });
    expect(again.after[6]).toBe(condensation.after[4]);
    expect(again.after[4]).toBeLessThan(again.after[6]);
  });

  test("knows its own writing, reads before it writes, and takes a saving back", async () => {
    const first = messagesOf("claude-code");
    const { state, source } = written(first);
    const { ask } = hostOf(source);
    const condense = () => ask("condense", { history: "h", provider: "truncation" });
    await expect(ask("undoSave", { history: "h" })).rejects.toMatchObject({ code: "nothing_to_undo" });
    expect(await ask("save", { condensation: (await condense()).id })).toMatchObject({ revision: 2, canUndo: true });
    expect((await ask("hello")).histories[0].revision).toBe(2);
    expect(await ask("undoSave", { history: "h" })).toEqual({ file: "h.json", revision: 3 });
    expect(state.now).toEqual(first);
    // Nobody has told that it cannot be read.
    const { id } = await condense();
    state.problem = "h.json:1:2: not JSON";
    await expect(ask("save", { condensation: id })).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringMatching(/nothing was written.*h\.json:1:2/),
    });
    expect((await ask("hello")).histories[0].problem).toEqual({ message: "h.json:1:2: not JSON" });
    state.problem = undefined;
    await expect(ask("save", { condensation: id })).rejects.toMatchObject({ code: "changed_since" });
    // What was changed by somebody else is not overwritten by the undo.
    await ask("save", { condensation: (await condense()).id });
    state.now = [...state.now.slice(0, -1), { role: "user", content: "Another end." }];
    await expect(ask("undoSave", { history: "h" })).rejects.toMatchObject({ code: "changed_since" });
    expect(state.now.at(-1).content).toBe("Another end.");
  });

  test("a saving can be undone after messages were added and after a restart, and those stay", async () => {
    const first = messagesOf("claude-code");
    const { state, source } = written(first);
    const stored = [];
    const lasting = {
      ...source,
      save(messages, restoreData) {
        stored.push(JSON.parse(JSON.stringify({ restoreData })));
        return source.save(messages);
      },
      savings: async () => stored,
    };
    const canUndo = async (ask) => (await ask("hello")).histories[0].canUndo ?? false;
    for (const [kept, isNew] of [
      [source, false],
      [lasting, true],
    ]) {
      state.now = first;
      let { ask } = hostOf(kept);
      await ask("save", { condensation: (await ask("condense", { history: "h", provider: "truncation" })).id });
      const added = [
        { role: "assistant", content: "More." },
        { role: "user", content: "And more." },
      ];
      state.now = [...state.now, ...added];
      if (isNew) ({ ask } = hostOf(kept));
      await ask("inspect", { history: "h" });
      expect(await canUndo(ask)).toBe(true);
      expect(await ask("undoSave", { history: "h" })).toMatchObject({ file: "h.json", added: 2 });
      expect(state.now).toEqual([...first, ...added]);
      expect(await canUndo(ask)).toBe(false);
    }
    // Where they cannot be listed, the history can be read all the same.
    const { ask } = hostOf({
      ...lasting,
      savings() {
        throw new Error("no");
      },
    });
    expect((await ask("hello")).histories[0].problem).toBeUndefined();
    await expect(ask("undoSave", { history: "h" })).rejects.toMatchObject({ code: "nothing_to_undo" });
  });

  test("two pages that save at once: one writes", async () => {
    const first = messagesOf("claude-code");
    const { state, source } = written(first);
    let writes = 0;
    const slow = {
      ...source,
      async save(messages) {
        writes += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return source.save(messages);
      },
    };
    const { host, ask } = hostOf(slow);
    const ids = [];
    for (const provider of ["truncation", "lossless"]) ids.push((await ask("condense", { history: "h", provider })).id);
    const save = (condensation, id) => host.answer({ id, method: "save", params: { condensation } });
    const [one, other] = await Promise.all(ids.map(save));
    expect(one.answer).toMatchObject({ canUndo: true });
    expect(other.error).toMatchObject({ code: "changed_since" });
    expect(writes).toBe(1);
    expect(await ask("undoSave", { history: "h" })).not.toHaveProperty("added");
    expect(state.now).toEqual(first);
  });

  test("takes savings back one after the other, whatever else was written between and is gone again", async () => {
    const first = messagesOf("claude-code");
    const { state, source } = written(first);
    const { ask } = hostOf(source);
    const save = async (provider) => ask("save", { condensation: (await ask("condense", { history: "h", provider })).id });
    const canUndo = async () => (await ask("hello")).histories[0].canUndo ?? false;
    await save("lossless");
    const once = state.now;
    await save("truncation");
    const twice = state.now;
    expect(await canUndo()).toBe(true);
    // A writer that empties the file and writes the same again.
    state.problem = "h.json: Unexpected end";
    await expect(ask("undoSave", { history: "h" })).rejects.toMatchObject({ code: "unreadable" });
    expect(await canUndo()).toBe(false);
    state.problem = undefined;
    state.now = [];
    await expect(ask("undoSave", { history: "h" })).rejects.toMatchObject({ code: "changed_since" });
    state.now = structuredClone(twice);
    expect(await ask("undoSave", { history: "h" })).toMatchObject({ canUndo: true });
    expect(state.now).toEqual(once);
    expect(await canUndo()).toBe(true);
    expect(await ask("undoSave", { history: "h" })).not.toHaveProperty("canUndo");
    expect(state.now).toEqual(first);
    expect(await canUndo()).toBe(false);
    await expect(ask("undoSave", { history: "h" })).rejects.toMatchObject({ code: "nothing_to_undo" });
  });

  test("what is nested too deep is a problem of that history alone", async () => {
    const nested = (depth) => {
      const input = JSON.parse(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`);
      return [
        { role: "user", content: "Go." },
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] },
      ];
    };
    const { state, source } = written(messagesOf("claude-code"));
    let changed = () => Promise.resolve();
    const { ask } = hostOf({
      ...source,
      read: () => ({ messages: state.now }),
      watch(tell) {
        changed = tell;
        return () => {};
      },
    });
    await ask("hello");
    state.now = nested(5000);
    await changed();
    expect((await ask("hello")).histories[0].problem).toBeUndefined();
    for (const method of ["inspect", "condense"]) await ask(method, { history: "h" });
    expect((await ask("message", { history: "h", index: 1 })).texts[0].text).toContain("[[[[");
    await ask("recall", { history: "h", provider: "lossless" });
    const tooDeep = JSON.stringify({ messages: "DEEP" }).replace(
      '"DEEP"',
      JSON.stringify(nested(4)).replace("[[[[]]]]", `${"[".repeat(20_000)}${"]".repeat(20_000)}`),
    );
    await expect(ask("open", { name: "deep.json", text: tooDeep })).rejects.toMatchObject({
      code: "unreadable",
      message: "nested deeper than 10000 levels",
    });
    expect((await ask("hello")).histories).toHaveLength(1);
  });

  test("keeps what it knew while a file is half written", async () => {
    let isBroken = false;
    let changed;
    const messages = messagesOf("claude-code");
    const { ask } = hostOf({
      read() {
        if (isBroken) throw new Error("h.json:3:1: not JSON");
        return { messages };
      },
      watch: (listener) => {
        changed = listener;
        return () => {};
      },
    });
    await ask("hello");
    isBroken = true;
    const told = ask("wait", { revisions: { h: 1 } });
    changed();
    expect((await told).histories[0]).toMatchObject({ messages: 200, problem: { message: "h.json:3:1: not JSON" } });
    expect((await ask("inspect", { history: "h" })).inspection.messages).toHaveLength(200);
  });

  test.each([
    ["smart", { preset: "aggressive" }],
    ["smart", { preset: "balanced" }],
    ["smart", { preset: "conservative" }],
    ["adaptive", {}],
    ["progressive", {}],
  ])("asks no model before it is told to, also where what it writes would be cut away again: %s %j", async (provider, config) => {
    let asked = 0;
    const handler = {
      async *createMessage() {
        asked += 1;
        yield { type: "text", text: `Summary: ${"did work on files and so on. ".repeat(20)}` };
      },
      getModel: () => ({ id: "m", info: { contextWindow: 200_000, inputPrice: 3, outputPrice: 15 } }),
    };
    const { ask, messages } = hostOf({}, {}, new CondensationManager({ handler }));
    for (const share of [0.1, 0.3, 0.5]) {
      const given = { history: "h", provider, config, targetTokens: Math.floor(countTokens(messages) * share) };
      const found = await ask("condense", given);
      await ask("recall", given);
      expect(asked).toBe(0);
      expect(found.exact).toBe(found.cost === 0);
    }
  });

  test("opens what is dropped on it, if it may", async () => {
    const { ask } = hostOf();
    const { history } = await ask("open", { name: "other.json", text: JSON.stringify([{ role: "user", content: "Hello" }]) });
    expect(history).toMatchObject({ name: "other.json", messages: 1, canWrite: false });
    expect((await ask("inspect", { history: history.id })).inspection.messages).toHaveLength(1);
    await expect(ask("open", { name: "x", text: "{}" })).rejects.toMatchObject({ code: "not_messages" });
    await expect(ask("open", { name: "x", text: "{" })).rejects.toMatchObject({
      code: "not_messages",
      message: expect.stringContaining("JSON"),
    });
    await expect(ask("open", { name: "x", text: '[1,null,{"a":1}]' })).rejects.toMatchObject({ code: "not_messages" });
    // What cannot be opened takes no place of the twenty.
    for (let wrong = 0; wrong < 25; wrong++) await expect(ask("open", { name: "x", text: "{}" })).rejects.toThrow();
    expect((await ask("open", { name: "x", text: '[{"role":"user","content":"Hi"}]' })).history.id).toBe("opened-2");
    const { ask: closed } = hostOf({}, { canOpen: false });
    await expect(ask("close", { history: "opened-2" })).resolves.toEqual({});
    await expect(ask("inspect", { history: "opened-2" })).rejects.toMatchObject({ code: "unknown_history" });
    expect((await ask("hello", {})).histories.map(({ id, canClose }) => [id, canClose])).toContainEqual(["opened-1", true]);
    const [given] = (await ask("hello", {})).histories;
    await expect(ask("close", { history: given.id })).rejects.toMatchObject({ code: "read_only" });
    await expect(closed("open", { name: "x", text: "[]" })).rejects.toMatchObject({ code: "read_only" });
  });

  test("gives a condensed history as a file, in the form that it has, and a report where there is somebody to write it", async () => {
    const wrapped = { id: "x", messages: messagesOf("claude-code"), more: 1 };
    const { ask, messages } = hostOf({ name: "/a/b/history.json" }, { report: (data, options) => JSON.stringify({ data, options }) });
    const { id, tokensAfter, changes } = await ask("condense", { history: "h", provider: "truncation", targetTokens: 6000 });
    const { name, text } = await ask("export", { condensation: id });
    expect(name).toBe("history.condensed.json");
    expect(countTokens(JSON.parse(text))).toBe(tokensAfter);
    // What is dropped on the page keeps what stands around its messages.
    const { history } = await ask("open", { name: "other.json", text: JSON.stringify(wrapped) });
    const opened = await ask("condense", { history: history.id, provider: "lossless" });
    const other = await ask("export", { condensation: opened.id });
    expect(other.name).toBe("other.condensed.json");
    expect(JSON.parse(other.text)).toMatchObject({ id: "x", more: 1 });
    expect(countTokens(JSON.parse(other.text).messages)).toBe(opened.tokensAfter);
    // The report shows this very condensation, with what was taken back.
    const { condensation } = await ask("undo", { condensation: id, changes: [changes[0].id] });
    const report = await ask("report", { condensation: condensation.id });
    expect(report.name).toBe("history.report.html");
    expect(report.text).toContain("dates.ts");
    const { data, options } = JSON.parse(report.text);
    expect(options).toEqual({ title: "history.json: roo-condense" });
    expect(data.hello.histories.map((one) => one.id)).toEqual(["h"]);
    expect(data.condense.changes).toHaveLength(condensation.changes.length);
    expect(data.messages).toHaveLength(messages.length);
    const redacted = await ask("report", { condensation: condensation.id, redact: true });
    expect(redacted.name).toBe("history.report.html");
    expect(redacted.text).not.toContain("dates.ts");
    const { ask: without } = hostOf();
    const found = await without("condense", { history: "h", provider: "lossless" });
    await expect(without("report", { condensation: found.id })).rejects.toMatchObject({ code: "not_live" });
    await expect(without("export", { condensation: "x" })).rejects.toMatchObject({ code: "unknown_condensation" });
  });

  test("finds sessions, says what they are about, and opens none that it did not find", async () => {
    const messages = [{ role: "user", content: "<task>\n  Mend the parser.\n</task><environment_details>x</environment_details>" }];
    const found = ["a", "broken"].map((id) => ({ id, agent: "roo", name: `/x/${id}.json`, changed: 5, bytes: 7 }));
    const open = (id) => ({
      id,
      name: `/x/${id}.json`,
      read() {
        if (id === "broken") throw new Error("broken.json:1:1: not JSON");
        return { messages };
      },
      watch: () => () => {},
    });
    const { ask } = hostOf({}, { sessions: { find: async () => ({ folders: ["~/x"], sessions: found }), open } });
    expect(await ask("hello")).toMatchObject({ canFind: true });
    await expect(ask("openSession", { id: "a" })).rejects.toMatchObject({ code: "unknown_history" });
    expect(await ask("sessions")).toEqual({ folders: ["~/x"], sessions: found });
    expect(await ask("session", { id: "a" })).toEqual({ title: "Mend the parser.", messages: 1, tokens: countTokens(messages) });
    await expect(ask("session", { id: "broken" })).rejects.toThrow(/not JSON/);
    for (const id of ["../secret", ""]) await expect(ask("openSession", { id })).rejects.toMatchObject({ code: "unknown_history" });
    expect((await ask("openSession", { id: "a" })).history).toMatchObject({ id: "a", messages: 1, canWrite: false });
    // Twice is once.
    await ask("openSession", { id: "a" });
    expect((await ask("hello")).histories.map(({ id }) => id)).toEqual(["h", "a"]);
    expect((await ask("inspect", { history: "a" })).inspection.messages).toHaveLength(1);
    // One that cannot be read is not opened.
    await expect(ask("openSession", { id: "broken" })).rejects.toMatchObject({ code: "unreadable" });
    expect((await ask("hello")).histories.map(({ id }) => id)).toEqual(["h", "a"]);
    const { ask: without } = hostOf();
    await expect(without("sessions")).rejects.toMatchObject({ code: "not_live" });
    expect(() => createStudioHost(new CondensationManager(), { histories: [], sessions: {} })).toThrow(/options\.sessions/);
  });

  test("asks a model only when it is told to", async () => {
    let asked = 0;
    const handler = {
      getModel: () => ({ id: "m", info: { contextWindow: 200_000, inputPrice: 3, outputPrice: 15 } }),
      async *createMessage() {
        asked++;
        yield { type: "text", text: "A summary of it all." };
        yield { type: "usage", inputTokens: 10, outputTokens: 5 };
      },
    };
    const { ask } = hostOf({}, {}, new CondensationManager({ handler }));
    const estimate = await ask("condense", { history: "h", provider: "native" });
    expect(estimate).toMatchObject({ exact: false, didCondense: true });
    expect(asked).toBe(0);
    await expect(ask("undo", { condensation: estimate.id, changes: [] })).rejects.toMatchObject({ code: "not_exact" });
    const real = await ask("condense", { history: "h", provider: "native", ask: true });
    expect(asked).toBe(1);
    expect(real).toMatchObject({ exact: true, didCondense: true });
    expect(real.after.filter((tokens) => tokens === -1).length).toBeGreaterThan(100);
    expect(real.added.length).toBeGreaterThan(0);
  });

  test("checks configurations, and says what one can begin with", async () => {
    const { ask } = hostOf();
    expect((await ask("validate", { provider: "smart", config: { passes: [] } })).faults).toEqual([]);
    expect((await ask("validate", { provider: "smart", config: { enabled: 3 } })).faults).toMatchObject([{ path: "enabled" }]);
    expect(Object.keys((await ask("presets", {})).presets)).toContain("balanced");
    await expect(ask("condense", { history: "h", provider: "smart", config: { enabled: 3 } })).rejects.toMatchObject({
      code: "invalid_config",
    });
  });

  test("tells what the manager has done, which is nothing of what was only tried", async () => {
    const manager = new CondensationManager({ provider: "lossless" });
    const { ask, messages } = hostOf({}, {}, manager);
    await ask("condense", { history: "h" });
    expect((await ask("metrics", {})).metrics).toMatchObject({ total: { calls: 0 }, records: [] });
    await manager.condense({ messages, profileId: "p" });
    expect((await ask("metrics", {})).metrics).toMatchObject({
      total: { calls: 1 },
      providers: { lossless: { calls: 1 } },
      profiles: { p: { calls: 1 } },
      records: [{ providerId: "lossless", profileId: "p" }],
    });
  });

  test("measures how much of what the conversation itself used later would have been kept", async () => {
    const { ask, messages, manager } = hostOf();
    const { recall } = await ask("recall", { history: "h", provider: "lossless" });
    expect(recall.cuts).toEqual([101, 151]);
    expect(recall.names).toEqual({ kept: 16, needed: 16 });
    expect(recall.edits).toEqual({ kept: 2, needed: 2 });
    expect(recall.reductionPercent).toBeGreaterThan(10);
    const targetTokens = Math.floor(countTokens(messages) / 10);
    const cut = (await ask("recall", { history: "h", provider: "truncation", targetTokens })).recall;
    expect(cut.reductionPercent).toBeGreaterThan(85);
    expect(cut.names.needed).toBe(16);
    expect(cut.names.kept).toBeLessThan(16);
    expect(manager.getMetrics().total.calls).toBe(0);
  });

  test("says why it measures nothing", async () => {
    const few = hostOf({ read: () => ({ messages: messagesOf("claude-code").slice(0, 4) }) });
    expect((await few.ask("recall", { history: "h", provider: "lossless" })).recall).toMatchObject({ cuts: [], reason: "too_short" });
    const [first, ...rest] = messagesOf("claude-code");
    const large = hostOf({ read: () => ({ messages: [first, ...rest, { role: "user", content: "x".repeat(17e6) }] }) });
    expect((await large.ask("recall", { history: "h", provider: "lossless" })).recall.reason).toBe("too_large");
    const handler = { createMessage: async () => ({ text: "A summary." }) };
    const asking = hostOf({}, {}, new CondensationManager({ handler }));
    expect((await asking.ask("recall", { history: "h", provider: "native" })).recall.reason).toBe("needs_model");
    const odd = [
      { role: "user", content: null },
      { role: "assistant", content: [null, { type: "tool_result", content: [5] }] },
    ];
    const strange = hostOf({ read: () => ({ messages: [...odd, ...odd, ...odd, ...odd] }) });
    expect((await strange.ask("recall", { history: "h", provider: "lossless" })).recall.reason).toBe("too_short");
    // A line without an end must not take longer than it is long.
    const begun = performance.now();
    const line = hostOf({ read: () => ({ messages: [...rest, { role: "user", content: `${"a".repeat(3e5)}${"a.".repeat(3e5)}` }] }) });
    await line.ask("recall", { history: "h", provider: "lossless" });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test("recommends a provider for the answers and the history", async () => {
    const { ask } = hostOf();
    const { recommendation } = await ask("recommend", { history: "h", answers: { priority: "zero_loss", messages: [], handler: {} } });
    expect(recommendation).toMatchObject({ provider: "lossless", config: {}, reason: expect.stringMatching(/\w/) });
    await expect(ask("recommend", { history: "h", answers: { priority: "luck" } })).rejects.toThrow(/priority/);
  });

  test("tries one provider at a time", async () => {
    const { ask } = hostOf();
    const { trial } = await ask("try", { history: "h", id: "smart:balanced", provider: "smart", config: { preset: "balanced" } });
    expect(trial).toMatchObject({ id: "smart:balanced", provider: "smart", metTarget: null });
    await expect(ask("try", { history: "h", id: "x", provider: "nobody" })).rejects.toMatchObject({ code: "unknown_provider" });
  });

  test("whatever it is asked, it answers", async () => {
    const { host } = hostOf({ read: () => ({ messages: messagesOf("odd-shapes") }) });
    for (const message of [
      undefined,
      null,
      5,
      "x",
      [],
      {},
      { id: 1 },
      { id: 1, method: "constructor" },
      { id: 1, method: "inspect", params: { history: "none" } },
    ]) {
      const { error } = await host.answer(message);
      expect(error.code).toMatch(/^(invalid_message|unknown_history)$/);
    }
    for (let index = 0; index < messagesOf("odd-shapes").length; index++) {
      const { answer, error } = await host.answer({ id: 1, method: "message", params: { history: "h", index } });
      expect(error).toBeUndefined();
      expect(Array.isArray(answer.texts)).toBe(true);
    }
    expect((await host.answer({ id: 1, method: "condense", params: { history: "h" } })).error).toBeUndefined();
  });

  test("a panel that takes no messages any more harms nobody", async () => {
    const { host } = hostOf();
    const unhandled = [];
    const note = (error) => unhandled.push(error);
    process.on("unhandledRejection", note);
    const fail = () => {
      throw new Error("Webview is disposed");
    };
    for (const postMessage of [fail, async () => fail()]) {
      let listener;
      host.connect({ postMessage, onMessage: (each) => (listener = each) });
      await listener({ studio: 1, id: 1, method: "hello", params: {} });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  test("dispose ends every source, also after one that throws or rejects", async () => {
    const stopped = [];
    const fail = () => {
      throw new Error("no");
    };
    const read = () => ({ messages: [] });
    const histories = [fail, async () => fail(), () => {}].map((stop, at) => ({
      id: `h${at}`,
      read,
      watch: () => () => {
        stopped.push(at);
        return stop();
      },
    }));
    const host = createStudioHost(new CondensationManager(), { histories });
    host.dispose();
    expect(stopped).toEqual([0, 1, 2]);
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test("speaks through a port, and stops when it is told to", async () => {
    const { host } = hostOf();
    let listener;
    const heard = [];
    const stop = host.connect({ postMessage: (message) => heard.push(message), onMessage: (each) => (listener = each) });
    await listener({ other: 1 });
    await listener({ studio: 1, id: 7, method: "hello", params: {} });
    expect(heard).toMatchObject([{ studio: 1, id: 7, answer: { histories: [{ id: "h" }] } }]);
    const waiting = listener({ studio: 1, id: 8, method: "wait", params: { revisions: { h: 1 } } });
    await listener({ studio: 1, id: 9, method: "cancel", params: { id: 8 } });
    await waiting;
    expect(heard).toHaveLength(2);
    stop();
    await listener({ studio: 1, id: 10, method: "hello", params: {} });
    expect(heard).toHaveLength(2);
  });

  test.each([
    [[{}, { histories: [] }], "manager"],
    [[new CondensationManager(), {}], "options.histories"],
    [[new CondensationManager(), { histories: [{ id: "" }] }], "options.histories[0].id"],
    [[new CondensationManager(), { histories: [{ id: "a" }] }], "options.histories[0].read"],
  ])("bad arguments throw at once: %#", (given, field) => {
    expect(() => createStudioHost(...given)).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });
});

test("the page of a webview allows its own files alone", () => {
  const page = studioPage({ scriptUri: "https://x/s.js", styleUri: 'https://x/"><script>', cspSource: "https://x" });
  expect(page).toContain("default-src &#39;none&#39;; script-src https://x; style-src https://x");
  expect(page).not.toContain('"><script>');
});
