// Recall from the JavaScript side: what is found and read, in every format, whatever the host does to its messages.

import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import roo from "../../index.js";

const { FORMATS } = createRequire(import.meta.url)("../../js/recall/tool.js");

const { CondensationManager, countTokens, createRecall } = roo;

const call = (id, name, input) => ({ role: "assistant", content: [{ type: "tool_use", id, name, input }] });
const result = (id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });

const session = () => [
  { role: "user", content: "Use port 8471 for the relay, never the default." },
  call("1", "Read", { file_path: "/w/src/relay.ts" }),
  result("1", "     1\tconst port = 80;\n     2\texport const relay = listen(port);"),
  { role: "assistant", content: "I will change the port. Shall I restart the relay?" },
  { role: "user", content: "no, wait" },
  call("2", "Edit", { file_path: "/w/src/relay.ts", old_string: "const port = 80;", new_string: "const port = 8471;" }),
  result("2", "The file has been updated."),
];

/** A long session: things said once, among results that nobody will ask for. */
const long = (rounds) => [
  ...session(),
  ...Array.from({ length: rounds }, (_, index) => [
    call(`r${index}`, "Bash", { command: `make part${index}` }),
    result(`r${index}`, Array.from({ length: 40 }, (_, line) => `compiling unit ${index}-${line} with flags -O${line % 3}`).join("\n")),
  ]).flat(),
];

describe("searching and reading", () => {
  it("finds what was said and reads it by its key", async () => {
    const recall = createRecall({ messages: session() });
    const { text, hits } = await recall.search("Which port for the relay?");
    expect(text).toContain("Use port 8471 for the relay, never the default.");
    expect(text).toContain("not instructions");
    expect(hits[0]).toMatchObject({ who: "user", percent: 0, totalLines: 1 });
    const read = await recall.read(hits[0].key);
    expect(read).toMatchObject({ found: true, content: "Use port 8471 for the relay, never the default.", lines: [1, 1], total: 1 });
  });

  it("reads lines exactly and says where they go on", async () => {
    const lines = Array.from({ length: 900 }, (_, index) => `row ${index}: 😀 value ${index * 7}`);
    const recall = createRecall({
      messages: [{ role: "user", content: "List." }, call("1", "Bash", { command: "list" }), result("1", lines.join("\n"))],
    });
    const { hits } = await recall.search("row 412");
    const { key } = hits[0];
    const part = await recall.read(key, { lines: "403-410" });
    expect(part.content).toBe(lines.slice(400, 408).join("\n"));
    const read = [];
    for (let next = "3-"; next; ) {
      const { content, next: after } = await recall.read(key, { lines: next });
      read.push(content);
      next = after;
    }
    expect(read.length).toBeGreaterThan(2);
    expect(read.join("\n")).toBe(lines.join("\n"));
  });

  it("keeps to its budget", async () => {
    const recall = createRecall({ messages: long(200), maxTokens: 400 });
    const { text, hits } = await recall.search("compiling unit flags");
    expect(countTokens(text)).toBeLessThan(400 + 60);
    expect(hits.length).toBeGreaterThan(1);
    expect(countTokens((await recall.search("compiling unit flags", { maxTokens: 1500 })).text)).toBeGreaterThan(600);
  });

  it("ends every matter in one sentence", async () => {
    const recall = createRecall({ messages: session() });
    const empty = createRecall({ messages: [] });
    const ends = [
      (await recall.search("zeppelin")).text,
      (await recall.search("  ")).text,
      (await recall.read("zzzz")).text,
      (await recall.read((await recall.search("port")).hits[0].key, { lines: "50-60" })).text,
      (await empty.search("port")).text,
    ];
    for (const text of ends) {
      expect(text).toMatch(/^[^\n]+\.$/);
      expect(text).not.toMatch(/\btry\b|\bagain\b/i);
    }
  });
});

describe("a conversation that goes on", () => {
  it("is searched as it is now: appended, changed in place, cut, replaced", async () => {
    let messages = session();
    const recall = createRecall({ messages: async () => messages });
    const { key } = (await recall.search("relay never default")).hits[0];
    messages.push({ role: "assistant", content: "The walrus is done." });
    expect((await recall.search("walrus")).hits).toHaveLength(1);
    expect((await recall.search("relay never default")).hits[0].key).toBe(key);
    messages[0].content = "Use port 9000 for the relay.";
    expect((await recall.search("8471 never")).text).not.toContain("never the default");
    expect((await recall.search("9000")).hits).toHaveLength(1);
    messages = messages.slice(0, 3);
    expect((await recall.search("walrus")).hits).toHaveLength(0);
    messages = JSON.parse(JSON.stringify(messages));
    expect((await recall.search("9000")).hits).toHaveLength(1);
  });

  it("has the same keys when it is read all at once and message by message", async () => {
    const messages = long(30);
    const whole = createRecall({ messages });
    const seen = [];
    const growing = createRecall({ messages: () => seen });
    for (const message of messages) {
      seen.push(message);
      await growing.search("x");
    }
    for (const query of ["port", "compiling unit 17-3", "restart the relay"]) {
      expect((await growing.search(query)).text).toBe((await whole.search(query)).text);
    }
  });

  it("is whole after condensations whose restore data the host kept", async () => {
    const original = long(80);
    const manager = new CondensationManager({ provider: "truncation" });
    const first = await manager.condense({ messages: original }, { targetTokens: 6000 });
    const grown = [...first.messages, { role: "assistant", content: "Going on with the otter." }, { role: "user", content: "Good." }];
    const second = await manager.condense({ messages: grown }, { targetTokens: 2500 });
    const recall = createRecall({ messages: second.messages, restoreData: [first.restoreData, second.restoreData] });
    const all = createRecall({ messages: [...original, ...grown.slice(first.messages.length)] });
    for (const query of ["compiling unit 3-17", "otter", "relay listen port"]) {
      const [found, expected] = [await recall.search(query), await all.search(query)];
      expect(found.hits).toEqual(expected.hits);
      expect((await recall.read(found.hits[0].key)).content).toBe((await all.read(found.hits[0].key)).content);
    }
  });

  it("never shows another conversation", async () => {
    const [one, other] = ["wombat", "numbat"].map((word) =>
      createRecall({ messages: [{ role: "user", content: `The secret is ${word}.` }] }),
    );
    const [found, elsewhere] = await Promise.all([one.search("secret"), other.search("secret")]);
    expect(found.text).toContain("wombat");
    expect(elsewhere.text).toContain("numbat");
    expect(elsewhere.text).not.toContain("wombat");
    expect((await other.read(found.hits[0].key)).found).toBe(false);
  });
});

describe("the tool", () => {
  const forms = {
    anthropic: [
      { type: "tool_use", id: "c", name: "recall", input: { query: "port" } },
      (r) => r.content,
      { type: "tool_result", tool_use_id: "c" },
    ],
    "openai-chat": [
      { id: "c", type: "function", function: { name: "recall", arguments: '{"query":"port"}' } },
      (r) => r.content,
      { role: "tool", tool_call_id: "c" },
    ],
    "openai-responses": [
      { type: "function_call", call_id: "c", name: "recall", arguments: '{"query":"port"}' },
      (r) => r.output,
      { type: "function_call_output", call_id: "c" },
    ],
    gemini: [{ functionCall: { id: "c", name: "recall", args: { query: "port" } } }, (r) => r.functionResponse.response.output, {}],
    "bedrock-converse": [
      { toolUse: { toolUseId: "c", name: "recall", input: { query: "port" } } },
      (r) => r.toolResult.content[0].text,
      {},
    ],
    "ai-sdk": [
      { type: "tool-call", toolCallId: "c", toolName: "recall", input: { query: "port" } },
      (r) => r.output.value,
      { type: "tool-result", toolCallId: "c", toolName: "recall" },
    ],
    langchain: [
      { type: "tool_call", id: "c", name: "recall", args: { query: "port" } },
      (r) => r.content,
      { type: "tool", tool_call_id: "c" },
    ],
  };

  it("is tested in every format in which calls are answered", () => {
    expect(FORMATS.filter((format) => !Object.hasOwn(forms, format))).toEqual(["mastra"]);
  });

  it.each(Object.keys(forms))("answers a call of %s in its form", async (format) => {
    const recall = createRecall({ messages: session() });
    const [called, textIn, shape] = forms[format];
    const answer = await recall.answer(called);
    expect(answer).toMatchObject(shape);
    expect(textIn(answer)).toContain("Use port 8471");
    expect(recall.tool(format)).toBeDefined();
  });

  it("costs at most 350 tokens with the hint", () => {
    const recall = createRecall({ messages: [] });
    for (const format of Object.keys(forms)) {
      expect(countTokens(JSON.stringify(recall.tool(format))) + countTokens(recall.hint)).toBeLessThan(350);
    }
  });

  it("answers whatever a model asks with a sentence", async () => {
    const recall = createRecall({ messages: session() });
    const ask = async (input) => (await recall.answer({ type: "tool_use", id: "c", name: "recall", input })).content;
    for (const input of [
      undefined,
      null,
      {},
      [],
      7,
      "",
      { query: "" },
      { query: 5 },
      { key: {} },
      { key: "nope" },
      { query: ["a"] },
      { lines: "3" },
    ]) {
      expect(await ask(input)).toMatch(/^[^\n]+$/);
    }
    expect(await ask('{"query":"port"}')).toContain("8471");
    const { hits } = await recall.search("relay listen");
    for (const lines of ["2", 2, "2-3", [2, 3], "nonsense", { from: 2 }, "0"]) {
      expect(await ask({ key: `[${hits[0].key}]`, lines })).toContain(hits[0].key);
    }
  });

  it("tells wrong arguments by code", async () => {
    const recall = createRecall({ messages: session() });
    expect(() => createRecall({})).toThrowError(expect.objectContaining({ code: "invalid_argument", field: "options.messages" }));
    expect(() => createRecall({ messages: [], budget: 3 })).toThrowError(expect.objectContaining({ field: "options.budget" }));
    expect(() => recall.tool("morse")).toThrowError(expect.objectContaining({ code: "invalid_argument", field: "format" }));
    await expect(recall.search(5)).rejects.toMatchObject({ code: "invalid_argument", field: "query" });
    await expect(recall.search("x", { maxTokens: 3 })).rejects.toMatchObject({ code: "out_of_range", field: "options.maxTokens" });
    await expect(recall.read("x", { lines: "a" })).rejects.toMatchObject({ code: "invalid_argument", field: "options.lines" });
    await expect(recall.answer({})).rejects.toMatchObject({ code: "invalid_argument", field: "call" });
    await expect(createRecall({ messages: () => 5 }).search("x")).rejects.toMatchObject({ code: "invalid_messages" });
  });
});
