// Runs policies on cuts and takes the measures.

import { countProblems } from "./conversations.mjs";
import { cutsOf } from "../../js/future-use/cuts.js";
import { keptEdits, neededEdits } from "../../js/future-use/edits.js";
import { keptNames, neededNames } from "../../js/future-use/names.js";
import { keptInContext } from "./names-in-context.mjs";
import { factsOf, keptFacts, KINDS } from "./probes.mjs";
import { keptQuotes, neededQuotes } from "./quotes.mjs";
import { tokenCounter } from "./references.mjs";

export const BUDGETS = [0.5, 0.25, 0.1];
/** Cuts after which fewer names are needed are ignored. */
const MIN_NAMES = 10;
/** Smaller prefixes say nothing: nobody condenses them. */
const MIN_TOKENS = 8000;
/** A result may be over the budget by so much, as tokens are counted in several ways. */
const TOLERANCE = 1.02;
/** Where the messages that all policies keep take more of a budget than this, no policy can show what it is worth. */
const MAX_KEPT = 0.9;

/** The measures by name, in the order of tables. `strict` is names in their context. */
export const MEASURES = ["names", "strict", "edits", "quotes", ...KINDS];

/** Cuts that are large enough, with what is needed after them. Those of which too few names are used again count for facts alone. `places`: those of js/future-use/cuts.js, or others. */
export function measuredCuts(conversations, count, places) {
  const tokens = tokenCounter(count);
  const cuts = conversations.flatMap(({ id, messages }) => cutsOf(messages, places).map((cut) => ({ id, ...cut })));
  return cuts
    .map((cut) => ({ ...cut, size: tokens(cut.prefix), floor: tokens(cut.kept), problems: countProblems(cut.prefix) }))
    .filter((cut) => cut.size >= MIN_TOKENS)
    .map((cut) => ({ ...cut, names: neededNames(cut), edits: neededEdits(cut), quotes: neededQuotes(cut), facts: factsOf(cut) }));
}

/** What of a cut's needs is still there in condensed messages, by measure; `undefined` where nothing is asked. */
export function measure(messages, cut) {
  const isAsked = cut.names.length >= MIN_NAMES;
  return {
    names: isAsked ? keptNames(messages, cut.names) : undefined,
    strict: isAsked ? keptInContext(messages, cut.names, cut) : undefined,
    edits: isAsked ? keptEdits(messages, cut.edits) : undefined,
    quotes: isAsked ? keptQuotes(messages, cut.quotes) : undefined,
    ...keptFacts(messages, cut.facts),
  };
}

/** Sums of shares by policy, budget and measure. */
class Scores {
  #rows = new Map();

  #row(policy, budget) {
    const key = `${policy}@${budget}`;
    if (!this.#rows.has(key)) {
      this.#rows.set(key, { policy, budget, left: [], over: 0, broken: 0, shares: Object.fromEntries(MEASURES.map((name) => [name, []])) });
    }
    return this.#rows.get(key);
  }

  add(policy, budget, shares, { left, isOver = false, isBroken = false }) {
    const row = this.#row(policy, budget);
    row.left.push(left);
    row.over += isOver;
    row.broken += isBroken;
    for (const [name, share] of Object.entries(shares)) if (share !== undefined) row.shares[name].push(isOver || isBroken ? 0 : share);
  }

  /** A row for each policy and budget: the mean of each measure over the cuts, and how many cuts that is. */
  rows() {
    return [...this.#rows.values()].map(({ shares, left, ...row }) => ({
      ...row,
      left: mean(left),
      ...Object.fromEntries(Object.entries(shares).map(([name, list]) => [name, mean(list)])),
      counts: Object.fromEntries(Object.entries(shares).map(([name, list]) => [name, list.length])),
    }));
  }
}

/** The mean; `undefined` of nothing. */
export const mean = (values) => (values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length);

/**
 * Every policy, a function of messages and budget, at every budget. A result that is over the budget, or has more faults of shape than the messages had,
 * keeps nothing.
 */
export async function atBudgets(cuts, policies, count, { budgets = BUDGETS, onCut = (_index) => {} } = {}) {
  const tokens = tokenCounter(count);
  const scores = new Scores();
  for (const [index, cut] of cuts.entries()) {
    onCut(index);
    for (const budget of budgets) {
      if (cut.floor > cut.size * budget * MAX_KEPT) continue;
      for (const [name, policy] of Object.entries(policies)) {
        const messages = await policy(cut.prefix, Math.floor(cut.size * budget));
        const left = tokens(messages) / cut.size;
        const isOver = left > budget * TOLERANCE;
        const isBroken = countProblems(messages) > cut.problems;
        scores.add(name, budget, measure(messages, cut), { left, isOver, isBroken });
      }
    }
  }
  return scores.rows();
}

/** Every contender without a budget, each followed by what the references keep in as many tokens. */
export async function atTheirOwnSize(cuts, contenders, references, count, { onCut = (_index) => {} } = {}) {
  const tokens = tokenCounter(count);
  const scores = new Scores();
  for (const [index, cut] of cuts.entries()) {
    onCut(index);
    for (const [contender, condense] of Object.entries(contenders)) {
      const messages = await condense(cut.prefix);
      const size = tokens(messages);
      const isBroken = countProblems(messages) > cut.problems;
      scores.add(contender, contender, measure(messages, cut), { left: size / cut.size, isBroken });
      for (const [name, policy] of Object.entries(references)) {
        const other = policy(cut.prefix, size);
        scores.add(name, contender, measure(other, cut), { left: tokens(other) / cut.size });
      }
    }
  }
  return scores.rows();
}
