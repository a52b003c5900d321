"use strict";

// Reads the arguments of an inspection: the conversation, and the providers to try on it.

const native = require("#native");
const { UNLIMITED, contextOf, copyOf, plainOptions, systemText } = require("./call.js");
const { notAllowed, readable } = require("./errors.js");
const { asRead, formatOf, requireFormat } = require("./formats.js");
const isObject = require("./is-object.js");
const { namesIn } = require("./options.js");
const { requireMessages, serialize, serializeMessages, serializeSettings } = require("./serialize.js");

/** The presets that are tried, of those that a provider has. */
const PRESETS = ["conservative", "balanced", "aggressive"];
const SPEEDS = ["fast", "medium", "slow"];
const speedOf = ({ capabilities }) => SPEEDS.indexOf(capabilities.estimatedSpeed);

/** The default trials: every provider that is not made of others, with its presets, the fastest first. */
const TRIALS = Object.freeze(
  JSON.parse(native.builtInProviders())
    .filter(({ isStrategy }) => !isStrategy)
    .sort((one, other) => speedOf(one) - speedOf(other))
    .flatMap(({ id, presets }) => {
      const tried = PRESETS.filter((preset) => presets.includes(preset));
      if (tried.length === 0) return [{ id, provider: id }];
      return tried.map((preset) => ({ id: `${id}:${preset}`, provider: id, config: { preset } }));
    }),
);

/** Returns the trials of an option that the addon has checked. */
function trialsOf(providers) {
  if (providers === true) return TRIALS;
  return (providers || []).map(({ provider, config, fallback, id = provider }) => ({ id, provider, config, fallback }));
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
  const given = copyOf(
    options,
    "options",
    readable("options", () => namesIn(options)),
  );
  requireFormat(given.format);
  const settings = serializeSettings({ context: known, options: plainOptions({ ...given, format: undefined }) }, "");
  const history = readable("context.messages", () => context.messages);
  requireMessages(history, "context.messages");
  const format = readable("context.messages", () => formatOf(history, given.format));
  const messages = serializeMessages(readable("context.messages", () => asRead(history, format)));
  return { messages, settings, options: given, format };
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

module.exports = { TRIALS, begin, trialOf, trialsOf, withoutAbsent };
