"use strict";

// Runs one condensation from the JavaScript call to its result: checks, abort signal, progress, and the plan applied
// to the caller's objects.

const native = require("#native");
const { isSignal, onAbort } = require("./abort.js");
const { argumentError, checked, messageOf, notAllowed, readable } = require("./errors.js");
const { asRead, formatOf, requireFormat } = require("./formats.js");
const { isHandlerLike, toHandler } = require("./handlers.js");
const { tell } = require("./host-call.js");
const isObject = require("./is-object.js");
const { KeepAlive } = require("./keep-alive.js");
const { withInstances } = require("./langchain-instances.js");
const { withNewContent } = require("./new-content.js");
const { namesIn } = require("./options.js");
const { readAt } = require("./place.js");
const { applyPlan } = require("./plan.js");
const { NOTHING, withMessages } = require("./preview.js");
const { joined, rulesFor } = require("./protect.js");
const { dataOf } = require("./restore-data.js");
const { keepsContent } = require("./requests-content.js");
const { SentMessages } = require("./sent-messages.js");
const { refused, serializeInParts, serializeSettings } = require("./serialize.js");
const { configWithSelections } = require("./smart.js");
const { Snapshot, contentOf } = require("./snapshot.js");

const CONTEXT_FIELDS = [
  "systemPrompt",
  "tools",
  "taskId",
  "userId",
  "totalTokens",
  "tokenCount",
  "contextWindow",
  "maxTokens",
  "profileId",
  "model",
  "preservedThinking",
  "isPreview",
];
/** Fields of a context that are not passed to the addon as JSON. */
const OBJECTS = ["messages", "apiHandler"];
/** The value of `maxTokens` from vscode-lm for an unknown limit, which therefore cannot be reserved. */
const UNLIMITED = -1;
/** Options that are functions or objects of the host, and so are not passed to the addon as JSON, with a check whether they can be used. */
const HOST_OPTIONS = new Map([
  ["signal", isSignal],
  ["onProgress", (listener) => typeof listener === "function"],
  ["handler", isHandlerLike],
  ["condensingHandler", isHandlerLike],
]);

/** Copies the fields of a caller's object. Each is read once, so that the value checked is the value used. */
function copyOf(object, name, fields) {
  const copy = Object.create(null);
  for (const field of fields) {
    const value = readable(`${name}.${field}`, () => object[field]);
    if (value !== undefined) copy[field] = value;
  }
  return copy;
}

/** Returns the context of a call without its objects. An unknown field is passed on by name only; the addon decides whether it is an option. */
function contextOf(context) {
  const known = copyOf(context, "context", CONTEXT_FIELDS);
  const others = readable("context", () => namesIn(context)).filter((name) => !CONTEXT_FIELDS.includes(name) && !OBJECTS.includes(name));
  for (const name of others) if (readable(`context.${name}`, () => context[name]) !== undefined) known[name] = true;
  const handler = readable("context.apiHandler", () => context.apiHandler);
  if (!readable("context.apiHandler", () => isHandlerLike(handler))) known.apiHandler = refused(handler);
  return known;
}

/** Returns the options for the addon: all but the host's objects. Unusable ones are left in, so that the addon reports them with all other errors. */
function plainOptions(options) {
  const plain = Object.create(null);
  for (const [name, value] of Object.entries(options)) {
    const isUsable = HOST_OPTIONS.get(name);
    if (!isUsable) plain[name] = value;
    else if (!readable(`options.${name}`, () => isUsable(value))) plain[name] = refused(value);
  }
  return plain;
}

/** Reads the arguments of a condensation for the addon. Throws at once if they are invalid. */
function prepare(context, given, { native, configOf, protect = undefined }) {
  if (!isObject(context)) throw notAllowed("context", context, "an object with messages");
  if (!isObject(given)) throw notAllowed("options", given, "an object");
  const options = copyOf(
    given,
    "options",
    readable("options", () => namesIn(given)),
  );
  const known = contextOf(context);
  const { systemPrompt: system, tools } = known;
  known.tools = undefined;
  known.systemPrompt = readable("context.systemPrompt", () => systemText(known.systemPrompt));
  if (known.maxTokens === UNLIMITED) known.maxTokens = undefined;
  const messages = readable("context.messages", () => context.messages);
  known.hostRequest = hostRequest(tools, system, messages);
  const { config, format: named } = options;
  requireFormat(named);
  if (named !== undefined) options.format = undefined;
  const warnings = [];
  options.config = readAt("options.config", config, () => configWithSelections(configOf(options.provider), config, messages));
  options.protect = readAt("options.protect", options.protect, () =>
    joined(
      rulesFor(options.protect, messages, "options.protect", warnings),
      rulesFor(protect, messages, "the manager's protect", warnings),
    ),
  );
  const settings = serializeSettings({ context: known, options: plainOptions(options) }, "");
  const seen = formatSeen(messages, named);
  const parts = checked(() => native.messages(seen.format));
  try {
    const read = seen.format ? readable("context.messages", () => asRead(messages, seen.format)) : messages;
    // The addon recognises messages of our own format that it has read before.
    const sent =
      seen.format || seen.error ? undefined : new SentMessages(native, messages, (number) => checked(() => parts.addKnown(number)));
    serializeInParts(read, (json) => checked(() => parts.add(json)), { sent });
    if (seen.error) throw seen.error;
    const prepared = {
      context,
      profileId: known.profileId,
      systemPrompt: known.systemPrompt,
      options,
      handlers: handlersOf(options, context),
      format: seen.format,
      messages,
      // The caller may change the array during the call, but the plan is made for its present contents.
      given: readable("context.messages", () => Array.from(messages)),
      foreign: [],
      causes: [],
      warnings,
    };
    prepared.snapshot = new Snapshot(sent ? sent.contents : prepared.given.map(contentOf));
    return { prepared, messages: parts, settings };
  } catch (error) {
    parts.discard();
    throw error;
  }
}

/** Returns the format of messages, or the reason why they are refused. Unreadable content is reported with its place when it is written as JSON. */
function formatSeen(messages, named) {
  try {
    return { format: formatOf(messages, named) };
  } catch (error) {
    return { error };
  }
}

/** Returns the host's own request to its model, as JSON; `undefined` if the host does not pass its tools. */
function hostRequest(tools, system, messages) {
  if (tools === undefined || tools === null) return undefined;
  return readable("context.tools", () => {
    const allowed = "an array of tools, as they are sent to the model";
    if (!Array.isArray(tools)) throw notAllowed("context.tools", tools, allowed);
    const wrong = tools.findIndex((tool) => !isObject(tool));
    if (wrong >= 0) throw notAllowed(`context.tools[${wrong}]`, tools[wrong], "a tool, as it is sent to the model");
    // Other values are refused elsewhere.
    if (!Array.isArray(messages) || !messages.every(isObject)) return undefined;
    return JSON.stringify({ system: system ?? undefined, tools, messages: messages.map(({ role, content }) => ({ role, content })) });
  });
}

/** Returns a system prompt as one text if it is given as text blocks; the addon checks everything else. */
function systemText(prompt, field = "context.systemPrompt") {
  if (!Array.isArray(prompt)) return prompt;
  const texts = Array.from(prompt, (block, index) => {
    const text = isObject(block) && block.type === "text" ? block.text : undefined;
    if (typeof text !== "string") throw notAllowed(`${field}[${index}]`, block, '{ type: "text", text }');
    return text;
  });
  return texts.join("\n\n");
}

/** Returns the handlers of a call. The context may contain that of the conversation's own model, as in the design documents. */
function handlersOf(options, context) {
  const handlerIn = (holder, at, name) => readable(`${at}.${name}`, () => toHandler(`${at}.${name}`, holder[name]));
  return {
    handler: handlerIn(options, "options", "handler") ?? handlerIn(context, "context", "apiHandler"),
    condensingHandler: handlerIn(options, "options", "condensingHandler"),
  };
}

/**
 * Condenses. Errors in the arguments are thrown at once; all other errors are in the result. `owner` makes the call:
 * its `native` object reads the messages; `configOf(id)` returns the configuration of the provider named in the
 * options, for the functions in it; `protect` contains the manager's protection rules that are functions or regular
 * expressions. `start(prepared, call)` passes the call to the addon; its `listener` receives progress and the result.
 */
function condense(context, options, owner, start) {
  const { prepared, messages, settings } = prepare(context, options ?? {}, owner);
  const { signal, onProgress } = prepared.options;
  const cancel = checked(() => new native.CancelHandle());
  const alive = new KeepAlive();
  prepared.alive = alive;
  let forget = () => {};
  const end = () => {
    alive.stop();
    forget();
  };
  let deliver;
  const delivered = new Promise((resolve) => (deliver = resolve));
  const listener = (isEnd, told) => (isEnd ? deliver(told) : tellProgress(onProgress, told, prepared.warnings));
  try {
    // An unusable signal is reported with all other errors.
    forget = heard(isSignal(signal) ? signal : undefined, () => {
      cancel.cancel();
      alive.working();
    });
    const isWanted = readable("options", () => options?.[keepsContent] === true);
    checked(() => start(prepared, { messages, settings, cancel, listener, keepsContent: isWanted }));
  } catch (error) {
    end();
    throw error;
  }
  return delivered.then((report) => finish(JSON.parse(report), prepared)).finally(end);
}

/** Listens to a signal of the host; see `onAbort`. */
function heard(signal, stop) {
  try {
    return onAbort(signal, stop);
  } catch (error) {
    const message = `options.signal cannot be listened to: ${messageOf(error)}; it must be an AbortSignal`;
    throw argumentError("invalid_argument", message, { field: "options.signal", cause: error });
  }
}

const LISTENER_FAILED = "progress_listener_failed";

/** Calls the host's progress listener. A failure of it becomes a warning, if it is known before the result is. */
function tellProgress(onProgress, json, warnings) {
  if (!onProgress) return;
  tell(
    () => onProgress(JSON.parse(json)),
    (error) => {
      if (warnings.some(({ code }) => code === LISTENER_FAILED)) return;
      warnings.push({ code: LISTENER_FAILED, message: messageOf(error), field: "options.onProgress" });
    },
  );
}

function finish(report, prepared) {
  const { format } = prepared;
  const { plan: edits, recipes, contents, groups, error, trigger, preview = NOTHING, ...rest } = report;
  let plan = edits;
  /** @type {{ messages: object[], inverse: object[] }} */
  let applied = { messages: prepared.messages, inverse: [] };
  let data = dataOf([]);
  let failure = error && describe(error, prepared);
  try {
    if (format === "langchain") plan = withInstances(edits, prepared.given);
    applied = applyPlan(prepared.given, plan, { foreign: prepared.foreign, recipes, snapshot: prepared.snapshot, format });
    if (!failure) data = dataOf(applied.inverse, contents, groups, format);
  } catch (cause) {
    // Objects that serialize to something else (with toJSON, for example) or were changed meanwhile have other paths
    // than their JSON.
    failure = { code: "unsupported_messages", message: `the messages are not what their JSON said: ${messageOf(cause)}`, cause };
    takeBack(rest);
  }
  const changed = !failure && plan.length > 0;
  const result = {
    messages: changed ? applied.messages : prepared.messages,
    ...rest,
    didCondense: changed,
    warnings: [...rest.warnings, ...prepared.warnings],
    restoreData: data,
  };
  withNewContent(result.changes, plan, { given: prepared.given, messages: result.messages });
  if (prepared.isPreview) {
    const { samples, ...certainty } = failure ? NOTHING : preview;
    Object.assign(result, { preview: { ...certainty, samples: withMessages(samples, prepared.given, result.messages, format) } });
  }
  if (failure) result.error = failure;
  if (trigger) result.trigger = trigger;
  return result;
}

/** Turns a report into that of a condensation that changed nothing. */
function takeBack(report) {
  const { stats, metrics, providers } = report;
  Object.assign(report, {
    summary: "",
    summaryQuality: undefined,
    newContextTokens: report.prevContextTokens,
    changes: [],
    firstChangedIndex: -1,
    thinkingRemoved: 0,
    ...(providers && { providers: providers.map((provider) => ({ ...provider, tokensSaved: 0 })) }),
  });
  Object.assign(stats, {
    finalTokens: stats.originalTokens,
    reductionPercent: 0,
    savedByGrade: { inline: 0, superseded: 0, lossy: 0 },
    operationsPerformed: [],
  });
  Object.assign(metrics, { condensedTokens: metrics.originalTokens, tokensSaved: 0, reductionPercentage: 0, operationsApplied: [] });
}

function describe({ foreignCause, ...error }, prepared) {
  return foreignCause === undefined ? error : { ...error, cause: prepared.causes[foreignCause] };
}

module.exports = { CONTEXT_FIELDS, OBJECTS, UNLIMITED, condense, contextOf, copyOf, plainOptions, prepare, systemText };
