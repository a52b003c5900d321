// What benchmarks print and keep: tables, and a dated file that each run is appended to, so that change over time can be seen.

import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { root } from "../scripts/tools.mjs";

/** A share in a table; `undefined` where nothing was asked. */
export const cell = (share) => (share === undefined ? "-" : share.toFixed(3));

/** A Markdown table with columns as wide as their widest cell, so that it reads well as plain text too. The first row is the head. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const line = (texts) =>
    `| ${texts.map((text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]))).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line), ""].join("\n");
}

export function machine() {
  return {
    cpu: os.cpus()[0]?.model ?? "unknown",
    cores: os.availableParallelism(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
}

export function machineLine() {
  const { cpu, cores, node, platform } = machine();
  return `${cores} cores, ${cpu}, ${platform}, Node ${node}`;
}

/** The command that gives the same again: an npm script and its arguments. */
export function commandLine(script, args = process.argv.slice(2)) {
  const quoted = args.map((arg) => (/^[\w./:=@%+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`));
  return [`npm run ${script}`, ...(quoted.length > 0 ? ["--", ...quoted] : [])].join(" ");
}

/** The commit that is measured, and whether there is more than that. */
function commit() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain", "--untracked-files=no") ? ", with changes" : ""}`;
  } catch {
    return "unknown";
  }
}

/** Appends a run to `benches/results/YYYY-MM-DD-NAME.md`, and says so. */
export function record(name, command, text) {
  const now = new Date().toISOString();
  const folder = path.join(root, "benches", "results");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${now.slice(0, 10)}-${name}.md`);
  const head = existsSync(file) ? "\n" : "";
  appendFileSync(
    file,
    `${head}## ${now.slice(11, 16)} UTC\n\n- command: \`${command}\`\n- commit: ${commit()}\n- machine: ${machineLine()}\n\n${text.trim()}\n`,
  );
  console.log(`\nAppended to ${path.relative(root, file)}`);
}
