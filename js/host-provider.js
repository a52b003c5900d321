"use strict";

// Providers written in JavaScript: the manager in the addon calls them through here.

const { stringify } = require("./deep-json.js");
const { messageOf, shown } = require("./errors.js");
const { costOf, requireValid } = require("./host-estimates.js");
const isObject = require("./is-object.js");
const { faultyPlace } = require("./place.js");
const { applyPlan } = require("./plan.js");
const { asOurs } = require("./projection.js");

/** More warnings than this of one answer are not passed on. */
const MAX_WARNINGS = 1000;

/** The function that the addon calls with a request. It always resolves; failures are in the reply. */
function hostCallback(provider, calls) {
  return async (json) => {
    const request = JSON.parse(json);
    const call = calls.get(request.hostCall);
    // Nobody waits for the reply of a call that was aborted before it got here.
    if (!call) return JSON.stringify({ error: { message: "the call is over" } });
    call.alive.waiting();
    try {
      // Of another format it is given what the plan is about: the messages as Anthropic's.
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
  // Without `provider`, so that the options can be handed on to another provider as they are.
  const { provider: _, ...callOptions } = call.options;
  const options = { ...callOptions, config: request.config ?? {} };
  if (request.targetTokens !== null) options.targetTokens = request.targetTokens;
  if (call.isPreview || request.isPreview) context.isPreview = true;
  // That of the call was looked at before anything began; this one stands in a strategy, or is a customConfig of its.
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
  // Of what is only tried, the provider's own estimate tells what it would cost.
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

/** Reads what a provider returned; a getter or proxy that throws becomes an error that names the place. */
function read(name, value, reading) {
  try {
    return reading();
  } catch (cause) {
    if (cause instanceof Unusable) throw cause;
    const place = faultyPlace(value, name) ?? name;
    throw new Unusable(`condense() returned ${place} that cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** What a provider returned is not what it has to be. */
class Unusable extends TypeError {}

function warningsOf(warnings) {
  return read("warnings", undefined, () => {
    if (!Array.isArray(warnings)) return [];
    return Array.from({ length: Math.min(warnings.length, MAX_WARNINGS) }, (_, index) => warningOf(warnings[index]));
  });
}

/** A provider's warning as data: objects with a code as they are, of everything else its text. */
function warningOf(value) {
  if (typeof value?.code !== "string" || typeof value.message !== "string") return { code: "provider_warning", message: messageOf(value) };
  const { code, message, messageIndex, field } = value;
  return { code, message, ...(isIndex(messageIndex) && { messageIndex }), ...(typeof field === "string" && { field }) };
}

const isIndex = (value) => Number.isSafeInteger(value) && value >= 0;

/** Which of the returned messages are the request's own objects, in their order, and which are new. */
function described(current, returned, call) {
  if (!Array.isArray(returned)) throw new Unusable(`condense() returned messages that are ${shown(returned)}; expected an array`);
  if (returned.length === 0 && current.length > 0) throw new Unusable("condense() returned no messages; expected at least one");
  const positions = new Map();
  current.forEach((message, position) => {
    // The same object may stand at several places.
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
