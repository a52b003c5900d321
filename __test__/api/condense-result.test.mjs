// One new tool result, in the form of every format.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ToolMessage } from "@langchain/core/messages";
import { condenseResult, countTokens, createRecall } from "../../index.js";
import { SAMPLES } from "../formats/rounds.mjs";
import { keepResult } from "../../js/recall/stored-result.js";

const log = (failure = "error: cannot find the thing") =>
  [
    ...Array.from({ length: 400 }, (_, at) => `   Compiling part_${at} v0.${at}.0`),
    failure,
    ...Array.from({ length: 400 }, (_, at) => `   Compiling rest_${at} v1.${at}.0`),
    "build failed",
  ].join("\n");

const call = { id: "c1", name: "run", input: { command: "make", path: "src/a.rs" } };

/** The text that a result holds: its longest string. */
function textIn(result) {
  const texts = [];
  JSON.stringify(result, (_, value) => (typeof value === "string" ? texts.push(value) && value : value));
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
}

/** Of each format in which a result is a message of its own: such a message, and messages that end with its call. */
const MESSAGES = Object.fromEntries(
  Object.entries(SAMPLES).flatMap(([format, { user, round }]) => {
    const roundOf = (text) => round(call.id, call.name, call.input, text);
    if (roundOf("").length !== 2) return [];
    return [[`${format}, a message`, { make: (text) => roundOf(text)[1], text: textIn, messages: [user("build", "0"), roundOf("")[0]] }]];
  }),
);

/** By form: a result with this text, the text of a result, and messages that end with its call. */
const FORMS = {
  ...MESSAGES,
  string: { make: (text) => text, text: (result) => result, messages: [] },
  anthropic: {
    make: (text) => ({ type: "tool_result", tool_use_id: "c1", content: text }),
    text: ({ content }) => content,
    messages: [
      { role: "user", content: "build" },
      { role: "assistant", content: [{ type: "tool_use", ...call }] },
    ],
  },
  "anthropic blocks": {
    make: (text) => ({ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text }] }),
    text: ({ content }) => content[0].text,
    messages: [],
  },
  gemini: {
    make: (text) => ({ functionResponse: { id: "c1", name: "run", response: { output: text } } }),
    text: ({ functionResponse }) => functionResponse.response.output,
    messages: [
      { role: "user", parts: [{ text: "build" }] },
      { role: "model", parts: [{ functionCall: { id: "c1", name: "run", args: call.input } }] },
    ],
  },
  "bedrock-converse": {
    make: (text) => ({ toolResult: { toolUseId: "c1", content: [{ text }] } }),
    text: ({ toolResult }) => toolResult.content[0].text,
    messages: [
      { role: "user", content: [{ text: "build" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "c1", name: "run", input: call.input } }] },
    ],
  },
  "ai-sdk-model": {
    make: (text) => ({ type: "tool-result", toolCallId: "c1", toolName: "run", output: { type: "text", value: text } }),
    text: ({ output }) => output.value,
    messages: [
      { role: "user", content: "build" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "run", input: call.input }] },
    ],
  },
  langchain: {
    make: (text) => new ToolMessage({ content: text, tool_call_id: "c1" }),
    text: ({ content }) => content,
    messages: [],
  },
  mcp: { make: (text) => ({ content: [{ type: "text", text }], isError: true }), text: ({ content }) => content[0].text, messages: [] },
};

test.each(Object.entries(FORMS))(
  "%s: the failure stays, the form too, with messages and without",
  async (name, { make, text, messages }) => {
    for (const before of messages.length > 0 ? [[], messages] : [[]]) {
      const given = make(log());
      const condensed = await condenseResult(given, { budget: 300, messages: before, exitCode: 2 });
      const shown = text(condensed.result);
      expect(shown, name).toContain("\nerror: cannot find the thing\n");
      expect(shown).toContain("\nbuild failed\n");
      expect(shown).toMatch(/\[Left out of this result: \d+ of 802 lines, \d+ of \d+ tokens; exit code 2\]$/);
      expect(countTokens(shown)).toBeLessThanOrEqual(300);
      expect(condensed).toMatchObject({ fits: true, kind: "text", of: 802, failuresLeftOut: 0, tokensAfter: countTokens(shown) });
      expect(text(given)).toBe(log());
      const rebuilt = typeof given === "string" ? shown : JSON.parse(JSON.stringify(condensed.result));
      expect(JSON.stringify(rebuilt).replace(JSON.stringify(shown), JSON.stringify(log()))).toBe(JSON.stringify(given));
    }
  },
);

test("what fits is the same object, whatever else is asked for", async () => {
  const store = { get: () => expect.fail("read"), set: () => expect.fail("written") };
  for (const { make } of Object.values(FORMS)) {
    const result = make("short");
    const condensed = await condenseResult(result, { budget: 100, store, exitCode: 1 });
    expect(condensed.result).toBe(result);
    expect(condensed).not.toHaveProperty("key");
  }
});

test("a plain result goes with messages of every format and answers their last call", async () => {
  const source = Array.from({ length: 300 }, (_, at) => `fn part_${at}() {\n    other_${at}();\n}\n`).join("\n");
  const asks = (messages) =>
    JSON.parse(
      JSON.stringify(messages).replaceAll('"name":"run"', '"name":"read_file"').replaceAll('"toolName":"run"', '"toolName":"read_file"'),
    );
  for (const [name, { messages }] of Object.entries(FORMS).filter(([, { messages }]) => messages.length > 0)) {
    const { kind, result } = await condenseResult(source, { budget: 1000, messages: asks(messages) });
    expect([kind, result === source], name).toEqual(["source", true]);
  }
  const { kind } = await condenseResult(source, { budget: 1000, call: { name: "read_file", input: { path: "src/a.rs" } } });
  expect(kind).toBe("source");
});

test("a long text is the same in one piece as in JSON, with half characters and pairs at every border, and so is its key", async () => {
  const line = (at) => `${"x".repeat(at % 7)}\u{1f600} \u{10f000} é ${at % 50 === 7 ? "\ud800 half" : ""} part ${at}\n`;
  const text = `${Array.from({ length: 30_000 }, (_, at) => line(at)).join("")}error: \udc00 gone\n`;
  expect(text.length).toBeGreaterThan(500_000);
  const plain = await condenseResult(text, { budget: 300, store: new Map() });
  const { result, key, ...facts } = await condenseResult({ content: [{ type: "text", text }] }, { budget: 300, store: new Map() });
  expect(plain).toEqual({ ...facts, key: plain.key, result: result.content[0].text.replace(key, plain.key) });
  expect(plain.result).toContain("error: \udc00 gone");
  expect(key).toBe(plain.key);
  const other = await condenseResult(log(), { budget: 300, store: new Map() });
  expect(other.key).toBe(`r${createHash("sha256").update(log()).digest("hex").slice(0, 15)}`);
});

test("a log in a string of JSON is read as a log, and what is left is JSON", async () => {
  const json = JSON.stringify({ output: log(), metadata: { exit_code: 101 } });
  const { result, failuresLeftOut, fits } = await condenseResult(json, { budget: 400, exitCode: 101 });
  expect({ failuresLeftOut, fits }).toEqual({ failuresLeftOut: 0, fits: true });
  const shown = JSON.parse(result.slice(0, result.lastIndexOf("\n")));
  expect(shown.metadata).toEqual({ exit_code: 101 });
  expect(shown.output).toContain("\nerror: cannot find the thing\n");
  expect(shown.output).toMatch(/\nbuild failed$/);
  const whole = log().split("\n");
  const gaps = shown.output.split("\n").filter((line) => !whole.includes(line));
  // Numbers would lead nowhere: what is kept is one line of JSON.
  const leftOut = gaps.map((line) => Number(/^\[… (\d+) lines left out\]$/.exec(line)?.[1]));
  expect(shown.output.split("\n").length - gaps.length + leftOut.reduce((sum, count) => sum + count, 0)).toBe(whole.length);
});

test("a store has the whole before the note says so, and recall reads it", async () => {
  const store = new Map();
  const { result, key } = await condenseResult(FORMS.gemini.make(log()), { budget: 300, store, recall: true });
  expect(store.get(`roo-condense:result:${key}`)).toBe(log());
  expect(FORMS.gemini.text(result)).toContain(`; whole result: call recall with {"key": "${key}"}]`);
  const recall = createRecall({ messages: [{ role: "user", content: "build" }], store, conversation: "a" });
  const ask = (input) => recall.answer({ type: "tool_use", id: "q", name: "recall", input });
  expect((await ask({ key, lines: "400-402" })).content).toContain("error: cannot find the thing\n");
  expect((await ask({ key })).content).toContain("(next: lines ");
  expect((await ask({ key, lines: "900-" })).content).toBe(`The result ${key} has 802 lines; there is no line 900.`);
  store.clear();
  expect((await ask({ key })).content).toBe(`The result ${key} is no longer kept: run the call again if it is needed.`);
  const placed = await condenseResult(log(), { budget: 300, store: Object.assign(new Map(), { where: (name) => `/kept/${name}` }) });
  expect(placed.result).toContain(`; whole result: /kept/roo-condense:result:${placed.key}]`);
  expect((await condenseResult(log(), { budget: 300, store: new Map() })).result).toMatch(/kept as roo-condense:result:r[0-9a-f]{15}\]$/);
  expect((await condenseResult(log(), { budget: 300, recall: true })).result).toMatch(
    /call recall with \{"query": "words to look for"\}\]$/,
  );
});

test("recall reads a long line of a kept result in parts, and tears no character", async () => {
  const kept = new Map();
  const long = JSON.stringify({ all: "\u{1F600}é".repeat(9000) });
  const { key } = await condenseResult(`${long}\nend`, { budget: 300, store: kept });
  const recall = createRecall({ messages: [{ role: "user", content: "build" }], conversation: "c", store: kept });
  const parts = [];
  for (let lines = "1-2"; lines; ) {
    const { content } = await recall.answer({ type: "tool_use", id: "q", name: "recall", input: { key, lines } });
    const [, first, last] = /lines (\d+)-(\d+) of 2\. /.exec(content) ?? [];
    const [, shown, next] = /instructions\.\n([\s\S]*?)(?:\n\(next: lines ([^)]+)\))?$/.exec(content) ?? [];
    expect([first, shown?.isWellFormed?.() ?? true]).toEqual(["1", true]);
    parts.push(shown);
    lines = last === "2" ? undefined : next;
  }
  expect(parts.length).toBeGreaterThan(5);
  expect(parts.join("")).toBe(`${long}\nend`);
  // A line that fits is the line itself.
  const short = `\ud800${"漢".repeat(5000)}`;
  kept.set(`roo-condense:result:${key}`, short);
  const { content } = await recall.answer({ type: "tool_use", id: "q", name: "recall", input: { key } });
  expect(content.endsWith(`\n${short}`)).toBe(true);
});

test("a store that fails, lies or loses is told, and nothing is handed out", async () => {
  const refuse = () => {
    throw new Error("disk full");
  };
  for (const store of [
    { get: () => undefined, set: refuse },
    { get: () => undefined, set: () => Promise.reject(new Error("down")) },
    { get: () => undefined, set: () => true },
    { get: () => "other", set: () => false },
    { get: refuse, set: () => true },
  ])
    await expect(condenseResult(log(), { budget: 300, store })).rejects.toMatchObject({ code: "store_failed" });
});

test("a store that does not answer is not waited for, and fails for nobody when it does later", async () => {
  const never = new Promise(() => {});
  for (const store of [
    { get: () => never, set: () => undefined },
    { get: () => undefined, set: () => never },
    { get: () => undefined, set: () => new Promise((_, reject) => setTimeout(reject, 30, new Error("down"))) },
  ])
    await expect(keepResult(store, "r0123456789abcde", "text", 10)).rejects.toMatchObject({
      code: "store_failed",
      message: "the store did not confirm roo-condense:result:r0123456789abcde within 0.01 s; go on with the whole result",
    });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const slow = new Map();
  const late =
    (name) =>
    (...args) =>
      new Promise((resolve) => setTimeout(() => resolve(slow[name](...args)), 20));
  const { result, key } = await condenseResult(log(), { budget: 300, store: { get: late("get"), set: late("set") } });
  expect([slow.get(`roo-condense:result:${key}`), result.includes(`kept as roo-condense:result:${key}`)]).toEqual([log(), true]);
});

const blocksOf = (texts) => texts.map((text) => ({ type: "text", text }));

test.each([
  ["anthropic", (texts) => ({ type: "tool_result", tool_use_id: "c1", content: blocksOf(texts) })],
  ["resources of MCP", (texts) => ({ content: texts.map((text) => ({ type: "resource", resource: { uri: "file:///a", text } })) })],
  ["bedrock", (texts) => ({ toolResult: { toolUseId: "c1", content: texts.map((text) => ({ text })) } })],
  ["JSON of bedrock", ([stdout, stderr]) => ({ toolResult: { toolUseId: "c1", content: [{ json: { stdout, stderr } }] } })],
  ["gemini", ([stdout, stderr]) => ({ functionResponse: { name: "run", response: { stdout, stderr } } })],
])("texts of one result are numbered as the store keeps them: %s", async (_, make) => {
  const store = new Map();
  const whole = make([log("error: one"), log("error: other")]);
  const { result, tokensBefore, tokensAfter, fits } = await condenseResult(whole, { budget: 400, store });
  expect([tokensBefore > 10_000, tokensAfter <= 400, fits]).toEqual([true, true, true]);
  const kept = [...store.values()][0].split("\n");
  const texts = [];
  JSON.stringify(result, (_, value) => (typeof value === "string" ? texts.push(value) && value : value));
  const shown = texts.filter((text) => text.includes("\n")).map((text) => text.split("\n"));
  expect(shown).toHaveLength(2);
  for (const lines of shown)
    for (const [at, line] of lines.entries()) {
      const [, first, last] = /^\[…(\d+)-(\d+)\]$/.exec(line) ?? [];
      if (first) expect([lines[at - 1], lines[at + 1]]).toEqual([kept[first - 2], kept[last]]);
    }
  const shape = (value) => JSON.stringify(value, (_, each) => (typeof each === "string" && each.includes("\n") ? "" : each));
  expect(shape(result)).toBe(shape(whole));
});

test("what is no text counts", async () => {
  const image = { type: "image", data: "A".repeat(40_000), mimeType: "image/png" };
  const alone = await condenseResult({ content: [image] }, { budget: 10 });
  expect([alone.tokensBefore > 100, alone.tokensAfter, alone.fits]).toEqual([true, alone.tokensBefore, false]);
  const { result, tokensAfter, fits } = await condenseResult(
    { content: [image, ...blocksOf([log()])] },
    { budget: alone.tokensBefore + 400 },
  );
  expect([result.content[0] === image, fits, tokensAfter > alone.tokensBefore]).toEqual([true, true, true]);
});

test("a store may promise its place, and one that does not know it has failed", async () => {
  const place = (where) => Object.assign(new Map(), { where });
  const { result } = await condenseResult(log(), { budget: 400, store: place(async () => "/a/place") });
  expect(result).toContain("; whole result: /a/place]");
  const lost = () => {
    throw new Error("nowhere");
  };
  for (const where of [lost, async () => lost()])
    await expect(condenseResult(log(), { budget: 400, store: place(where) })).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("nowhere"),
    });
});

test("the whole is the same under one key, however much of it is left out", async () => {
  const store = new Map();
  const result = { content: blocksOf([log().split("\n").slice(0, 60).join("\n"), log()]) };
  const keys = [];
  for (const budget of [300, 2000]) keys.push((await condenseResult(result, { budget, store })).key);
  expect(keys[1]).toBe(keys[0]);
  expect([...store.values()]).toEqual([result.content.map(({ text }) => text).join("\n")]);
});

test.each([
  ["a test runner's comparison", log("--- Expected\n+++ Actual\n@@ @@\n-1\n+2\nerror: boom"), undefined],
  ["a diff before a failure", `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n${log("error: boom")}`, "git diff; make"],
  ["a command behind a shown file", log("error: boom"), "cat setup.cfg && make"],
  ["a log without an ending", log("error: boom"), "cat /var/log/syslog"],
  ["a rotated log", log("error: boom"), "tail -n 900 build.log.1"],
])("what failed stays in %s", async (_, text, command) => {
  const called = command && { call: { name: "Bash", input: { command } } };
  const { result, kind } = await condenseResult(text, { budget: 300, ...called });
  expect([kind, result.includes("\nerror: boom\n"), result.includes("\nbuild failed\n")]).toEqual(["text", true, true]);
});

test("a failure in a long log in JSON is kept or counted at every budget", async () => {
  const job = (at) => ({
    name: `job ${at}`,
    log: `${log(at === 7 ? "error: boom" : "a line like others")}\n`.repeat(3).replaceAll("build failed", ""),
  });
  const jobs = JSON.stringify(Array.from({ length: 12 }, (_, at) => job(at)));
  const nested = JSON.stringify({ result: jobs });
  for (const text of [jobs, `\ufeff${jobs}`, nested])
    for (const budget of [200, 1000, 4000]) {
      const { result, failuresLeftOut, kind } = await condenseResult(text, { budget });
      expect([kind, result.includes("error: boom") || failuresLeftOut > 0]).toEqual(["json", true]);
    }
});

test("a store is asked for its place when something is left out, and not waited for", async () => {
  const lost = () => {
    throw new Error("nowhere");
  };
  const store = Object.assign(new Map(), { where: lost });
  const { result } = await condenseResult("short", { budget: 400, store });
  expect(result).toBe("short");
});

test("only what stands above a result is pointed to", async () => {
  const lines = log();
  const before = [
    { role: "user", content: "build" },
    { role: "assistant", content: [{ type: "tool_use", ...call }] },
  ];
  const message = {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "c1", content: lines },
      { type: "text", text: lines },
    ],
  };
  const { result } = await condenseResult(message, { budget: 400, messages: before });
  expect(result.content[0].content).not.toContain(" as above from ");
});

test("images and what is no text stay", async () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const given = { type: "tool_result", tool_use_id: "c1", content: [image, { type: "text", text: log() }, { type: "text", text: "ok" }] };
  const { result } = await condenseResult(given, { budget: 300 });
  expect(result.content[0]).toBe(image);
  expect(result.content[2]).toBe(given.content[2]);
  expect(result.content[1].text).toContain("error: cannot find the thing");
});

test.each([
  [undefined, { budget: 1 }, "invalid_argument", "result"],
  [7, { budget: 1 }, "invalid_argument", "result"],
  [[], { budget: 1 }, "invalid_argument", "result"],
  [Buffer.from(log()), { budget: 1 }, "invalid_argument", "result"],
  [new Date(0), { budget: 1 }, "invalid_argument", "result"],
  [{ role: "user", content: "no result" }, { budget: 1 }, "invalid_argument", "result"],
  ["a", undefined, "invalid_argument", undefined],
  ["a", 5, "invalid_argument", "options"],
  ["a", {}, "invalid_argument", "options.budget"],
  ["a", { budget: "5" }, "invalid_argument", "options.budget"],
  ["a", { budget: 0 }, "out_of_range", "options.budget"],
  ["a", { budget: 1.5 }, "out_of_range", "options.budget"],
  ["a", { budget: Number.NaN }, "out_of_range", "options.budget"],
  ["a", { budget: 5, bugdet: 5 }, "invalid_argument", "options.bugdet"],
  ["a", { budget: 5, messages: {} }, "invalid_messages", "options.messages"],
  ["a", { budget: 5, messages: [7] }, "invalid_messages", "options.messages[0]"],
  ["a", { budget: 5, call: "ls" }, "invalid_argument", "options.call"],
  ["a", { budget: 5, call: {} }, "invalid_argument", "options.call.name"],
  ["a", { budget: 5, exitCode: "1" }, "invalid_argument", "options.exitCode"],
  ["a", { budget: 5, format: "x" }, "invalid_argument", "options.format"],
  ["a", { budget: 5, encoding: 5 }, "invalid_argument", "options.encoding"],
  ["a", { budget: 5, encoding: "x" }, "unknown_encoding", "options.encoding"],
  ["a", { budget: 5, recall: 1 }, "invalid_argument", "options.recall"],
  ["a", { budget: 5, store: {} }, "invalid_argument", "options.store"],
  [{ role: "tool", segments: [] }, { budget: 5 }, "unsupported_format", "result[0]"],
])("wrong arguments are told by their field: %j %j", async (result, options, code, field) => {
  await expect(condenseResult(result, options)).rejects.toMatchObject({ code, ...(field && { field }) });
});

test("all wrong options are told at once, in the order in which they are listed", async () => {
  const wrong = condenseResult("a", {
    bugdet: 5,
    exitCode: 1.5,
    call: { name: 7, input: { $refused: "x" }, more: undefined },
    recall: () => {},
  });
  await expect(wrong).rejects.toThrow(
    [
      "options.budget is missing; it must be a whole number of tokens, 1 or more",
      "options.call.name must be the name of a tool; got 7",
      "options.call.more is unknown; known: name, input",
      "options.exitCode must be a whole number; got 1.5",
      "options.recall must be true or false; got a function",
      "options.bugdet is unknown; did you mean budget?",
    ].join("\n"),
  );
});

test("values that throw when they are read, and cycles", async () => {
  const throwing = Object.defineProperty({}, "type", {
    get: () => {
      throw new Error("no");
    },
  });
  await expect(condenseResult(throwing, { budget: 5 })).rejects.toMatchObject({ code: "not_serializable" });
  const before = [{ role: "user", content: [{ type: "text", text: "x", size: 1n }] }];
  await expect(condenseResult("long", { budget: 1, messages: before })).rejects.toMatchObject({
    code: "not_serializable",
    field: "options.messages[0].content[0].size",
  });
  const unlisted = new Proxy({ content: blocksOf([log()]) }, { ownKeys: () => throwing.type });
  await expect(condenseResult(unlisted, { budget: 400 })).rejects.toMatchObject({ code: "not_serializable" });
  const cycle = { type: "tool_result", tool_use_id: "a", content: "x" };
  cycle.self = cycle;
  await expect(condenseResult(cycle, { budget: 5 })).rejects.toMatchObject({ code: "not_serializable" });
});
