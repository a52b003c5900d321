// Every example of the documentation compiles, and runs: programs, command lines, configurations, and the numbers of README and measurements.

import { execFile, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { anthropicEvents, json, openaiEvents, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { diagnosticsOf } from "../typescript.mjs";
import { codeOf, pages, read } from "./support.mjs";

const execute = promisify(execFile);
const commandLine = path.join(root, "js", "cli", "main.js");
/** Within the package, so that its own name leads to it. */
const folder = path.join(root, "target", "documentation-examples");

const blocks = pages.filter((page) => page !== "CHANGELOG.md").flatMap(codeOf);
const named = (block) => `${block.page}:${block.line}`;
const programs = blocks.filter(({ language }) => ["js", "ts", "tsx"].includes(language));

/** What hosts have, for the compiler; `given.mjs` has it for those that are run. */
const GIVEN = `
declare const messages: import("roo-condense").Message[];
declare const histories: import("roo-condense").Message[][];
declare const systemPrompt: string;
declare const tools: object[];
declare const handler: import("roo-condense").ApiHandler;
declare const apiHandler: import("roo-condense").ApiHandler;
declare const cleanConversationHistory: import("roo-condense").Message[];
declare const output: string;
declare const path: string;
declare const read: import("roo-condense").StudioHistory["read"];
declare const save: import("roo-condense").StudioHistory["save"];
declare const watch: import("roo-condense").StudioHistory["watch"];
declare const panel: { webview: { postMessage(message: unknown): unknown; onDidReceiveMessage(listener: (message: unknown) => void): { dispose(): void };
  html: string; cspSource: string } };
declare const scriptUri: string;
declare const styleUri: string;
declare const root: { render(element: unknown): void };
declare function acquireVsCodeApi(): any;
declare module "@anthropic-ai/claude-agent-sdk" {
  /** As in 0.3.332, where every message but one of the user's has an id. */
  export function query(given: { prompt: string; options: { hooks: object; resume?: string } }): AsyncIterable<{ type: string; session_id?: string }>;
}
`;

/** Modules of a host, which are not here. */
const isForeign = (name) => !/^(roo-condense|node:|@anthropic-ai\/sdk|openai|react)/.test(name);
const importsOf = ({ code }) => [...code.matchAll(/(?:from|import|require\()\s*["']([^"']+)["']/g)].map(([, name]) => name);
const MODULE_NOT_FOUND = [2307, 2792, 7016];

describe("programs", () => {
  test("compile", () => {
    const files = new Map([[path.join(folder, "given.d.ts"), GIVEN]]);
    for (const [index, { code, language }] of programs.entries()) {
      // JavaScript as TypeScript too, in which many will paste it; unless it says types as JavaScript does.
      const isTyped = language === "js" && code.includes("/** @");
      const extension = isTyped ? "mjs" : language === "tsx" ? "tsx" : "mts";
      files.set(path.join(folder, `example-${index}.${extension}`), `${code}\nexport {};\n`);
    }
    const options = {
      strict: true,
      allowJs: true,
      checkJs: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts"],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      jsx: ts.JsxEmit.ReactJSX,
      types: ["node"],
    };
    const found = diagnosticsOf(files, options).flatMap(({ file, start, code, messageText }) => {
      const message = ts.flattenDiagnosticMessageText(messageText, "\n");
      if (MODULE_NOT_FOUND.includes(code) && isForeign(/'([^']+)'/.exec(message)[1])) return [];
      const [, index] = /example-(\d+)/.exec(file?.fileName ?? "") ?? [];
      const line = file ? file.getLineAndCharacterOfPosition(start).line : 0;
      const block = programs[index];
      return [`${block ? `${block.page}:${block.line + line}` : file?.fileName}: ${message}`];
    });
    expect(found).toEqual([]);
  });

  let service;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    // It asks for one tool, then it is content; streamed questions are those for summaries.
    service = await startFakeLlm(({ path: asked, body }) => {
      if (body.stream) return stream(...(asked.includes("chat") ? openaiEvents(["In short."]) : anthropicEvents(["In short: done."])));
      const isAnswered = body.messages.length > 2;
      const content = isAnswered
        ? [{ type: "text", text: "Done." }]
        : [{ type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "src/dates.ts" } }];
      return json(200, {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: body.model,
        content,
        stop_reason: isAnswered ? "end_turn" : "tool_use",
        stop_sequence: null,
        usage: { input_tokens: 300, cache_creation_input_tokens: 4000, cache_read_input_tokens: 165_000, output_tokens: 40 },
      });
    });
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = () => ({
    ...process.env,
    FAKE_LLM: service.url,
    ANTHROPIC_BASE_URL: service.url,
    ANTHROPIC_API_KEY: "key-0123456789",
    OPENAI_BASE_URL: `${service.url}/v1`,
    OPENAI_API_KEY: "key-0123456789",
  });

  const runnable = programs
    .filter((block) => block.language !== "tsx" && !importsOf(block).some((name) => isForeign(name) || name.startsWith("node:")))
    .map((block) => [named(block), block]);

  test("most of them can be run", () => expect(runnable.length).toBeGreaterThan(20));

  test.concurrent.each(runnable)("%s runs", { tags: ["long"] }, async (name, { code, language }) => {
    const file = path.join(folder, `${name.replace(/\W+/g, "-")}.mjs`);
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    writeFileSync(file, language === "ts" ? ts.transpileModule(code, { compilerOptions: options }).outputText : code);
    const given = new URL("./given.mjs", import.meta.url).href;
    const { stdout, stderr } = await execute(process.execPath, ["--import", given, file], { env: environment(), cwd: folder });
    expect(stderr).toBe("");
    if (name.startsWith("docs/design-samples.md:"))
      for (const [, printed] of code.matchAll(/^console\.log\(.*\); \/\/ (.+)$/gm)) expect(stdout.split("\n")).toContain(printed);
    if (name.startsWith("docs/agent-loop.md:") && code.includes("@anthropic-ai/sdk")) {
      expect(stdout).toMatch(/^4 messages, \d+ tokens saved\n$/);
      const [first, second] = service.requests.filter(({ body }) => !body.stream).map(({ body }) => body);
      expect(first.messages).toEqual([{ role: "user", content: "Fix the date parser." }]);
      expect(second.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    }
  });

  describe("command lines", { tags: ["long"] }, () => {
    const isOurs = (line) => /^(npx )?roo-condense\s/.test(line);
    const lines = blocks
      .filter(({ language }) => language === "sh")
      .flatMap(({ page, line, code }) =>
        code
          .replaceAll(/\\\n\s*/g, " ")
          .split("\n")
          .filter(isOurs)
          .map((text) => ({ name: `${page}:${line}: ${text}`, page, text })),
      );
    const home = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-docs-")));
    afterAll(() => rmSync(home, { recursive: true, force: true }));
    beforeAll(() => {
      copyFileSync(path.join(root, "fixtures", "roo-xml-2025.json"), path.join(home, "history.json"));
      const lines = ["claude-code", "roo-xml-2025"].map((name) => JSON.stringify(JSON.parse(read(`fixtures/${name}.json`))));
      writeFileSync(path.join(home, "dataset.jsonl"), `${lines.join("\n")}\n`);
      for (const folder of ["fixtures", "histories"]) {
        mkdirSync(path.join(home, folder));
        for (const name of ["claude-code", "roo-xml-2025"]) {
          copyFileSync(path.join(root, "fixtures", `${name}.json`), path.join(home, folder, `${name}.json`));
        }
      }
    });

    /** The words of a line, its service the fake one, files of its user those that are here. */
    function wordsOf(text) {
      const words = [...text.replace(/\s+#.*$/, "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
      const args = words
        .slice(words.indexOf("roo-condense") + 1)
        .map((word) =>
          /^~|^HISTORY/.test(word) ? "history.json" : word.replace("http://localhost:11434", service.url).replace("*.json", "history.json"),
        );
      return args.includes("--llm") && !args.includes("--base-url") ? [...args, "--base-url", service.url] : args;
    }

    async function serves(args) {
      const child = spawn(process.execPath, [commandLine, ...args, "--no-open"], { cwd: home, stdio: ["ignore", "pipe", "inherit"] });
      let told = "";
      await new Promise((resolve, reject) => {
        child.on("exit", (code) => reject(new Error(`the studio ended with ${code}`)));
        child.stdout.on("data", (text) => {
          told += text;
          if (told.includes("Ctrl+C")) resolve(undefined);
        });
      });
      const { status } = await fetch(/^http:\S+$/m.exec(told)[0]);
      await new Promise((resolve) => child.on("close", resolve).kill("SIGINT"));
      expect(status).toBe(200);
    }

    test("there are many", () => expect(lines.length).toBeGreaterThan(15));

    // One after the other: what one writes, the next reads.
    test.each(lines.map((line) => [line.name, line]))("%s", async (_, { text }) => {
      const args = wordsOf(text);
      if (args[0] === "studio") return serves(args);
      const env = { ...environment(), OPENAI_API_KEY: "key-0123456789" };
      const { stdout } = await execute(process.execPath, [commandLine, ...args], { cwd: home, env, maxBuffer: 1e8 });
      expect(stdout.length).toBeGreaterThan(0);
    });
  });
});

describe("configurations", () => {
  const given = blocks.filter(({ language }) => language === "json");

  test.each(given.map((block) => [named(block), block]))("%s is accepted", async (_, { code }) => {
    const { CondensationManager } = await import("roo-condense");
    const { provider, config } = JSON.parse(code);
    expect(new CondensationManager().validateConfig(provider, config)).toEqual({ valid: true, errors: [] });
  });
});

test("other code says what language it is in, or none", () => {
  const known = new Set(["js", "ts", "tsx", "json", "sh", "rust", "mermaid", "yaml", ""]);
  expect(blocks.filter(({ language }) => !known.has(language)).map(named)).toEqual([]);
});

/** The rows of a table whose first cell is a name in code and whose others are numbers. */
const rowsOf = (page) =>
  [...read(page).matchAll(/^\| `([\w-]+)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm)].map(
    ([, name, ...numbers]) => [name, ...numbers.map((number) => Number(number.replaceAll(",", "")))],
  );

describe("the README's program", () => {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-readme-")));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test("runs as pasted where the package is installed, and prints what the README says", async () => {
    const [program, printed] = codeOf("README.md").filter(({ language }) => ["js", ""].includes(language));
    mkdirSync(path.join(home, "node_modules"));
    symlinkSync(root, path.join(home, "node_modules", "roo-condense"), "junction");
    writeFileSync(path.join(home, "condense.mjs"), program.code);
    const { stdout, stderr } = await execute(process.execPath, ["condense.mjs"], { cwd: home });
    expect(stderr).toBe("");
    expect(stdout).toBe(printed.code);
  });
});

describe("the numbers of the three sample conversations", () => {
  const rows = rowsOf("docs/measurements.md");

  test("are there", () => expect(rows.length).toBe(3));

  test.each(rows)("%s: %i tokens to %i, %i replaced, %i quoted, %i lost", async (name, ...numbers) => {
    const history = path.join(root, "fixtures", `${name}.json`);
    const { stdout } = await execute(process.execPath, [commandLine, history, "--target", "50%", "--json"], { maxBuffer: 1e8 });
    const { tokens, survival } = JSON.parse(stdout);
    const { superseded, summarized, recorded, lost } = survival.total;
    expect([tokens.before, tokens.after, superseded.tokens, summarized.tokens + recorded.tokens, lost.tokens]).toEqual(numbers);
  });
});

describe("the README's numbers", () => {
  const text = read("README.md").replaceAll(/\n\s*/g, " ");
  const percent = (share) => `${Math.round(share * 100)}%`;

  test("of speed are those of the benchmark's page", () => {
    const page = read("docs/measurements.md");
    const rows = page.split("| Call to result, against JSON.parse(JSON.stringify(messages)), 1.5 MB |")[1].split("\n\n")[0];
    const table = rows.replaceAll(/^.*nothing but counting.*$/gm, "");
    const measured = [...table.matchAll(/\|\s+([\d.]+) ms \|\s+[\d.]+ ms \|\s+([\d.]+) \|/g)].map(([, ms, ratio]) => [
      Number(ms),
      Number(ratio),
    ]);
    const times = measured.map(([ms]) => Math.round(ms));
    const ratios = measured.map(([, ratio]) => ratio);
    expect(text).toContain(`takes ${Math.min(...times)} to ${Math.max(...times)} ms`);
    const words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(" ");
    const inWords = (ratio) => words[Math.round(ratio) - 1];
    expect(text).toContain(`${inWords(Math.min(...ratios))} to ${inWords(Math.max(...ratios))} times a`);
  });

  test("of what is kept are those of docs/smart.md", () => {
    const [, left, names, passages, ofNames, ofPassages] = /\| `balanced` \| ([\d.]+)% \| ([\d.]+) \/ ([\d.]+) \| ([\d.]+) \/ ([\d.]+) \|/
      .exec(read("docs/smart.md"))
      .map(Number);
    expect(text).toContain(`leaves ${Math.round(left)}% of the tokens`);
    expect(text).toContain(`${percent(names)} are still readable; of the passages it edited next, ${percent(passages)}`);
    expect(text).toContain(`leaves ${percent(ofNames)} and ${percent(ofPassages)}`);
  });

  test("of new tool results are those of docs/results.md", () => {
    const page = read("docs/results.md");
    const [, median, most, , worst] = /^\| 4,000 \| (\d+%) \| (\d+%) \| ([\d.]+) \| ([\d.]+) \|$/m.exec(page);
    expect(worst).toBe("1.000");
    const [, sessions] = /(\d+) of the 33 recorded sessions have results/.exec(page);
    expect(text).toContain(`At 4,000 tokens a result, none of ${sessions} sessions lost a name that it used`);
    expect(text).toContain(`the median session saves ${median}, the one with the largest results ${most}`);
  });

  test("of cost are those of docs/economics.md", () => {
    const page = read("docs/economics.md");
    const rowOf = (policy) =>
      new RegExp(`^\\| ${policy} \\| (\\$[\\d.]+) \\| \\$[\\d.]+ \\| [\\d.]+ \\| ([\\d.]+) \\|$`, "m").exec(page).slice(1);
    const [never] = rowOf("never, before the window is full");
    const [masked, ofMasked] = rowOf("mask tool results older than ten messages");
    const [cut, ofCut] = rowOf("`truncation` to 25,000 at every 50,000 tokens");
    const share = (edits) => `${(Number(edits) * 100).toFixed(1)}%`;
    const [recalled] = /^\| to 4,000 at every 40,000 \| (\$[\d.]+) /m.exec(page).slice(1);
    expect(text).toContain(`${never} if nothing is condensed before the window is full, ${masked} if tool results`);
    expect(text).toContain(`${cut} when`);
    expect(text).toContain(`${recalled} to 4,000 at every 40,000 with [recall]`);
    expect(text).toContain(
      `${share(ofCut)} of the passages were still readable with \`truncation\` to 25,000, ${share(ofMasked)} with masking`,
    );
    const bySession = [never, masked, cut, recalled].map((all) => `$${(Number(all.slice(1)) / 33).toFixed(2)}`);
    expect(text).toContain(`By session: ${bySession.slice(0, -1).join(", ")}, and ${bySession.at(-1)} (`);
  });

  test("of recall are those of docs/recall.md", () => {
    const rows = [...read("docs/recall.md").matchAll(/^\| a [\w-]+, with the tool \| ([\d., ]+) \| ([\d., ]+) \| ([\d, ]+) \|$/gm)];
    const numbersIn = (column, pattern) => rows.flatMap((row) => row[column].match(pattern));
    expect(new Set(numbersIn(1, /[\d.]+/g))).toEqual(new Set(["1.00"]));
    const calls = numbersIn(2, /[\d.]+/g).map(Number);
    const tokens = numbersIn(3, /\d+,\d+/g).map((number) => Number(number.replace(",", "")));
    const range = (numbers) => `${Math.min(...numbers).toLocaleString("en-US")} to ${Math.max(...numbers).toLocaleString("en-US")}`;
    expect(text).toContain(`${range(calls)} calls and ${range(tokens)} tokens a question`);
  });

  test("of the reading test are those of docs/decisions/0010-salience.md", () => {
    const page = read("docs/decisions/0010-salience.md");
    const lines = page.split("\n");
    const quarter = lines.findIndex((line) => line.startsWith("| a quarter |"));
    const score = (form, from = 0) => /\| (\.\d+) \|/.exec(lines.slice(from).find((line) => line.includes(`| ${form} |`)))[1];
    expect(text).toContain(`they score 0${score("a model's summary and the newest messages")} of 1`);
    expect(text).toContain(
      `fills the free space beside the same summary, 0${score("`native`: the same summary, free tokens filled")}, a difference`,
    );
    expect(text).toContain(`without any model, 0${score("the story")}`);
    expect(text).toContain(
      `0${score("`native`: the same summary, free tokens filled", quarter)} with \`native\`, 0${score("the story", quarter)} without a model`,
    );
  });
});
