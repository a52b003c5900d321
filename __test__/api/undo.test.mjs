// `restore` with `only` undoes single changes; a stack of restore data undoes many condensations.

import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { api, clone, conversation, deepFreeze, expectThrown, managerWith } from "./support.mjs";

const {
  CondensationManager,
  countTokens,
  createLosslessProvider,
  createSmartProvider,
  createTruncationProvider,
  expand,
  restore,
  validateMessages,
} = api;

const dialects = ["claude-code", "roo-xml", "roo-native", "cline-plain-text", "shell-only"];
const historyOf = (dialect, seed = 3, messages = 70) => deepFreeze(buildHistory({ dialect, messages, seed }));

const providers = [
  ["lossless", createLosslessProvider(), {}],
  ["truncation", createTruncationProvider({ minTokensForTruncation: 20 }), {}],
  ["window", createTruncationProvider({ mode: "window" }), {}],
  ["a target", createTruncationProvider(), { targetTokens: 2500 }],
  ["smart", createSmartProvider("aggressive"), { targetTokens: 3000 }],
];

const idsOf = ({ changes }) => changes.map(({ id }) => id);

describe.each(providers)("%s", (_, provider, options) => {
  test.each(dialects)("ids are unique, and the same again: %s", async (dialect) => {
    const messages = historyOf(dialect);
    const ids = idsOf(await provider.condense({ messages }, options));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^c[0-9a-f]{8}$/);
    expect(idsOf(await provider.condense({ messages: clone(messages) }, options))).toEqual(ids);
  });

  test.each(dialects)("all of them: the messages that came in: %s", async (dialect) => {
    const messages = historyOf(dialect);
    const result = await provider.condense({ messages }, options);
    const all = restore(clone(result), { only: idsOf(result) });
    expect(all.refused.filter(({ code }) => code !== "unknown_change")).toEqual([]);
    expect(JSON.stringify(all.messages)).toBe(JSON.stringify(messages));
    expect(all.restoreData.edits).toEqual([]);
  });

  test.each(dialects)("one after the other, in any order: %s", async (dialect) => {
    const messages = historyOf(dialect, 3, 26);
    const result = await provider.condense({ messages }, options);
    for (const order of [idsOf(result), idsOf(result).reverse(), idsOf(result).sort()]) {
      let state = clone(result);
      let left = [...order];
      while (left.length > 0) {
        const [id] = left;
        let undone = restore(state, { only: [id] });
        if (undone.refused[0]?.code === "needs_others") undone = restore(state, { only: [id, ...undone.refused[0].with] });
        left = left.filter((other) => other !== id && !undone.restored.includes(other));
        if (undone.restored.length === 0) {
          expect(undone.refused.map(({ code }) => code)).toEqual(["unknown_change"]);
          expect(undone.messages).toBe(state.messages);
          continue;
        }
        expect(undone.refused).toEqual([]);
        expect(undone.restored).toContain(id);
        if (validateMessages(messages).length === 0) expect(validateMessages(undone.messages)).toEqual([]);
        // A record of work is the one thing that is added.
        const added = result.changes.some((change) => change.operation === "log" && undone.restored.includes(change.id));
        if (!added) expect(countTokens(undone.messages)).toBeGreaterThanOrEqual(countTokens(state.messages));
        // What is left leads back as well.
        expect(JSON.stringify(restore(undone))).toBe(JSON.stringify(messages));
        state = clone(undone);
      }
      expect(JSON.stringify(state.messages)).toBe(JSON.stringify(messages));
    }
  });
});

test("what one change said comes back, and nothing else", async () => {
  const messages = historyOf("claude-code");
  const result = await createTruncationProvider({ minTokensForTruncation: 20 }).condense({ messages });
  for (const { messageIndex, blockIndex } of result.changes) {
    const here = result.changes.filter((other) => other.messageIndex === messageIndex && other.blockIndex === blockIndex);
    const ids = here.map(({ id }) => id);
    const { messages: back, restored } = restore(result, { only: ids });
    expect(restored).toEqual(ids);
    back.forEach((message, index) => {
      if (index !== messageIndex) return expect(message).toBe(result.messages[index]);
      message.content.forEach((block, at) => {
        if (at === blockIndex) expect(block).toEqual(messages[index].content[at]);
        else expect(block).toBe(result.messages[index].content[at]);
      });
    });
  }
});

describe("what cannot be undone alone", () => {
  test("two changes of one text need one another", async () => {
    const messages = historyOf("claude-code", 5, 120);
    const result = await new CondensationManager().condense({ messages }, { provider: "lossless", targetTokens: 3000 });
    const twice = result.changes.find(({ id, messageIndex, blockIndex }) =>
      result.changes.some((other) => other.id !== id && other.messageIndex === messageIndex && other.blockIndex === blockIndex),
    );
    expect(twice).toBeDefined();
    const { refused, restored, messages: same, restoreData } = restore(result, { only: [twice.id] });
    expect(restored).toEqual([]);
    expect(same).toBe(result.messages);
    expect(restoreData).toBe(result.restoreData);
    expect(refused).toEqual([
      { id: twice.id, code: "needs_others", reason: expect.stringContaining(refused[0].with[0]), with: expect.any(Array) },
    ]);
    expect(restore(result, { only: [twice.id, ...refused[0].with] }).restored).toContain(twice.id);
  });

  test("messages of a window come back together", async () => {
    const messages = historyOf("roo-native");
    const result = await createTruncationProvider({ mode: "window" }).condense({ messages });
    const [first, ...others] = idsOf(result);
    const { refused } = restore(result, { only: [first] });
    expect(refused).toMatchObject([{ code: "needs_others", with: others }]);
    expect(restore(result, { only: [first, ...others] }).messages).toEqual(messages);
  });

  test.each(dialects)("any change comes back with what stands on it: %s", async (dialect) => {
    const messages = historyOf(dialect, 3, 26);
    for (const provider of ["lossless", "truncation"]) {
      const result = await new CondensationManager().condense({ messages }, { provider, targetTokens: 900 });
      expect(result.changes.length).toBeGreaterThan(3);
      let alone = 0;
      for (const id of idsOf(result)) {
        const undone = restore(clone(result), { only: [id], withDependants: true });
        if (undone.refused.length > 0) {
          expect(undone).toMatchObject({ restored: [], dependants: [], refused: [{ id, code: "unknown_change" }] });
          continue;
        }
        expect(undone.restored).toEqual([id]);
        expect(new Set([id, ...undone.dependants]).size).toBe(1 + undone.dependants.length);
        alone += undone.dependants.length === 0 ? 1 : 0;
        // What came along is what would have to be named.
        const named = restore(clone(result), { only: [id, ...undone.dependants] });
        expect(named.messages).toEqual(undone.messages);
        expect(named.dependants).toBeUndefined();
        expect(restore(clone(undone))).toEqual(messages);
      }
      expect(alone).toBeLessThan(result.changes.length);
    }
  });

  test("what cannot be undone takes nothing along", async () => {
    const messages = historyOf("claude-code", 5, 120);
    const result = await new CondensationManager().condense({ messages }, { provider: "lossless", targetTokens: 3000 });
    const twice = result.changes.find(({ id }) => restore(result, { only: [id] }).refused[0]?.code === "needs_others");
    const other = result.changes.find(
      ({ id, messageIndex }) => messageIndex !== twice.messageIndex && restore(result, { only: [id] }).refused.length === 0,
    );
    const state = clone(result);
    state.messages[twice.messageIndex].content = "edited";
    const undone = restore(state, { only: [twice.id, other.id, "c0"], withDependants: true });
    expect(undone.restored).toEqual([other.id]);
    expect(undone.refused.map(({ id, code }) => [id, code])).toEqual([
      [twice.id, "changed_since"],
      ["c0", "unknown_change"],
    ]);
    expect(() => restore(result, { withDependants: true })).toThrow(/options\.withDependants/);
    expect(() => restore(result, { only: [], withDependants: 1 })).toThrow(/options\.withDependants/);
  });

  test("what somebody edited since is refused, and the others are undone", async () => {
    const messages = historyOf("claude-code");
    const result = await createTruncationProvider({ minTokensForTruncation: 20 }).condense({ messages });
    const [edited, other] = result.changes;
    const list = clone(result.messages);
    list[edited.messageIndex].role = "other";
    list.at(-1).content = "edited, too";
    const undone = restore({ messages: list, restoreData: result.restoreData }, { only: [other.id, edited.id] });
    expect(undone.restored).toEqual([other.id]);
    expect(undone.refused).toEqual([
      {
        id: edited.id,
        code: "changed_since",
        messageIndex: edited.messageIndex,
        reason: expect.stringContaining(`messages[${edited.messageIndex}]`),
      },
    ]);
    expect(undone.messages.at(-1)).toEqual({ ...result.messages.at(-1), content: "edited, too" });
    expectThrown(() => restore(undone), TypeError, "invalid_restore_data", `messages[${edited.messageIndex}]`);
  });

  test("a later condensation stands on it", async () => {
    const messages = historyOf("claude-code");
    const first = await createLosslessProvider().condense({ messages });
    const second = await createTruncationProvider({ mode: "window" }).condense({ messages: first.messages });
    const state = { messages: second.messages, restoreData: first.restoreData };
    const { restored, refused } = restore(state, { only: idsOf(first) });
    expect(restored).toEqual([]);
    expect(new Set(refused.map(({ code }) => code))).toContain("changed_since");
  });

  test("ids of nobody, twice, or none", async () => {
    const messages = historyOf("claude-code");
    const result = await createLosslessProvider().condense({ messages });
    expect(restore(result, { only: ["nobody", "nobody", "__proto__"] })).toEqual({
      messages: result.messages,
      restored: [],
      refused: ["nobody", "__proto__"].map((id) => ({ id, code: "unknown_change", reason: expect.any(String) })),
      restoreData: result.restoreData,
    });
    expect(restore(result, { only: [] }).messages).toBe(result.messages);
    expect(restore(result, {})).toEqual(messages);
    const nothing = await createLosslessProvider().condense({ messages: conversation(1) });
    expect(restore(nothing, { only: ["c00000000"] }).refused).toMatchObject([{ code: "unknown_change" }]);
  });

  test("wrong arguments", () => {
    const state = { messages: [], restoreData: { version: 2, edits: [] } };
    for (const only of ["c1", 5, {}, null]) expectThrown(() => restore(state, { only }), TypeError, "invalid_argument", "options.only");
    expectThrown(() => restore(state, { only: ["c1", 5] }), TypeError, "invalid_argument", "options.only[1]");
    for (const options of [null, 5, []]) expectThrown(() => restore(state, options), TypeError, "invalid_argument", "options");
  });
});

test("of a provider of the host that drops, adds and moves", async () => {
  const messages = conversation(6);
  const manager = managerWith(({ messages: given }) => ({
    messages: [given[0], { role: "assistant", content: "In short: nothing." }, { ...given[2], content: "And then?" }, given.at(-1)],
  }));
  const result = await manager.condense({ messages: deepFreeze(messages) });
  expect(result.error).toBeUndefined();
  const [first, ...others] = idsOf(result);
  expect(restore(result, { only: others }).restored).toEqual([]);
  const undone = restore(result, { only: [first, ...others] });
  expect(undone.refused).toEqual([]);
  undone.messages.forEach((message, index) => expect(message).toBe(messages[index]));
});

test("a stack of twenty condensations, with messages appended between, is undone one by one", async () => {
  const steps = [
    [createLosslessProvider(), {}],
    [createTruncationProvider({ minTokensForTruncation: 20 }), {}],
    [createSmartProvider("balanced"), { targetTokens: 6000 }],
    [createTruncationProvider(), { targetTokens: 5000 }],
    [createTruncationProvider({ mode: "window" }), {}],
  ];
  const whole = buildHistory({ dialect: "claude-code", messages: 400, seed: 9 });
  const stack = [];
  const before = [];
  let next = 60;
  let history = whole.slice(0, next);
  for (let turn = 0; stack.length < 20 && turn < 60; turn++) {
    const [provider, options] = steps[turn % steps.length];
    const result = await provider.condense({ messages: history }, options);
    expect(result.error).toBeUndefined();
    if (result.didCondense) {
      before.push(JSON.stringify(history));
      stack.push(clone(result.restoreData));
      history = result.messages;
    }
    const more = whole.slice(next, next + 6);
    next += 6;
    history = [...clone(history), ...more];
  }
  expect(stack.length).toBe(20);
  while (stack.length > 0) {
    const earlier = JSON.parse(before.pop());
    history = restore({ messages: history, restoreData: stack.pop() });
    expect(JSON.stringify(history.slice(0, earlier.length))).toBe(JSON.stringify(earlier));
  }
  expect(JSON.stringify(history)).toBe(JSON.stringify(whole.slice(0, next)));
});

describe("pointers that stay", () => {
  const messages = [{ role: "user", content: "Compare the versions." }];
  const line = (file, number) => `export const value${number} = compute(${number}, "${file}");`;
  const body = (file, changed = -1) => Array.from({ length: 60 }, (_, at) => (at === changed ? "// changed" : line(file, at))).join("\n");
  for (const [index, text] of [
    body("a"),
    body("b"),
    body("a"),
    body("a", 9),
    body("b"),
    body("a"),
    body("b", 30),
    body("a", 9),
  ].entries()) {
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "Bash", input: { command: `show ${index}` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: text }] },
    );
  }
  const readable = (condensed) => expand(condensed).messages.map((message) => JSON.stringify(message));

  test("lead to the same lines when single changes are undone, or these are refused", async () => {
    const result = await createLosslessProvider({ strict: true }).condense({ messages });
    const before = readable(result.messages);
    expect(before).toEqual(messages.map((message) => JSON.stringify(message)));
    let refusals = 0;
    for (const { id } of result.changes) {
      const one = restore(result, { only: [id] });
      expect([readable(one.messages), expand(one.messages).unresolved]).toEqual([before, []]);
      if (one.refused.length === 0) continue;
      refusals++;
      expect(one.refused).toMatchObject([{ id, code: "needs_others" }]);
      const together = restore(result, { only: [id, ...one.refused[0].with] });
      expect(together.restored).toContain(id);
      expect(readable(together.messages)).toEqual(before);
    }
    expect(refusals).toBeLessThan(result.changes.length);
  });
});

describe("a pointer that comes back", () => {
  const body = Array.from(
    { length: 60 },
    (_, line) => `const f${line} = compute(${line * 7}, "a longer line of text ${line * 31} that goes on");`,
  ).join("\n");
  const use = (id) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input: { command: id } }] });
  const answer = (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: body }] });
  const tail = ["Done.", "Next?", "I look.", "Good.", "Yes."].map((content, at) => ({ role: at % 2 ? "user" : "assistant", content }));
  const messages = [{ role: "user", content: "Task" }, use("a"), answer("a"), use("b"), answer("b"), ...tail];

  test.each([
    ["cut", { strategy: "head", maxToolResultLines: 70, maxLineChars: 40, minTokensForTruncation: 1 }],
    ["suppressed", { truncationMode: "suppress" }],
  ])("comes back with its lines, or not at all: %s", async (_, config) => {
    const first = await createLosslessProvider({ strict: true }).condense({ messages });
    const second = await createTruncationProvider(config).condense({ messages: first.messages });
    const [pointer, target] = [2, 4].map((at) => second.changes.find(({ messageIndex }) => messageIndex === at).id);
    const alone = restore(second, { only: [pointer] });
    expect(alone).toMatchObject({ restored: [], refused: [{ code: "needs_others", with: [target] }] });
    expect(alone.messages).toBe(second.messages);
    const together = restore(second, { only: [pointer, target] });
    expect(JSON.stringify(together.messages)).toBe(JSON.stringify(first.messages));
    const afterTarget = restore(restore(second, { only: [target] }), { only: [pointer] });
    expect(afterTarget.restored).toEqual([pointer]);
    expect(JSON.stringify(expand(afterTarget.messages).messages)).toBe(JSON.stringify(expand(first.messages).messages));
  });

  test("comes back with the messages that were dropped, or not at all", async () => {
    const said = [
      messages[0],
      use("a"),
      answer("a"),
      { role: "assistant", content: "KEEPTHIS." },
      { role: "user", content: "Go on." },
      use("b"),
      answer("b"),
    ];
    const first = await createLosslessProvider({ strict: true }).condense({ messages: [...said, ...tail] });
    const window = createTruncationProvider({ mode: "window", preserveRecentCount: 3 });
    const second = await window.condense({ messages: first.messages }, { targetTokens: 60, protect: { messages: [3] } });
    for (const id of idsOf(second)) {
      let undone = restore(second, { only: [id] });
      const asked = new Set([id]);
      while (undone.restored.length === 0) {
        expect(undone.refused[0].code).toBe("needs_others");
        for (const other of undone.refused.flatMap(({ with: others }) => others)) asked.add(other);
        undone = restore(second, { only: [...asked] });
      }
      expect(expand(undone.messages).unresolved).toEqual([]);
    }
  });

  test("comes back where another message was changed since", async () => {
    const other = Array.from({ length: 60 }, (_, line) => `another ${line * 3} line of its own`).join("\n");
    const read = (id, content) => [use(id), { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }];
    const said = [messages[0], ...read("a", body), ...read("x", other), ...read("b", body), ...tail];
    const first = await createLosslessProvider({ strict: true }).condense({ messages: said });
    const second = await createTruncationProvider({ truncationMode: "suppress", minTokensForTruncation: 1 }).condense({
      messages: first.messages,
    });
    const changed = second.messages.map((message, at) => (at === 4 ? { ...message, content: "edited" } : message));
    const [pointer, edited, target] = idsOf(second);
    const state = { messages: changed, restoreData: second.restoreData };
    expect(restore(state, { only: [pointer] })).toMatchObject({ refused: [{ code: "needs_others", with: [target] }] });
    expect(restore(state, { only: [edited] })).toMatchObject({ refused: [{ code: "changed_since" }] });
    expect(restore(state, { only: [pointer, target] }).restored).toEqual([pointer, target]);
  });

  test("of many that are asked for, those are undone that can be", async () => {
    const long = historyOf("claude-code", 5, 200);
    const first = await createLosslessProvider({ strict: true }).condense({ messages: long });
    const second = await createTruncationProvider({ truncationMode: "suppress" }).condense({ messages: first.messages });
    const every = idsOf(second).filter((_, at) => at % 2 === 0);
    const undone = restore(second, { only: every });
    expect(undone.restored.length).toBeGreaterThan(every.length / 4);
    expect(expand(undone.messages).unresolved).toEqual([]);
    const all = restore(undone, { only: idsOf(second) });
    expect(JSON.stringify(all.messages)).toBe(JSON.stringify(first.messages));
  });
});
