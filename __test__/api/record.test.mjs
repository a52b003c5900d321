import { describe, expect, test } from "vitest";
import { callbackHandler, createNativeProvider, createTruncationProvider, restore, validateMessages } from "../../index.js";

const HEAD = "[Record of the work in messages that are left out]";
const call = (id, name, input, result, error = false) => [
  { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result, ...(error && { is_error: true }) }] },
];
const noise = (name) =>
  Array.from({ length: 400 }, (_, line) => `${name} ${line}: const value${line} = compute(${line}, "${name}")`).join("\n");

/** A day's work, in which much is read and little of it matters. */
function history() {
  const todos = [
    { content: "Mend the parser of dates", status: "completed" },
    { content: "Write its tests", status: "in_progress" },
  ];
  const messages = [
    { role: "user", content: "Mend the parser of dates in src/dates.ts, please." },
    ...call("t1", "TodoWrite", { todos }, "Todos have been modified successfully."),
    ...call(
      "e1",
      "Edit",
      { file_path: "src/dates.ts", old_string: "old text", new_string: "new text" },
      "The file src/dates.ts has been updated.",
    ),
    ...call("c1", "Bash", { command: "npm test" }, `${noise("log")}\n Tests  3 failed | 12 passed (15)`),
    ...call("f1", "Bash", { command: "cargo build --release" }, "error: could not find `Cargo.toml` in this folder", true),
    {
      role: "assistant",
      content: [{ type: "text", text: "The parser reads months with one digit now, but three tests of time zones still fail." }],
    },
    { role: "user", content: [{ type: "text", text: "Then look at the time zones, and leave the calendar alone." }] },
  ];
  for (let number = 0; number < 14; number++)
    messages.push(...call(`r${number}`, "Read", { file_path: `src/zone${number}.ts` }, noise(`zone${number}`)));
  for (const words of ["I have read all of them.", "One moment.", "Nearly there."]) {
    messages.push({ role: "assistant", content: words }, { role: "user", content: "Go on." });
  }
  return messages;
}

const textsOf = (messages) =>
  messages.flatMap(({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text ?? "")));
const recordIn = (messages) => textsOf(messages).filter((text) => text.includes(HEAD));

async function* answer() {
  yield { type: "text", text: "They worked on dates." };
}
const handler = callbackHandler({ createMessage: answer, getModel: () => ({ id: "fake", info: { contextWindow: 1_000_000 } }) });

describe("the record of work", () => {
  test.each([
    ["truncation", createTruncationProvider, { targetTokens: 1300, config: { recordTokens: 400 } }],
    ["native", createNativeProvider, { handler }],
  ])("of %s says what was planned, checked, failed and answered", async (_, create, options) => {
    const result = await create().condense({ messages: history() }, options);
    expect(result.error).toBeUndefined();
    const [record, ...more] = recordIn(result.messages);
    expect(more).toEqual([]);
    expect(record).toContain("- [-] Write its tests");
    expect(record).toContain("- npm test → Tests 3 failed | 12 passed (15)");
    expect(record).toContain("- cargo build --release → error: could not find");
    expect(validateMessages(result.messages)).toEqual([]);
    expect(restore(result)).toEqual(history());
    expect(restore(JSON.parse(JSON.stringify(result)))).toEqual(history());
    expect(result.warnings).toEqual([]);
  });

  test("is left as it is by the same call, and told on when its message goes too", async () => {
    const provider = createTruncationProvider({ recordTokens: 400 });
    const first = await provider.condense({ messages: history() }, { targetTokens: 1300 });
    expect(recordIn(first.messages)).toHaveLength(1);
    expect((await provider.condense({ messages: first.messages }, { targetTokens: 1300 })).didCondense).toBe(false);
    const later = [...first.messages, { role: "assistant", content: "Now the zones." }];
    later.push({ role: "user", content: "And then?" }, ...history().slice(-28));
    const second = await createNativeProvider().condense({ messages: later }, { handler });
    expect(second.error).toBeUndefined();
    const records = recordIn(second.messages);
    expect(records).toHaveLength(1);
    expect(records[0].split("- npm test → Tests 3 failed")).toHaveLength(2);
  });

  test("can be undone with what was done to its message, and switched off", async () => {
    const { messages, changes, restoreData } = await createTruncationProvider({ recordTokens: 400 }).condense(
      { messages: history() },
      { targetTokens: 1300 },
    );
    const { messageIndex } = changes.find(({ operation }) => operation === "record");
    const only = changes.filter((change) => change.messageIndex === messageIndex).map(({ id }) => id);
    const undone = restore({ messages, restoreData }, { only });
    expect(recordIn(undone.messages)).toEqual([]);
    expect(restore({ messages: undone.messages, restoreData: undone.restoreData })).toEqual(history());
    const off = await createTruncationProvider({ recordTokens: 0 }).condense({ messages: history() }, { targetTokens: 1300 });
    expect(recordIn(off.messages)).toEqual([]);
  });
});

describe("the record where messages go", () => {
  test.each([{ mode: "window" }, { mode: "window", strategy: "head" }])("of %j stands in the place of what went", async (config) => {
    const result = await createTruncationProvider({ ...config, recordTokens: 400 }).condense(
      { messages: history() },
      { targetTokens: 1300 },
    );
    expect(result.error).toBeUndefined();
    const [record, ...more] = recordIn(result.messages);
    expect(more).toEqual([]);
    expect(record).toContain("- [-] Write its tests");
    expect(record).toContain("- Then look at the time zones, and leave the calendar alone.");
    expect(validateMessages(result.messages)).toEqual([]);
    expect(restore(result)).toEqual(history());
    expect(result.survival.record.plan.lines).toBe(2);
    expect(result.warnings).toEqual([]);
  });

  test("of truncation without a target takes no more than a quarter of what it saves", async () => {
    const result = await createTruncationProvider().condense({ messages: history() });
    const { tokensBefore, tokensAfter } = result.changes.find(({ operation }) => operation === "record");
    expect(tokensBefore).toBe(0);
    expect(tokensAfter).toBeLessThanOrEqual((result.stats.originalTokens - result.stats.finalTokens) / 4);
    expect(restore(result)).toEqual(history());
  });

  test("keeps items by their numbers, so that later changes find them", async () => {
    const created = (id, subject) =>
      call(`t${id}`, "TaskCreate", { subject, description: "more" }, `Task #${id} created successfully: ${subject}`);
    const provider = createTruncationProvider({ mode: "window", recordTokens: 400 });
    const messages = history();
    messages.splice(1, 2, ...created(1, "Look at the zones"), ...created(2, "Mend the zones"));
    const first = await provider.condense({ messages }, { targetTokens: 1300 });
    expect(recordIn(first.messages)[0]).toContain("- [ ] #2 Mend the zones");
    const later = [
      ...first.messages,
      ...call("u2", "TaskUpdate", { taskId: "2", status: "completed" }, "Updated task #2"),
      ...history().slice(11),
    ];
    const second = await provider.condense({ messages: later }, { targetTokens: 1300 });
    const records = recordIn(second.messages);
    expect(records).toHaveLength(1);
    expect(records[0]).toContain("- [ ] #1 Look at the zones\n- [x] #2 Mend the zones");
  });
});
