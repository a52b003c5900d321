"use strict";

// One condensation from the JavaScript call to its result: checks, abort signal, progress, and the plan applied to the caller's objects.

const native = require("./native.js");
const { onAbort } = require("./abort.js");
const { checked, messageOf, notAllowed, readable } = require("./errors.js");
const { isHandlerLike } = require("./handlers.js");
const { KeepAlive } = require("./keep-alive.js");
const { applyPlan } = require("./plan.js");
const { NOTHING, withMessages } = require("./preview.js");
const { restoreData } = require("./restore.js");
const { refused, serializeMessages, serializeSettings } = require("./serialize.js");

const CONTEXT_FIELDS = ["systemPrompt", "taskId", "totalTokens", "contextWindow", "maxTokens", "profileId"];
/** Options that are functions or objects of the host, and so never reach the addon as JSON: what can be used as one. */
const HOST_OPTIONS = new Map([
  ["signal", (signal) => isSignal(signal)],
  ["onProgress", (listener) => typeof listener === "function"],
  ["handler", isHandlerLike],
  ["condensingHandler", isHandlerLike],
]);

function pick(object, fields) {
  const picked = {};
  for (const field of fields) {
    const value = object[field];
    if (value !== undefined) picked[field] = value;
  }
  return picked;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The options that the addon reads: all but those of the host. Of those, what cannot be used is left in to be refused with everything else. */
function plainOptions(options) {
  const plain = Object.create(null);
  for (const name in options) {
    const isUsable = HOST_OPTIONS.get(name);
    const value = options[name];
    if (!isUsable) plain[name] = value;
    else if (value !== undefined && !isUsable(value)) plain[name] = refused(value);
  }
  return plain;
}

/** What the addon needs of the arguments of a condensation; throws at once when they are not what they have to be. */
function prepare(context, options) {
  return readable("context and options", () => {
    if (!isObject(context)) throw notAllowed("context", context, "an object with messages");
    if (!isObject(options)) throw notAllowed("options", options, "an object");
    const settings = serializeSettings({ context: pick(context, CONTEXT_FIELDS), options: plainOptions(options) }, "options");
    const { messages } = context;
    const json = serializeMessages(messages);
    // The caller may change the array while we work; the plan is for what it held now.
    const prepared = { context, options, messages, snapshot: messages.slice(), foreign: [], causes: [], warnings: [] };
    return { prepared, messages: json, settings };
  });
}

const isSignal = (signal) =>
  typeof signal?.aborted === "boolean" && typeof signal.addEventListener === "function" && typeof signal.removeEventListener === "function";

/**
 * Condenses. What is wrong with the arguments is thrown at once; everything else is in the result that the promise resolves to.
 * `start(prepared, call)` hands the call to the addon, with what else belongs to it; its `listener` is told how it goes and how it ends.
 */
function condense(context, options, start) {
  const { prepared, messages, settings } = prepare(context, options ?? {});
  const { signal, onProgress } = prepared.options;
  const cancel = new native.CancelHandle();
  let deliver;
  const delivered = new Promise((resolve) => (deliver = resolve));
  if (signal?.aborted) cancel.cancel();
  const listener = (isEnd, told) => (isEnd ? deliver(told) : tell(onProgress, told, prepared));
  checked(() => start(prepared, { messages, settings, cancel, listener }));
  prepared.alive = new KeepAlive();
  const forget = onAbort(signal, () => {
    cancel.cancel();
    prepared.alive.working();
  });
  return delivered
    .then((report) => finish(JSON.parse(report), prepared))
    .finally(() => {
      prepared.alive.stop();
      forget();
    });
}

const LISTENER_FAILED = "progress_listener_failed";

/** A listener that throws must not take the process down: what it threw becomes a warning. */
function tell(onProgress, json, prepared) {
  try {
    onProgress?.(JSON.parse(json));
  } catch (error) {
    if (prepared.warnings.some(({ code }) => code === LISTENER_FAILED)) return;
    prepared.warnings.push({ code: LISTENER_FAILED, message: messageOf(error), field: "options.onProgress" });
  }
}

function finish(report, prepared) {
  const { plan, recipes, error, trigger, preview = NOTHING, ...rest } = report;
  /** @type {{ messages: object[], inverse: object[] }} */
  let applied = { messages: prepared.messages, inverse: [] };
  let failure = error && describe(error, prepared);
  try {
    applied = applyPlan(prepared.snapshot, plan, prepared.foreign, recipes);
  } catch (cause) {
    // Objects that serialize to something else (toJSON, say), or that were changed meanwhile, have other paths than their JSON.
    failure = { code: "unsupported_messages", message: `the messages are not what their JSON said: ${messageOf(cause)}`, cause };
    takeBack(rest);
  }
  const changed = !failure && plan.length > 0;
  const result = {
    messages: changed ? applied.messages : prepared.messages,
    ...rest,
    didCondense: changed,
    warnings: [...rest.warnings, ...prepared.warnings],
    restoreData: restoreData(changed ? applied.inverse : []),
  };
  if (prepared.isPreview) {
    const { samples, ...certainty } = failure ? NOTHING : preview;
    Object.assign(result, { preview: { ...certainty, samples: withMessages(samples, prepared.snapshot, result.messages) } });
  }
  if (failure) result.error = failure;
  if (trigger) result.trigger = trigger;
  return result;
}

/** Makes a report one of a condensation that changed nothing. */
function takeBack(report) {
  const { stats, metrics } = report;
  Object.assign(report, { summary: "", newContextTokens: report.prevContextTokens, changes: [], firstChangedIndex: -1 });
  Object.assign(stats, { finalTokens: stats.originalTokens, reductionPercent: 0, operationsPerformed: [] });
  Object.assign(metrics, { condensedTokens: metrics.originalTokens, tokensSaved: 0, reductionPercentage: 0, operationsApplied: [] });
}

function describe({ code, message, foreignCause }, prepared) {
  return foreignCause === undefined ? { code, message } : { code, message, cause: prepared.causes[foreignCause] };
}

module.exports = { condense, isObject };
