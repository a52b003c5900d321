// How good condensed conversations are: what an agent goes on to use, and what is still known of its work, as shares of what the older part held.
// Conversations are cut (js/future-use/cuts.js), the part before is condensed to 50, 25 and 10% of its tokens, and these are looked for:
//
//   names    names that the assistant goes on to use                    js/future-use/names.js
//   strict   the same, each with what stands around it in its line      (with --strict)
//   edits    passages that it goes on to replace in a file              js/future-use/edits.js
//   quotes   runs of six words that it goes on to write                 quality/quotes.mjs
//   asked, answered, changed, check, failed, plan: what was done        quality/probes.mjs
//
//   npm run quality -- [DIR] [options]        DIR: conversations as JSON (default: those of fixtures/)
//
//   --provider ID --config JSON   a provider to measure beside the default ones (salient truncation, smart)
//   --only WORD                   only policies whose name contains the word, references included
//   --no-references               without window, mask, head and tail-head
//   --model                       with a model whose summaries say nothing of the conversation (model.mjs): quality is what stays beside them
//   --presets                     presets of the smart provider without a target, against references of the same size each
//   --half first|second           every other conversation
//   --strict                      names in their context too
//   --json                        the numbers as JSON
//
// The tables of a whole run are appended to benches/results/; --no-record leaves that.

import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildRelease } from "../scripts/build.mjs";
import { ensureDependencies, Failure, isProgram, isStale, main, releaseAddon, root } from "../scripts/tools.mjs";
import { countingModel } from "./model.mjs";
import { readConversations } from "./quality/conversations.mjs";
import { BUDGETS, MEASURES, atBudgets, atTheirOwnSize, measuredCuts } from "./quality/evaluate.mjs";
import { KINDS } from "./quality/probes.mjs";
import { references, tokenCounter } from "./quality/references.mjs";
import { salientPolicy } from "./quality/salient.mjs";
import { cell, commandLine, machine, record, table } from "./results.mjs";

const PRESETS = ["conservative", "balanced", "aggressive", "multi_zone", "selective"];

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      provider: { type: "string" },
      config: { type: "string", default: "{}" },
      only: { type: "string", default: "" },
      references: { type: "boolean", default: true },
      model: { type: "boolean", default: false },
      presets: { type: "boolean", default: false },
      half: { type: "string" },
      strict: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      record: { type: "boolean", default: true },
    },
  });
  if (values.half !== undefined && !["first", "second"].includes(values.half))
    throw new Failure(`--half is first or second, not ${values.half}`, 2);
  return { ...values, folder: positionals[0] ?? path.join(root, "fixtures") };
}

/** The package's providers as policies: functions of messages and, where there is one, a budget. */
function contendersOf(addon, options) {
  const create = {
    native: addon.createNativeProvider,
    lossless: addon.createLosslessProvider,
    truncation: addon.createTruncationProvider,
    smart: addon.createSmartProvider,
    quality_first: addon.createQualityFirst,
  };
  const policy = (id, config) => {
    if (!create[id]) throw new Failure(`--provider is one of ${Object.keys(create).join(", ")}, not ${id}`, 2);
    const provider = create[id](config);
    const model = options.model ? { handler: countingModel(addon).handler } : {};
    return async (messages, targetTokens) => (await provider.condense({ messages }, { targetTokens, ...model })).messages;
  };
  if (options.presets) return Object.fromEntries(PRESETS.map((preset) => [preset, policy("smart", preset)]));
  const contenders = { salient: salientPolicy(addon), smart: policy("smart") };
  if (options.provider) contenders[`${options.provider} ${options.config}`] = policy(options.provider, JSON.parse(options.config));
  return contenders;
}

/** A table for each budget (or size), a row for each policy. */
function tablesOf(rows, measures, titleOf) {
  return [...new Set(rows.map((row) => row.budget))].map((budget) => {
    const ofBudget = rows.filter((row) => row.budget === budget);
    const faults = ofBudget.some((row) => row.over + row.broken > 0);
    const head = [titleOf(budget), "left", ...measures, ...(faults ? ["over", "broken"] : [])];
    const lines = ofBudget.map((row) => [
      row.policy,
      cell(row.left),
      ...measures.map((name) => cell(row[name])),
      ...(faults ? [String(row.over), String(row.broken)] : []),
    ]);
    return table([head, ...lines]);
  });
}

async function quality() {
  const options = readOptions();
  ensureDependencies();
  if (!process.env.ROO_CONDENSE_BINARY && isStale(releaseAddon)) buildRelease();
  const addon = createRequire(import.meta.url)(root);
  const count = (text) => (text ? addon.countTokens(text) : 0);
  const wanted = { first: 0, second: 1 }[options.half];
  const conversations = readConversations(options.folder).filter((_, index) => wanted === undefined || index % 2 === wanted);
  const cuts = measuredCuts(conversations, count);
  if (cuts.length === 0) throw new Failure(`${options.folder} holds no conversation that is long enough to be cut.`, 3);

  const named = (policies) =>
    Object.fromEntries(Object.entries(policies).filter(([name]) => name.toLowerCase().includes(options.only.toLowerCase())));
  const contenders = named(contendersOf(addon, options));
  const others = options.references ? named(references(tokenCounter(count))) : {};
  const onCut = (index) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${index + 1} of ${cuts.length} cuts`);
  const rows = options.presets
    ? await atTheirOwnSize(cuts, contenders, others, count, { onCut })
    : await atBudgets(cuts, { ...others, ...contenders }, count, { onCut });
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");

  const summary = {
    conversations: conversations.length,
    cuts: cuts.length,
    names: cuts.reduce((sum, cut) => sum + cut.names.length, 0),
    edits: cuts.reduce((sum, cut) => sum + cut.edits.length, 0),
    quotes: cuts.reduce((sum, cut) => sum + cut.quotes.size, 0),
    facts: Object.fromEntries(
      KINDS.map((kind) => [kind, cuts.reduce((sum, cut) => sum + cut.facts.filter((fact) => fact.kind === kind).length, 0)]),
    ),
  };
  if (options.json) return console.log(JSON.stringify({ machine: machine(), summary, rows }, null, 2));
  const facts = Object.entries(summary.facts).map(([kind, number]) => `${number} ${kind}`);
  const measures = MEASURES.filter((name) => name !== "strict" || options.strict);
  const title = (budget) => (options.presets ? `size of ${budget}` : `at ${100 * budget}%`);
  /** @type {(string | number)[]} */
  const order = options.presets ? PRESETS : BUDGETS;
  const sorted = rows.toSorted((a, b) => order.indexOf(a.budget) - order.indexOf(b.budget));
  const text = [
    `${summary.conversations} conversations, ${summary.cuts} cuts; needed: ${summary.names} names, ${summary.edits} edits, ${summary.quotes} quotes; known: ${facts.join(", ")}`,
    "",
    ...tablesOf(sorted, measures, title),
  ].join("\n");
  const command = commandLine("quality");
  console.log(`${text}\nShares are means over cuts; over the budget or broken counts as 0.\nAgain: ${command}`);
  if (options.record && !options.only && !options.half) record("quality", command, text);
}

if (isProgram(import.meta.url)) await main(quality);
