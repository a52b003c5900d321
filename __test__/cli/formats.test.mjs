// Files in the formats of other programs: read by every command that can, written in the same format, and restored byte for byte.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { historiesIn } from "../formats/histories.mjs";
import { FORMATS, SAMPLES } from "../formats/rounds.mjs";
import { withShared } from "../shared.mjs";
import { folder, history, library, put, readJson, repeated, run, runJson, thrownBy } from "./support.mjs";

const require = createRequire(import.meta.url);
const { readHistory } = require("../../js/cli/history-file.js");
const { historyIn } = require("../../js/cli/history-text.js");

const DONE = "The file was read twice.";

/** One conversation in each format but Anthropic's: a file is read twice, with the same result. */
const HISTORIES = Object.fromEntries(
  FORMATS.filter((format) => format !== "anthropic").map((format) => {
    const { user, said, round } = SAMPLES[format];
    const reads = ["1", "2"].flatMap((id) => round(id, "read_file", { path: "src/a.ts" }, repeated));
    return [format, [user("Read it.", "0"), ...reads, said(DONE, "3")]];
  }),
);

const FIELDS = { "openai-responses": "input", gemini: "contents" };
/** What `JSON.parse` would change, on both sides of the messages. */
const around = (field, messages) => `{ "n": 12345678901234567890.50,\r\n  "${field}" : ${JSON.stringify(messages)},\r\n  "m":[1.50] }`;
const asLines = (messages) => `${messages.map((message) => JSON.stringify(message)).join("\n")}\n`;

const sumOf = (byKind, side) => Object.values(byKind).reduce((sum, kind) => sum + (side ? kind[side] : kind), 0);

/** Condenses a file to half and restores it; the result as JSON values, and the report. */
function expectRestored(name, options = ["--target", "60%"]) {
  const before = readFileSync(path.join(folder, name));
  const { code, report } = runJson([name, ...options, "--out", "condensed.json"]);
  expect({ code, error: report.error }).toEqual({ code: 0 });
  expect(report.didCondense).toBe(true);
  expect(sumOf(report.tokens.byKind, "before")).toBe(report.tokens.before);
  expect(sumOf(report.tokens.byKind, "after")).toBe(report.tokens.after);
  expect(run(["restore", "condensed.json", "--out", "again"])).toMatchObject({
    code: 0,
    stdout: /** @type {any} */ (expect.stringContaining("byte for byte")),
  });
  expect(readFileSync(path.join(folder, "again"))).toEqual(before);
  expect(readFileSync(path.join(folder, name))).toEqual(before);
  return report;
}

describe.each(Object.entries(HISTORIES))("%s", (format, messages) => {
  test("an array, an object around it and JSON Lines hold the same messages", () => {
    const field = FIELDS[format] ?? "messages";
    const texts = { "array.json": JSON.stringify(messages), "object.json": around(field, messages), "lines.jsonl": asLines(messages) };
    for (const [name, text] of Object.entries(texts)) {
      const history = readHistory(put(name, text));
      expect(history, name).toMatchObject({ messages, format, isCopyOnly: false });
      expect(history.contentWith(history.messages).toString(), name).toBe(text);
    }
  });

  test("it is condensed where the messages are, and restored", () => {
    const field = FIELDS[format] ?? "messages";
    put("object.json", around(field, messages));
    const report = expectRestored("object.json");
    const text = readFileSync(path.join(folder, "condensed.json"), "utf8");
    expect(text.startsWith(`{ "n": 12345678901234567890.50,\r\n  "${field}" : `)).toBe(true);
    expect(text.endsWith(',\r\n  "m":[1.50] }')).toBe(true);
    const condensed = JSON.parse(text)[field];
    expect(library.countTokens(condensed, { format })).toBe(report.tokens.after);
    expect(library.validateMessages(condensed, { format })).toEqual([]);
    expect(text).toContain(DONE);
    // What it points to is there again.
    expect(run(["expand", "condensed.json", "--out", "expanded.json"]).code).toBe(0);
    expect(library.validateMessages(readJson(path.join(folder, "expanded.json"))[field], { format })).toEqual([]);
  });

  test("as JSON Lines it is condensed line by line, and restored with lines that came since", () => {
    put("lines.jsonl", asLines(messages));
    const text = asLines(messages);
    expect(run(["lines.jsonl", "--target", "60%", "--out", "condensed.jsonl", "-q"]).code).toBe(0);
    const condensed = readFileSync(path.join(folder, "condensed.jsonl"), "utf8");
    expect(condensed.split("\n")[0]).toBe(text.split("\n")[0]);
    const later = `${JSON.stringify(messages[0])}\n`;
    put("condensed.jsonl", condensed + later);
    const { code, stdout } = run(["restore", "condensed.jsonl", "--restore-data", "condensed.jsonl.restore.json", "--out", "again.jsonl"]);
    expect({ code, isChanged: stdout.includes("was changed since") }).toEqual({ code: 0, isChanged: true });
    expect(readFileSync(path.join(folder, "again.jsonl"), "utf8")).toBe(text + later);
  });

  test("it is counted, inspected, validated and explained in its own format", () => {
    put("array.json", JSON.stringify(messages));
    const tokens = library.countTokens(messages);
    const counted = runJson(["count", "array.json"]).report;
    expect(counted).toMatchObject({ messages: messages.length, tokens });
    expect(sumOf(counted.byKind)).toBe(tokens);
    const { toolResults, toolParameters, messageText } = counted.byKind;
    expect(toolResults).toBeGreaterThan(tokens / 2);
    expect(toolParameters).toBeGreaterThan(0);
    expect(messageText).toBeGreaterThan(0);
    expect(runJson(["inspect", "array.json"]).report.tokens.total).toBe(tokens);
    expect(run(["validate", "array.json"])).toMatchObject({
      code: 0,
      stdout: `array.json: ${messages.length} messages, valid in the format ${format}.\n`,
    });
    const { code, stdout } = run(["array.json", "--target", "60%", "--explain"]);
    expect(code).toBe(0);
    // A line that is gone.
    expect(stdout).toMatch(/^ +- Line \d+ of a tool result/m);
  });

  test("the studio reads it from its text", () => {
    const text = JSON.stringify(messages);
    const found = historyIn("array.json", text);
    expect(found).toMatchObject({ messages, format });
    expect(found.textWith(messages)).toBe(text);
  });

  test("recommend measures on it, and report shows it", async () => {
    put("array.json", JSON.stringify(messages));
    const advice = runJson(["recommend", "array.json"]);
    expect([advice.code, typeof advice.report.provider]).toEqual([0, "string"]);
    expect(run(["report", "array.json", "--html", "out.html", "--force"]).code).toBe(0);
    const page = readFileSync(path.join(folder, "out.html"), "utf8");
    expect(page).toContain(DONE);
    expect(page).toContain("Read it.");
  });
});

test("Anthropic's messages behind a summary by the service count what is sent, and are read by every command", () => {
  const messages = [
    ...history(),
    { role: "assistant", content: [{ type: "compaction", content: "It was read." }] },
    { role: "user", content: "Go on." },
  ];
  const file = put("history.json", JSON.stringify(messages));
  const { report } = runJson(["count", "history.json"]);
  expect(report.tokens).toBe(library.countTokens(messages));
  expect(report.tokens).toBeLessThan(library.countTokens(history()));
  expect(readHistory(file).messages).toEqual(messages);
  expect(run(["validate", "history.json"]).stdout).toContain("valid for the Messages API");
});

test("messages of two formats are refused, and of one that is not read", () => {
  const [chat, bedrock] = [HISTORIES["openai-chat"], HISTORIES["bedrock-converse"]];
  const both = thrownBy(() => readHistory(put("f.json", JSON.stringify([...chat, ...bedrock]))));
  expect(both.code).toBe(5);
  expect(both.message).toMatch(/f\.json is not a history: message \d+: .*all messages have to be of one format/);
  const pi = [
    { role: "user", content: "x" },
    { role: "assistant", content: [{ type: "toolCall", id: "a", name: "read", arguments: {} }] },
  ];
  for (const text of [JSON.stringify(pi), JSON.stringify({ messages: pi }), asLines(pi)]) {
    const { code, message } = thrownBy(() => readHistory(put("f.json", text)));
    expect(code).toBe(5);
    expect(message).toMatch(/message 1: a part of type "toolCall": these are messages with toolCall parts, which are not supported/);
  }
});

describe("Codex rollouts", () => {
  const line = (type, payload) => ({ timestamp: "2026-04-28T15:33:30.274Z", type, payload });
  const items = HISTORIES["openai-responses"];
  const meta = line("session_meta", { id: "1", cwd: "/p" });
  const screen = line("event_msg", { type: "agent_message", message: DONE });
  const rollout = [meta, ...items.flatMap((item) => [line("response_item", item), screen]), meta, line("turn_context", {})];

  test("its items are the messages; in a file of another ending they are an array, and restore gives the rollout back", () => {
    put("rollout.jsonl", asLines(rollout));
    expect(readHistory(path.join(folder, "rollout.jsonl"))).toMatchObject({
      messages: items,
      format: "openai-responses",
      isCopyOnly: false,
    });
    const { input: read } = expectRestored("rollout.jsonl");
    expect(read.messages).toBe(items.length);
    const condensed = readJson(path.join(folder, "condensed.json"));
    expect(condensed[0]).toEqual(items[0]);
    expect(library.validateMessages(condensed)).toEqual([]);
    expect(run(["count", "condensed.json"]).code).toBe(0);
  });

  test("a compaction replaces the items before it", () => {
    const summary = { type: "message", role: "user", content: [{ type: "input_text", text: "So far: it was read." }] };
    const compacted = line("compacted", { message: "", replacement_history: [summary] });
    const later = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Go on." }] };
    const file = put("rollout.jsonl", asLines([...rollout, compacted, screen, line("response_item", later)]));
    expect(readHistory(file).messages).toEqual([summary, later]);
    // One without a replacement says only that there was one.
    const without = put("other.jsonl", asLines([...rollout, line("compacted", { message: "So far" })]));
    expect(readHistory(without).messages).toEqual(items);
  });

  test("the line that is being written is left out", () => {
    const file = put("rollout.jsonl", `${asLines(rollout)}{"timestamp":"t","type":"response_item","payload":{"type":"mes`);
    const warnings = [];
    expect(readHistory(file, (sentence) => warnings.push(sentence)).messages).toEqual(items);
    expect(warnings).toEqual([expect.stringContaining("the last line is incomplete")]);
  });

  test("one that has just begun holds no message", () => {
    for (const lines of [[meta, screen], [meta]]) {
      const { code, message } = thrownBy(() => readHistory(put("rollout.jsonl", asLines(lines))));
      expect(code).toBe(5);
      expect(message).toContain(`none of its ${lines.length} lines holds a message`);
    }
  });
});

withShared("formats", (shared) => {
  /** Of the whole files, those that do not take long. */
  const filesIn = (kind, ending) =>
    readdirSync(path.join(shared, kind))
      .filter((name) => name.endsWith(ending) && statSync(path.join(shared, kind, name)).size < 400_000)
      .map((name) => [`${kind}/${name}`]);

  test.each([...filesIn("codex", ".jsonl"), ...filesIn("opencode", ".json")])("the real file %s comes back byte for byte", (name) => {
    const ending = path.extname(name);
    put(`real${ending}`, readFileSync(path.join(shared, name)));
    expectRestored(`real${ending}`, ["--target", "40%"]);
    if (ending === ".jsonl") return;
    // By its messages, where the file was changed since.
    put("condensed.json", `${readFileSync(path.join(folder, "condensed.json"), "utf8")}\n`);
    expect(run(["restore", "condensed.json", "--out", "again", "--force"]).stdout).toContain("was changed since");
    const [again, before] = ["again", "real.json"].map((file) => JSON.stringify(readJson(path.join(folder, file))));
    expect(again === before).toBe(true);
  });

  /** Text alone is written in the same way by most formats, and read as Anthropic's. */
  const isTextAlone = (messages) =>
    messages.every(({ role, content, tool_calls: calls }) => role !== "tool" && typeof content === "string" && !calls);

  test.each(historiesIn(shared).map(({ name, format, messages }) => [name, format, messages]))(
    "%s is read as lines and as an object",
    (name, format, messages) => {
      const field = FIELDS[format] ?? "messages";
      for (const text of [asLines(messages), around(field, messages)]) {
        const history = readHistory(put("real.json", text));
        expect(history, name).toMatchObject({ format: isTextAlone(messages) ? undefined : format, isCopyOnly: false });
        expect(JSON.stringify(history.messages) === JSON.stringify(messages)).toBe(true);
        expect(history.contentWith(history.messages).toString() === text).toBe(true);
      }
    },
  );
});

describe("--format", () => {
  const words = (index) => ({ role: index % 2 ? "assistant" : "user", content: `Word ${index}. `.repeat(80) });
  const messages = [{ role: "system", content: "You are kind." }, ...Array.from({ length: 12 }, (_, index) => words(index))];

  test("says what text alone does not show, to every command that reads a history", () => {
    put("text.json", JSON.stringify(messages));
    expect(run(["validate", "text.json"]).stdout).toContain('unknown_role: role is "system" in the first message');
    expect(run(["validate", "text.json", "--format", "openai-chat"])).toMatchObject({
      code: 0,
      stdout: "text.json: 13 messages, valid in the format openai-chat.\n",
    });
    const { code, report } = runJson([
      "text.json",
      "--format",
      "openai-chat",
      "--target",
      "50%",
      "--provider",
      "truncation",
      "--out",
      "short.json",
    ]);
    expect([code, report.didCondense]).toEqual([0, true]);
    expect(library.validateMessages(readJson(path.join(folder, "short.json")), { format: "openai-chat" })).toEqual([]);
    expect(run(["restore", "short.json", "--format", "openai-chat", "--out", "again.json"]).stdout).toContain("byte for byte");
    const tokens = library.countTokens(messages, { format: "openai-chat" });
    expect(runJson(["count", "text.json", "--format", "openai-chat"]).report.tokens).toBe(tokens);
    expect(runJson(["inspect", "text.json", "--format", "openai-chat"]).report.tokens.total).toBe(tokens);
    for (const command of ["expand", "recommend"]) expect(run([command, "text.json", "--format", "openai-chat"]).code, command).toBe(0);
  });

  test("is held to what is seen, and to the names that there are", () => {
    put("chat.json", JSON.stringify(HISTORIES["openai-chat"]));
    expect(run(["chat.json", "--format", "gemini"]).stderr).toContain('these are OpenAI chat messages, but the option format is "gemini"');
    expect(run(["chat.json", "--format", "openai"]).stderr).toContain("openai-chat");
  });
});
