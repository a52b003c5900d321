// One advice: whether the page's answer, its comparison, `recommend` and the command line say the same for one file and window, and whether the command that
// `recommend` prints reaches what it says.
//
//   node benches/advice.mjs FILE-OR-FOLDER... [--windows 32000,200000] [--most BYTES]      prints what differs; files that hold no history are counted apart
//
// The smallest files come first. One file and target is compared once, whichever windows lead to it.
//
// The test compares a few conversations of the fixtures (__test__/studio/one-advice.test.mjs); this is for all that there are.

import { readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { Writable } from "node:stream";
import { parseArgs } from "node:util";
import { isProgram, main } from "../scripts/tools.mjs";

const require = createRequire(import.meta.url);
const library = require("../index.js");
const { Failure } = require("../js/cli/exit-codes.js");
const { run } = require("../js/cli/run.js");
const { hostOf } = require("../js/cli/studio-command.js");

const WINDOWS = [32_000, 128_000, 200_000, 1_000_000];

/** Everything that is written to it, as a text. */
function collector() {
  let text = "";
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  return { stream, text: () => text };
}

/** Runs the command line in this process. */
async function commandLine(args) {
  const [stdout, stderr] = [collector(), collector()];
  const streams = /** @type {any} */ ({ stdout: stdout.stream, stderr: stderr.stream });
  const code = await run(args, { loadLibrary: () => library, ...streams, env: {} });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The words of a command as a shell reads them. */
const wordsOf = (command) =>
  [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, plain]) => plain ?? quoted.replaceAll("'\\''", "'"));

const advisedCommand = (text) => /^ *Use it: (.*)$/m.exec(text)?.[1] ?? "";

/** The arguments of the command that `recommend` prints. */
export const advisedArguments = (text) => wordsOf(advisedCommand(text)).slice(1);

function askerOf(host) {
  let id = 0;
  return async (method, params) => {
    id += 1;
    const { answer, error } = await host.answer({ id, method, params });
    if (error) throw new Error(`${error.code}: ${error.message}`);
    return answer;
  };
}

/** The advice of each place about a file: `{ target, left }`, and whether the target is met. */
export async function advicesFor(file, contextWindow, recall = false) {
  const host = hostOf(library, [file], { write: false, window: contextWindow, recall }, {});
  try {
    const ask = askerOf(host);
    const history = (await ask("hello", {})).histories[0].id;
    const { advice } = await ask("inspect", { history });
    const target = advice.targetTokens === undefined ? {} : { targetTokens: advice.targetTokens };
    const page = await ask("condense", { history, ...target });
    const { trial } = await ask("try", { history, id: "", ...target });
    const flags = ["--window", String(contextWindow), ...(recall ? ["--recall"] : [])];
    const printed = await commandLine(["recommend", file, ...flags]);
    const command = advisedCommand(printed.stdout);
    const words = advisedArguments(printed.stdout);
    const done = await commandLine([...words, "--json"]);
    const asked = words.includes("--target") ? Number(words[words.indexOf("--target") + 1]) : undefined;
    const [, promised] = /it leaves ([\d,]+) tokens/.exec(printed.stdout.replaceAll(/\s+/g, " ")) ?? [];
    const left = done.stdout.startsWith("{") ? JSON.parse(done.stdout).tokens?.after : undefined;
    return {
      command,
      lost: page.fate.lost,
      advised: advice.advised,
      isMet: advice.targetTokens === undefined || page.tokensAfter <= advice.targetTokens,
      says: {
        answer: { target: advice.targetTokens, left: page.tokensAfter },
        compare: { target: advice.targetTokens, left: trial.tokens },
        recommend: { target: asked, left: promised === undefined ? undefined : Number(promised.replaceAll(",", "")) },
        "command line": { target: asked, left },
      },
    };
  } finally {
    host.dispose();
  }
}

/** The places that say something else than the page's answer. */
export const differing = ({ says }) =>
  Object.entries(says).filter(([, { target, left }]) => target !== says.answer.target || left !== says.answer.left);

/** The files below what is named. */
function filesIn(named) {
  if (!statSync(named).isDirectory()) return [named];
  const found = readdirSync(named, { recursive: true, encoding: "utf8" }).sort();
  return found.map((name) => path.join(named, name)).filter((file) => statSync(file).isFile());
}

/** Where the page's advice leads, for each window, with recall and without: one of each target. */
async function targetsOf(file, windows) {
  const found = new Map();
  for (const contextWindow of windows)
    for (const recall of [false, true]) {
      const host = hostOf(library, [file], { write: false, window: contextWindow, recall }, {});
      const ask = askerOf(host);
      const { advice } = await ask("inspect", { history: (await ask("hello", {})).histories[0].id });
      host.dispose();
      if (!found.has(advice.targetTokens)) found.set(advice.targetTokens, { contextWindow, recall });
    }
  return [...found.values()];
}

/** Whether the command line reads it. */
async function isHistory(file) {
  return (await commandLine(["count", file, "--json"])).code === 0;
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { windows: { type: "string" }, most: { type: "string" } },
    });
    if (positionals.length === 0) throw new Failure(2, "Name files or folders with histories.");
    const windows = values.windows?.split(",").map(Number) ?? WINDOWS;
    const counts = { histories: 0, others: 0, compared: 0, differ: 0, missed: 0, lossless: 0 };
    const most = Number(values.most ?? Number.POSITIVE_INFINITY);
    const files = positionals.flatMap(filesIn).map((file) => ({ file, bytes: statSync(file).size }));
    for (const { file } of files.filter(({ bytes }) => bytes <= most).sort((one, other) => one.bytes - other.bytes)) {
      if (!(await isHistory(file))) {
        counts.others++;
        continue;
      }
      counts.histories++;
      for (const { contextWindow, recall } of await targetsOf(file, windows)) {
        const found = await advicesFor(file, contextWindow, recall);
        counts.compared++;
        if (found.lost === 0) counts.lossless++;
        if (!found.isMet) counts.missed++;
        const others = differing(found);
        if (others.length > 0) counts.differ++;
        if (others.length > 0 || !found.isMet)
          console.log(JSON.stringify({ file, contextWindow, recall, ...found, differing: others.map(([name]) => name) }));
      }
      console.error(JSON.stringify(counts));
    }
    console.log(JSON.stringify(counts));
    process.exitCode = counts.differ > 0 ? 1 : 0;
  });
}
