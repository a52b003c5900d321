"use strict";

// Providers written in JavaScript: the manager in the addon calls them through here.

const { isObject } = require("./call.js");
const { shown } = require("./errors.js");
const { applyPlan } = require("./plan.js");

/** The function that the addon calls with a request. It always resolves; failures are in the reply. */
function hostCallback(provider, calls) {
  return async (json) => {
    const request = JSON.parse(json);
    const call = calls.get(request.hostCall);
    try {
      const current = applyPlan(call.snapshot, request.plan, call.foreign).messages;
      return JSON.stringify({ messages: await ask(provider, current, request, call) });
    } catch (error) {
      call.causes.push(error);
      return JSON.stringify({ error: { message: String(error?.message ?? error), cause: call.causes.length - 1 } });
    }
  };
}

async function ask(provider, current, request, call) {
  const context = { ...call.context, messages: current.slice(), tokenCount: request.tokenCount };
  const options = { ...call.options, config: request.config ?? {} };
  if (request.targetTokens !== null) options.targetTokens = request.targetTokens;
  const result = await provider.condense(context, options);
  if (!isObject(result)) throw new TypeError(`condense() returned ${shown(result)}; expected { messages }`);
  if (!Array.isArray(result.messages)) throw new TypeError(`condense() returned messages that are ${shown(result.messages)}; expected an array`);
  if (result.error) throw result.error instanceof Error ? result.error : Object.assign(new Error(result.error.message ?? "condense() reported an error"), { code: result.error.code });
  const { summary, cost, warnings } = result;
  return {
    messages: describe(current, result.messages, call),
    ...(typeof summary === "string" && { summary }),
    ...(Number.isFinite(cost) && cost >= 0 && { cost }),
    ...(Array.isArray(warnings) && { warnings: warnings.map(String) }),
  };
}

/** Which of the returned messages are the request's own objects, in their order, and which are new. */
function describe(current, returned, call) {
  const index = new Map(current.map((message, position) => [message, position]));
  let last = -1;
  return returned.map((message, position) => {
    const known = index.get(message);
    if (known > last) {
      last = known;
      return { keep: known };
    }
    if (!isObject(message)) throw new TypeError(`condense() returned messages[${position}] that is ${shown(message)}; expected a message`);
    call.foreign.push(message);
    return { foreign: [call.foreign.length - 1, message] };
  });
}

module.exports = { hostCallback };
