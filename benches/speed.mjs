// Speed, from the JavaScript side, as ratios: what is divided by what was measured in the same run, in turns, so a busy machine changes both.
// Prints a table and the targets; asserts nothing.
//
//   npm run bench                       everything, 3 to 5 minutes
//   npm run bench -- --quick            one dialect, fewer runs, about a minute
//   npm run bench -- --large            also 10 MB to 100 MB, 2 minutes more
//   npm run bench -- --only stall       the groups whose title contains the word
//   npm run bench -- --json             the numbers as JSON
//   npm run bench -- --corpus FOLDER    real conversations as further rows (default: ../shared/corpus, if it is there)
//
// The tables of a whole run are appended to benches/results/; --no-record leaves that.
//
// "again": the same conversation as in the call before, so all its token counts are known. "fresh": one that was never seen.
// "measured", "against" and "ratio" are medians; "fastest" is the ratio of the fastest runs, which other work on the machine changes least.

import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildRelease } from "../scripts/build.mjs";
import { ensureDependencies, isProgram, isStale, main, releaseAddon, root } from "../scripts/tools.mjs";
import { commandLine, machine, machineLine, record, table } from "./results.mjs";

function readOptions() {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      record: { type: "boolean", default: true },
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

async function bench() {
  const given = readOptions();
  ensureDependencies();
  if (!process.env.ROO_CONDENSE_BINARY && isStale(releaseAddon)) buildRelease();
  // The addon is loaded with the groups, so only once it is there.
  const { DIALECTS, GROUPS } = await import("./speed/groups.mjs");
  const options = { ...given, dialects: given.quick ? DIALECTS.slice(0, 1) : DIALECTS };
  if (!options.json) console.log(`${machineLine()}\n`);
  const found = [];
  const tables = [];
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
    tables.push(table([[title, "measured", "against", "ratio", "fastest", "target", "met"], ...all.map(cells)]));
    if (!options.json) console.log(tables.at(-1));
  }
  if (options.json) return console.log(JSON.stringify({ machine: machine(), rows: found }, null, 2));
  const missed = found.filter((row) => row.met === false);
  console.log(`${found.length - missed.length} of ${found.length} rows met their target or have none.`);
  if (options.record && !options.quick && !options.only) record("speed", commandLine("bench"), tables.join("\n"));
}

if (isProgram(import.meta.url)) await main(bench);
