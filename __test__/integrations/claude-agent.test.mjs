// The piece for the Claude Agent SDK. Its hooks are called as the SDK calls them, on a session as Claude Code writes it. The last tests run the published SDK with a service on loopback;
// it brings a program of 400 MB and is no dependency: `npm install --no-save @anthropic-ai/claude-agent-sdk`, or they are skipped.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { CondensationManager, countTokens } from "../../index.js";
import { condenseSession, condensingHooks } from "../../js/integrations/claude-agent.js";
import { root } from "../../scripts/tools.mjs";
import { anthropicEvents, json, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { diagnosticsOf } from "../typescript.mjs";

const require = createRequire(import.meta.url);
const { readHistory } = require("../../js/cli/history-file.js");

const folders = [];
let folder;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "roo-condense-agent-"));
  folders.push(folder);
});
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })));

const long = (name) => Array.from({ length: 200 }, (_, index) => `export const ${name}${index} = compute(${index}, "${name}");`).join("\n");
const ID = "0c08ac2c-e2f4-473c-b9d2-ebf3bd6c0033";

/** A session in which files are read, in a project of the configuration folder. */
function putSession(names = ["a", "b", "c", "d"]) {
  const records = [];
  const add = (message, more) => {
    const uuid = `u${records.length}`;
    records.push({
      parentUuid: records.at(-1)?.uuid ?? null,
      isSidechain: false,
      sessionId: ID,
      type: message.role,
      message,
      uuid,
      ...more,
    });
  };
  add({ role: "user", content: "Never touch src/secret.ts. Read the files." });
  for (const name of names) {
    add({
      id: `m${name}`,
      role: "assistant",
      content: [{ type: "tool_use", id: name, name: "Read", input: { file_path: `/p/${name}.ts` } }],
    });
    add({ role: "user", content: [{ type: "tool_result", tool_use_id: name, content: long(name) }] });
  }
  add({ role: "user", content: "<command-name>/compact</command-name>" });
  add({ id: "end", role: "assistant", content: [{ type: "text", text: "They compute." }] });
  const file = path.join(folder, "projects", "-p", `${ID}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${records.map((record) => JSON.stringify(record)).join("\n")}\n`);
  return file;
}

const call = (hooks, event, input) => hooks[event][0].hooks[0](input, undefined, { signal: new AbortController().signal });
const compacting = (file) => ({
  hook_event_name: "PreCompact",
  session_id: ID,
  transcript_path: file,
  cwd: "/p",
  trigger: "auto",
  custom_instructions: null,
});
const started = (source) => ({ hook_event_name: "SessionStart", session_id: ID, transcript_path: "", cwd: "/p", source });

describe("hooks", () => {
  test("quotes stand behind the summary, once; the instructions say that they will", async () => {
    const hooks = condensingHooks({ quoteTokens: 1500 });
    const { systemMessage, ...rest } = await call(hooks, "PreCompact", compacting(putSession()));
    expect(rest).toEqual({});
    expect(systemMessage).toMatch(/^Behind your summary, quotes from this conversation are put word for word/);
    expect(countTokens(systemMessage)).toBeLessThan(100);
    const { hookSpecificOutput } = await call(hooks, "SessionStart", started("compact"));
    expect(hookSpecificOutput.hookEventName).toBe("SessionStart");
    const quotes = hookSpecificOutput.additionalContext;
    expect(quotes).toContain("The user: Never touch src/secret.ts.");
    expect(quotes).toContain('Read {"file_path":"/p/d.ts"}');
    expect(quotes).not.toContain("Messages before this point");
    expect(quotes).toMatch(/export const [a-d]\d+ = compute/);
    expect(quotes).not.toContain("/compact");
    expect(countTokens(quotes)).toBeLessThan(1700);
    expect(quotes).not.toContain(systemMessage);
    expect(await call(hooks, "SessionStart", started("compact"))).toEqual({});
  });

  test("other starts, subagents and short sessions are left alone", async () => {
    const hooks = condensingHooks();
    const file = putSession();
    expect(await call(hooks, "PreCompact", { ...compacting(file), agent_id: "x" })).toEqual({});
    expect(await call(hooks, "SessionStart", started("compact"))).toEqual({});
    await call(hooks, "PreCompact", compacting(file));
    expect(await call(hooks, "SessionStart", started("resume"))).toEqual({});
    expect(await call(hooks, "SessionStart", started("compact"))).toEqual({});
    expect(await call(hooks, "PreCompact", compacting(putSession([])))).toEqual({});
  });

  test("outputs of commands and MCP tools are shortened in their form, and the note names a file with the whole", async () => {
    process.env.XDG_CACHE_HOME = process.env.LOCALAPPDATA = path.join(folder, "cache");
    const hooks = condensingHooks({ resultTokens: 400 });
    expect(condensingHooks()).not.toHaveProperty("PostToolUse");
    const log = `${long("a")}\nerror: cannot find the thing\n${long("b")}\n`;
    const shortOf = async (tool_response, more = {}) => {
      const input = { hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "make" }, transcript_path: putSession() };
      const { hookSpecificOutput } = await call(hooks, "PostToolUse", { ...input, tool_response, ...more });
      return hookSpecificOutput?.updatedToolOutput;
    };
    writeFileSync(path.join(folder, "whole.txt"), log);
    const bash = {
      stdout: long("a"),
      stderr: "2 warnings",
      interrupted: false,
      isImage: false,
      persistedOutputPath: path.join(folder, "whole.txt"),
      persistedOutputSize: 9,
    };
    const short = await shortOf(bash);
    expect(short).toEqual({ stdout: expect.any(String), stderr: "2 warnings", interrupted: false, isImage: false });
    expect(short.stdout).toContain("error: cannot find the thing");
    const [, file] = /; whole result: (.+)\]$/.exec(short.stdout);
    expect(path.dirname(file)).toBe(path.join(folder, "cache", "roo-condense", "results"));
    expect(readFileSync(file, "utf8")).toBe(`${log}\n2 warnings`);
    const text = { type: "text", text: log };
    const ofMcp = { content: [text], isError: true };
    expect(await shortOf(ofMcp)).toEqual({
      content: [{ type: "text", text: expect.stringContaining("cannot find the thing") }],
      isError: true,
    });
    expect(await shortOf([text], { agent_id: "sub" })).toEqual([{ type: "text", text: expect.stringContaining("cannot find the thing") }]);
    expect(await shortOf(log, { transcript_path: "/none.jsonl" })).toContain("cannot find the thing");
    const image = { ...bash, isImage: true };
    const read = { type: "text", file: { filePath: "/p/a.ts", content: log, numLines: 401, startLine: 1, totalLines: 401 } };
    for (const other of [
      image,
      read,
      { ...bash, persistedOutputPath: "/none" },
      { ...bash, stdout: "short", persistedOutputPath: undefined },
      "short",
      undefined,
      7,
      [7],
    ])
      expect(await shortOf(other)).toBeUndefined();
  });

  test("what goes wrong is told, and stops nothing", async () => {
    const warnings = [];
    const hooks = condensingHooks({ onWarning: (warning) => warnings.push(warning) });
    expect(await call(hooks, "PreCompact", compacting(path.join(folder, "none.jsonl")))).toEqual({});
    expect(warnings).toEqual([expect.objectContaining({ message: expect.stringContaining("there is no such file") })]);
  });

  test("wrong options are refused", () => {
    for (const [options, message] of /** @type {[any, RegExp][]} */ ([
      [7, /options must be an object/],
      [{ quoteTokens: "1" }, /options\.quoteTokens must be a number, 200 or more/],
      [{ quoteTokens: 10 }, /options\.quoteTokens must be a number, 200 or more/],
      [{ resultTokens: 10 }, /options\.resultTokens must be a number, 200 or more/],
      [{ onWarning: 1 }, /options\.onWarning must be a function/],
      [{ handler: {} }, /options\.handler/],
    ]))
      expect(() => condensingHooks(options)).toThrow(message);
  });
});

describe("sessions", () => {
  test("are condensed in their file, by path or by id", async () => {
    const file = putSession();
    const whole = readFileSync(file);
    process.env.CLAUDE_CONFIG_DIR = folder;
    try {
      const report = await condenseSession(ID);
      expect(report).toMatchObject({ file, didCondense: true, backup: `${file}.bak`, cost: 0 });
      expect(report.tokensAfter).toBeLessThanOrEqual(report.tokensBefore * 0.4);
      expect(readFileSync(`${file}.bak`).equals(whole)).toBe(true);
      const { messages } = readHistory(file);
      expect(countTokens(messages)).toBe(report.tokensAfter);
      expect(existsSync(report.restoreData)).toBe(true);
      const again = await condenseSession(file, { targetPercent: 100 });
      expect(again.didCondense).toBe(false);
      expect(again).not.toHaveProperty("backup");
      await expect(condenseSession("unknown")).rejects.toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining("there is no such session"),
      });
    } finally {
      delete process.env.CLAUDE_CONFIG_DIR;
    }
  });

  test("by a manager of one's own", async () => {
    const manager = new CondensationManager({ provider: "truncation", protect: { messages: [0] } });
    const file = putSession();
    const report = await condenseSession(file, { manager, targetPercent: 20 });
    expect(report.didCondense).toBe(true);
    expect(JSON.stringify(readHistory(file).messages)).toContain("Never touch src/secret.ts");
  });

  test("wrong arguments are refused, and files that are no session", async () => {
    await expect(condenseSession(/** @type {any} */ (7))).rejects.toMatchObject({ code: "invalid_argument" });
    await expect(condenseSession(ID, /** @type {any} */ ({ manager: {} }))).rejects.toMatchObject({ code: "invalid_argument" });
    await expect(condenseSession(ID, { targetPercent: 0 })).rejects.toMatchObject({ code: "out_of_range" });
    const file = path.join(folder, "x.jsonl");
    writeFileSync(file, '{"type":"user","message":5,"uuid":"1"}\n{"type":"mode"}\n');
    await expect(condenseSession(file)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("x.jsonl:1: "),
    });
  });
});

const SDK = "@anthropic-ai/claude-agent-sdk";
const sdkFolder = path.join(root, "node_modules", ...SDK.split("/"));
const hasSdk = existsSync(path.join(sdkFolder, "sdk.mjs"));
const hasProgram = hasSdk && readdirSync(path.dirname(sdkFolder)).some((name) => name.startsWith("claude-agent-sdk-"));

test.skipIf(!hasSdk)("its types are those of the published SDK", () => {
  const program = `
    import { query, type Options } from "${SDK}";
    import { condenseSession, condensingHooks } from "roo-condense/claude-agent";
    const options: Options = { hooks: condensingHooks({ quoteTokens: 1000 }), resume: (await condenseSession("x")).file };
    query({ prompt: "x", options });
    export {};`;
  const file = path.join(root, "target", "claude-agent-types", "program.mts");
  const ts = require("typescript");
  const compiler = {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
  };
  expect(
    diagnosticsOf(new Map([[file, program]]), compiler).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " ")),
  ).toEqual([]);
});

describe.skipIf(!hasProgram)("with the published SDK", () => {
  /** Calls for two files where it is asked to, else answers; what is asked of a smaller model is a title. */
  const script = ({ path: asked, body }) => {
    if (!asked.includes("/messages")) return json(404, {});
    if (asked.includes("count_tokens")) return json(200, { input_tokens: 1000 });
    const last = JSON.stringify(body.messages.at(-1));
    const isAsked = (word) => body.tools?.length > 3 && last.includes(word) && !last.includes("tool_result");
    const wants = isAsked("READ") || isAsked("BUILD");
    const content = isAsked("BUILD")
      ? [{ type: "tool_use", id: "toolu_build", name: "Bash", input: { command: `cat ${path.join(folder, "build.log")}` } }]
      : wants
        ? ["a", "b"].map((name) => ({
            type: "tool_use",
            id: `toolu_${name}`,
            name: "Read",
            input: { file_path: path.join(folder, `${name}.ts`) },
          }))
        : [{ type: "text", text: "An answer." }];
    const message = {
      id: `msg_${Math.random()}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content,
      stop_reason: wants ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1000, output_tokens: 50 },
    };
    if (!body.stream) return json(200, message);
    return wants ? stream(...toolEvents(message)) : stream(...anthropicEvents(["An answer."], { model: body.model }));
  };
  const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const toolEvents = (message) => [
    event("message_start", { message: { ...message, content: [], stop_reason: null } }),
    ...message.content.flatMap((block, index) => [
      event("content_block_start", { index, content_block: { ...block, input: {} } }),
      event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: JSON.stringify(block.input) } }),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 50 } }),
    event("message_stop", {}),
  ];

  const environmentOf = ({ url }) => ({
    ...process.env,
    ...{ HOME: folder, CLAUDE_CONFIG_DIR: path.join(folder, ".claude"), ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "key-0123456789" },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", IS_SANDBOX: "1" },
  });

  test.each([200, 2000])(
    "of a command's output of %i lines the model reads the failure, and where the whole is",
    async (lines) => {
      const { query } = await import(SDK);
      const server = await startFakeLlm(script);
      const log = Array.from({ length: lines }, (_, at) =>
        at === lines / 2 ? "error: cannot find the thing" : `   Compiling part_${at} v0.1.0 (line ${at})`,
      );
      writeFileSync(path.join(folder, "build.log"), log.join("\n"));
      const hooks = condensingHooks({ resultTokens: 500 });
      try {
        const options = {
          model: "claude-sonnet-4-5",
          allowedTools: ["Bash"],
          settingSources: [],
          cwd: folder,
          env: environmentOf(server),
          hooks,
        };
        for await (const message of query({ prompt: "BUILD it.", options }))
          if (message.type === "result") expect(message.is_error).toBe(false);
        const { body } = server.requests.find((request) => request.text.includes('"tool_result"'));
        const text = body.messages.at(-1).content.find(({ type }) => type === "tool_result").content;
        expect(text).toContain("error: cannot find the thing");
        expect(text).toMatch(/\[Left out of this result: \d+ of \d+ lines, \d+ of \d+ tokens; whole result: \/.*\.txt\]/);
        expect(text).not.toContain(`Compiling part_${lines / 2 + 40} `);
        const [, file] = /whole result: (\/[^\]]+\.txt)\]/.exec(text);
        expect(readFileSync(file, "utf8")).toContain(log[lines / 2 + 40]);
      } finally {
        await server.close();
      }
    },
    120_000,
  );

  test("quotes reach the compaction and what comes behind it; a condensed session goes on", async () => {
    const { query } = await import(SDK);
    const server = await startFakeLlm(script);
    for (const name of ["a", "b"]) writeFileSync(path.join(folder, `${name}.ts`), long(name));
    const env = environmentOf(server);
    const warnings = [];
    const common = { model: "claude-sonnet-4-5", allowedTools: ["Read"], settingSources: [], cwd: folder, env };
    const hooks = condensingHooks({ quoteTokens: 1500, onWarning: (warning) => warnings.push(warning) });
    /** Each prompt once the one before it has its result. */
    async function run(prompts, options) {
      let next;
      async function* asked() {
        for (const content of prompts) {
          const answered = new Promise((resolve) => (next = resolve));
          yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
          await answered;
        }
      }
      const messages = [];
      for await (const message of query({ prompt: asked(), options: { ...common, ...options } })) {
        messages.push(message);
        if (message.type === "result") next();
      }
      return messages;
    }
    try {
      const first = await run(["READ the files, and never touch secret.ts.", "/compact", "Go on."], { hooks });
      expect(warnings).toEqual([]);
      expect(first.some(({ subtype }) => subtype === "compact_boundary")).toBe(true);
      const sent = server.requests.map(({ text }) => text);
      const compaction = sent.findIndex((text) => text.includes("Behind your summary, quotes from this conversation"));
      expect(compaction).toBeGreaterThan(0);
      expect(sent.at(-1).split("[Quotes from the conversation before it was compacted")).toHaveLength(2);
      expect(sent.at(-1)).toContain("never touch secret.ts");

      const [plain] = await run(["READ the files."], {});
      const resume = plain.session_id;
      const projects = path.join(folder, ".claude", "projects");
      const file = path.join(projects, readdirSync(projects)[0], `${resume}.jsonl`);
      const report = await condenseSession(file, { targetPercent: 30 });
      expect(report.didCondense).toBe(true);
      const before = server.requests.length;
      await run(["And now?"], { resume });
      const [request] = server.requests.slice(before).filter(({ body }) => body.tools?.length > 3);
      const results = request.body.messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .filter(({ type }) => type === "tool_result");
      // What was condensed is what is sent: no longer the files.
      expect(JSON.stringify(results).length).toBeLessThan(long("a").length);
      expect(request.text).toContain("And now?");

      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        [path.join(root, "examples", "claude-agent.mjs"), "READ the files."],
        {
          cwd: folder,
          env: { ...env, ANTHROPIC_MODEL: common.model },
        },
      );
      expect(stdout).toBe("An answer.\n");
      const [, fewer] = /The session: (?:\d+) to (\d+) tokens/.exec(stderr) ?? [];
      expect(Number(fewer)).toBeGreaterThan(0);
    } finally {
      await server.close();
    }
  }, 120_000);
});
