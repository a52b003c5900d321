// Salient truncation and the references over several sets of conversations, each set counting the same: a set is what one project, or one kind of agent,
// left behind. Differences of a point between two settings are chance where conversations are cut twice (js/future-use/cuts.js); here each is cut at four
// places, and condensed to each budget and a tenth less and an eighth more. The numbers in src/salience/coefficients.rs were chosen with this.
//
//   node benches/quality/projects.mjs DIR DIR...    DIR: conversations as JSON
//
// Another build of the addon is measured with ROO_CONDENSE_BINARY.

import { createRequire } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";
import { Failure, isProgram, main, root } from "../../scripts/tools.mjs";
import { cell, table } from "../results.mjs";
import { readConversations } from "./conversations.mjs";
import { BUDGETS, atBudgets, mean, measuredCuts } from "./evaluate.mjs";
import { references, tokenCounter } from "./references.mjs";
import { salientPolicy } from "./salient.mjs";

const PLACES = [0.5, 0.62, 0.75, 0.88];
const BUDGETS_AROUND = [0.9, 1, 1.12];
const MEASURES = ["names", "strict", "edits", "quotes"];

/** The mean of those that are there. */
const meanOf = (shares) => mean(shares.filter((share) => share !== undefined));

/** Means over the budgets around one, by policy and measure; `undefined` where nothing is asked. */
function around(rows, budget) {
  const near = BUDGETS_AROUND.map((factor) => budget * factor);
  const ofBudget = rows.filter((row) => near.includes(row.budget));
  return new Map(
    [...new Set(ofBudget.map((row) => row.policy))].map((policy) => {
      const of = ofBudget.filter((row) => row.policy === policy);
      return [policy, MEASURES.map((name) => meanOf(of.map((row) => row[name])))];
    }),
  );
}

async function projects() {
  const { positionals: folders } = parseArgs({ allowPositionals: true });
  if (folders.length === 0) throw new Failure("Name the folders of conversations to measure on.", 2);
  const addon = createRequire(import.meta.url)(root);
  const count = (text) => (text ? addon.countTokens(text) : 0);
  const others = references(tokenCounter(count));
  const policies = { ...others, salient: salientPolicy(addon) };
  const budgets = BUDGETS.flatMap((budget) => BUDGETS_AROUND.map((factor) => budget * factor));
  const sets = [];
  for (const folder of folders) {
    const measured = measuredCuts(readConversations(folder), count, PLACES);
    sets.push({ name: path.basename(folder), rows: await atBudgets(measured, policies, count, { budgets }) });
  }
  for (const budget of BUDGETS) {
    const bySet = sets.map(({ rows }) => around(rows, budget));
    const lines = Object.keys(policies).flatMap((policy) => {
      const shares = bySet.map((set) => set.get(policy) ?? []);
      const ofAll = [policy, "all sets", ...MEASURES.map((_, at) => cell(meanOf(shares.map((values) => values[at]))))];
      return [ofAll, ...shares.map((values, index) => [policy, sets[index].name, ...MEASURES.map((_, at) => cell(values[at]))])];
    });
    console.log(`${table([[`at ${100 * budget}%`, "", ...MEASURES], ...lines])}\n`);
  }
}

if (isProgram(import.meta.url)) await main(projects);
