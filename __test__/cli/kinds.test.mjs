// Files that agents keep their conversations in: read as the model saw them, written back where the agent reads them again, and refused by line.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { withShared } from "../shared.mjs";
import { expectFailure, folder, library, put, readJson, run, runJson, thrownBy } from "./support.mjs";

const require = createRequire(import.meta.url);
const { readHistory } = require("../../js/cli/history-file.js");

const linesOf = (values) => `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;
const valuesOf = (file) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const long = (name) => Array.from({ length: 60 }, (_, index) => `export const ${name}${index} = compute(${index}, "${name}");`).join("\n");
const textsOf = (messages) => JSON.stringify(messages);

/** Condenses messages to a share of their tokens, as they are in a history. */
async function condensed({ messages, format }, share = 0.5) {
  const options = format && { format };
  const targetTokens = Math.round(library.countTokens(messages, options) * share);
  const manager = new library.CondensationManager({ provider: "truncation" });
  const result = await manager.condense({ messages }, { targetTokens, ...options });
  expect(result.error).toBeUndefined();
  return result;
}

/** A message as Codex reads it. */
const withParts = (item) => ({
  ...item,
  content: [{ type: item.role === "assistant" ? "output_text" : "input_text", text: item.content }],
});

/** What is written is read as what was meant, and what did not change is written as it was. */
async function expectWritten(name, share) {
  const history = readHistory(path.join(folder, name));
  expect(history.isCopyOnly).toBe(false);
  expect(history.contentWith(history.messages).equals(history.bytes)).toBe(true);
  const result = await condensed(history, share);
  expect(result.didCondense).toBe(true);
  const written = put(`again${path.extname(name)}`, history.contentWith(result.messages));
  const again = readHistory(written);
  const isCodex = history.program === "Codex";
  const meant = isCodex ? result.messages.map((item) => (typeof item.content === "string" ? withParts(item) : item)) : result.messages;
  // A message that was put in has what its program writes beside the words.
  const isPutIn = (message) => Object.keys(message).join() === "role,content";
  const read = again.messages.map((message, at) =>
    meant[at] && isPutIn(meant[at]) ? { role: message.role, content: message.content } : message,
  );
  expect(JSON.stringify(read) === JSON.stringify(meant)).toBe(true);
  const messages = library.restore({ messages: again.messages, restoreData: result.restoreData });
  expect(JSON.stringify(messages) === JSON.stringify(history.messages)).toBe(true);
  return { history, result, written };
}

/** Condenses in place, lets the program write more, and restores. */
function expectInPlace(name, more) {
  const before = readFileSync(path.join(folder, name));
  const { code, report } = runJson([name, "--in-place", "--target", "50%"]);
  expect({ code, error: report.error }).toEqual({ code: 0 });
  expect(report.didCondense).toBe(true);
  expect(readFileSync(path.join(folder, `${name}.bak`)).equals(before)).toBe(true);
  expect(readFileSync(path.join(folder, name)).equals(before)).toBe(false);
  expect(run(["restore", name, "--out", `whole${path.extname(name)}`]).stdout).toContain("byte for byte");
  expect(readFileSync(path.join(folder, `whole${path.extname(name)}`)).equals(before)).toBe(true);
  if (!more) return;
  const condensedLines = readFileSync(path.join(folder, name), "utf8");
  put(name, condensedLines + linesOf([more(valuesOf(path.join(folder, name)))]));
  expect(run(["restore", name, "--out", `later${path.extname(name)}`]).stdout).toContain("was changed since");
  const [first, later] = [`whole${path.extname(name)}`, `later${path.extname(name)}`].map(
    (file) => readHistory(path.join(folder, file)).messages,
  );
  expect(textsOf(later).startsWith(textsOf(first).slice(0, -2))).toBe(true);
  expect(textsOf(later)).toContain("And then?");
}

describe("Claude Code", () => {
  const setting = {
    isSidechain: false,
    userType: "external",
    cwd: "/p",
    sessionId: "s",
    version: "2.1.332",
    timestamp: "2026-11-26T09:00:00.000Z",
  };
  let count = 0;
  const record = (parentUuid, message, more) => ({ parentUuid, ...setting, type: message.role, message, uuid: `u${count++}`, ...more });
  const user = (parent, content, more) => record(parent, { role: "user", content }, more);
  const answer = (parent, id, ...content) =>
    record(parent, { id, type: "message", role: "assistant", model: "claude-sonnet-4-5", content });
  const call = (id) => ({ type: "tool_use", id, name: "Read", input: { file_path: `/p/${id}.ts` } });
  const result = (id) => [{ type: "tool_result", tool_use_id: id, content: long(id) }];

  /** Two calls made together, each result hanging on its call; then more, and a branch that somebody went back from. */
  function session() {
    count = 0;
    const asked = user(null, "Read the files.");
    const attached = { parentUuid: asked.uuid, ...setting, type: "attachment", attachment: { type: "environment" }, uuid: "attached" };
    const a = answer(attached.uuid, "m1", call("a"));
    const b = answer(a.uuid, "m1", call("b"));
    const ofB = user(b.uuid, result("b"), { toolUseResult: { file: { content: long("b") } } });
    const ofA = user(a.uuid, result("a"));
    const said = answer(ofA.uuid, "m2", { type: "text", text: "They compute." });
    const wrong = user(said.uuid, "A question that was taken back.");
    const wrongAnswer = answer(wrong.uuid, "m3", { type: "text", text: "An answer to it." });
    const right = user(said.uuid, "What do they compute?");
    const c = answer(right.uuid, "m4", call("c"));
    const ofC = user(c.uuid, result("c"));
    const end = answer(ofC.uuid, "m5", { type: "text", text: "Values." });
    const side = { ...user(null, "For a subagent."), isSidechain: true };
    const mode = { type: "mode", mode: "normal", sessionId: "s" };
    const prompt = { type: "last-prompt", lastPrompt: "…", leafUuid: ofB.uuid, sessionId: "s" };
    return [asked, attached, a, b, ofB, ofA, said, wrong, wrongAnswer, side, mode, right, c, prompt, ofC, end];
  }

  test("is read from its last record up, with the results of calls made together", () => {
    const { messages, program } = readHistory(put("s.jsonl", linesOf(session())));
    expect(program).toBe("Claude Code");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant", "user", "assistant"]);
    expect(messages[1].content.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(messages[2].content.map((block) => block.tool_use_id)).toEqual(["b", "a"]);
    expect(textsOf(messages)).not.toMatch(/taken back|answer to it|subagent/);
    expect(library.validateMessages(messages)).toEqual([]);
  });

  test("a subagent's file, where every record is a sidechain, is a history of its own", async () => {
    const records = session().map((each) => ({ ...each, isSidechain: true, agentId: "a1" }));
    put("agent-a1.jsonl", linesOf(records));
    const { history, written } = await expectWritten("agent-a1.jsonl", 0.4);
    expect(history.messages).toHaveLength(9 - 1);
    expect(textsOf(history.messages)).not.toContain("taken back");
    for (const { isSidechain, agentId } of valuesOf(written)) expect([isSidechain, agentId]).toEqual([true, "a1"]);
  });

  test("events of a run are none of its sessions", () => {
    const message = (role, content) => ({ type: role, message: { role, content }, session_id: "s", parent_tool_use_id: null, uuid: "1" });
    put(
      "events.jsonl",
      linesOf([
        { type: "system", subtype: "init", session_id: "s", tools: [] },
        message("user", "Go."),
        message("assistant", [{ type: "text", text: "Done." }]),
        { type: "result", subtype: "success", session_id: "s" },
      ]),
    );
    for (const command of [["events.jsonl"], ["validate", "events.jsonl"], ["count", "events.jsonl"]])
      expectFailure(command, 5, /message 0.*type "system" with a session_id: these are events of a run/);
  });

  test("a compaction leaves its summary and what it kept", () => {
    const records = session();
    const boundary = {
      parentUuid: null,
      ...setting,
      type: "system",
      subtype: "compact_boundary",
      uuid: "boundary",
      compactMetadata: { trigger: "manual", preservedMessages: { anchorUuid: "summary", uuids: [records.at(-1).uuid] } },
    };
    const summary = { ...user("boundary", "This session is being continued: the files compute."), uuid: "summary", isCompactSummary: true };
    const next = { ...user("summary", "Go on."), uuid: "next" };
    const { messages } = readHistory(put("s.jsonl", linesOf([...records, boundary, summary, next])));
    expect(messages.map(({ content }) => (typeof content === "string" ? content : content[0].text))).toEqual([
      summary.message.content,
      "Values.",
      "Go on.",
    ]);
  });

  test("is written back record by record, whose links hold", async () => {
    put("s.jsonl", linesOf(session()));
    await expectWritten("s.jsonl", 0.2);
    // As a summary would be: in the place of the first six messages.
    const history = readHistory(path.join(folder, "s.jsonl"));
    const messages = [
      { role: "user", content: "Two files were read." },
      { role: "assistant", content: "Go on." },
      ...history.messages.slice(6),
    ];
    const written = put("again.jsonl", history.contentWith(messages));
    expect(readHistory(written).messages).toMatchObject(messages);
    const [before, after] = ["s.jsonl", "again.jsonl"].map((name) => valuesOf(path.join(folder, name)));
    const ids = new Set(after.map(({ uuid }) => uuid).filter(Boolean));
    for (const { parentUuid, leafUuid } of after) for (const link of [parentUuid, leafUuid].filter(Boolean)) expect(ids).toContain(link);
    // What is no message is as it was.
    const others = (values) =>
      values.filter(({ type }) => type === "mode" || type === "attachment").map(({ parentUuid: _, ...value }) => value);
    expect(others(after)).toEqual(others(before));
    // What is new has the setting of what is around it.
    const known = new Set(before.map(({ uuid }) => uuid));
    const fresh = after.filter(({ uuid }) => uuid && !known.has(uuid));
    expect(fresh).toMatchObject(["user", "assistant"].map((type) => ({ ...setting, type, message: { role: type } })));
  });

  test("goes on behind what was condensed in place, and is restored with it", () => {
    put("s.jsonl", linesOf(session()));
    expectInPlace("s.jsonl", (values) => ({ ...user(values.findLast(({ uuid }) => uuid).uuid, "And then?"), uuid: "then" }));
  });

  test.each([
    ["message", { type: "user", message: 7, uuid: "x" }],
    ["message.role", { type: "assistant", message: { content: [] }, uuid: "x" }],
    ["message.content", { type: "user", message: { role: "user", content: 3 }, uuid: "x" }],
  ])("a record without a usable %s is refused by its line", (field, wrong) => {
    const records = [...session().slice(0, 3), wrong];
    const { code, message } = thrownBy(() => readHistory(put("s.jsonl", linesOf(records))));
    expect({ code, message }).toEqual({
      code: 5,
      message: `${path.join(folder, "s.jsonl")}:4: not what a session of Claude Code has there: ${field} is missing, or has another form`,
    });
  });
});

describe("Codex", () => {
  const line = (type, payload) => ({ timestamp: "2026-04-28T15:33:30.274Z", type, payload });
  const items = [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Read it." }] },
    ...["a", "b"].flatMap((id) => [
      { type: "function_call", call_id: id, name: "shell", arguments: `{"command":["cat","${id}"]}` },
      { type: "function_call_output", call_id: id, output: long(id) },
    ]),
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
  ];
  const meta = line("session_meta", { id: "1", cwd: "/p" });
  const rollout = () => [
    meta,
    ...items.flatMap((item) => [line("response_item", item), line("event_msg", { type: "agent_message", message: "Done." })]),
  ];

  test("a condensation is a line at the end, as Codex writes its own", async () => {
    put("rollout.jsonl", linesOf(rollout()));
    const { written, result } = await expectWritten("rollout.jsonl");
    const lines = valuesOf(written);
    expect(lines.slice(0, -1)).toEqual(rollout());
    expect(lines.at(-1)).toEqual(line("compacted", { message: "", replacement_history: result.messages }));
    expectInPlace("rollout.jsonl", () =>
      line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "And then?" }] }),
    );
  });

  test("what is new is written in the form that Codex reads: with a type, and with parts", () => {
    const history = readHistory(put("rollout.jsonl", linesOf(rollout())));
    const changed = [
      history.messages[0],
      { role: "assistant", content: "In short." },
      { type: "message", role: "user", content: "Go on." },
    ];
    const [last] = valuesOf(put("again.jsonl", history.contentWith(changed))).slice(-1);
    expect(last.payload.replacement_history.slice(1)).toEqual([
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "In short." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Go on." }] },
    ]);
  });

  test("long outputs count as Codex sends them, and what it compacted is sent whole", () => {
    const output = { type: "function_call_output", call_id: "a", output: "x".repeat(50_000) };
    const turn = (model) => line("turn_context", { model });
    const lengthIn = (...lines) => readHistory(put("rollout.jsonl", linesOf([meta, ...lines]))).messages.at(-1).output.length;
    const call = line("response_item", { type: "function_call", call_id: "a", name: "shell", arguments: "{}" });
    expect(lengthIn(call, line("response_item", output))).toBe(12_000 + "…38000 chars truncated…".length);
    expect(lengthIn(turn("gpt-5"), call, line("response_item", output), turn("gpt-5.5"))).toBe(48_000 + "…500 tokens truncated…".length);
    expect(lengthIn(line("compacted", { message: "", replacement_history: [call.payload, output] }))).toBe(50_000);
  });

  describe("of numbered lines", () => {
    const typed = { internal_chat_message_metadata_passthrough: { content_item_kinds: ["user.text"] } };
    const told = { type: "message", role: "user", content: [{ type: "input_text", text: "<environment_context>" }] };
    const numbered = (...more) =>
      [meta, line("world_state", { full: true, state: {} }), line("turn_context", { model: "gpt-5" }), ...more].map((each, ordinal) => ({
        ...each,
        ordinal,
      }));
    const session = () => numbered(...[told, { ...items[0], ...typed }, ...items.slice(1)].map((item) => line("response_item", item)));
    const writtenWith = (change) => {
      const history = readHistory(put("rollout.jsonl", linesOf(session())));
      return valuesOf(put("again.jsonl", history.contentWith(change(history.messages)))).slice(session().length);
    };

    test("the new ones are numbered, and say what Codex has told of its surroundings", () => {
      const lines = writtenWith((messages) => messages.slice(0, 2));
      expect(lines.map(({ type, ordinal }) => [type, ordinal - session().length])).toEqual([
        ["compacted", 0],
        ["world_state", 1],
        ["turn_context", 2],
      ]);
      expect(lines.slice(1).map(({ payload }) => payload)).toEqual(
        session()
          .slice(1, 3)
          .map(({ payload }) => payload),
      );
    });

    test("where a part of that is gone, Codex tells all of it again", () => {
      expect(writtenWith((messages) => messages.slice(1)).map(({ type }) => type)).toEqual(["compacted"]);
      expect(writtenWith((messages) => [{ ...messages[0] }, messages[1]]).map(({ type }) => type)).toEqual(["compacted"]);
    });
  });

  test("rollouts of 2025 have items without an envelope, and are not written back", () => {
    const old = [{ id: "1", timestamp: "2025-08-01T00:00:00Z", git: {} }, { record_type: "state" }, ...items, { record_type: "state" }];
    put("old.jsonl", linesOf(old));
    expect(readHistory(path.join(folder, "old.jsonl"))).toMatchObject({ messages: items, program: "Codex (2025)", isCopyOnly: true });
    expectFailure(["old.jsonl", "--in-place"], 2, /a session of Codex \(2025\), which does not read such a file again/);
    expect(run(["old.jsonl", "--target", "50%", "--out", "copy.jsonl"]).code).toBe(0);
    expect(library.validateMessages(readJson(path.join(folder, "copy.jsonl")))).toEqual([]);
  });

  test.each([
    [3, "payload", { type: "response_item", payload: "text" }],
    [3, "payload.type", line("response_item", { role: "user" })],
    [3, "payload.replacement_history", line("compacted", { replacement_history: "gone" })],
  ])("line %i without a usable %s is refused", (number, field, wrong) => {
    const lines = [...rollout().slice(0, 2), wrong, ...rollout().slice(2)];
    const { code, message } = thrownBy(() => readHistory(put("rollout.jsonl", linesOf(lines))));
    expect(code).toBe(5);
    expect(message).toContain(`rollout.jsonl:${number}: not what a session of Codex has there: ${field} `);
  });
});

describe("Pi", () => {
  const entry = (id, parentId, message) => ({ type: "message", id, parentId, timestamp: "2026-04-24T06:08:59.705Z", message });
  const answer = (id, parent, ...content) =>
    entry(id, parent, { role: "assistant", content, api: "a", provider: "p", model: "m", stopReason: "toolUse", timestamp: 1 });
  const result = (id, parent, call) =>
    entry(id, parent, {
      role: "toolResult",
      toolCallId: call,
      toolName: "read",
      content: [{ type: "text", text: long(call) }],
      isError: false,
      timestamp: 1,
    });
  const toolCall = (id) => ({ type: "toolCall", id, name: "read", arguments: { path: `${id}.ts` }, thoughtSignature: "s" });
  const head = { type: "session", version: 3, id: "s", timestamp: "2026-04-24T06:07:34.531Z", cwd: "/p" };
  const tree = () => [
    head,
    { type: "model_change", id: "m", parentId: null, timestamp: "t", provider: "p", modelId: "m" },
    entry("1", "m", { role: "user", content: [{ type: "text", text: "Read." }], timestamp: 1 }),
    answer("2", "1", { type: "thinking", thinking: "Hm.", thinkingSignature: "sig" }, toolCall("a"), toolCall("b")),
    result("3", "2", "a"),
    result("4", "3", "b"),
    answer("5", "4", { type: "text", text: "A branch that was left." }),
    answer("6", "4", { type: "text", text: "They compute." }),
    entry("7", "6", { role: "user", content: "More.", timestamp: 1 }),
    { ...answer("8", "7", toolCall("c")), message: { role: "assistant", content: [toolCall("c")], stopReason: "aborted" } },
    entry("9", "8", { role: "bashExecution", command: "ls", output: "a.ts", timestamp: 1 }),
    answer("10", "9", { type: "text", text: "Done." }),
  ];

  test("is a tree, read from its last entry up; failed answers are left out", () => {
    const { messages, program } = readHistory(put("s.jsonl", linesOf(tree())));
    expect(program).toBe("Pi");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant"]);
    expect(messages[1].content).toEqual([
      { type: "thinking", thinking: "Hm.", signature: "sig" },
      { type: "tool_use", id: "a", name: "read", input: { path: "a.ts" } },
      { type: "tool_use", id: "b", name: "read", input: { path: "b.ts" } },
    ]);
    expect(messages[2].content.map((block) => block.tool_use_id)).toEqual(["a", "b"]);
    expect(textsOf(messages[4])).toContain("Ran `ls`");
    expect(textsOf(messages)).not.toContain("A branch that was left");
    expect(library.validateMessages(messages)).toEqual([]);
  });

  test("is written back entry by entry", async () => {
    put("s.jsonl", linesOf(tree()));
    const { written } = await expectWritten("s.jsonl", 0.3);
    const entries = valuesOf(written);
    const ids = new Set(entries.map(({ id }) => id));
    for (const { parentId } of entries) if (parentId) expect(ids).toContain(parentId);
    const calls = entries.flatMap(({ message }) =>
      message?.role === "assistant" ? message.content.filter(({ type }) => type === "toolCall") : [],
    );
    for (const each of calls) expect(each.thoughtSignature).toBe("s");
    expectInPlace("s.jsonl", (values) => entry("then", values.at(-1).id, { role: "user", content: "And then?", timestamp: 1 }));
  });

  test("behind a compaction are its summary, what it kept and what came since", () => {
    const compaction = {
      type: "compaction",
      id: "c",
      parentId: "10",
      timestamp: "t",
      summary: "It was read.",
      firstKeptEntryId: "7",
      tokensBefore: 9,
    };
    const { messages } = readHistory(put("s.jsonl", linesOf([...tree(), compaction, answer("11", "c", { type: "text", text: "On." })])));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
    expect(textsOf(messages[0])).toMatch(/It was read\..*More\..*Ran `ls`/);
    expect(textsOf(messages)).not.toContain("They compute");
  });

  test("version 1 has no ids", async () => {
    const old = tree().filter(({ id }) => id !== "5");
    put("s.jsonl", linesOf(old.map(({ id, parentId: _, ...rest }) => ({ ...rest, ...(rest.type === "session" && { id }) }))));
    const { written } = await expectWritten("s.jsonl", 0.3);
    expect(
      valuesOf(written)
        .slice(1)
        .some((each) => "id" in each || "parentId" in each),
    ).toBe(false);
  });

  test("an entry that cannot be read is refused by its line", () => {
    const wrong = [...tree(), entry("x", "10", { role: "user", content: 5 })];
    expect(thrownBy(() => readHistory(put("s.jsonl", linesOf(wrong)))).message).toContain(
      "s.jsonl:13: not what a session of Pi has there: message.content ",
    );
  });
});

describe("Gemini CLI", () => {
  const call = (id, status = "success") => ({
    id,
    name: "read_file",
    args: { path: id },
    status,
    result: [
      { functionResponse: { id, name: "read_file", response: status === "success" ? { output: long(id) } : { error: "cancelled" } } },
    ],
    resultDisplay: long(id),
  });
  let count = 0;
  const record = (type, content, more) => ({ id: `r${count++}`, timestamp: "2026-04-14T09:55:26.451Z", type, content, ...more });
  const records = () => {
    count = 0;
    return [
      record("user", [{ text: "/help" }]),
      record("info", "Some help."),
      record("user", [{ text: "Read the files." }]),
      record("gemini", "I read.", { thoughts: [{ subject: "s", description: "d" }], toolCalls: [call("a"), call("b")], model: "gemini-3" }),
      record("gemini", "", {
        toolCalls: [call("c"), call("d", "cancelled"), { id: "e", name: "read_file", args: {}, status: "cancelled" }],
      }),
      record("gemini", "Done."),
    ];
  };
  const head = { sessionId: "s", projectHash: "h", startTime: "t", lastUpdated: "t" };

  test("a chat is read as what is sent: as many responses as calls that have one", () => {
    const { messages, format } = readHistory(put("chat.json", JSON.stringify({ ...head, messages: records() })));
    expect(format).toBe("gemini");
    expect(messages.map(({ role, parts }) => [role, ...parts.map((part) => Object.keys(part)[0])])).toEqual([
      ["user", "text"],
      ["model", "text", "functionCall", "functionCall"],
      ["user", "functionResponse", "functionResponse"],
      ["model", "functionCall", "functionCall", "functionCall"],
      ["user", "functionResponse", "functionResponse"],
      ["model", "text"],
    ]);
  });

  test("of later versions everything is in the content, and results may be texts", async () => {
    const content = [{ text: "Hm.", thought: true }, { text: "I read." }, { functionCall: { id: "a", name: "read_file", args: {} } }];
    const messages = [
      record("user", "Read."),
      record("gemini", content, { toolCalls: [{ ...call("a"), result: long("a") }] }),
      record("gemini", "Done."),
    ];
    put("chat.json", JSON.stringify({ ...head, messages }));
    const read = readHistory(path.join(folder, "chat.json")).messages;
    expect(read[1].parts).toEqual(content);
    expect(read[2].parts).toEqual([{ functionResponse: { id: "a", name: "read_file", response: { output: long("a") } } }]);
    await expectWritten("chat.json", 0.4);
  });

  test("a chat is written back, with what is for the screen as it was", async () => {
    put("chat.json", JSON.stringify({ ...head, messages: records() }, null, 2));
    const { written } = await expectWritten("chat.json", 0.4);
    const { messages } = readJson(written);
    expect(messages.slice(0, 2)).toEqual(records().slice(0, 2));
    expect(messages[3].toolCalls[0].resultDisplay).toBe(long("a"));
    expect(messages[3].thoughts).toEqual(records()[3].thoughts);
    expectInPlace("chat.json");
  });

  test("a chat of lines is replayed, and written with a line that replaces all", async () => {
    const [help, info, asked, first, second, last] = records();
    const lines = [head, help, info, asked, { ...first, content: "Not yet." }, first, second, record("user", [{ text: "Taken back." }])];
    const rewound = [...lines, { $rewindTo: lines.at(-1).id }, { $set: { lastUpdated: "u" } }, last];
    put("chat.jsonl", linesOf(rewound));
    const { messages } = readHistory(path.join(folder, "chat.jsonl"));
    expect(textsOf(messages)).not.toMatch(/Not yet|Taken back|help/);
    expect(messages).toHaveLength(6);
    const { written } = await expectWritten("chat.jsonl", 0.4);
    expect(valuesOf(written).slice(0, -1)).toEqual(rewound);
    expect(Object.keys(valuesOf(written).at(-1))).toEqual(["$set"]);
    expectInPlace("chat.jsonl", () => ({ ...record("user", [{ text: "And then?" }]), id: "then" }));
  });

  test("a checkpoint of /chat save holds Gemini's contents, alone or as history", async () => {
    const { messages } = readHistory(put("chat.json", JSON.stringify({ ...head, messages: records() })));
    for (const checkpoint of [messages, { history: messages, authType: "oauth-personal" }]) {
      put("checkpoint-a.json", JSON.stringify(checkpoint));
      expect(readHistory(path.join(folder, "checkpoint-a.json"))).toMatchObject({ messages, format: "gemini", isCopyOnly: false });
      await expectWritten("checkpoint-a.json", 0.4);
    }
  });

  test("what cannot be read is refused by its place", () => {
    const wrong = [...records().slice(0, 3), { ...records()[3], toolCalls: [1] }];
    const told = (file) => thrownBy(() => readHistory(file)).message;
    expect(told(put("chat.json", JSON.stringify({ ...head, messages: wrong })))).toContain(
      "messages[3]: not what a session of Gemini CLI has there: toolCalls ",
    );
    expect(told(put("chat.jsonl", linesOf([head, ...wrong])))).toContain(
      "chat.jsonl:5: not what a session of Gemini CLI has there: toolCalls ",
    );
    expect(told(put("chat.jsonl", linesOf([head, { type: "gemini" }])))).toContain("chat.jsonl:2: ");
  });
});

describe("Copilot", () => {
  const event = (type, data, more) => ({ type, data, id: "e", parentId: null, timestamp: "t", ...more });
  const events = () => [
    event("session.start", { sessionId: "s", version: 1 }),
    event("system.message", { content: "You are Copilot." }),
    event("user.message", { content: "Read.", transformedContent: "<time>now</time> Read." }),
    event("assistant.message", {
      content: "",
      toolRequests: ["a", "b"].map((id) => ({ toolCallId: id, name: "view", arguments: { path: id } })),
    }),
    event("tool.execution_start", { toolCallId: "b" }),
    event("assistant.message", { content: "Of a subagent." }, { agentId: "x" }),
    event("tool.execution_complete", { toolCallId: "b", success: false, error: { code: "x", message: "no such file" } }),
    event("tool.execution_complete", { toolCallId: "a", success: true, result: { content: long("a"), detailedContent: "for the screen" } }),
    event("assistant.message", { content: "Done." }),
  ];

  test("CLI events are read as what was sent, and are not written back", () => {
    put("events.jsonl", linesOf(events()));
    const { messages, format, isCopyOnly } = readHistory(path.join(folder, "events.jsonl"));
    expect({ format, isCopyOnly }).toEqual({ format: "openai-chat", isCopyOnly: true });
    expect(messages.map(({ role, tool_call_id: id }) => id ?? role)).toEqual(["system", "user", "assistant", "b", "a", "assistant"]);
    expect(messages[1].content).toContain("<time>");
    expect(textsOf(messages)).not.toMatch(/subagent|for the screen/);
    expect(library.validateMessages(messages)).toEqual([]);
    expectFailure(["events.jsonl", "--in-place"], 2, /a session of Copilot CLI, which does not read such a file again/);
  });

  test("a compaction of the CLI leaves the system prompt and its summary", () => {
    const all = [
      ...events(),
      event("session.compaction_complete", { summaryContent: "It was read." }),
      event("user.message", { content: "On." }),
    ];
    const { messages } = readHistory(put("events.jsonl", linesOf(all)));
    expect(messages.map(({ content }) => content)).toEqual(["You are Copilot.", "It was read.", "On."]);
  });

  test("an event that cannot be read is refused by its line", () => {
    const all = [...events(), event("tool.execution_complete", { success: true })];
    expect(thrownBy(() => readHistory(put("events.jsonl", linesOf(all)))).message).toContain(
      "events.jsonl:10: not what a session of Copilot CLI has there: data.toolCallId ",
    );
  });

  test("a chat of VS Code is read from the metadata of its results", () => {
    const id = "toolu_1__vscode-1768382263695";
    const value = { node: { type: 1, children: [{ type: 2, text: "Line 1\n" }, { children: [{ type: 2, text: "Line 2" }] }] } };
    const metadata = {
      renderedUserMessage: [{ type: 1, text: "<context/>Read." }],
      toolCallRounds: [
        {
          response: "",
          toolCalls: [
            { id, name: "read", arguments: "{}" },
            { id: "cancelled", name: "read", arguments: "{}" },
          ],
        },
        { response: "Done.", toolCalls: [] },
      ],
      toolCallResults: {
        [id]: {
          $mid: 20,
          content: [
            { $mid: 23, value },
            { $mid: 23, value: "!" },
          ],
        },
      },
    };
    const request = { requestId: "1", message: { text: "Read.", parts: [] }, response: [{ value: "Done." }], result: { metadata } };
    const plain = { requestId: "2", message: { text: "Thanks." }, response: [{ value: "Wel" }, { kind: "undoStop" }, { value: "come." }] };
    const file = put("chat.json", JSON.stringify({ responderUsername: "Copilot", requests: [request, plain] }));
    const { messages, program } = readHistory(file);
    expect(program).toBe("Copilot Chat");
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "<context/>Read."],
      ["assistant", null],
      ["tool", "Line 1\nLine 2!"],
      ["assistant", "Done."],
      ["user", "Thanks."],
      ["assistant", "Welcome."],
    ]);
    const wrong = put("wrong.json", JSON.stringify({ responderUsername: "Copilot", requests: [request, { message: {} }] }));
    expect(thrownBy(() => readHistory(wrong)).message).toContain(
      "requests[1]: not what a session of Copilot Chat has there: message.text ",
    );
  });
});

describe("OpenCode's folders", () => {
  const info = { id: "ses_1", version: "1.0", title: "t", directory: "/p" };
  const stored = {
    "session/project/ses_1.json": info,
    "message/ses_1/msg_2.json": { id: "msg_2", role: "assistant", sessionID: "ses_1", time: { created: 2 } },
    "message/ses_1/msg_1.json": { id: "msg_1", role: "user", sessionID: "ses_1", time: { created: 1 } },
    "part/msg_1/prt_1.json": { id: "prt_1", type: "text", text: "Read.", messageID: "msg_1" },
    ...Object.fromEntries(
      ["a", "b"].map((id) => [
        `part/msg_2/prt_${id}.json`,
        {
          id: `prt_${id}`,
          type: "tool",
          callID: id,
          tool: "read",
          state: { status: "completed", input: { filePath: id }, output: long("x"), title: "", metadata: {}, time: {} },
        },
      ]),
    ),
  };
  function putAll(files) {
    for (const [name, value] of Object.entries(files)) {
      const file = path.join(folder, "storage", name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(value));
    }
    return path.join("storage", "session", "project", "ses_1.json");
  }

  test("are read as the file that opencode export writes, and condensed to one", () => {
    const name = putAll(stored);
    const { messages, format, program, isCopyOnly } = readHistory(path.join(folder, name));
    expect({ format, program, isCopyOnly }).toEqual({ format: "opencode", program: "OpenCode", isCopyOnly: true });
    expect(messages.map(({ info: { id }, parts }) => [id, ...parts.map((part) => part.id)])).toEqual([
      ["msg_1", "prt_1"],
      ["msg_2", "prt_a", "prt_b"],
    ]);
    expect(run([name, "--target", "60%", "--out", "copy.json"]).code).toBe(0);
    const copy = readJson(path.join(folder, "copy.json"));
    expect(copy.info).toEqual(info);
    expect(library.validateMessages(copy.messages)).toEqual([]);
    expect(library.countTokens(copy.messages)).toBeLessThan(library.countTokens(messages));
    expectFailure([name, "--in-place"], 2, /a session of OpenCode, which does not read such a file again/);
  });

  test("a file in them that cannot be read is named", () => {
    const name = putAll({ ...stored, "part/msg_2/prt_c.json": { id: "prt_c" } });
    expect(thrownBy(() => readHistory(path.join(folder, name))).message).toMatch(
      /prt_c\.json: not what a session of OpenCode has there: type /,
    );
    writeFileSync(path.join(folder, "storage", "part", "msg_2", "prt_c.json"), "{");
    expect(thrownBy(() => readHistory(path.join(folder, name))).message).toMatch(/prt_c\.json:1:2: not JSON/);
  });
});

test("a state of LangGraph is read and written where its messages are", async () => {
  const messages = [
    { type: "human", content: "Read." },
    ...["a", "b"].flatMap((id) => [
      { type: "ai", content: "", tool_calls: [{ id, name: "read", args: {}, type: "tool_call" }], additional_kwargs: {} },
      { type: "tool", tool_call_id: id, content: long("x") },
    ]),
    { type: "ai", content: "Done." },
  ];
  put("thread.json", JSON.stringify({ values: { messages, title: "t" }, next: [] }));
  expect(readHistory(path.join(folder, "thread.json"))).toMatchObject({ messages, format: "langchain" });
  const { written } = await expectWritten("thread.json");
  expect(readJson(written)).toMatchObject({ values: { title: "t" }, next: [] });
});

describe("traps", () => {
  test("Continue's items are refused by their name", () => {
    const item = { message: { role: "user", content: "x" }, contextItems: [] };
    expect(thrownBy(() => readHistory(put("c.json", JSON.stringify({ history: [item] })))).message).toContain(
      "these are items of a Continue session",
    );
  });

  test("a call whose result is a block of text is seen as its result", async () => {
    const read = (id) => [
      { role: "assistant", content: [{ type: "tool_use", id, call_id: id, name: "read_file", input: { path: "src/x.ts" } }] },
      { role: "user", content: [{ type: "text", text: `[read_file for 'src/x.ts'] Result:\n${long("x")}` }] },
    ];
    put(
      "h.json",
      JSON.stringify([{ role: "user", content: "Read." }, ...read("a"), ...read("b"), { role: "assistant", content: "Done." }]),
    );
    const { report } = runJson(["h.json", "--provider", "lossless", "--out", "o.json"]);
    // The same file, read twice, is said once.
    expect(report.changes?.length ?? report.messages?.changed ?? 1).toBeGreaterThan(0);
    expect(report.tokens.after).toBeLessThan(report.tokens.before * 0.7);
  });

  test("ids that are used twice are paired by position", async () => {
    const pair = (path) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "same", type: "function", function: { name: "read", arguments: JSON.stringify({ path }) } }],
      },
      { role: "tool", tool_call_id: "same", content: long(path) },
    ];
    put(
      "h.json",
      JSON.stringify([{ role: "user", content: "Read." }, ...pair("a"), ...pair("b"), { role: "assistant", content: "Done." }]),
    );
    expect(library.validateMessages(readHistory(path.join(folder, "h.json")).messages)).toEqual([]);
    const { result } = await expectWritten("h.json");
    expect(library.validateMessages(result.messages)).toEqual([]);
  });

  test("outputs that OpenCode sends cleared count as what is sent", () => {
    const tool = (compacted) => ({
      info: { id: "m", role: "assistant" },
      parts: [
        {
          id: "p",
          type: "tool",
          callID: "c",
          tool: "read",
          state: {
            status: "completed",
            input: {},
            output: long("x"),
            title: "",
            metadata: {},
            time: { start: 1, end: 2, ...(compacted && { compacted }) },
          },
        },
      ],
    });
    const [whole, cleared] = [tool(undefined), tool(3)].map((message) => library.countTokens([message]));
    expect(cleared).toBeLessThan(whole / 10);
  });

  test("steps of the AI SDK without a mark between them, and without a loss of the marks there are", async () => {
    const part = (toolCallId) => ({ type: "tool-read", toolCallId, state: "output-available", input: {}, output: long("x") });
    const message = (parts) => [
      { id: "1", role: "user", parts: [{ type: "text", text: "Read." }] },
      { id: "2", role: "assistant", parts },
    ];
    const marked = message([{ type: "step-start" }, part("a"), { type: "step-start" }, part("b"), { type: "text", text: "Done." }]);
    for (const messages of [marked, message([part("a"), part("b"), { type: "text", text: "Done." }])]) {
      put("h.json", JSON.stringify(messages));
      const { result } = await expectWritten("h.json");
      const marks = (all) => all.flatMap(({ parts }) => parts).filter(({ type }) => type === "step-start").length;
      expect(marks(result.messages)).toBe(marks(messages));
    }
  });

  test("parts of version 4, as Mastra stores them, are refused by their name", () => {
    const parts = [
      { type: "tool-invocation", toolInvocation: { state: "result", toolCallId: "a", toolName: "read", args: {}, result: "x" } },
    ];
    const file = put("h.json", JSON.stringify([{ id: "1", role: "assistant", parts }]));
    expect(thrownBy(() => readHistory(file)).message).toContain("AI SDK 4 UIMessage");
  });

  test("messages serialised by LangChain in Python and in JavaScript are read by the last part of their id", () => {
    const of = (id, kwargs) => ({ lc: 1, type: "constructor", id, kwargs });
    for (const path of [
      ["langchain", "schema", "messages"],
      ["langchain_core", "messages"],
    ]) {
      const messages = [of([...path, "HumanMessage"], { content: "Hi." }), of([...path, "AIMessage"], { content: "Hello." })];
      expect(readHistory(put("h.json", JSON.stringify(messages)))).toMatchObject({ format: "langchain", messages });
      expect(library.validateMessages(messages)).toEqual([]);
    }
  });

  test("Gemini's first call of a turn keeps its signature, and as many responses as calls", async () => {
    const messages = [
      { role: "user", parts: [{ text: "Read." }] },
      {
        role: "model",
        parts: [
          { functionCall: { name: "read", args: { a: 1 } }, thoughtSignature: "sig" },
          { functionCall: { name: "read", args: { a: 2 } } },
        ],
      },
      { role: "user", parts: [1, 2].map(() => ({ functionResponse: { name: "read", response: { output: long("x") } } })) },
      { role: "model", parts: [{ text: "Done." }] },
    ];
    put("h.json", JSON.stringify(messages));
    const { result } = await expectWritten("h.json");
    expect(library.validateMessages(result.messages)).toEqual([]);
    const [, called] = result.messages;
    if (called.parts.some((part) => part.functionCall)) expect(called.parts[0].thoughtSignature).toBe("sig");
  });

  test("a reasoning item leaves with what follows it", async () => {
    const step = (id) => [
      { type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: "x" },
      { type: "function_call", id: `fc_${id}`, call_id: id, name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: id, output: long(id) },
    ];
    const messages = [{ role: "user", content: [{ type: "input_text", text: "Read." }] }, ...["a", "b", "c", "d"].flatMap(step)];
    put("h.json", JSON.stringify(messages));
    const { result } = await expectWritten("h.json", 0.2);
    expect(library.validateMessages(result.messages)).toEqual([]);
    for (const [index, item] of result.messages.entries())
      if (item.type === "reasoning") expect(result.messages[index + 1]).toMatchObject({ type: "function_call" });
  });
});

withShared("formats", (shared) => {
  const filesOf = (kind) =>
    readdirSync(path.join(shared, kind))
      .filter((name) => /\.jsonl?$/.test(name))
      .map((name) => [`${kind}/${name}`]);
  const copied = (name) => put(`real${path.extname(name)}`, readFileSync(path.join(shared, name)));

  test.each(["codex", "pi", "gemini-cli", "opencode", "langchain", "zoo-code"].flatMap(filesOf))(
    "the real file %s is written back and restored",
    async (name) => {
      copied(name);
      const { history, result } = await expectWritten(`real${path.extname(name)}`, 0.4);
      const { format } = history;
      const problems = (messages) => library.validateMessages(messages, format && { format }).length;
      expect(problems(result.messages)).toBeLessThanOrEqual(problems(history.messages));
    },
  );

  test.each([...filesOf("copilot-cli"), ...filesOf("copilot-chat")])("the real file %s is read and condensed to a copy", async (name) => {
    const history = readHistory(copied(name));
    expect(history).toMatchObject({ format: "openai-chat", isCopyOnly: true });
    expect(library.validateMessages(history.messages)).toEqual([]);
    const { messages } = await condensed(history, 0.4);
    const again = readHistory(put("copy.json", history.contentWith(messages)));
    expect(JSON.stringify(again.messages) === JSON.stringify(messages)).toBe(true);
  });

  test.each(filesOf("continue"))("the real file %s is refused by its name", (name) => {
    expect(thrownBy(() => readHistory(copied(name))).message).toContain("items of a Continue session");
  });

  test("the real session with a compaction, a tree, is read from the summary on", () => {
    const name = "pi/raquezha+pi.dev--1.jsonl";
    if (!existsSync(path.join(shared, name))) return;
    const { messages } = readHistory(copied(name));
    const lines = valuesOf(path.join(shared, name));
    const { summary } = lines.find(({ type }) => type === "compaction");
    expect(textsOf(messages[0])).toContain(JSON.stringify(summary).slice(1, 200));
    expect(messages.length).toBeLessThan(lines.length / 2);
  });
});

describe("Goose", () => {
  const message = (role, ...content) => ({ id: null, role, created: 1, content, metadata: { userVisible: true, agentVisible: true } });
  const call = (id) => ({
    type: "toolRequest",
    id,
    toolCall: { status: "success", value: { name: "developer__text_editor", arguments: { command: "view", path: `/p/${id}.ts` } } },
  });
  const result = (id) => ({
    type: "toolResponse",
    id,
    toolResult: { status: "success", value: { content: [{ type: "text", text: long(id) }] } },
  });
  const messages = [
    message("user", { type: "text", text: "Read the files." }),
    ...["a", "b", "c"].flatMap((id) => [message("assistant", call(id)), message("user", result(id))]),
    message("assistant", { type: "text", text: "They compute." }),
  ];
  const head = { working_dir: "/p", description: "files", message_count: messages.length, total_tokens: 5 };

  test("a session in lines is read behind its first line, and written with it", async () => {
    put("goose.jsonl", linesOf([head, ...messages]));
    const { history, result: found, written } = await expectWritten("goose.jsonl", 0.5);
    expect([history.program, history.format]).toEqual(["Goose", "goose"]);
    expect(history.messages).toEqual(messages);
    expect(valuesOf(written)[0]).toEqual({ ...head, message_count: found.messages.length });
  });

  test("an export is read where its conversation stands", () => {
    put("export.json", JSON.stringify({ id: "1", working_dir: "/p", conversation: messages }));
    const report = runJson(["export.json", "--target", "60%", "--out", "short.json"]).report;
    expect(report.didCondense).toBe(true);
    expect(readJson(path.join(folder, "short.json"))).toMatchObject({ id: "1", conversation: expect.any(Array) });
  });
});
