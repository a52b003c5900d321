// What the lossless provider saves on the conversations of a folder: per conversation, per operation and grade, and how long it takes.
// Usage: npm run report:lossless -- DIR   (JSON files: an array of messages, or an object with messages)

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Failure, main, readJson, releaseAddon, root } from "./tools.mjs";

const GRADES = [
  ["inline", { strict: true }],
  ["all", {}],
];

const percent = (part, whole) => (whole > 0 ? (100 * part) / whole : 0);
const shown = (value) => value.toFixed(1).padStart(5);

await main(async () => {
  const folder = process.argv[2];
  if (!folder) throw new Failure("Name a folder of conversations: npm run report:lossless -- DIR", 2);
  // The release build, whatever the environment names: a debug build says nothing about speed.
  process.env.ROO_CONDENSE_BINARY = releaseAddon;
  const { createLosslessProvider, restore, warmUp } = createRequire(import.meta.url)(path.join(root, "index.js"));
  await warmUp?.();
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort();
  const parts = new Map();
  for (const file of files) {
    const json = readJson(path.join(folder, file));
    const messages = Array.isArray(json) ? json : json.messages;
    if (!Array.isArray(messages)) continue;
    const name = file.replace(/\.json$/, "");
    const row = { name, operations: new Map() };
    for (const [grade, config] of GRADES) {
      const provider = createLosslessProvider(config);
      const result = await provider.condense({ messages });
      const { originalTokens, finalTokens } = result.stats;
      if (JSON.stringify(restore(result)) !== JSON.stringify(messages))
        throw new Failure(`${file}: restore() does not give back the messages`);
      row[grade] = percent(originalTokens - finalTokens, originalTokens);
      for (const change of result.changes) {
        const key = `${grade}: ${change.operation}${change.grade === "superseded" ? " (superseded)" : ""}`;
        row.operations.set(key, (row.operations.get(key) ?? 0) + percent(change.tokensBefore - change.tokensAfter, originalTokens));
      }
      if (grade === "all") {
        row.restore = percent(JSON.stringify(result.restoreData).length, JSON.stringify(messages).length);
        const copy = await best(() => JSON.parse(JSON.stringify(messages)));
        // Without the memory of the call before, which would know everything already.
        const fresh = createLosslessProvider({ maintainReferenceCache: false });
        row.milliseconds = await best(() => fresh.condense({ messages }));
        row.ratio = row.milliseconds / copy;
      }
    }
    console.log(
      `${name.padEnd(50)} inline ${shown(row.inline)}%  all ${shown(row.all)}%  restoreData ${shown(row.restore)}%  ${row.milliseconds.toFixed(1).padStart(6)} ms = ${row.ratio.toFixed(1)} x JSON`,
    );
    for (const [operation, saved] of [...row.operations].sort(([a], [b]) => (a < b ? -1 : 1)))
      console.log(`    ${operation.padEnd(46)} ${shown(saved)}%`);
    const part = name.split("--")[0];
    parts.set(part, [...(parts.get(part) ?? []), row]);
  }
  console.log("\nMeans");
  for (const [part, rows] of parts) {
    const mean = (value) => rows.reduce((sum, row) => sum + value(row), 0) / rows.length;
    console.log(
      `${part.padEnd(20)} ${String(rows.length).padStart(3)} conversations  inline ${shown(mean((row) => row.inline))}%  all ${shown(mean((row) => row.all))}%  restoreData ${shown(mean((row) => row.restore))}%  ${mean((row) => row.ratio).toFixed(1)} x JSON`,
    );
    const operations = new Set(rows.flatMap((row) => [...row.operations.keys()]));
    for (const operation of [...operations].sort())
      console.log(`    ${operation.padEnd(46)} ${shown(mean((row) => row.operations.get(operation) ?? 0))}%`);
  }
});

/** The shortest of some runs, in milliseconds. */
async function best(work) {
  let shortest = Infinity;
  for (let run = 0; run < 7; run++) {
    const start = performance.now();
    await work();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}
