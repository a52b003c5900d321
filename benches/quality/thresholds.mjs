// Thresholds of the smart provider learned on conversations of some projects, against the fixed ones of its presets on those of others.
//
//   node benches/quality/thresholds.mjs [DIR] [options]        DIR: conversations as JSON (default: fixtures/)
//
//   --preset NAME    one preset; else all whose thresholds can be learned without a model
//   --max-cuts N     earlier parts that are learned from (default: 16)
//   --no-record      nothing is appended to benches/results/
//
// A project is the folder that a conversation names most often. Projects go to two halves, the one with most conversations first, each to the half that has fewer. What is
// learned on a half (`calibrateThresholds`) is measured on the other, on all its cuts, by the measures of `npm run quality`.

import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildRelease } from "../../scripts/build.mjs";
import { ensureDependencies, Failure, isProgram, isStale, main, releaseAddon, root } from "../../scripts/tools.mjs";
import { record, table } from "../results.mjs";
import { readConversations } from "./conversations.mjs";
import { measure, measuredCuts } from "./evaluate.mjs";
import { tokenCounter } from "./references.mjs";

const PRESETS = ["aggressive", "multi_zone", "balanced"];
const FOLDER = /\/(?:Users|home|testbed|workspace)(?:\/[\w.-]+){1,3}/g;
const MEASURED = ["names", "edits", "quotes"];

const mean = (values) => (values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length);

/** The folder that a conversation names most often, or its own id. */
function projectOf({ id, messages }) {
  const counts = new Map();
  for (const [folder] of JSON.stringify(messages).matchAll(FOLDER)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? id;
}

function halvesOf(conversations) {
  const projects = Object.values(grouped(conversations));
  projects.sort((a, b) => b.length - a.length);
  /** @type {any[][]} */
  const halves = [[], []];
  for (const project of projects) halves[halves[0].length <= halves[1].length ? 0 : 1].push(...project);
  return halves;
}

function grouped(conversations) {
  const groups = {};
  for (const one of conversations) {
    const project = projectOf(one);
    groups[project] = [...(groups[project] ?? []), one];
  }
  return groups;
}

/** What a configuration leaves and keeps, on average over cuts. */
async function shares(addon, config, cuts, tokens) {
  const provider = addon.createSmartProvider(config);
  /** @type {Record<string, number[]>} */
  const lists = { left: [], names: [], edits: [], quotes: [] };
  for (const cut of cuts) {
    const { messages } = await provider.condense({ messages: cut.prefix });
    lists.left.push(tokens(messages) / cut.size);
    const found = measure(messages, cut);
    for (const name of MEASURED) if (found[name] !== undefined) lists[name].push(found[name]);
  }
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, mean(list)]));
}

async function thresholds() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: { preset: { type: "string" }, "max-cuts": { type: "string", default: "16" }, record: { type: "boolean", default: true } },
  });
  ensureDependencies();
  if (!process.env.ROO_CONDENSE_BINARY && isStale(releaseAddon)) buildRelease();
  const addon = createRequire(import.meta.url)(root);
  const count = (text) => (text ? addon.countTokens(text) : 0);
  const tokens = tokenCounter(count);
  const halves = halvesOf(readConversations(positionals[0] ?? path.join(root, "fixtures")));
  if (halves.some((half) => half.length === 0)) throw new Failure("conversations of two projects are needed", 3);
  const cuts = halves.map((half) => measuredCuts(half, count));
  const rows = [];
  const learned = [];
  for (const preset of options.preset ? [options.preset] : PRESETS) {
    for (const [at, half] of halves.entries()) {
      const found = await addon.calibrateThresholds(
        half.map(({ messages }) => messages),
        { preset, maxCuts: Number(options["max-cuts"]) },
      );
      const told = found.thresholds.map(({ pass, kind, tokens }) => `${pass} ${kind} ${tokens}`).join(", ");
      learned.push(`- ${preset}, learned on half ${at + 1}: ${told}`);
      const other = cuts[1 - at];
      for (const [name, config] of [
        ["fixed", addon.presets[preset]],
        ["learned", found.config],
      ]) {
        const { left, ...kept } = await shares(addon, config, other, tokens);
        const cells = [left, ...MEASURED.map((measured) => kept[measured])].map((share) => share.toFixed(4));
        rows.push([`${preset}, ${name}, on half ${2 - at}`, ...cells]);
      }
      console.error(
        rows
          .slice(-2)
          .map((row) => row.join("  "))
          .join("\n"),
      );
    }
  }
  const sizes = halves.map((half, index) => `half ${index + 1}: ${half.length} conversations, ${cuts[index].length} cuts`).join("; ");
  const text = [sizes, "", table([["", "tokens left", ...MEASURED], ...rows]), ...learned].join("\n");
  console.log(text);
  if (options.record) record("thresholds", ["node benches/quality/thresholds.mjs", ...process.argv.slice(2)].join(" "), text);
}

if (isProgram(import.meta.url)) await main(thresholds);
