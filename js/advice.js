"use strict";

// Recommends how many tokens a condensation should leave. The page, `recommend` and the command line share this code, so their advice is
// the same.

/** The share of the window to leave if the model has recall: in tests, models answered as well with a tenth (docs/recall.md). */
const WITH_RECALL = 0.1;
/** The share to leave without recall: with a target just below the limit, the next message would make the conversation due again (docs/economics.md). */
const WITHOUT_RECALL = 0.5;
/** The share for the step between these two. */
const BETWEEN = 0.25;
/** The share of the window that must remain free below the limit. If lossless condensing leaves as much, nothing has to be lost. */
const ROOM = 0.1;

/** @typedef {{ name: "safest" | "balanced" | "tight" | "small", targetTokens?: number }} Step */

/**
 * Returns four targets for a conversation, from the most careful to the smallest, and the advised one: the most careful step that is small
 * enough. Without recall, a step is small enough if the next response fits and a tenth of the window is free besides. With recall, it must
 * leave at most a tenth of the window. The first step has no target: it removes only repeated and replaced content. The others leave shares
 * of the window. If the conversation fills at most half of the window, they leave shares of the conversation, and the first step is
 * advised.
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
 * Returns the advice for a conversation that a manager has inspected. If the result of the first step matters, a dry run with `lossless`
 * determines it, which calls no model.
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
