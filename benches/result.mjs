// Time and memory of shortening one new result to 4,000 tokens: logs, JSON, long lines, bars, failures without end. Each text is shortened in a process of its own; "growth"
// is the processor time of the text over that of a tenth of it, so that 10 is linear. Processor time is that of all threads: other programs on the machine lengthen
// the other one.
//
//   node benches/result.mjs [NAME]...

import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { condenseResult, warmUp } from "../index.js";
import { isProgram, main } from "../scripts/tools.mjs";
import { machineLine, table } from "./results.mjs";

const BUDGET = 4000;
const TIMES = 3;

const repeated = (bytes, line) => {
  const lines = [];
  for (let at = 0, length = 0; length < bytes; at++) {
    lines.push(line(at));
    length += lines[at].length + 1;
  }
  return lines.join("\n");
};
const log = (at) =>
  at % 5000 === 2500
    ? `src/part_${at}.c:12:5: error: unknown type name 'foo_${at}'`
    : `2026-11-27T04:00:00.${at}Z [${at}] Building CXX object src/CMakeFiles/part_${at % 997}.dir/file_${at}.cpp.o`;
const item = (at) => ({
  id: at,
  name: `case ${at}`,
  status: at % 9999 === 5000 ? "failed" : "passed",
  path: `src/part_${at % 997}/file_${at}.ts`,
});

/** Texts by name, of about so many bytes. */
const TEXTS = {
  "log of 360,000 tokens": [1_050_000, (bytes) => repeated(bytes, log)],
  "log of 20 MB": [20_000_000, (bytes) => repeated(bytes, log)],
  "20 MB of failures": [20_000_000, (bytes) => repeated(bytes, (at) => `src/f_${at}.ts(1,1): error TS2304: Cannot find name 'n${at}'.`)],
  "JSON of 50 MB": [50_000_000, (bytes) => JSON.stringify({ total: 1, items: Array.from({ length: bytes / 85 }, (_, at) => item(at)) })],
  "one line of 5 MB": [5_000_000, (bytes) => "const a = f(b, c); ".repeat(bytes / 19)],
  "base64 of 5 MB": [5_000_000, (bytes) => Buffer.from(repeated((bytes * 3) / 4, String)).toString("base64")],
  "bars of 5 MB": [5_000_000, (bytes) => `${repeated(bytes, (at) => `Downloading ${at}%\r`).replaceAll("\n", "")}\ndone`],
  "5 MB in colours": [5_000_000, (bytes) => repeated(bytes, (at) => `\u001b[32m${log(at)}\u001b[0m\r`)],
  "CSV of 5 MB": [5_000_000, (bytes) => `id,name,amount\n${repeated(bytes, (at) => `${at},name ${at},${at * 7}`)}`],
  "5 MB of line feeds": [5_000_000, (bytes) => "\n".repeat(bytes)],
};

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** Milliseconds for a text, those of all processors together, and what it left. */
async function timeOf(text) {
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const ofProcessors = [];
  let condensed;
  for (let time = 0; time < TIMES; time++) {
    const [begun, before] = [performance.now(), process.cpuUsage()];
    condensed = await condenseResult(text, { budget: BUDGET, exitCode: 1 });
    times.push(performance.now() - begun);
    const { user, system } = process.cpuUsage(before);
    ofProcessors.push((user + system) / 1000);
  }
  return { milliseconds: median(times), processors: median(ofProcessors), ...condensed };
}

/** In a process of its own: prints the figures of one text as JSON. */
async function measure(name) {
  const [bytes, make] = TEXTS[name];
  await warmUp();
  const text = make(bytes);
  const before = process.resourceUsage().maxRSS;
  await condenseResult(text, { budget: BUDGET });
  // One call alone: memory that it gives back counts until the system takes it.
  const memory = (process.resourceUsage().maxRSS - before) / 1024;
  const tenth = await timeOf(make(bytes / 10));
  const { milliseconds, processors, tokensBefore, tokensAfter, fits } = await timeOf(text);
  const growth = processors / tenth.processors;
  console.log(JSON.stringify({ megabytes: text.length / 1e6, tokensBefore, tokensAfter, fits, milliseconds, processors, growth, memory }));
}

function program() {
  const [flag, name] = process.argv.slice(2);
  if (flag === "--measure") return measure(name);
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TEXTS);
  const rows = names.map((each) => {
    const ended = execFileSync(process.execPath, [fileURLToPath(import.meta.url), "--measure", each], { encoding: "utf8" });
    const { megabytes, tokensBefore, tokensAfter, fits, milliseconds, processors, growth, memory } = JSON.parse(ended);
    const figures = [
      megabytes.toFixed(1),
      tokensBefore,
      `${tokensAfter}${fits ? "" : " (over)"}`,
      milliseconds.toFixed(0),
      processors.toFixed(0),
      growth.toFixed(1),
      memory.toFixed(0),
    ];
    return [each, ...figures.map(String)];
  });
  const head = ["text", "MB", "tokens", "after", "ms", "processor ms", "growth", "MB more memory"];
  console.log(`${table([head, ...rows])}\nnode benches/result.mjs; ${machineLine()}`);
}

if (isProgram(import.meta.url)) main(program);
