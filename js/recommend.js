"use strict";

// Which provider to take. The rules are in the addon; what it would make of a conversation is tried here, by a manager that asks no model.

const native = require("#native");
const { isSignal } = require("./abort.js");
const { systemText } = require("./call.js");
const { countMessages, countTokens, warmUp } = require("./count.js");
const { checked, notAllowed, readable, refuseUnknown } = require("./errors.js");
const { refuseForeign } = require("./formats.js");
const { isHandlerLike, toHandler } = require("./handlers.js");
const isObject = require("./is-object.js");
const { CondensationManager } = require("./manager.js");
const { fittingBeside } = require("./roo/trigger.js");
const { serializeMessages, serializeSettings } = require("./serialize.js");

/** What can be answered. What was measured goes to the addon beside it, and is no answer. */
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
  "targetTokens",
  "messages",
  "systemPrompt",
  "handler",
  "price",
  "signal",
]);

const asked = (answers) => JSON.parse(checked(() => native.recommendProvider(serializeSettings(answers, "answers"))));

/** Tokens that may be left, as far as the answers say; undefined where they do not, or where everything fits. */
function targetOf({ targetTokens, reductionPercent, contextWindow }, tokens) {
  if (typeof reductionPercent === "number") return Math.floor(tokens * (1 - reductionPercent / 100));
  if (typeof targetTokens === "number") return Math.floor(targetTokens);
  const fitting = fittingBeside(contextWindow);
  return fitting < tokens ? Math.floor(fitting) : undefined;
}

/**
 * What each candidate would make of the conversation. One that fails removes nothing, which counts where something has to go; without a model to ask
 * nothing is known of those that need one.
 */
async function measure({ messages, systemPrompt, handler, price, signal }, answers) {
  if (signal?.aborted) throw aborted();
  await warmUp();
  const tokens = countMessages(messages) + countTokens(systemPrompt ?? "");
  const targetTokens = targetOf(answers, tokens);
  const manager = new CondensationManager({ fallback: false, cache: false, ...(handler && { handler }) });
  const measured = [];
  for (const { key, provider, config } of JSON.parse(native.recommendable())) {
    const begun = performance.now();
    const options = {
      provider,
      config,
      ...(targetTokens !== undefined && { targetTokens }),
      ...(price && { price }),
      ...(signal && { signal }),
    };
    const { estimatedTokens, cost, confidence, error } = await manager.estimateReduction({ messages, systemPrompt }, options);
    if (error?.code === "aborted") throw aborted();
    const isKnown = !error || (error.code !== "handler_invalid" && (targetTokens ?? tokens) < tokens);
    const left = error ? tokens : estimatedTokens;
    if (isKnown) measured.push({ key, tokens: left, cost, exact: confidence === 1, timeMs: performance.now() - begun });
  }
  return { tokens, measured, targetTokens };
}

const aborted = () => Object.assign(new Error("the recommendation was aborted"), { name: "AbortError", code: "aborted" });

/** Recommends a provider. What is wrong with the answers is thrown at once. */
function recommend(answers = {}) {
  if (!isObject(answers)) throw notAllowed("answers", answers, "an object");
  refuseUnknown("answers", answers, ANSWERS);
  const { messages, systemPrompt: prompt, handler, price, signal, ...plain } = readable("answers", () => ({ ...answers }));
  if (handler != null && !isHandlerLike(handler)) throw notAllowed("answers.handler", handler, "a handler");
  if (signal != null && !isSignal(signal)) throw notAllowed("answers.signal", signal, "an AbortSignal");
  const systemPrompt = readable("answers.systemPrompt", () => systemText(prompt ?? undefined, "answers.systemPrompt"));
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    throw notAllowed("answers.systemPrompt", prompt, "a text, or an array of text blocks");
  const own = handler == null ? undefined : readable("answers.handler", () => toHandler("answers.handler", handler));
  const known = { ...plain, ...(price != null && { price }), ...(own && plain.hasHandler === undefined && { hasHandler: !own.invalid }) };
  const byRules = asked(known);
  if (messages == null) return signal?.aborted ? Promise.reject(aborted()) : Promise.resolve(byRules);
  serializeMessages(messages, "answers.messages");
  readable("answers.messages", () => refuseForeign(messages, "answers.messages"));
  return measure({ messages, systemPrompt, handler: own, price, signal }, plain).then(({ targetTokens, ...facts }) => ({
    ...asked({ ...known, ...facts }),
    ...(targetTokens !== undefined && { targetTokens }),
  }));
}

module.exports = { recommend };
