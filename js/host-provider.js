"use strict";

// Providers written in JavaScript: the manager in the addon calls them through here.

const { stringify } = require("./deep-json.js");
const { messageOf, shown } = require("./errors.js");
const { costOf, requireValid } = require("./host-estimates.js");
const isObject = require("./is-object.js");
const { faultyPlace } = require("./place.js");
const { applyPlan } = require("./plan.js");
const { asOurs } = require("./projection.js");

/** Maximum number of warnings passed on from one result. */
const MAX_WARNINGS = 1000;

/** Returns the function that the addon calls with a request. It always resolves; failures are in the reply. */
function hostCallback(provider, calls) {
  return async (json) => {
    const request = JSON.parse(json);
    const call = calls.get(request.hostCall);
    // No caller waits for the reply if the call was aborted before.
    if (!call) return JSON.stringify({ error: { message: "the call is over" } });
    call.alive.waiting();
    try {
      // In another format, the provider receives the messages as Anthropic's, to which the plan refers.
      call.read ??= asOurs(call.given, call.format);
      const own = call.format === undefined ? { snapshot: call.snapshot } : {};
      const current = applyPlan(call.read, request.plan, { foreign: call.foreign, ...own }).messages;
      return stringify(await ask(provider, current, request, call));
    } catch (error) {
      call.causes.push(error);
      return JSON.stringify({ error: { message: messageOf(error), cause: call.causes.length - 1 } });
    } finally {
      call.alive.working();
    }
  };
}

async function ask(provider, current, request, call) {
  const context = { ...call.context, messages: current.slice(), tokenCount: request.tokenCount };
  // Without `provider`, so that the options can be passed on to another provider.
  const { provider: _, ...callOptions } = call.options;
  const options = { ...callOptions, config: request.config ?? {} };
  if (request.targetTokens !== null) options.targetTokens = request.targetTokens;
  if (call.isPreview || request.isPreview) context.isPreview = true;
  // The call's configuration was checked before; this one is from a strategy, or its customConfig.
  const isOfStrategy = request.config != null && stringify(request.config) !== stringify(call.options.config ?? null);
  if (isOfStrategy) requireValid(provider, request.config, "config");
  const expected = context.isPreview || request.dollarsLeft !== null ? await costOf(provider, context, options.config) : undefined;
  if (!context.isPreview && expected > request.dollarsLeft) return { tooDear: { cost: expected } };
  const result = await provider.condense(context, options);
  if (!isObject(result)) throw new TypeError(`condense() returned ${shown(result)}; expected { messages }`);
  const error = fieldOf(result, "error");
  if (error) throw error;
  const messages = fieldOf(result, "messages");
  const summary = fieldOf(result, "summary");
  // In a dry run, the provider's own estimate is the cost.
  const cost = context.isPreview && expected !== undefined ? expected : fieldOf(result, "cost");
  const answer = {
    messages: read("messages", messages, () => described(current, messages, call)),
    ...(typeof summary === "string" && { summary }),
    ...(Number.isFinite(cost) && cost >= 0 && { cost }),
    warnings: warningsOf(fieldOf(result, "warnings")),
  };
  return { messages: answer };
}

const fieldOf = (result, name) => read(name, undefined, () => result[name]);

/** Reads a provider's result; a getter or proxy that throws becomes an error that names the place. */
function read(name, value, reading) {
  try {
    return reading();
  } catch (cause) {
    if (cause instanceof Unusable) throw cause;
    const place = faultyPlace(value, name) ?? name;
    throw new Unusable(`condense() returned ${place} that cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** The error for an invalid result of a provider. */
class Unusable extends TypeError {}

function warningsOf(warnings) {
  return read("warnings", undefined, () => {
    if (!Array.isArray(warnings)) return [];
    return Array.from({ length: Math.min(warnings.length, MAX_WARNINGS) }, (_, index) => warningOf(warnings[index]));
  });
}

/** Returns a provider's warning as data: an object with a code unchanged, any other value as its text. */
function warningOf(value) {
  if (typeof value?.code !== "string" || typeof value.message !== "string") return { code: "provider_warning", message: messageOf(value) };
  const { code, message, messageIndex, field } = value;
  return { code, message, ...(isIndex(messageIndex) && { messageIndex }), ...(typeof field === "string" && { field }) };
}

const isIndex = (value) => Number.isSafeInteger(value) && value >= 0;

/** Describes the returned messages: which are the request's own objects, in order, and which are new. */
function described(current, returned, call) {
  if (!Array.isArray(returned)) throw new Unusable(`condense() returned messages that are ${shown(returned)}; expected an array`);
  if (returned.length === 0 && current.length > 0) throw new Unusable("condense() returned no messages; expected at least one");
  const positions = new Map();
  current.forEach((message, position) => {
    // The same object may occur several times.
    if (positions.has(message)) positions.get(message).push(position);
    else positions.set(message, [position]);
  });
  let last = -1;
  // Array.from, because map() skips holes.
  return Array.from(returned, (message, position) => {
    const known = positions.get(message)?.find((at) => at > last);
    if (known !== undefined) {
      last = known;
      return { keep: known };
    }
    if (!isObject(message)) throw new Unusable(`condense() returned messages[${position}] that is ${shown(message)}; expected a message`);
    requireJson(message, `messages[${position}]`);
    call.foreign.push(message);
    return { foreign: [call.foreign.length - 1, message] };
  });
}

function requireJson(message, name) {
  try {
    stringify(message);
  } catch (cause) {
    const place = faultyPlace(message, name) ?? name;
    throw new Unusable(`condense() returned ${place} that cannot be written as JSON: ${messageOf(cause)}`, { cause });
  }
}

module.exports = { hostCallback };
