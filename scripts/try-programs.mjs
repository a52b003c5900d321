// Once per release: sessions that we write are read again by the published programs. Each program makes a session with a stand-in for its service, the command line condenses that in
// place, and the program goes on: what it sends then has to be what was written.
//
//   node scripts/try-programs.mjs [--folder FOLDER] [NAME...]
//
// The programs are installed from npm (600 MB) into the folder, by default `target/programs`, with homes of their own; no account is needed. Copilot CLI needs one, and is not written back.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { parseArgs, promisify } from "node:util";
import { Failure, debugAddon, root, runNpm } from "./tools.mjs";

const require = createRequire(import.meta.url);
/** The debug build where there is one, as for the tests. */
const binary = process.env.ROO_CONDENSE_BINARY ?? (existsSync(debugAddon) ? debugAddon : undefined);
const TURNS = 6;
const MODEL_KEY = "key-0123456789";

/** The model's text in a turn: too long to keep all of it. */
const answerOf = (turn) =>
  [
    `Answer ${turn}.`,
    ...Array.from({ length: 400 }, (_, line) => `export const value${turn}_${line} = compute(${Math.sin(turn * line)});`),
  ].join("\n");

const sse = (event, data) => `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`;
const data = (value) => `data: ${JSON.stringify(value)}\n\n`;

/** The protocols of services: which requests are a turn, and an answer to one. */
const PROTOCOLS = {
  responses: {
    isTurn: (url) => url.endsWith("/responses"),
    answer: (text, id) => [
      sse("response.created", { response: { id } }),
      sse("response.output_item.done", {
        output_index: 0,
        item: { type: "message", id: `msg_${id}`, role: "assistant", content: [{ type: "output_text", text, annotations: [] }] },
      }),
      sse("response.completed", { response: { id, usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 } } }),
    ],
    sent: ({ input }) => input,
  },
  anthropic: {
    isTurn: (url, { tools, stream }) =>
      url.startsWith("/v1/messages") && !url.includes("count_tokens") && stream === true && tools?.length > 3,
    answer: (text, id) => [
      sse("message_start", {
        message: {
          id,
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          usage: { input_tokens: 10, output_tokens: 1 },
        },
      }),
      sse("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      sse("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
      sse("content_block_stop", { index: 0 }),
      sse("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } }),
      sse("message_stop", {}),
    ],
    sent: ({ messages }) => messages,
  },
  gemini: {
    isTurn: (url, { tools }) => url.includes("streamGenerateContent") && tools !== undefined,
    answer: (text) => [
      data({
        candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
      }),
    ],
    sent: ({ contents }) => contents,
  },
  chat: {
    isTurn: (url, { tools }) => url.endsWith("/chat/completions") && tools !== undefined,
    answer: (text, id) => [
      data({
        id,
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }],
      }),
      data({
        id,
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
      }),
      "data: [DONE]\n\n",
    ],
    sent: ({ messages }) => messages,
  },
};

/** A stand-in for a service. `turns` are the requests of turns; what a program asks beside them gets a short answer. */
async function serve({ isTurn, answer, sent }) {
  const turns = [];
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const url = incoming.url ?? "";
    // Codex tries a WebSocket first.
    if (incoming.method === "GET") return void response.writeHead(url.endsWith("/responses") ? 426 : 200).end("{}");
    const body = readAsJson(Buffer.concat(chunks).toString());
    if (!Object.values(PROTOCOLS).some((protocol) => protocol.isTurn(url, { tools: [1, 2, 3, 4], stream: true })))
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(url.includes("count") ? '{"input_tokens":100,"totalTokens":100}' : "{}");
    const isOne = isTurn(url, body);
    if (isOne) turns.push(sent(body));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of answer(isOne ? answerOf(turns.length) : "Title", `r${turns.length}`)) response.write(event);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, turns, close: () => server.close() };
}

function readAsJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const put = (file, content) => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
};

/** The newest file below a folder whose name ends so. */
function newest(folder, ending) {
  const files = readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)));
  const [found] = files.filter((file) => ending.test(file)).sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  if (!found) throw new Failure(`${folder} has no session`);
  return found;
}

const openAiModels = (url) => ({
  baseUrl: `${url}/v1`,
  api: "openai-completions",
  apiKey: MODEL_KEY,
  models: [{ id: "m", contextWindow: 200_000, maxTokens: 8192 }],
});

/**
 * How each program is run. `first` and `next` are its arguments for a prompt; `session` finds the file, or writes it out; `back` hands a condensed one in.
 * @type {Record<string, { package: string, bin: string, protocol: keyof PROTOCOLS, prepare: (home: string, url: string) => Record<string, string>, first: (prompt: string) => string[],
 *   next: (prompt: string, file?: string) => string[], session: (home: string, call: (args: string[]) => Promise<string>) => Promise<string> | string,
 *   back?: (file: string, call: (args: string[]) => Promise<string>) => Promise<unknown> }>}
 */
const PROGRAMS = {
  codex: {
    package: "@openai/codex",
    bin: "codex",
    protocol: "responses",
    prepare(home, url) {
      put(path.join(home, ".codex", "config.toml"), `openai_base_url = "${url}/v1"\n`);
      return { CODEX_HOME: path.join(home, ".codex"), OPENAI_API_KEY: MODEL_KEY };
    },
    first: (prompt) => ["exec", "--skip-git-repo-check", prompt],
    next: (prompt) => ["exec", "--skip-git-repo-check", "resume", "--last", prompt],
    session: (home) => newest(path.join(home, ".codex", "sessions"), /rollout-.*\.jsonl$/),
  },
  claude: {
    package: "@anthropic-ai/claude-code",
    bin: "claude",
    protocol: "anthropic",
    prepare: (home, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: MODEL_KEY,
      CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      IS_SANDBOX: "1",
    }),
    first: (prompt) => ["-p", prompt],
    next: (prompt) => ["-p", "--continue", prompt],
    session: (home) => newest(path.join(home, ".claude", "projects"), /\.jsonl$/),
  },
  gemini: {
    package: "@google/gemini-cli",
    bin: "gemini",
    protocol: "gemini",
    prepare(home, url) {
      put(path.join(home, ".gemini", "settings.json"), { security: { auth: { selectedType: "gemini-api-key" } } });
      return { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: MODEL_KEY, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    },
    first: (prompt) => ["-m", "gemini-2.5-pro", "-p", prompt],
    next: (prompt) => ["-m", "gemini-2.5-pro", "--resume", "latest", "-p", prompt],
    session: (home) => newest(path.join(home, ".gemini", "tmp"), /chats.*session-.*\.jsonl?$/),
  },
  opencode: {
    package: "opencode-ai",
    bin: "opencode",
    protocol: "chat",
    prepare(home, url) {
      const fake = {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${url}/v1`, apiKey: MODEL_KEY },
        models: { m: { name: "m" } },
      };
      put(path.join(home, ".config", "opencode", "opencode.json"), { provider: { fake }, model: "fake/m", autoupdate: false });
      return {
        XDG_CONFIG_HOME: path.join(home, ".config"),
        XDG_DATA_HOME: path.join(home, ".local", "share"),
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      };
    },
    first: (prompt) => ["run", prompt],
    next: (prompt) => ["run", "--continue", prompt],
    async session(home, call) {
      const [{ id }] = JSON.parse(await call(["session", "list", "--format", "json"]));
      const file = path.join(home, "export.json");
      put(file, (await call(["export", id])).replace(/^[^{]*/, ""));
      return file;
    },
    back: (file, call) => call(["import", file]),
  },
  pi: {
    package: "@mariozechner/pi-coding-agent",
    bin: "pi",
    protocol: "chat",
    prepare(home, url) {
      put(path.join(home, ".pi", "agent", "models.json"), { providers: { fake: openAiModels(url) } });
      return { PI_CODING_AGENT_DIR: path.join(home, ".pi", "agent"), PI_OFFLINE: "1" };
    },
    first: (prompt) => ["--provider", "fake", "--model", "m", "-p", prompt],
    next: (prompt) => ["--provider", "fake", "--model", "m", "--continue", "-p", prompt],
    session: (home) => newest(path.join(home, ".pi", "agent", "sessions"), /\.jsonl$/),
  },
};

/** All texts in messages of any format. */
function textsIn(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Tries one program; what is wrong is thrown. */
async function tried(name, folder) {
  const program = PROGRAMS[name];
  const home = path.join(folder, "homes", name);
  const project = path.join(home, "project");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  const service = await serve(PROTOCOLS[program.protocol]);
  const own = program.prepare(home, service.url);
  const env = { PATH: process.env.PATH, HOME: home, TERM: "dumb", NO_COLOR: "1", ...own };
  const call = async (args) => {
    const running = promisify(execFile)(path.join(folder, "node_modules", ".bin", program.bin), args, {
      cwd: project,
      env,
      timeout: 180_000,
      maxBuffer: 1 << 28,
    });
    running.child.stdin?.end();
    return (await running).stdout;
  };
  try {
    await call(program.first("Question 1: what are the values?"));
    for (let turn = 2; turn <= TURNS; turn++) await call(program.next(`Question ${turn}: and these?`));
    if (service.turns.length !== TURNS) throw new Failure(`${service.turns.length} requests for ${TURNS} turns`);
    const before = JSON.stringify(service.turns.at(-1)).length;
    const file = await program.session(home, call);
    const [command, ...args] = [process.execPath, path.join(root, "js/cli/main.js"), file, "--in-place", "--target", "75%"];
    await promisify(execFile)(command, args, { env: binary ? { ...process.env, ROO_CONDENSE_BINARY: binary } : process.env });
    const { readHistory } = require("../js/cli/history-file.js");
    const written = textsIn(readHistory(file).messages).filter((text) => text.length > 40);
    await program.back?.(file, call);
    await call(program.next("Question last: what now?"));
    const sent = service.turns.at(-1);
    const after = JSON.stringify(sent).length;
    const texts = textsIn(sent).join("\n");
    const missing = written.filter((text) => !texts.includes(text.trim()));
    if (missing.length > 0)
      throw new Failure(`${missing.length} of ${written.length} texts are not sent: ${JSON.stringify(missing[0].slice(0, 200))}`);
    if (!texts.includes("Question last")) throw new Failure("the next question is not sent");
    if (after >= before) throw new Failure(`${after} characters are sent, where ${before} were before`);
    return `${before} to ${after} characters, ${written.length} texts`;
  } finally {
    service.close();
  }
}

async function main() {
  const { values, positionals } = parseArgs({ options: { folder: { type: "string" } }, allowPositionals: true });
  const names = positionals.length > 0 ? positionals : Object.keys(PROGRAMS);
  for (const name of names) if (!(name in PROGRAMS)) throw new Failure(`${name} is none of ${Object.keys(PROGRAMS).join(", ")}`);
  const folder = path.resolve(values.folder ?? path.join(root, "target", "programs"));
  mkdirSync(folder, { recursive: true });
  const missing = names.filter((name) => !readdirSync(folder).includes("node_modules") || !isInstalled(folder, PROGRAMS[name].package));
  if (missing.length > 0) {
    put(path.join(folder, "package.json"), { private: true });
    const packages = missing.map((name) => `${PROGRAMS[name].package}@latest`);
    if (runNpm(["install", "--prefix", folder, "--no-audit", "--no-fund", ...packages]) !== 0) throw new Failure("npm install failed");
  }
  let failed = 0;
  for (const name of names) {
    const { version } = JSON.parse(readFileSync(path.join(folder, "node_modules", PROGRAMS[name].package, "package.json"), "utf8"));
    try {
      console.log(`${name} ${version}: ${await tried(name, folder)}`);
    } catch (error) {
      failed++;
      console.log(`${name} ${version}: FAILED: ${[error.message, error.stderr].filter(Boolean).join("\n").slice(0, 2000)}`);
    }
  }
  if (failed > 0) throw new Failure(`${failed} of ${names.length} programs do not go on from what is written`);
}

const isInstalled = (folder, name) => statSync(path.join(folder, "node_modules", name), { throwIfNoEntry: false }) !== undefined;

main().catch((error) => {
  console.error(error instanceof Failure ? error.message : error);
  process.exitCode = 1;
});
