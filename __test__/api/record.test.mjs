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
