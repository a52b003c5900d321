// Tries `roo-condense mcp` with the published coding agents, without an account: each has a conversation with a stand-in for its service, compacts, and is asked for what it no longer has
// in view. The model then calls recall, which has to find it in the agent's own session file.
//
//   node scripts/try-mcp-clients.mjs [--programs FOLDER] [--keep] [claude] [codex] [codex-exec] [gemini] [opencode] [inspector]
//
// Programs are taken from `node_modules/.bin` of FOLDER (`npm install @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai
// @modelcontextprotocol/inspector` there), else from PATH; one that is not installed is skipped. Run once for each release (docs/release.md). OpenCode's database needs Node 22.13 or later.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ensureMcp } from "./build-mcp.mjs";
import { FACT, QUESTIONS, startService } from "./mcp-services.mjs";
import { Failure, debugAddon, main, root } from "./tools.mjs";

/** Milliseconds for one question. */
const TIMEOUT = 180_000;
const cli = path.join(root, "js", "cli", "main.js");
const SERVER = { command: process.execPath, args: [cli, "mcp"] };
/** The addon of the tests, if no other was built. Programs do not hand their environment on. */
const addon = process.env.ROO_CONDENSE_BINARY ?? (existsSync(debugAddon) ? debugAddon : undefined);
const env = addon ? { ROO_CONDENSE_BINARY: addon } : {};

const toml = (value) => JSON.stringify(value);
const codexConfig = (url) => `openai_base_url = ${toml(`${url}/v1`)}
model_auto_compact_token_limit = 50000
[mcp_servers.recall]
command = ${toml(SERVER.command)}
args = ${toml(SERVER.args)}
required = true
startup_timeout_sec = 60
env = { ${Object.entries(env)
  .map(([name, value]) => `${name} = ${toml(value)}`)
  .join(", ")} }
`;

const codex = (...more) => ({
  program: "codex",
  protocol: "responses",
  files: ({ url }) => ({ ".codex/config.toml": codexConfig(url) }),
  env: () => ({ OPENAI_API_KEY: "none" }),
  steps: [
    ["exec", ...more, "--skip-git-repo-check", QUESTIONS.first],
    ["exec", ...more, "--skip-git-repo-check", "resume", "--last", QUESTIONS.second],
  ],
  sessions: [".codex", "sessions"],
});

const SESSION = "0e6a1a52-5a0e-4f0e-9a3c-3f3a2c1d0b9e";

/** Each agent: its settings, by their files in the home folder, and what it is told. */
const TRIALS = {
  claude: {
    program: "claude",
    protocol: "anthropic",
    files: () => ({ "mcp.json": JSON.stringify({ mcpServers: { recall: { ...SERVER, env } } }) }),
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      MCP_TIMEOUT: "60000",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    steps: [
      ["-p", QUESTIONS.first, "--session-id", SESSION, "--mcp-config", "~/mcp.json"],
      // Fewer messages are not compacted.
      ["-p", "--resume", SESSION, "Thank you."],
      ["-p", "--resume", SESSION, "/compact"],
      ["-p", "--resume", SESSION, QUESTIONS.second, "--mcp-config", "~/mcp.json", "--allowedTools", "mcp__recall__recall"],
    ],
    sessions: [".claude", "projects"],
  },
  codex: codex("-m", "gpt-5.1-codex"),
  // The default model calls tools from a program that it writes.
  "codex-exec": codex(),
  gemini: {
    program: "gemini",
    protocol: "gemini",
    files: () => ({
      ".gemini/settings.json": JSON.stringify({
        mcpServers: { recall: { ...SERVER, env, trust: true } },
        model: { compressionThreshold: 0.001 },
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
    env: ({ url }) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none", GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    steps: [
      ["-m", "gemini-2.5-pro", "--yolo", "-p", QUESTIONS.first],
      ["-m", "gemini-2.5-pro", "--yolo", "--resume", "latest", "-p", "Thank you."],
      ["-m", "gemini-2.5-pro", "--yolo", "--resume", "latest", "-p", QUESTIONS.second],
    ],
    sessions: [".gemini", "tmp"],
  },
  opencode: {
    program: "opencode",
    protocol: "chat",
    files: ({ url }) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        model: "fake/fake-1",
        small_model: "fake/fake-1",
        autoupdate: false,
        share: "disabled",
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "none" },
            models: { "fake-1": { tool_call: true, limit: { context: 20_000, output: 2000 } } },
          },
        },
        mcp: { recall: { type: "local", command: [SERVER.command, ...SERVER.args], environment: env, enabled: true, timeout: 60_000 } },
      }),
    }),
    env: () => ({ XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", XDG_STATE_HOME: "", XDG_CACHE_HOME: "" }),
    steps: [
      ["run", QUESTIONS.first],
      ["run", "--continue", "Thank you."],
      ["run", "--continue", QUESTIONS.second],
    ],
    sessions: [".local", "share", "opencode"],
  },
  inspector: { program: "mcp-inspector", inspects: true },
};

/** Where a program is; undefined if it is not installed. */
function pathOf(program, folder) {
  if (folder === undefined) return spawnSync("which", [program], { encoding: "utf8" }).stdout.trim() || undefined;
  const file = path.join(path.resolve(folder), "node_modules", ".bin", program);
  return existsSync(file) ? file : undefined;
}

/** Runs a program, which may not ask anything. Resolves to what it printed. */
const ran = (program, args, options) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT });
    let text = "";
    child.stdout.on("data", (part) => (text += part));
    child.stderr.on("data", (part) => (text += part));
    child.on("close", (code) => resolve({ code, text }));
    child.on("error", (error) => resolve({ code: -1, text: error.message }));
  });

const filesBelow = (folder) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()) : [];

/** Whether the agent's own files hold the fact. */
const isKept = (folder) =>
  filesBelow(folder).some(({ parentPath, name }) => readFileSync(path.join(parentPath, name), "utf8").includes(FACT));

/** Whether the model still had the fact in view when it was asked again: then it needed no recall, and the trial says nothing. */
const hadInView = ({ requests }) => {
  const asked = requests.find(({ reply, asked: question }) => reply.call && question.includes(QUESTIONS.second));
  return asked?.text.includes(FACT);
};

async function tried(name, programFile, home) {
  const trial = TRIALS[name];
  const service = await startService(trial.protocol);
  const project = path.join(home, "project");
  mkdirSync(project);
  for (const [file, text] of Object.entries(trial.files(service))) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), text);
  }
  const environment = { ...process.env, HOME: home, USERPROFILE: home, ...env, ...trial.env(service) };
  const printed = [];
  for (const step of trial.steps) {
    const args = step.map((arg) => arg.replace(/^~(?=\/)/, home));
    printed.push(await ran(programFile, args, { cwd: project, env: environment }));
  }
  service.close();
  const { seen } = service;
  const answer = seen.results.at(-1) ?? "";
  return {
    "asked recall": seen.requests.some(({ reply }) => reply.call),
    "fact gone from view": hadInView(seen) === false,
    "fact in its files": isKept(path.join(home, ...trial.sessions)),
    "recall found it": answer.includes(FACT),
    answer,
    printed,
    seen,
  };
}

/** The command line of the official Inspector, which asks as any client may: the session is the newest of the project. */
async function inspected(programFile, home) {
  const project = path.join(home, "project");
  const folder = path.join(home, ".claude", "projects", project.replace(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(project);
  mkdirSync(folder, { recursive: true });
  const record = { type: "user", uuid: "u1", cwd: project, message: { role: "user", content: `Note that ${FACT}.` } };
  writeFileSync(path.join(folder, "s1.jsonl"), `${JSON.stringify(record)}\n`);
  const inspect = (...args) =>
    ran(programFile, ["--cli", SERVER.command, ...SERVER.args, "--method", ...args], {
      cwd: project,
      env: { ...process.env, ...env, HOME: home },
    });
  const printed = [
    await inspect("tools/list"),
    await inspect("tools/call", "--tool-name", "recall", "--tool-arg", "query=staging database port"),
  ];
  const answer = printed[1].text;
  return {
    "asked recall": printed[0].text.includes('"recall"'),
    "fact gone from view": true,
    "fact in its files": true,
    "recall found it": answer.includes(FACT),
    answer,
    printed,
    seen: {},
  };
}

const CHECKS = ["asked recall", "fact gone from view", "fact in its files", "recall found it"];

await main(async () => {
  const { values, positionals } = parseArgs({
    options: { programs: { type: "string" }, keep: { type: "boolean" } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !Object.hasOwn(TRIALS, name));
  if (unknown.length > 0) throw new Failure(`There is no trial ${unknown.join(", ")}; there are ${Object.keys(TRIALS).join(", ")}.`);
  await ensureMcp();
  let failed = 0;
  for (const name of positionals.length > 0 ? positionals : Object.keys(TRIALS)) {
    const programFile = pathOf(TRIALS[name].program, values.programs);
    if (programFile === undefined) {
      console.log(`${name}: skipped, ${TRIALS[name].program} is not installed`);
      continue;
    }
    const version = spawnSync(programFile, ["--version"], { encoding: "utf8" }).stdout.trim().split("\n").at(-1);
    const home = realpathSync(mkdtempSync(path.join(tmpdir(), `roo-condense-${name}-`)));
    const result = await (TRIALS[name].inspects ? inspected(programFile, home) : tried(name, programFile, home));
    const isGood = CHECKS.every((check) => result[check]);
    if (!isGood) failed += 1;
    console.log(
      `${name} (${version}): ${isGood ? "good" : "FAILED"}; ${CHECKS.map((check) => `${check}: ${result[check] ? "yes" : "NO"}`).join(", ")}`,
    );
    console.log(`    ${/\(Session: [^)]*\)?[^)\n]*\)/.exec(result.answer)?.[0] ?? ""}`);
    console.log(
      result.answer
        .trim()
        .split("\n")
        .slice(0, 12)
        .map((line) => `    ${line.slice(0, 160)}`)
        .join("\n"),
    );
    if (!isGood || values.keep) {
      writeFileSync(path.join(home, "printed.json"), JSON.stringify(result.printed, null, 2));
      writeFileSync(path.join(home, "requests.json"), JSON.stringify(result.seen, null, 2));
      console.log(`    kept: ${home}`);
    } else rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
  if (failed > 0) throw new Failure(`${failed} of the programs did not find it.`);
});
