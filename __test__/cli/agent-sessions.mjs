// Session files of agents as the programs write them, for the tests of recall: in a home folder of their own, with a compaction in the middle.

import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach } from "vitest";

export const linesOf = (values) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** A home folder with a project in it, for each test. */
export let home;
export let project;
const homes = [];
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-agents-")));
  project = path.join(home, "work", "shop");
  mkdirSync(project, { recursive: true });
  homes.push(home);
});
afterAll(() => homes.forEach((each) => rmSync(each, { recursive: true, force: true })));

/** Puts a file below the home folder; `age` in seconds. */
export function putAt(names, text, age = 0) {
  const file = path.join(home, ...names);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  const time = Date.now() / 1000 - age;
  utimesSync(file, time, time);
  return file;
}
export const append = (file, ...values) => appendFileSync(file, linesOf(values));

let count = 0;
/** Records of Claude Code. */
export const claude = {
  record: (type, message, more = {}) => ({
    parentUuid: null,
    isSidechain: false,
    type,
    message,
    uuid: `u${count++}`,
    cwd: project,
    sessionId: "s",
    timestamp: "2026-11-26T09:00:00.000Z",
    ...more,
  }),
  user: (content, more) => claude.record("user", { role: "user", content }, more),
  says: (text, more) => claude.record("assistant", { id: `m${count++}`, role: "assistant", content: [{ type: "text", text }] }, more),
  calls: (id, name, input, more) =>
    claude.record("assistant", { id: `m${count++}`, role: "assistant", content: [{ type: "tool_use", id, name, input }] }, more),
  result: (id, content, more) => claude.user([{ type: "tool_result", tool_use_id: id, content }], more),
  boundary: () => ({ type: "system", subtype: "compact_boundary", content: "Conversation compacted", uuid: `u${count++}`, cwd: project }),
  summary: (text) => claude.user(text, { isCompactSummary: true }),
};
export const claudeFile = (name = "0e6a1a52-5a0e-4f0e-9a3c-3f3a2c1d0b9e") => [
  ".claude",
  "projects",
  project.replace(/[^a-zA-Z0-9]/g, "-"),
  `${name}.jsonl`,
];

/** A day with Claude Code, compacted once. */
export const claudeDay = () => [
  claude.user("Please never touch the vendored folder third_party/libfoo."),
  claude.calls("toolu_1", "Bash", { command: "make check-gateway" }),
  claude.calls("toolu_2", "Bash", { command: "make check-ledger" }),
  claude.result("toolu_1", "gateway: certificate of vault-7 expired on Tuesday"),
  claude.result("toolu_2", "ledger: balanced"),
  claude.says("The gateway fails because the certificate of vault-7 expired."),
  claude.calls("toolu_9", "Grep", { pattern: "renewal" }, { isSidechain: true, agentId: "a1b2" }),
  claude.result("toolu_9", "src/renewal.ts:4: cron every marmalade hour", { isSidechain: true, agentId: "a1b2" }),
  claude.boundary(),
  claude.summary("Summary: the gateway was examined; it has a certificate problem."),
  claude.user("Go on with the ledger."),
  claude.says("The ledger is balanced."),
];

const codexLine = (type, payload) => ({ timestamp: "2026-11-26T09:00:00.000Z", type, payload });
const said = (role, text) => ({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
/** Lines of Codex. */
export const codex = {
  meta: (id = "01a2", cwd = project) => codexLine("session_meta", { id, cwd, originator: "codex_exec" }),
  said: (role, text) => codexLine("response_item", said(role, text)),
  event: (text) => codexLine("event_msg", { type: "agent_message", message: text }),
  calls: (id, name, args) => codexLine("response_item", { type: "function_call", name, call_id: id, arguments: JSON.stringify(args) }),
  result: (id, output) => codexLine("response_item", { type: "function_call_output", call_id: id, output }),
  compacted: (...items) => codexLine("compacted", { message: "", replacement_history: items }),
};
export const codexFile = (id = "01a2") => [".codex", "sessions", "2026", "11", "26", `rollout-2026-11-26T09-00-00-${id}.jsonl`];
export const codexDay = () => [
  codex.meta(),
  codex.said("user", "Please never touch the vendored folder third_party/libfoo."),
  codex.calls("call_1", "exec_command", { cmd: "make check-gateway" }),
  codex.result("call_1", "gateway: certificate of vault-7 expired on Tuesday"),
  codex.said("assistant", "The gateway fails because the certificate of vault-7 expired."),
  codex.event("The gateway fails because the certificate of vault-7 expired."),
  codex.compacted(
    said("user", "Please never touch the vendored folder third_party/libfoo."),
    said("user", "Summary: the gateway was examined."),
  ),
  codex.said("user", "Go on with the ledger."),
];

const geminiHash = (folder) => createHash("sha256").update(folder).digest("hex");
const geminiRecord = (id, type, content, more = {}) => ({ id, timestamp: "2026-11-26T09:00:00.000Z", type, content, ...more });
/** Lines of Gemini CLI: a call written before and after it ran, its response again as a message of the user, and a compression that replaces all but the first record. */
export function geminiDay() {
  const call = { id: "c1", name: "run_shell_command", args: { command: "make check-gateway" } };
  const response = {
    functionResponse: { id: "c1", name: "run_shell_command", response: { output: "gateway: certificate of vault-7 expired on Tuesday" } },
  };
  const first = geminiRecord("r0", "user", [{ text: "<session_context>\nHere." }]);
  return [
    { sessionId: "g1", projectHash: geminiHash(project), startTime: "2026-11-26T09:00:00.000Z", kind: "main" },
    { $set: { messages: [first] } },
    geminiRecord("r1", "user", [{ text: "Please never touch the vendored folder third_party/libfoo." }]),
    geminiRecord("r2", "gemini", "I look at it."),
    geminiRecord("r2", "gemini", "I look at it.", { toolCalls: [{ ...call, status: "success", result: [response] }] }),
    geminiRecord("r3", "user", [response]),
    geminiRecord("r4", "gemini", "The gateway fails because the certificate of vault-7 expired."),
    {
      $set: {
        messages: [
          first,
          geminiRecord("n1", "user", [{ text: "Summary: the gateway was examined." }]),
          geminiRecord("n2", "gemini", [{ text: "Got it." }]),
        ],
      },
    },
    geminiRecord("r5", "user", [{ text: "Go on with the ledger." }]),
  ];
}
export const geminiFile = () => [".gemini", "tmp", "shop", "chats", "session-2026-11-26T09-00-024cb8b2.jsonl"];

/** Entries of Pi, with a branch that was left and a compaction. */
export const piDay = () => [
  { type: "session", version: 3, id: "p1", timestamp: "2026-11-26T09:00:00.000Z", cwd: project },
  {
    type: "message",
    id: "e1",
    parentId: null,
    message: { role: "user", content: "Please never touch the vendored folder third_party/libfoo." },
  },
  {
    type: "message",
    id: "e2",
    parentId: "e1",
    message: {
      role: "assistant",
      content: [{ type: "toolCall", id: "t1", name: "bash", arguments: { command: "make check-gateway" } }],
      stopReason: "toolUse",
    },
  },
  {
    type: "message",
    id: "e3",
    parentId: "e2",
    message: {
      role: "toolResult",
      toolCallId: "t1",
      toolName: "bash",
      content: [{ type: "text", text: "gateway: certificate of vault-7 expired on Tuesday" }],
    },
  },
  { type: "message", id: "e4", parentId: "e1", message: { role: "user", content: "Another way, please." } },
  { type: "compaction", id: "e5", parentId: "e4", summary: "Summary: the gateway was examined.", firstKeptEntryId: "e4", tokensBefore: 10 },
];
export const piFile = () => [".pi", "agent", "sessions", "--shop--", "2026.jsonl"];

/** Events of Copilot CLI, with a subagent. */
export const copilotDay = () => {
  const event = (type, data, more = {}) => ({
    type,
    id: `v${count++}`,
    parentId: null,
    timestamp: "2026-11-26T09:00:00.000Z",
    data,
    ...more,
  });
  return [
    event("session.start", { sessionId: "c", context: { cwd: project } }),
    event("system.message", { content: "You are Copilot." }),
    event("user.message", { content: "Please never touch the vendored folder third_party/libfoo." }),
    event("assistant.message", {
      content: "",
      toolRequests: [{ toolCallId: "t1", name: "bash", arguments: { command: "make check-gateway" } }],
    }),
    event("assistant.message", { content: "marmalade" }, { agentId: "helper" }),
    event("tool.execution_complete", {
      toolCallId: "t1",
      success: true,
      result: { content: "gateway: certificate of vault-7 expired on Tuesday" },
    }),
    event("session.compaction_complete", { summaryContent: "Summary: the gateway was examined." }),
    event("user.message", { content: "Go on with the ledger." }),
  ];
};
export const copilotFile = () => [".copilot", "session-state", "c1", "events.jsonl"];

/** A task of Roo-Code, with a condensation that keeps what it replaced. */
export const rooDay = () => [
  {
    role: "user",
    content: [
      {
        type: "text",
        text: `Please never touch the vendored folder third_party/libfoo.\n<environment_details>\n# Current Workspace Directory (${project}) Files\na.ts\n</environment_details>`,
      },
    ],
    ts: 1,
    condenseParent: "c",
  },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "t1", name: "execute_command", input: { command: "make check-gateway" } }],
    ts: 2,
    condenseParent: "c",
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t1", content: "gateway: certificate of vault-7 expired on Tuesday" }],
    ts: 3,
    condenseParent: "c",
  },
  { role: "user", content: "Summary: the gateway was examined.", ts: 4, isSummary: true, condenseId: "c" },
  { role: "assistant", content: [{ type: "text", text: "Going on." }], ts: 5 },
];
export const rooFile = (task = "t1") => [
  ".config",
  "Code",
  "User",
  "globalStorage",
  "rooveterinaryinc.roo-cline",
  "tasks",
  task,
  "api_conversation_history.json",
];

/** A session of OpenCode as files, with an output that is no longer sent. */
export function putOpenCode() {
  const storage = [".local", "share", "opencode", "storage"];
  const put = (names, value) => putAt([...storage, ...names], JSON.stringify(value));
  const message = (id, role, parts, more = {}) => {
    put(["message", "ses_1", `${id}.json`], { id, sessionID: "ses_1", role, time: { created: Number(id.slice(4)) }, ...more });
    parts.forEach((part, at) =>
      put(["part", id, `prt_${id.slice(4)}${at}.json`], { id: `prt_${id.slice(4)}${at}`, messageID: id, sessionID: "ses_1", ...part }),
    );
  };
  const state = {
    status: "completed",
    input: { command: "make check-gateway" },
    output: "gateway: certificate of vault-7 expired on Tuesday",
    title: "",
    metadata: {},
    time: { start: 1, end: 2, compacted: 3 },
  };
  message("msg_1", "user", [{ type: "text", text: "Please never touch the vendored folder third_party/libfoo." }]);
  message("msg_2", "assistant", [{ type: "tool", callID: "t1", tool: "bash", state }], { finish: "stop" });
  message("msg_3", "user", [{ type: "compaction", auto: true }]);
  message("msg_4", "assistant", [{ type: "text", text: "Summary: the gateway was examined." }], { summary: true, finish: "stop" });
  message("msg_5", "user", [{ type: "text", text: "Go on with the ledger." }]);
  return put(["session", "global", "ses_1.json"], { id: "ses_1", title: "Shop", version: "1.1.0", directory: project });
}
