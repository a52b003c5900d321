// Signed thinking behind a change: what goes, what stays, and the way back.

import { describe, expect, it } from "vitest";
import { api, clone, deepFreeze, lines, rejected, thrown } from "./support.mjs";

const { CondensationManager, createLosslessProvider, createTruncationProvider, restore } = api;

/** A conversation in which each answer begins with signed thinking; the third has encrypted thinking, too. */
function conversation(rounds) {
  const messages = [{ role: "user", content: "Please have a look at these files.", ts: 1 }];
  for (let round = 0; round < rounds; round++) {
    const id = `t${round}`;
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: `File ${round} may be the one.`, signature: `s${round}` },
          ...(round === 2 ? [{ type: "redacted_thinking", data: "b3BhcXVl" }] : []),
          { type: "text", text: `Looking at file ${round}.` },
          { type: "tool_use", id, name: "read_file", input: { path: `src/${round}.ts`, limit: 100 } },
        ],
        ts: 2 * round + 2,
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `${round}\n${lines(80)}` }], ts: 2 * round + 3 },
    );
  }
  return deepFreeze(messages);
}

const thoughts = (messages) =>
  messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(({ type }) => /thinking/.test(type)) : []));
const codes = ({ warnings }) => warnings.map(({ code }) => code);
const truncation = () => createTruncationProvider({ preserveRecentCount: 1 });

describe("thinking", () => {
  it("behind the first change goes for a model that would refuse it; all else stays the same object", async () => {
    const messages = conversation(7);
    const result = await truncation().condense({ messages, model: "claude-opus-5-5" });
    expect(result.didCondense).toBe(true);
    expect(result.thinkingRemoved).toBe(thoughts(messages).length - thoughts(result.messages).length);
    expect(result.thinkingRemoved).toBeGreaterThan(5);
    expect(codes(result)).not.toContain("thinking_after_change");
    expect(result.changes.filter(({ operation }) => operation === "drop_thinking")).toHaveLength(result.thinkingRemoved);
    const at = messages.length - 2;
    expect(result.messages[at].content).toHaveLength(2);
    expect(result.messages[at].content[0]).toBe(messages[at].content[1]);
    expect(result.messages[at].content[1]).toBe(messages[at].content[2]);
    expect(result.messages[at].ts).toBe(messages[at].ts);
    expect(result.stats.finalTokens).toBe(api.countTokens(result.messages));

    const back = restore(JSON.parse(JSON.stringify(result)));
    expect(back).toEqual(messages);
    expect(restore(result)).toEqual(messages);
  });

  it("comes back with its message, by the ids of all that was done to it", async () => {
    const messages = conversation(7);
    const result = await truncation().condense({ messages, preservedThinking: true });
    const at = 5;
    const ids = result.changes.filter(({ messageIndex }) => messageIndex === at).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const one = restore(result, { only: ids.slice(0, 1) });
    expect(one.refused).toMatchObject([{ code: "needs_others" }]);
    const all = restore(result, { only: ids });
    expect(all.refused).toEqual([]);
    expect(all.messages[at]).toEqual(messages[at]);
    expect(restore({ messages: all.messages, restoreData: clone(all.restoreData) })).toEqual(messages);
  });

  it("damaged data that leads back is refused", async () => {
    const messages = conversation(7);
    const { messages: condensed, restoreData } = await truncation().condense({ messages, preservedThinking: true });
    const damaged = (change) => {
      const data = clone(restoreData);
      change(data.edits.find(({ op }) => op === "insert_block"));
      return thrown(() => restore({ messages: condensed, restoreData: data })).code;
    };
    expect(damaged((edit) => (edit.value.thinking = "other"))).toBe("invalid_restore_data");
    expect(damaged((edit) => (edit.before = 99))).toBe("invalid_restore_data");
    expect(damaged((edit) => (edit.before = -1))).toBe("invalid_restore_data");
    expect(damaged((edit) => delete edit.value)).toBe("invalid_restore_data");
    expect(damaged((edit) => (edit.message = 1e9))).toBe("invalid_restore_data");
  });

  it("stays for other models, and a warning says so where nothing is known of the model", async () => {
    const messages = conversation(7);
    const older = await truncation().condense({ messages, model: "claude-sonnet-4-5" });
    expect([older.thinkingRemoved, codes(older)]).toEqual([0, []]);
    const unknown = await truncation().condense({ messages });
    expect([unknown.thinkingRemoved, codes(unknown)]).toEqual([0, ["thinking_after_change"]]);
    const kept = await truncation().condense({ messages, model: "claude-opus-5-5" }, { thinking: "keep" });
    expect([kept.thinkingRemoved, codes(kept)]).toEqual([0, ["thinking_after_change"]]);
    expect(kept.warnings[0].message).toMatch(/^7 blocks of signed thinking/);
  });

  it("is seen to for providers of the host, and for previews", async () => {
    const messages = conversation(7);
    const manager = new CondensationManager({ thinking: "drop", fallback: false });
    manager.registerProvider({
      id: "mine",
      condense: ({ messages: all }) => ({ messages: [all[0], ...all.slice(3)] }),
    });
    const result = await manager.condense({ messages }, { provider: "mine" });
    expect(result.error).toBeUndefined();
    expect([thoughts(result.messages), result.thinkingRemoved]).toEqual([[], 7]);
    expect(restore(result)).toEqual(messages);
    const preview = await manager.preview({ messages }, { provider: "mine" });
    expect(preview.thinkingRemoved).toBe(7);
    expect(preview.newContextTokens).toBe(result.newContextTokens);
    const kept = await manager.condense({ messages }, { provider: "mine", thinking: "keep" });
    expect(kept.thinkingRemoved).toBe(0);
    expect(manager.getEffectiveConfig().thinking).toBe("drop");
  });

  it("goes by the handler's model", async () => {
    const messages = conversation(7);
    const handlerOf = (id) => ({ createMessage: async function* () {}, getModel: () => ({ id, info: {} }) });
    const removed = async (id) => (await truncation().condense({ messages }, { handler: handlerOf(id) })).thinkingRemoved;
    expect(await removed("claude-haiku-5-5")).toBeGreaterThan(0);
    expect(await removed("claude-haiku-4-5")).toBe(0);
  });

  it("is left alone where nothing changes", async () => {
    const messages = conversation(1);
    const result = await createLosslessProvider().condense({ messages, preservedThinking: true });
    expect(result.messages).toBe(messages);
    expect(result.thinkingRemoved).toBe(0);
  });

  it("wrong options are named", async () => {
    const messages = conversation(1);
    const field = async (context, options) => (await rejected(() => truncation().condense({ messages, ...context }, options))).field;
    expect(await field({}, { thinking: "never" })).toBe("options.thinking");
    expect(await field({ preservedThinking: "yes" })).toBe("context.preservedThinking");
    expect(await field({ model: 5 })).toBe("context.model");
    expect(thrown(() => new CondensationManager({ thinking: true })).field).toBe("thinking");
  });
});
