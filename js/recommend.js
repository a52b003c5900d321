"use strict";

// Recommends a provider. The rules are in the addon. This module measures candidates on a conversation, with a manager that calls no model.

const native = require("#native");
const { advise } = require("./advice.js");
const { isSignal } = require("./abort.js");
const { systemText } = require("./call.js");
const { countMessages, countTokens, warmUp } = require("./count.js");
const { abortError, checked, notAllowed, readable, refuseUnknown } = require("./errors.js");
const { formatOf, requireFormat } = require("./formats.js");
const { isHandlerLike, toHandler } = require("./handlers.js");
const isObject = require("./is-object.js");
const { CondensationManager } = require("./manager.js");
const { asOurs } = require("./projection.js");
const { answersOf, questionsOf } = require("./future-use/index.js");
const { requireMessages, serializeMessages, serializeSettings } = require("./serialize.js");

/** The questions that can be answered. Measurements are passed to the addon beside them. */
const ANSWERS = Object.freeze([
  "priority",
  "budgetPerCondensation",
  "maxLatencyMs",
  "acceptableLoss",
  "reductionPercent",
  "configuration",
  "userProfile",
  "scenario",
  "hasHandler",
  "contextWindow",
  "recall",
  "targetTokens",
  "messages",
  "format",
  "systemPrompt",
  "handler",
  "price",
  "signal",
]);

const asked = (answers) => JSON.parse(checked(() => native.recommendProvider(serializeSettings(answers, "answers"))));

/** Returns the target: from the answers, else the advised one for the window; undefined if there is neither, or if the conversation is small enough. */
async function targetOf({ targetTokens, reductionPercent, contextWindow, recall }, tokens, { manager, context, format, signal }) {
  if (typeof reductionPercent === "number") return Math.floor(tokens * (1 - reductionPercent / 100));
  if (typeof targetTokens === "number") return Math.floor(targetTokens);
  if (typeof contextWindow !== "number") return undefined;
  const inWindow = { ...context, contextWindow };
  const inspection = await manager.inspect(inWindow, { largest: 0, ...(format && { format }) });
  return (await advise(manager, inWindow, { inspection, recall, format, signal })).targetTokens;
}

/** Maximum number of cuts at which to measure how much of the content used later is kept. The newest cuts have the largest conversations. */
const MAX_CUTS = 2;

/** Returns the shares of names and passages used after each cut that can still be read after `condense` has processed the part before it. */
async function keptBy(condense, cuts) {
  const sums = { names: { kept: 0, needed: 0 }, edits: { kept: 0, needed: 0 } };
  for (const cut of cuts) {
    const messages = await condense(cut.prefix);
    if (!messages) return {};
    const found = answersOf(messages, cut);
    for (const [kind, sum] of Object.entries(sums)) {
      sum.kept += found[kind].kept;
      sum.needed += found[kind].needed;
    }
  }
  const share = ({ kept, needed }) => (needed === 0 ? 1 : kept / needed);
  // If nothing was used after the cuts, there is no measurement.
  return sums.names.needed + sums.edits.needed === 0 ? {} : { names: share(sums.names), edits: share(sums.edits) };
}

/** Returns true if the price of a model is known: with a limit in dollars, a model without a known price is not asked. */
async function isPriceKnown(context, options) {
  const limited = new CondensationManager({ fallback: false, cache: false, provider: "native", maxCost: Number.MAX_VALUE });
  /** @type {any} */
  const { error } = await limited.preview(context, options);
  return error?.code !== "price_unknown";
}

/**
 * Measures each candidate on the conversation: the tokens left, replaced and lost, time and cost, and how much of the content used later is
 * kept. A candidate that fails is not measured, nor, without a handler, one that needs a model. Messages are measured in their own format,
 * so that they count as in a condensation; `ours` are the same messages in Anthropic's format.
 */
async function measure({ messages, format, ours, systemPrompt, handler, price, signal }, answers) {
  if (signal?.aborted) throw aborted();
  await warmUp();
  const tokens = countMessages(messages, format) + countTokens(systemPrompt ?? "");
  const asking = new CondensationManager({ cache: false, ...(handler && { handler }) });
  const context = { messages, systemPrompt };
  const targetTokens = await targetOf(answers, tokens, { manager: asking, context, format, signal });
  const share = targetTokens === undefined ? undefined : targetTokens / Math.max(1, tokens);
  const cuts = questionsOf(ours).cuts.slice(-MAX_CUTS);
  const options = { ...(format && { format }), ...(price && { price }), ...(signal && { signal }) };
  const isPriced = !handler || (await isPriceKnown(context, { handler, ...options }));
  const measured = [];
  /** @type {Map<string, { names?: number, edits?: number }>} */
  const keptOf = new Map();
  for (const { key, provider, config, fallback } of JSON.parse(native.recommendable())) {
    const trials = {
      largest: 0,
      providers: [{ id: key, provider, config, ...(fallback && { fallback }) }],
      ...(targetTokens !== undefined && { targetTokens }),
      ...options,
    };
    const [trial] = (await asking.inspect(context, trials)).providers;
    if (signal?.aborted) throw aborted();
    const { error, exact, timeMs } = trial;
    // A candidate that fails is not measured.
    if (error) continue;
    // This manager has no handler, so condensing calls no model.
    const alone = new CondensationManager({ fallback: fallback ?? false, cache: false, guard: false });
    const condense = async (prefix) => {
      const target = share === undefined ? {} : { targetTokens: Math.floor(countMessages(prefix) * share) };
      const result = await alone.condense({ messages: prefix }, { provider, config, ...target, ...(signal && { signal }) });
      return result.error ? undefined : result.messages;
    };
    const { tokens: left, superseded, summarized, lost, cost } = trial;
    const gone = lost + summarized;
    // Presets with exactly the same token counts produced the same result, so the parts are not measured again.
    const outcome = `${left} ${superseded} ${gone}`;
    const kept = exact ? (keptOf.get(outcome) ?? (await keptBy(condense, cuts))) : {};
    if (exact) keptOf.set(outcome, kept);
    if (signal?.aborted) throw aborted();
    // Content that only a summary covers cannot be read either.
    const price = exact || isPriced ? { cost } : {};
    measured.push({ key, tokens: left, superseded, lost: gone, ...price, exact, timeMs, ...kept });
  }
  return { tokens, measured, targetTokens };
}

const aborted = () => abortError("the recommendation was aborted");

/** Recommends a provider. Wrong answers reject. */
async function recommend(answers = {}) {
  if (!isObject(answers)) throw notAllowed("answers", answers, "an object");
  refuseUnknown("answers", answers, ANSWERS);
  const { messages, format, systemPrompt: prompt, handler, price, signal, recall, ...plain } = readable("answers", () => ({ ...answers }));
  requireFormat(format ?? undefined, "answers.format");
  if (handler != null && !isHandlerLike(handler)) throw notAllowed("answers.handler", handler, "a handler");
  if (signal != null && !isSignal(signal)) throw notAllowed("answers.signal", signal, "an AbortSignal");
  if (recall != null && typeof recall !== "boolean") throw notAllowed("answers.recall", recall, "true or false");
  const systemPrompt = readable("answers.systemPrompt", () => systemText(prompt ?? undefined, "answers.systemPrompt"));
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    throw notAllowed("answers.systemPrompt", prompt, "a text, or an array of text blocks");
  const own = handler == null ? undefined : readable("answers.handler", () => toHandler("answers.handler", handler));
  const known = { ...plain, ...(price != null && { price }), ...(own && plain.hasHandler === undefined && { hasHandler: !own.invalid }) };
  const byRules = asked(known);
  if (messages == null) {
    if (signal?.aborted) throw aborted();
    return byRules;
  }
  requireMessages(messages, "answers.messages");
  const named = readable("answers.messages", () => formatOf(messages, format ?? undefined, "answers.messages"));
  const ours = readable("answers.messages", () => asOurs(messages, named));
  serializeMessages(ours, "answers.messages");
  const history = { messages, format: named, ours, systemPrompt };
  const { targetTokens, ...facts } = await measure({ ...history, handler: own, price, signal }, { ...plain, recall });
  const target = targetTokens === undefined ? {} : { targetTokens };
  const isOfWindow = plain.targetTokens == null && plain.reductionPercent == null && targetTokens !== undefined;
  return { ...asked({ ...known, ...facts, ...(isOfWindow && { windowTarget: targetTokens }) }), ...target };
}

module.exports = { recommend };
