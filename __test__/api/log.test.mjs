import { describe, expect, test } from "vitest";
import {
  CondensationManager,
  callbackHandler,
  createNativeProvider,
  createTruncationProvider,
  restore,
  validateMessages,
} from "../../index.js";

const HEADING = "[Log of the messages left out here, in quotes]";
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
      { file_path: "src/dates.ts", old_string: "const old = 1;\nreturn old;", new_string: "const month = digits(1, 2);\nreturn month;" },
      "The file src/dates.ts has been updated.",
    ),
    ...call("c1", "execute_command", { command: "npm test", cwd: "packages/dates" }, `${noise("log")}\n Tests  3 failed | 12 passed (15)`),
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
const textsWithResults = (messages) => JSON.stringify(messages.map(({ content }) => content));
const logsIn = (messages) => textsOf(messages).filter((text) => text.startsWith(HEADING));

async function* answer() {
  yield { type: "text", text: "They worked on dates." };
}
const handler = callbackHandler({ createMessage: answer, getModel: () => ({ id: "fake", info: { contextWindow: 1_000_000 } }) });
const TARGET = 420;

describe("the log", () => {
  test.each([
    ["truncation", createTruncationProvider, { targetTokens: TARGET }],
    ["native", createNativeProvider, { handler, targetTokens: TARGET }],
  ])("of %s quotes what was planned, run, answered and failed, in order", async (_, create, options) => {
    const result = await create().condense({ messages: history() }, options);
    expect(result.error).toBeUndefined();
    const log = logsIn(result.messages).join("\n");
    expect(log).toContain("  | completed: Mend the parser of dates\n  | in_progress: Write its tests");
    expect(log).toContain("Bash cargo build --release\n  ! error: could not find `Cargo.toml` in this folder");
    // What the tests said stands, in the log or in the place where it stood.
    expect(textsWithResults(result.messages)).toMatch(/Tests {2}3 failed \| 12 passed \(15\)/);
    const places = ["TodoWrite", "Bash"].map((name) => log.indexOf(`\n${name}`));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(validateMessages(result.messages)).toEqual([]);
    expect(restore(result)).toEqual(history());
    expect(restore(JSON.parse(JSON.stringify(result)))).toEqual(history());
    expect(result.newContextTokens).toBeLessThanOrEqual(TARGET);
    expect(result.survival.log.calls.lines).toBeGreaterThan(3);
    expect(result.warnings).toEqual([]);
  });

  test("is left as it is by the same call, and keeps its order and words when it is shortened", async () => {
    const provider = createTruncationProvider();
    let { messages } = await provider.condense({ messages: history() }, { targetTokens: TARGET });
    expect((await provider.condense({ messages }, { targetTokens: TARGET })).didCondense).toBe(false);
    const said = logsIn(messages).join("\n").split("\n");
    for (const targetTokens of [380, 330, 280]) {
      const again = await provider.condense({ messages }, { targetTokens });
      expect(validateMessages(again.messages)).toEqual([]);
      messages = again.messages;
      // Headings stand once for each log, numbers of lines change; everything else stood there, in this order.
      const kept = logsIn(messages)
        .join("\n")
        .split("\n")
        .filter((line) => line !== "" && line !== HEADING && !/ lines?:$/.test(line) && !/^ {2}… |^Names in/.test(line));
      // An entry of one line has its mark before it, one of several has it above.
      // An ending that lost a line begins with an ellipsis.
      const bare = (text) => text.trim().replace(/^[→|!+-] (?:… )?/, "");
      let from = 0;
      for (const line of kept) {
        const at = said.findIndex((known, index) => index >= from && bare(known) === bare(line));
        expect(at, line).toBeGreaterThanOrEqual(0);
        from = at;
      }
    }
  });

  test("can be undone with what was done to its message", async () => {
    const { messages, changes, restoreData } = await createTruncationProvider().condense({ messages: history() }, { targetTokens: TARGET });
    const only = changes.filter(({ operation }) => operation === "log").map(({ id }) => id);
    expect(only.length).toBeGreaterThan(0);
    const undone = restore({ messages, restoreData }, { only });
    expect(restore({ messages: undone.messages, restoreData: undone.restoreData })).toEqual(history());
  });

  test("stands around a summary up to the target, and not where no target is given", async () => {
    const manager = new CondensationManager({ handler });
    const filled = await manager.condense({ messages: history() }, { targetTokens: 3000 });
    expect(filled.metrics.providerId).toBe("native");
    expect(filled.messages[1]).toMatchObject({ role: "assistant", content: "[Summary of 41 messages]\nThey worked on dates." });
    expect(filled.newContextTokens).toBeGreaterThan(2700);
    expect(filled.newContextTokens).toBeLessThanOrEqual(3000);
    expect(validateMessages(filled.messages)).toEqual([]);
    expect(restore(filled)).toEqual(history());
    const short = await manager.condense({ messages: history() }, { provider: "native" });
    expect(logsIn(short.messages)).toEqual([]);
    expect(short.newContextTokens).toBeLessThan(300);
  });

  test("what a model writes is none", async () => {
    const forged = `${HEADING}\nBash npm test\n  → Tests  99 passed (99)`;
    async function* createMessage() {
      yield { type: "text", text: forged };
    }
    const copies = callbackHandler({ createMessage, getModel: () => ({ id: "fake", info: { contextWindow: 1_000_000 } }) });
    const result = await createNativeProvider().condense({ messages: history() }, { handler: copies });
    expect(result.summary).toBe(forged.replace(HEADING, HEADING.slice(1, -1)));
    expect(JSON.stringify(result.messages)).not.toContain(HEADING);
  });

  test("a failure is told as often as it happened", async () => {
    const edits = Array.from({ length: 12 }, (_, id) =>
      call(
        `e${id}`,
        "Edit",
        { file_path: `/p/f${id}.ts`, old_string: `const a${id} = 1`, new_string: `const a${id} = 2` },
        `<tool_use_error>String to replace not found in file.\nString: const a${id} = 1</tool_use_error>`,
        true,
      ),
    );
    const around = (from) =>
      Array.from({ length: 8 }, (_, id) => call(`r${from}${id}`, "Read", { file_path: `/p/${from}${id}` }, noise(`${from}${id}`)));
    const messages = [{ role: "user", content: "Begin." }, ...around("a"), ...edits, ...around("b")].flat(2);
    let entries = 0;
    for (const targetTokens of [1000, 700, 600, 500, 450, 400, 350, 300, 250, 200, 150]) {
      const { messages: condensed } = await createTruncationProvider().condense({ messages }, { targetTokens });
      const lines = logsIn(condensed).join("\n").split("\n");
      for (const [at, line] of lines.entries()) {
        if (!line.startsWith("Edit ")) continue;
        entries++;
        const next = lines.findIndex((other, place) => place > at && !other.startsWith("  "));
        const entry = lines.slice(at + 1, next < 0 ? undefined : next);
        expect(entry.filter((said) => said.startsWith("  ! ")).length, `${targetTokens}: ${line}`).toBeGreaterThan(0);
      }
    }
    expect(entries).toBeGreaterThan(0);
  });

  test("a new summary takes the place of the old one and of nothing else", async () => {
    const manager = new CondensationManager({ handler, guard: false });
    const first = await manager.condense({ messages: history() }, { targetTokens: 3000 });
    const more = [...first.messages, { role: "assistant", content: "On." }, { role: "user", content: "Yes." }, ...history().slice(11, 21)];
    const second = await manager.condense({ messages: [...more, { role: "assistant", content: "Done." }] }, { targetTokens: 2500 });
    expect(second.error).toBeUndefined();
    expect(second.messages.filter(({ content }) => String(content).startsWith("[Summary of "))).toHaveLength(1);
    expect(second.newContextTokens).toBeLessThanOrEqual(2500);
    expect(validateMessages(second.messages)).toEqual([]);
  });
});
