"use strict";

// One condensation from the JavaScript call to its result: checks, abort signal, progress, and the plan applied to the caller's objects.

const native = require("./native.js");
const { onAbort } = require("./abort.js");
const { checked, notAllowed, argumentError } = require("./errors.js");
const { applyPlan } = require("./plan.js");
const { restoreData } = require("./restore.js");
const { serializeMessages } = require("./serialize.js");

const CONTEXT_FIELDS = ["systemPrompt", "taskId", "totalTokens", "contextWindow", "maxTokens", "profileId"];
const OPTION_FIELDS = ["provider", "targetTokens", "config", "customCondensingPrompt", "isAutomatic"];
/** Options that are functions or objects of the host, and so never reach the addon as JSON. */
const HOST_OPTIONS = ["signal", "onProgress", "handler", "condensingHandler"];

function pick(object, fields) {
  const picked = {};
  for (const field of fields) if (object[field] !== undefined) picked[field] = object[field];
  return picked;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Checks the arguments of a condensation; throws at once when they are wrong. */
function prepare(context, options = {}) {
  if (!isObject(context)) throw notAllowed("context", context, "an object with messages");
  if (!isObject(options)) throw notAllowed("options", options, "an object");
  for (const field of Object.keys(options)) {
    const known = [...OPTION_FIELDS, ...HOST_OPTIONS];
    if (!known.includes(field)) throw notAllowed(`options.${field}`, options[field], `the fields ${known.join(", ")}`);
  }
  const { signal, onProgress } = options;
  if (signal !== undefined && typeof signal?.addEventListener !== "function") throw notAllowed("options.signal", signal, "an AbortSignal");
  if (onProgress !== undefined && typeof onProgress !== "function") throw notAllowed("options.onProgress", onProgress, "a function");
  const { messages } = context;
  const bytes = serializeMessages(messages);
  const fields = { ...pick(context, CONTEXT_FIELDS), ...pick(options, OPTION_FIELDS) };
  let call;
  try {
    // NaN and Infinity would silently become null.
    call = JSON.stringify(fields, (key, value) => (typeof value === "number" && !Number.isFinite(value) ? `${value}` : value));
  } catch (error) {
    throw argumentError("not_serializable", `options cannot be written as JSON: ${error?.message ?? error}`, error);
  }
  // The caller may change the array while we work; the plan is for what it held now.
  return { context, options, messages, snapshot: messages.slice(), bytes, call, foreign: [], causes: [], warnings: [] };
}

/**
 * Runs a prepared call. `start(bytes, call, cancel, progress)` hands it to the addon and returns its promise of a report.
 * Resolves to the report and, when the plan fits, the messages.
 */
async function run(prepared, start) {
  const { signal, onProgress } = prepared.options;
  const cancel = new native.CancelHandle();
  const forget = onAbort(signal, () => cancel.cancel());
  try {
    const report = JSON.parse(await start(prepared.bytes, prepared.call, cancel, onProgress && listener(onProgress, prepared)));
    return finish(report, prepared);
  } finally {
    forget();
  }
}

/** A listener that throws must not take the process down: what it threw becomes a warning. */
function listener(onProgress, prepared) {
  return (json) => {
    try {
      onProgress(JSON.parse(json));
    } catch (error) {
      if (prepared.warnings.length === 0) prepared.warnings.push(`progress_listener_failed: ${error?.message ?? error}`);
    }
  };
}

function finish(report, prepared) {
  const { plan, recipes, error, trigger, ...rest } = report;
  let applied = { messages: prepared.snapshot, inverse: [] };
  let failure = error && describe(error, prepared);
  try {
    applied = applyPlan(prepared.snapshot, plan, prepared.foreign, recipes);
  } catch (cause) {
    // Objects that serialize to something else (toJSON, say) have other paths than their JSON.
    failure = { code: "unsupported_messages", message: `the messages are not what their JSON says: ${cause.message}`, cause };
  }
  const changed = !failure && plan.length > 0;
  const result = {
    messages: changed ? applied.messages : prepared.messages,
    ...rest,
    didCondense: changed,
    warnings: [...rest.warnings, ...prepared.warnings],
    restoreData: restoreData(changed ? applied.inverse : []),
  };
  if (failure) result.error = failure;
  if (trigger) result.trigger = trigger;
  return result;
}

function describe({ code, message, foreignCause }, prepared) {
  return foreignCause === undefined ? { code, message } : { code, message, cause: prepared.causes[foreignCause] };
}

/** Checks first, then runs: what is wrong is thrown, not rejected. */
function condense(context, options, start) {
  const prepared = prepare(context, options);
  return launch(prepared, start);
}

function launch(prepared, start) {
  // The addon checks the call at once, too. Its promise is made here, so that a throw is one of ours.
  let handOver;
  const started = run(prepared, (...args) => {
    try {
      return start(...args, prepared);
    } catch (error) {
      handOver = error;
      throw error;
    }
  });
  if (handOver) {
    started.catch(() => {});
    return checked(() => {
      throw handOver;
    });
  }
  return started;
}

module.exports = { condense, isObject };
