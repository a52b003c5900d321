// Measures the benchmark at two commits on this machine, in turns, and writes what differs: comparison.md for people, and the number of the pull request it is for.
//
//   node benches/compare.mjs --base COMMIT [--number N] [--out FOLDER]      the working tree against COMMIT; about five minutes and two builds
//   node benches/compare.mjs --from BASE.json --to HEAD.json                two runs of `npm run bench -- --json`

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { table } from "./results.mjs";
import { Failure, isProgram, main, root, run, runNode, runNpm } from "../scripts/tools.mjs";

/** Two runs of the same differ by less than this, mostly. */
const NOISE = 0.1;

const keyOf = ({ group, name }) => `${group} / ${name}`;
const percent = (change) => `${change > 0 ? "+" : ""}${(100 * change).toFixed(0)}%`;

/** What differs between two runs, as Markdown. Rows are ratios that were measured in one run each, so the machine is divided out. */
export function comparison(base, head) {
  const before = new Map(base.rows.map((row) => [keyOf(row), row]));
  const rows = head.rows.flatMap((row) => {
    const old = before.get(keyOf(row));
    return old ? [{ name: keyOf(row), old: old.value, now: row.value, change: row.value / old.value - 1 }] : [];
  });
  const notable = rows.filter(({ change }) => Math.abs(change) > NOISE).sort((one, other) => other.change - one.change);
  const slower = notable.filter(({ change }) => change > 0).length;
  const summary = `${rows.length} rows: ${slower} by more than ${100 * NOISE}% slower, ${notable.length - slower} faster.`;
  const shown = notable.map(({ name, old, now, change }) => [name, old.toFixed(2), now.toFixed(2), percent(change)]);
  const details = shown.length ? `\n\n${table([["ratio", "before", "after", "change"], ...shown])}` : "";
  const { cores, cpu, node } = head.machine;
  return `## Benchmarks\n\n${summary}${details}\n\n${cores} cores, ${cpu}, Node ${node}; \`npm run bench -- --quick\`. Differences under ${100 * NOISE}% are noise.\n`;
}

/** The numbers of a folder of the source. */
function measure(folder) {
  const args = [path.join(folder, "benches", "speed.mjs"), "--json", "--quick", "--no-record"];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Failure(`The benchmark failed in ${folder} with exit code ${status}.`);
  // What a build says comes before.
  return JSON.parse(stdout.slice(stdout.indexOf("\n{") + 1));
}

function measureBoth(commit) {
  const folder = path.join(root, "target", "benchmark-base");
  rmSync(folder, { recursive: true, force: true });
  run("git", ["worktree", "prune"]);
  if (run("git", ["worktree", "add", "--detach", folder, commit]) !== 0) throw new Failure(`${commit} is no commit that is here.`);
  try {
    if (runNpm(["ci", "--no-audit", "--no-fund"], { cwd: folder }) !== 0) throw new Failure(`npm ci failed at ${commit}.`);
    for (const each of [folder, root]) {
      const env = { CARGO_TARGET_DIR: path.join(root, "target") };
      if (runNode(path.join(each, "scripts", "build.mjs"), [], { cwd: each, env }) !== 0) throw new Failure(`The build failed in ${each}.`);
    }
    return [measure(folder), measure(root)];
  } finally {
    run("git", ["worktree", "remove", "--force", folder]);
  }
}

const readRun = (file) => JSON.parse(readFileSync(file, "utf8"));

if (isProgram(import.meta.url)) {
  await main(() => {
    const { values } = parseArgs({
      options: {
        base: { type: "string" },
        number: { type: "string" },
        out: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
      },
    });
    if (!values.base && !(values.from && values.to)) throw new Failure("--base COMMIT is needed, or --from and --to.", 2);
    const [base, head] = values.base ? measureBoth(values.base) : [readRun(values.from), readRun(values.to)];
    const text = comparison(base, head);
    console.log(text);
    if (!values.out) return;
    mkdirSync(values.out, { recursive: true });
    writeFileSync(path.join(values.out, "comparison.md"), text);
    if (values.number) writeFileSync(path.join(values.out, "number.txt"), values.number);
  });
}
