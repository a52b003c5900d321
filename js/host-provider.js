"use strict";

// Providers written in JavaScript: the manager in the addon calls them through here.

const { isObject } = require("./call.js");
const { stringify } = require("./deep-json.js");
const { messageOf, shown } = require("./errors.js");
const { applyPlan } = require("./plan.js");

/** The function that the addon calls with a request. It always resolves; failures are in the reply. */
function hostCallback(provider, calls) {
  return async (json) => {
    const request = JSON.parse(json);
    const call = calls.get(request.hostCall);
    // Nobody waits for the reply of a call that was aborted before it got here.
    if (!call) return JSON.stringify({ error: { message: "the call is over" } });
    call.alive.waiting();
    try {
      const current = applyPlan(call.snapshot, request.plan, call.foreign).messages;
      return stringify({ messages: await ask(provider, current, request, call) });
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
  if (call.isPreview) context.isPreview = true;
  const result = await provider.condense(context, options);
  if (!isObject(result)) throw new TypeError(`condense() returned ${shown(result)}; expected { messages }`);
  if (result.error) throw result.error;
  const { messages, summary, cost, warnings } = result;
  if (!Array.isArray(messages)) throw new TypeError(`condense() returned messages that are ${shown(messages)}; expected an array`);
  if (messages.length === 0 && current.length > 0) throw new TypeError("condense() returned no messages; expected at least one");
  return {
    messages: describe(current, messages, call),
    ...(typeof summary === "string" && { summary }),
    ...(Number.isFinite(cost) && cost >= 0 && { cost }),
    ...(Array.isArray(warnings) && { warnings: Array.from(warnings, warningOf) }),
  };
}

/** A provider's warning as data: objects with a code as they are, of everything else its text. */
function warningOf(value) {
  if (typeof value?.code !== "string" || typeof value.message !== "string") return { code: "provider_warning", message: messageOf(value) };
  const { code, message, messageIndex, field } = value;
  return { code, message, ...(isIndex(messageIndex) && { messageIndex }), ...(typeof field === "string" && { field }) };
}

const isIndex = (value) => Number.isSafeInteger(value) && value >= 0;

/** Which of the returned messages are the request's own objects, in their order, and which are new. */
function describe(current, returned, call) {
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
    if (!isObject(message)) throw new TypeError(`condense() returned messages[${position}] that is ${shown(message)}; expected a message`);
    requireJson(message, position);
    call.foreign.push(message);
    return { foreign: [call.foreign.length - 1, message] };
  });
}

function requireJson(message, position) {
  try {
    stringify(message);
  } catch (cause) {
    throw new TypeError(`condense() returned messages[${position}] that cannot be written as JSON: ${messageOf(cause)}`, { cause });
  }
}

module.exports = { hostCallback };
