// Time and memory of shortening one new result to 4,000 tokens: logs, JSON, long lines, bars, failures without end. Each text is shortened in a process of its own; "growth"
// is the processor time of the text over that of a tenth of it, so that 10 is linear. Processor time is that of all threads: other programs on the machine lengthen
// the other one. "MB more memory" is the peak of the first call over the memory before it, without the text of the caller;
// "command" is the peak of `roo-condense result` over that with one line, the text and its storing included. Both need Linux.
//
//   node benches/result.mjs [NAME]...

import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import v8 from "node:v8";
import vm from "node:vm";
import { fileURLToPath } from "node:url";
import { condenseResult, warmUp } from "../index.js";
import { isProgram, main, root } from "../scripts/tools.mjs";
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
  "5 MB of lines of one digit": [5_000_000, (bytes) => repeated(bytes, (at) => String(at % 10))],
  "JSON of 5 MB of digits": [5_000_000, (bytes) => JSON.stringify(Array.from({ length: bytes / 2 }, (_, at) => at % 10))],
};

/** A line of Linux about this process, in kilobytes. */
const memoryOf = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(fs.readFileSync("/proc/self/status", "utf8"))?.[1]);

/** Frees what reading the text took, and has the peak begin anew. Returns the memory in use. */
function forgetPeak() {
  v8.setFlagsFromString("--expose-gc");
  vm.runInNewContext("gc")();
  fs.writeFileSync("/proc/self/clear_refs", "5");
  return memoryOf("VmRSS");
}

/** Has a program write its peak, in kilobytes, to its fourth descriptor. */
const WRITE_PEAK = `data:text/javascript,${encodeURIComponent('import fs from "node:fs"; process.on("exit", () => fs.writeSync(3, String(process.resourceUsage().maxRSS)));')}`;

/** The peak of `roo-condense result` with this file as standard input, in megabytes. The process that starts it is small: on Linux, a new process begins with the peak of its parent. */
function peakOfCommand(file, folder) {
  const input = fs.openSync(file, "r");
  const args = ["--import", WRITE_PEAK, path.join(root, "js", "cli", "main.js"), "result", "--budget", String(BUDGET), "--store", folder];
  const { output } = spawnSync(process.execPath, args, { stdio: [input, "ignore", "inherit", "pipe"] });
  fs.closeSync(input);
  return Number(output[3]) / 1024;
}

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
async function measure(name, file) {
  const [bytes, make] = TEXTS[name];
  await warmUp();
  const text = make(bytes);
  fs.writeFileSync(file, text);
  const tenth = await timeOf(make(bytes / 10));
  const { milliseconds, processors, tokensBefore, tokensAfter, fits } = await timeOf(text);
  const growth = processors / tenth.processors;
  console.log(JSON.stringify({ megabytes: text.length / 1e6, tokensBefore, tokensAfter, fits, milliseconds, processors, growth }));
}

/** In a process of its own, which did not make the text: prints by how many megabytes one call lets the peak grow. */
async function measureMemory(file) {
  await warmUp();
  const text = fs.readFileSync(file, "latin1");
  const before = forgetPeak();
  await condenseResult(text, { budget: BUDGET });
  console.log((memoryOf("VmHWM") - before) / 1024);
}

function program() {
  const [flag, name, file] = process.argv.slice(2);
  if (flag === "--measure") return measure(name, file);
  if (flag === "--memory") return measureMemory(name);
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TEXTS);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "roo-condense-result-"));
  try {
    print(names, folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function print(names, folder) {
  const file = path.join(folder, "text");
  fs.writeFileSync(file, "one line");
  const base = peakOfCommand(file, folder);
  const rows = names.map((each) => {
    const inProcess = (...args) => execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...args], { encoding: "utf8" });
    const ended = inProcess("--measure", each, file);
    const { megabytes, tokensBefore, tokensAfter, fits, milliseconds, processors, growth } = JSON.parse(ended);
    const figures = [
      megabytes.toFixed(1),
      tokensBefore,
      `${tokensAfter}${fits ? "" : " (over)"}`,
      milliseconds.toFixed(0),
      processors.toFixed(0),
      growth.toFixed(1),
      Number(inProcess("--memory", file)).toFixed(0),
      (peakOfCommand(file, folder) - base).toFixed(0),
    ];
    return [each, ...figures.map(String)];
  });
  const head = ["text", "MB", "tokens", "after", "ms", "processor ms", "growth", "MB more memory", "command"];
  console.log(`${table([head, ...rows])}\nnode benches/result.mjs; ${machineLine()}`);
}

if (isProgram(import.meta.url)) main(program);
