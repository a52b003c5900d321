// Speed, from the JavaScript side, as ratios: what is divided by what was measured in the same run, in turns, so a busy machine changes both.
// Prints a table and the targets; asserts nothing.
//
//   node benches/speed.mjs                   everything, 3 to 5 minutes
//   node benches/speed.mjs --quick           one dialect, fewer runs, about a minute
//   node benches/speed.mjs --large           also 10 MB to 100 MB, 2 minutes more
//   node benches/speed.mjs --only stall      the groups whose title contains the word
//   node benches/speed.mjs --json            the numbers as JSON
//   node benches/speed.mjs --corpus FOLDER   real conversations as further rows (default: ../shared/corpus, if it is there)
//
// "again": the same conversation as in the call before, so all its token counts are known. "fresh": one that was never seen.
// "measured", "against" and "ratio" are medians; "fastest" is the ratio of the fastest runs, which other work on the machine changes least.

import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildRelease } from "../scripts/build.mjs";
import { ensureDependencies, isProgram, isStale, main, releaseAddon, root } from "../scripts/tools.mjs";

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      large: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      corpus: { type: "string", default: path.join(root, "..", "shared", "corpus") },
    },
  });
  return { ...values, runs: values.quick ? 5 : 15 };
}

const shown = (value) => (value < 0.1 ? value.toFixed(4) : value < 10 ? value.toFixed(2) : value.toFixed(1));

const cells = ({ name, ours, reference, value, fastest, target }) => [
  name,
  ours,
  reference,
  shown(value),
  fastest === undefined ? "" : shown(fastest),
  target === undefined ? "" : `at most ${shown(target)}`,
  target === undefined ? "" : value <= target ? "yes" : "no",
];

/** A Markdown table with columns as wide as their widest cell, so that it reads well as plain text too. */
function table(title, rows) {
  const lines = [[title, "measured", "against", "ratio", "fastest", "target", "met"], ...rows.map(cells)];
  const widths = lines[0].map((_, column) => Math.max(3, ...lines.map((line) => line[column].length)));
  const line = (texts) =>
    `| ${texts.map((text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]))).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(lines[0]), rule, ...lines.slice(1).map(line), ""].join("\n");
}

const machine = () => {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model ?? "unknown",
    cores: os.availableParallelism(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
};

async function bench() {
  const given = readOptions();
  ensureDependencies();
  if (!process.env.ROO_CONDENSE_BINARY && isStale(releaseAddon)) buildRelease();
  // The addon is loaded with the groups, so only once it is there.
  const { DIALECTS, GROUPS } = await import("./speed/groups.mjs");
  const options = { ...given, dialects: given.quick ? DIALECTS.slice(0, 1) : DIALECTS };
  const { cpu, cores, node, platform } = machine();
  if (!options.json) console.log(`${cores} cores, ${cpu}, ${platform}, Node ${node}\n`);
  const found = [];
  for (const { title, rows } of GROUPS) {
    if (!title.toLowerCase().includes(options.only.toLowerCase())) continue;
    const all = [];
    for await (const some of rows(options)) {
      all.push(...some);
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${title}: ${all.length} rows`);
    }
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    if (all.length === 0) continue;
    found.push(...all.map((row) => ({ group: title, ...row, met: row.target === undefined ? null : row.value <= row.target })));
    if (!options.json) console.log(table(title, all));
  }
  if (options.json) return console.log(JSON.stringify({ machine: machine(), rows: found }, null, 2));
  const missed = found.filter((row) => row.met === false);
  console.log(`${found.length - missed.length} of ${found.length} rows met their target or have none.`);
}

if (isProgram(import.meta.url)) await main(bench);
