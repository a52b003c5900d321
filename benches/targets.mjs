// How much of a target is used, and whether a smaller one ever leaves more: the slider of the page must not run backwards.
//
//   node benches/targets.mjs DIR... [--provider ID] [--step PERCENT]      DIR: conversations as JSON; steps from 95% of the tokens down to 3%
//
// With DIR ../shared/corpus, and without --provider the default chain. It prints each step at which less of a target leaves more, the largest first.

import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { main, root } from "../scripts/tools.mjs";
import { readConversations } from "./quality/conversations.mjs";
import { cell, table } from "./results.mjs";

const MOST = 95;
const LEAST = 3;

/** The tokens that are left of a conversation at each target. */
async function leftAt(manager, messages, tokens, { provider, step }) {
  const steps = [];
  for (let percent = MOST; percent >= LEAST; percent -= step) {
    const targetTokens = Math.round((tokens * percent) / 100);
    const { newContextTokens } = await manager.condense({ messages }, { targetTokens, ...(provider && { provider }) });
    steps.push({ percent, targetTokens, left: newContextTokens });
  }
  return steps;
}

async function targets() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { provider: { type: "string" }, step: { type: "string", default: "1" } },
  });
  const { CondensationManager, inspect } = createRequire(import.meta.url)(root);
  const manager = new CondensationManager();
  const backwards = [];
  const unused = [];
  let steps = 0;
  for (const { id, messages } of positionals.flatMap(readConversations)) {
    const tokens = (await inspect({ messages })).tokens.total;
    const all = await leftAt(manager, messages, tokens, { provider: values.provider, step: Number(values.step) });
    steps += all.length;
    unused.push(...all.filter((one) => one.left <= one.targetTokens).map((one) => 1 - one.left / one.targetTokens));
    all.slice(1).forEach((one, index) => {
      if (one.left > all[index].left) backwards.push({ id, ...one, before: all[index].left, share: (one.left - all[index].left) / tokens });
    });
  }
  backwards.sort((a, b) => b.share - a.share);
  unused.sort((a, b) => a - b);
  const at = (share) => cell(unused[Math.floor((unused.length - 1) * share)]);
  console.log(`${steps} targets; not used of those that are reached: ${at(0.5)} of the target in the middle, ${at(0.9)} at nine tenths`);
  console.log(`${backwards.length} smaller targets leave more\n`);
  const rows = backwards.map(({ id, percent, before, left, share }) => [id, `${percent}%`, String(before), String(left), cell(share)]);
  if (rows.length > 0) console.log(table([["conversation", "target", "left before", "left", "more, of all tokens"], ...rows]));
}

main(targets);
