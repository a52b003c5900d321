// Memory and speed of `roo-condense batch` on data sets of these sizes, in megabytes:
//
//   node benches/batch.mjs 20 200 2000
//   node benches/batch.mjs 10000 --kill      kills each run half-way, and lets the same command go on
//
// The histories are those of fixtures, in turn, so each line of the result is known: the result is compared with that, byte for byte. It takes twice the size on the disk (in --folder, by default
// that for temporary files). Peak memory is what Linux says of the process with all its threads (VmHWM).

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, createReadStream, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { Failure, isProgram, main, root } from "../scripts/tools.mjs";

const NAMES = ["claude-code", "roo-xml-2025", "shell-only", "cline-with-logs", "codex"];
const program = path.join(root, "js", "cli", "main.js");

/** Writes the lines in turn until the file has so many bytes. */
function writeSet(file, lines, size) {
  const out = openSync(file, "w");
  let count = 0;
  for (let bytes = 0; bytes < size; count++) bytes += writeSync(out, lines[count % lines.length]);
  closeSync(out);
  return count;
}

const peakOf = (id) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]) / 1024;

/** Seconds of processor time of a running process. */
function cpuOf(id) {
  const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Runs the command; `until(child)` may end it.
 * @param {string[]} args
 * @param {(child: import("node:child_process").ChildProcess) => void} [until]
 */
async function runBatch(args, until = () => {}) {
  const child = spawn(process.execPath, [program, "batch", ...args, "--no-progress", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (part) => (said += part));
  const begun = performance.now();
  let peak = 0;
  let cpu = 0;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, peakOf(child.pid) || 0);
      cpu = cpuOf(child.pid);
      until(child);
    } catch {
      // It has just ended.
    }
  }, 100);
  const [code, signal] = await new Promise((resolve) => child.on("close", (...ended) => resolve(ended)));
  clearInterval(timer);
  return { code, signal, said, peak, cpu, seconds: (performance.now() - begun) / 1000 };
}

async function hashOf(file) {
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest("hex");
}

/**
 * Runs the command on a data set of this size, in a folder, and checks the result; `isKilled`: twice, the first time until it is half done. Returns for each run its `peak` memory in megabytes, its
 * `seconds` and those of processor time (`cpu`), and the number of `histories`.
 * @param {number} megabytes
 * @param {{ isKilled?: boolean, folder: string }} options
 */
export async function measure(megabytes, { isKilled = false, folder }) {
  const lines = NAMES.map((name) => `${JSON.stringify(JSON.parse(readFileSync(path.join(root, "fixtures", `${name}.json`), "utf8")))}\n`);
  const one = path.join(folder, "one.jsonl");
  writeFileSync(one, lines.join(""));
  const options = ["--target", "50%", "--out"];
  await runBatch([one, ...options, path.join(folder, "expected")]);
  const expected = readFileSync(path.join(folder, "expected", "one.jsonl"), "utf8").split(/(?<=\n)/);

  const set = path.join(folder, "set.jsonl");
  const count = writeSet(set, lines, megabytes * 1e6);
  const out = path.join(folder, "out");
  const journal = path.join(out, ".roo-condense-batch", "journal.jsonl");
  const runs = [];
  if (isKilled) {
    const half = statSync(set).size / 2;
    const done = () => Number(/"at":(\d+)(?![\s\S]*"at")/.exec(readFileSync(journal, "utf8").slice(-2000))?.[1] ?? 0);
    runs.push(await runBatch([set, ...options, out], (child) => done() >= half && child.kill("SIGKILL")));
  }
  const last = await runBatch([set, ...options, out]);
  runs.push(last);
  const { code, said } = last;
  if (code !== 0) throw new Failure(`batch ended with ${code}`);

  const hash = createHash("sha256");
  for (let index = 0; index < count; index++) hash.update(expected[index % expected.length]);
  if (hash.digest("hex") !== (await hashOf(path.join(out, "set.jsonl")))) throw new Failure("the result is not the expected one");
  return { runs, histories: JSON.parse(said).total.histories };
}

function rowOf(megabytes, { runs, histories }) {
  const sum = (name) => runs.reduce((all, run) => all + run[name], 0);
  const cells = [
    `${megabytes} MB`,
    histories,
    runs.map(({ peak }) => `${peak.toFixed(0)} MB`).join(", "),
    `${sum("seconds").toFixed(0)} s`,
    `${sum("cpu").toFixed(0)} s`,
    `${(megabytes / sum("cpu")).toFixed(1)} MB`,
  ];
  return `| ${cells.join(" | ")} |`;
}

async function measureAll() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { kill: { type: "boolean", default: false }, folder: { type: "string", default: tmpdir() } },
  });
  console.log("| data set | histories | peak memory | time | processor time | per second of it |\n| --- | --- | --- | --- | --- | --- |");
  for (const size of positionals.map(Number)) {
    const folder = mkdtempSync(path.join(values.folder, "roo-condense-batch-"));
    try {
      console.log(rowOf(size, await measure(size, { isKilled: values.kill, folder })));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

if (isProgram(import.meta.url)) await main(measureAll);
