// Which session belongs to a project, and which one a call comes from.

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  append,
  claude,
  claudeDay,
  claudeFile,
  codex,
  codexDay,
  codexFile,
  copilotDay,
  copilotFile,
  geminiDay,
  geminiFile,
  home,
  linesOf,
  piDay,
  piFile,
  project,
  putAt,
  putOpenCode,
  rooDay,
  rooFile,
} from "./agent-sessions.mjs";

const require = createRequire(import.meta.url);
const { sessionsOf } = require("../../js/cli/sessions.js");
const { earlierSessions, ownSession } = require("../../js/cli/own-session.js");

const machine = () => ({ home, env: {}, platform: "linux" });
const clientOf = (name, more = {}) => ({ name, env: {}, roots: [project], cwd: "/", machine: machine(), ...more });
const call = (query, more = {}) => ({ name: "recall", args: { query }, ...more });

describe("the sessions of a project", () => {
  test("those of every agent, by what their files say, and none of another project", () => {
    const other = path.join(home, "work", "shop2");
    mkdirSync(other);
    const expected = {
      claude: putAt(claudeFile(), linesOf(claudeDay())),
      codex: putAt(codexFile(), linesOf(codexDay())),
      gemini: putAt(geminiFile(), linesOf(geminiDay())),
      pi: putAt(piFile(), linesOf(piDay())),
      copilot: putAt(copilotFile(), linesOf(copilotDay())),
      roo: putAt(rooFile(), JSON.stringify(rooDay())),
      opencode: putOpenCode(),
      cursor: putAt(
        [".cursor", "projects", project.slice(1).replace(/[^a-zA-Z0-9]/g, "-"), "agent-transcripts", "a", "a.jsonl"],
        linesOf([{ role: "user", message: { content: [] } }]),
      ),
    };
    // The same name with dashes, another folder.
    putAt(claudeFile("other"), linesOf([claude.user("Hello", { cwd: path.join(home, "work-shop") })]));
    putAt(codexFile("other"), linesOf([codex.meta("other", other)]));
    putAt(rooFile("t2"), JSON.stringify(rooDay()).replaceAll(project, other));
    const found = sessionsOf({ project, machine: machine() });
    expect(Object.fromEntries(found.map(({ agent, name }) => [agent, name]))).toEqual(expected);
    expect(found).toHaveLength(Object.keys(expected).length);
  });

  test("a client that is known has its own alone; folders within the project belong to it", () => {
    putAt(claudeFile(), linesOf(claudeDay()));
    const own = putAt(codexFile("sub"), linesOf([codex.meta("sub", path.join(project, "web"))]));
    expect(sessionsOf({ project, client: "codex-mcp-client", machine: machine() }).map(({ name }) => name)).toEqual([own]);
    expect(sessionsOf({ project, client: "something else", machine: machine() })).toHaveLength(2);
  });

  test("the user's own folder and the root of the disk hold every project, and are none", () => {
    putAt(codexFile(), linesOf(codexDay()));
    expect(sessionsOf({ project: home, machine: machine() })).toEqual([]);
    expect(sessionsOf({ project: "/", machine: machine() })).toEqual([]);
  });
});

describe("the session of a call", () => {
  test("what the client sends with the call comes first", async () => {
    const own = putAt(codexFile("01a218df-7f3a"), linesOf(codexDay()), 100);
    putAt(codexFile("newer"), linesOf([...codexDay(), codex.calls("x", "recall", { query: "gateway" })]));
    const found = await ownSession(clientOf("codex-mcp-client"), call("gateway", { meta: { threadId: "01a218df-7f3a" } }));
    expect(found).toEqual({ name: own, how: "named by the client" });
  });

  test("else the one that holds this very call, without an answer", async () => {
    const ask = (id, query) => claude.calls(id, "mcp__recall__recall", { query });
    const own = putAt(claudeFile("one"), linesOf([...claudeDay(), ask("toolu_7", "gateway")]), 60);
    // The same question, answered, in a newer session; and one that is open, with other words.
    putAt(claudeFile("two"), linesOf([...claudeDay(), ask("toolu_8", "gateway"), claude.result("toolu_8", "found")]));
    putAt(claudeFile("three"), linesOf([...claudeDay(), ask("toolu_9", "ledger")]));
    const env = { CLAUDE_CODE_SESSION_ID: "three" };
    expect(await ownSession(clientOf("claude-code", { env }), call("gateway"))).toEqual({ name: own, how: "it holds this call" });
    const meta = { "claudecode/toolUseId": "toolu_9_not_written", progressToken: 1 };
    expect(await ownSession(clientOf("claude-code", { env }), call("gateway", { meta }))).toMatchObject({ name: own });
  });

  test("the call may be written while it is made", async () => {
    putAt(claudeFile("new"), linesOf(claudeDay()));
    const own = putAt(claudeFile("own"), linesOf(claudeDay()), 60);
    setTimeout(() => append(own, claude.calls("toolu_3", "mcp__recall__recall", { query: "gateway" })), 60);
    expect(await ownSession(clientOf("claude-code"), call("gateway"))).toEqual({ name: own, how: "it holds this call" });
  });

  test("else the one of the environment, else the newest of the project; without any there is none", async () => {
    const old = putAt(claudeFile("old"), linesOf(claudeDay()), 60);
    const newest = putAt(claudeFile("new"), linesOf(claudeDay()));
    const env = { CLAUDE_CODE_SESSION_ID: "old", CLAUDE_PROJECT_DIR: project };
    expect(await ownSession(clientOf("claude-code", { env, roots: [] }), call("x"))).toEqual({ name: old, how: "named by the client" });
    expect(await ownSession(clientOf("claude-code"), call("x"))).toEqual({ name: newest, how: "the newest of this project" });
    expect(earlierSessions(clientOf("claude-code"), newest, 5).map(({ name }) => name)).toEqual([old]);
    expect(await ownSession(clientOf("claude-code", { roots: [path.join(home, "elsewhere")] }), call("x"))).toBeUndefined();
  });

  test("a client that starts its servers anywhere is known by the call alone", async () => {
    putAt(rooFile("t0"), JSON.stringify(rooDay()));
    const own = putAt(codexFile(), linesOf([...codexDay(), codex.calls("x", "recall", { query: "gateway" })]), 60);
    putAt(codexFile("newer"), linesOf([codex.meta("newer", path.join(home, "other"))]));
    expect(await ownSession(clientOf("codex-mcp-client", { roots: [], cwd: "/" }), call("gateway"))).toEqual({
      name: own,
      how: "it holds this call",
    });
    expect(await ownSession(clientOf("codex-mcp-client", { roots: [], cwd: "/" }), call("other"))).toBeUndefined();
  });
});
