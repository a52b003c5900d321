"use strict";

// Reads the arguments of an inspection: the conversation, and the providers to try on it.

const { isSignal } = require("./abort.js");
const { CONTEXT_FIELDS, OBJECTS, UNLIMITED, contextOf, copyOf, systemText } = require("./call.js");
const { misplaced, notAllowed, readable, unknown } = require("./errors.js");
const { asRead, formatOf, requireFormat } = require("./formats.js");
const isObject = require("./is-object.js");
const { requireMessages, serialize, serializeMessages, serializeSettings } = require("./serialize.js");

/** Options that the addon checks. */
const PLAIN = ["targetTokens", "largest"];
/** Options for the trials, checked with each of them. */
const OF_TRIALS = ["handler", "condensingHandler", "price", "signal"];

/** The default trials: every provider, with each of its presets. */
const TRIALS = Object.freeze([
  { id: "lossless", provider: "lossless" },
  { id: "truncation", provider: "truncation" },
  { id: "smart:conservative", provider: "smart", config: { preset: "conservative" } },
  { id: "smart:balanced", provider: "smart", config: { preset: "balanced" } },
  { id: "smart:aggressive", provider: "smart", config: { preset: "aggressive" } },
  { id: "native", provider: "native" },
]);

function trialsOf(providers) {
  if (providers === undefined || providers === false) return [];
  if (providers === true) return TRIALS;
  if (!Array.isArray(providers))
    throw notAllowed("options.providers", providers, "true, or an array of { provider, config?, fallback?, id? }");
  return providers.map((trial, index) => {
    const field = `options.providers[${index}]`;
    if (!isObject(trial)) throw notAllowed(field, trial, "{ provider, config?, fallback?, id? }");
    const { provider, config, fallback, id = provider } = trial;
    if (typeof provider !== "string" || provider === "") throw notAllowed(`${field}.provider`, provider, "the id of a provider");
    if (typeof id !== "string") throw notAllowed(`${field}.id`, id, "a string");
    if (config !== undefined && !isObject(config)) throw notAllowed(`${field}.config`, config, "an object");
    if (fallback !== undefined && !Array.isArray(fallback)) throw notAllowed(`${field}.fallback`, fallback, "an array of ids of providers");
    return { id, provider, config, fallback };
  });
}

/** Returns tool definitions as the text that they have in requests. */
function definitionsText(tools) {
  if (!Array.isArray(tools)) throw notAllowed("context.tools", tools, "an array of definitions of tools");
  return serialize(tools, "context.tools");
}

/** Reads the arguments for the addon. Throws at once if they are invalid. */
function begin(context, options) {
  if (!isObject(context)) throw notAllowed("context", context, "an object with messages");
  if (!isObject(options)) throw notAllowed("options", options, "an object");
  const known = contextOf(context);
  known.systemPrompt = readable("context.systemPrompt", () => systemText(known.systemPrompt));
  if (known.maxTokens === UNLIMITED) known.maxTokens = undefined;
  known.tools = known.tools == null ? undefined : definitionsText(known.tools);
  const all = [...PLAIN, ...OF_TRIALS, "providers", "format"];
  const given = readable("options", () => Object.keys(options));
  for (const name of given.filter((each) => !all.includes(each))) {
    const isOfContext = CONTEXT_FIELDS.includes(name) || OBJECTS.includes(name);
    throw isOfContext ? misplaced(`options.${name}`, `context.${name}`) : unknown("options", name, all);
  }
  if (options.signal !== undefined && !isSignal(options.signal)) throw notAllowed("options.signal", options.signal, "an AbortSignal");
  const named = readable("options.format", () => options.format);
  requireFormat(named);
  const trials = readable("options.providers", () => trialsOf(options.providers));
  const settings = serializeSettings({ context: known, options: copyOf(options, "options", PLAIN) }, "");
  const history = readable("context.messages", () => context.messages);
  requireMessages(history, "context.messages");
  const format = readable("context.messages", () => formatOf(history, named));
  const messages = serializeMessages(readable("context.messages", () => asRead(history, format)));
  return { messages, settings, trials, format };
}

const withoutAbsent = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** Returns the result of a trial. */
function trialOf({ id, provider, config, timeMs, targetTokens }, report) {
  const { newContextTokens, prevContextTokens, cost, didCondense, changes, error, preview, stats, survival, promptCache } = report;
  return {
    id,
    provider,
    ...(config && { config }),
    tokens: newContextTokens,
    tokensBefore: prevContextTokens,
    reductionPercent: stats.reductionPercent,
    cost,
    timeMs,
    exact: preview.exact,
    wouldCondense: didCondense,
    metTarget: targetTokens === undefined ? null : !error && newContextTokens <= targetTokens,
    changes: changes.length,
    savedByGrade: stats.savedByGrade,
    superseded: survival?.total.superseded.tokens ?? 0,
    summarized: survival?.total.summarized.tokens ?? 0,
    lost: survival?.total.lost.tokens ?? 0,
    firstChangedIndex: report.firstChangedIndex,
    ...(promptCache && { promptCache }),
    warnings: report.warnings,
    ...(error && { error: { code: error.code, message: error.message } }),
  };
}

module.exports = { TRIALS, begin, trialOf, withoutAbsent };
