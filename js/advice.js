"use strict";

// The one advice: how many tokens a condensation should leave. The page, `recommend` and the command line take it from here, so they say the same.

/** The share of the window to leave where the model can recall what was left out: its readers answer as well at a tenth (docs/recall.md). */
const WITH_RECALL = 0.1;
/** The share without recall. The other half is room for work: a target just below the limit is due again with the next message (docs/economics.md). */
const WITHOUT_RECALL = 0.5;
/** The step between the two. */
const BETWEEN = 0.25;
/** The share of the window that a size must leave free below the limit. Where a size without loss does so, nothing has to be lost yet. */
const ROOM = 0.1;

/** @typedef {{ name: "safest" | "balanced" | "tight" | "small", targetTokens?: number }} Step */

/**
 * How far to condense a conversation of so many tokens, in four steps from the most careful to the smallest, and which of them to take: the most careful one
 * that gets there. Without recall that is where the next response fits and a tenth of the window is free besides; with recall, a tenth of the window is left.
 * The first step has no target: only what is repeated or was replaced goes. The others leave shares of the window, or of a conversation that has room enough.
 * @param {object} facts
 * @param {number} facts.tokens
 * @param {number} [facts.contextWindow]
 * @param {number} [facts.limit] tokens up to which the next response fits. Default: the window
 * @param {boolean} [facts.recall] whether the model can recall what is left out
 * @param {number} [facts.safest] tokens that the first step leaves. Default: all
 */
function adviceFor({ tokens, contextWindow, limit = contextWindow, recall = false, safest = tokens }) {
  const isRoomy = contextWindow === undefined || tokens <= contextWindow * WITHOUT_RECALL;
  const whole = isRoomy ? tokens : contextWindow;
  const targetOf = (share) => Math.floor(whole * share);
  /** @type {Step[]} */
  const steps = [
    { name: "safest" },
    { name: "balanced", targetTokens: targetOf(WITHOUT_RECALL) },
    { name: "tight", targetTokens: targetOf(BETWEEN) },
    { name: "small", targetTokens: targetOf(WITH_RECALL) },
  ];
  const enough = recall ? targetOf(WITH_RECALL) : Math.max(targetOf(WITHOUT_RECALL), (limit ?? whole) - targetOf(ROOM));
  const advised = isRoomy || safest <= enough ? "safest" : recall ? "small" : "balanced";
  return { recall, advised, targetTokens: steps.find(({ name }) => name === advised)?.targetTokens, steps };
}

/**
 * The advice for a conversation that a manager has inspected. How far its first step goes is tried where it matters, by `lossless`, which calls no model.
 * @param {any} manager
 * @param {any} context
 * @param {{ inspection: any, recall?: boolean | undefined, format?: any, signal?: AbortSignal | undefined }} about
 */
async function advise(manager, context, { inspection: { tokens, window }, recall, format, signal }) {
  const { contextWindow } = context;
  const facts = { tokens: tokens.total, contextWindow, limit: window?.atLimit.tokens, recall };
  const advice = adviceFor(facts);
  if (advice.advised === "safest") return advice;
  const trial = { largest: 0, providers: [{ provider: "lossless", fallback: [] }], ...(format && { format }), ...(signal && { signal }) };
  const { providers } = await manager.inspect(context, trial);
  return adviceFor({ ...facts, safest: providers[0].tokens });
}

module.exports = { adviceFor, advise };
