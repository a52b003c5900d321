"use strict";

// What a condensation would do, from one that was only tried.

/** Messages of a sample. */
const MAX_SAMPLES = 5;
/** What stands where a model would write: words, and filling of about as many tokens as the summary would have. */
const STAND_IN = /\(what a model would write here\)((?: …)*)/g;
/** Tokens of the words. */
const TOKENS_OF_WORDS = 8;

const tokensOf = (filling) => TOKENS_OF_WORDS + filling.length / 2;
const inWords = (text) => text.replace(STAND_IN, (_, filling) => `(what a model would write here, about ${tokensOf(filling)} tokens)`);

/**
 * The plan with stand-ins for summaries in words; its edits that have one, because what a model would write is not known; and how many tokens that is
 * thought to be.
 */
function readablePlan(plan) {
  const estimated = new Set();
  let estimatedTokens = 0;
  const edits = plan.map((edit) => {
    const { value } = edit;
    const text = typeof value === "string" ? value : value?.message?.content;
    const told = typeof text === "string" ? inWords(text) : text;
    if (told === text) return edit;
    const readable = { ...edit, value: typeof value === "string" ? told : { ...value, message: { ...value.message, content: told } } };
    estimated.add(readable);
    for (const [, filling] of text.matchAll(STAND_IN)) estimatedTokens += tokensOf(filling);
    return readable;
  });
  return { edits, estimated, estimatedTokens };
}

/** Every changed, dropped and added message, in order, as it was and as it is. */
function changedMessages(before, after, { edits, estimated }) {
  const inserted = new Map();
  const dropped = new Set();
  const changed = new Map();
  for (const edit of edits) {
    if (edit.op === "insert") inserted.set(edit.before, [...(inserted.get(edit.before) ?? []), !estimated.has(edit)]);
    else if (edit.op === "drop") dropped.add(edit.message);
    else changed.set(edit.message, (changed.get(edit.message) ?? true) && !estimated.has(edit));
  }
  const found = [];
  let at = 0;
  for (let messageIndex = 0; messageIndex <= before.length; messageIndex++) {
    for (const exact of inserted.get(messageIndex) ?? []) found.push({ messageIndex, before: null, after: after[at++], exact });
    if (messageIndex === before.length) break;
    const message = before[messageIndex];
    if (dropped.has(messageIndex)) {
      found.push({ messageIndex, before: message, after: null, exact: true });
      continue;
    }
    if (changed.has(messageIndex)) found.push({ messageIndex, before: message, after: after[at], exact: changed.get(messageIndex) });
    at++;
  }
  return found;
}

/** Tokens that the changes save, by message and by operation: `Map` of `Map`s. */
function savings(changes) {
  const byMessage = new Map();
  for (const { messageIndex, operation, tokensBefore, tokensAfter } of changes) {
    const operations = byMessage.get(messageIndex) ?? new Map();
    operations.set(operation, (operations.get(operation) ?? 0) + Math.max(tokensBefore - tokensAfter, 0));
    byMessage.set(messageIndex, operations);
  }
  return byMessage;
}

const sumOf = (values) => [...values].reduce((sum, value) => sum + value, 0);

/**
 * A few changed messages, in order: what was added; for each operation, those that save most first, the message in which it saves most; and others that
 * save most. `plan` is what {@link readablePlan} made.
 */
function samples(before, after, plan, changes) {
  const saved = savings(changes);
  const all = changedMessages(before, after, plan).map((change) => {
    const operations = saved.get(change.messageIndex) ?? new Map();
    return { ...change, operations: [...operations.keys()], tokensSaved: change.before === null ? 0 : sumOf(operations.values()) };
  });
  const totals = new Map();
  for (const operations of saved.values())
    for (const [operation, tokens] of operations) totals.set(operation, (totals.get(operation) ?? 0) + tokens);
  const chosen = new Set(all.filter((sample) => sample.before === null));
  const most = (value) => {
    const [first, ...left] = all.filter((sample) => !chosen.has(sample));
    const best = left.reduce((found, sample) => (value(sample) > value(found) ? sample : found), first);
    if (best !== undefined && chosen.size < MAX_SAMPLES) chosen.add(best);
  };
  for (const [operation] of [...totals].sort(([, one], [, other]) => other - one))
    most(({ messageIndex }) => saved.get(messageIndex)?.get(operation) ?? 0);
  while (chosen.size < Math.min(MAX_SAMPLES, all.length)) most(({ tokensSaved }) => tokensSaved);
  return all.filter((sample) => chosen.has(sample)).slice(0, MAX_SAMPLES);
}

/** The preview that a result amounts to. */
function previewOf({ messages, restoreData, didCondense, summary, estimatedTokens, ...rest }) {
  return { wouldCondense: didCondense, exact: estimatedTokens === 0, summary: inWords(summary), ...rest };
}

/** What a condensation that was only tried says about tokens. */
function estimateOf({ stats, cost, error, estimatedTokens }) {
  const estimatedReduction = stats.originalTokens - stats.finalTokens;
  return {
    originalTokens: stats.originalTokens,
    estimatedTokens: stats.finalTokens,
    estimatedReduction,
    reductionPercent: stats.reductionPercent,
    // What was tried is known; how long summaries will be is not. Of what failed nothing is known.
    confidence: error ? 0 : estimatedTokens === 0 ? 1 : Math.max(0, 1 - estimatedTokens / Math.max(estimatedReduction, 1)),
    cost,
    ...(error && { error }),
  };
}

module.exports = { estimateOf, previewOf, readablePlan, samples };
