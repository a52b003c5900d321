"use strict";

// A condensation that goes through the host's CondensationManager instead of a single request for a summary.

const { notAllowed } = require("../errors.js");
const { answerOf } = require("../host-call.js");
const isObject = require("../is-object.js");
const { CANCELLED } = require("./messages.js");
const { describeFailure } = require("./stream.js");
const { blocksOf } = require("./trigger.js");

/** What the manager's error codes are in Roo-Code's words. Every other failure is told as a failed request. */
const ROO_CODES = {
  not_enough_messages: "condense_not_enough_messages",
  condensed_recently: "condensed_recently",
  condense_loop: "condensed_recently",
  handler_invalid: "condense_handler_invalid",
  summary_empty: "condense_failed",
  context_grew: "condense_context_grew",
};

/**
 * Asks the manager to condense `messages`. Resolves to `{ condensed, summary, cost, newContextTokens }` or to
 * `{ error, errorDetails?, cost, cancelled? }`; rejects only when the host's own `countTokens` does.
 *
 * @param {object} services See `host.js`.
 * @param {{ messages: object[], systemPrompt: string, taskId: string, apiHandler: object, condensingHandler?: object,
 *   customCondensingPrompt?: string, isAutomatic?: boolean, metadata?: object }} call
 * @returns {Promise<{ cost: number, condensed?: readonly object[], summary?: string, newContextTokens?: number, before?: number,
 *   error?: string, errorDetails?: string, cancelled?: boolean }>}
 */
async function condenseByManager(
  services,
  { messages, systemPrompt, taskId, apiHandler, condensingHandler, customCondensingPrompt, isAutomatic, metadata },
) {
  const signal = services.signal(taskId);
  /** @type {any} */
  let result;
  try {
    result = await services.host.manager.condense(
      present({ messages, systemPrompt, taskId, contextWindow: windowOf(apiHandler) }),
      present({
        isAutomatic,
        signal,
        customCondensingPrompt: customCondensingPrompt || undefined,
        handler: asking(apiHandler, metadata),
        condensingHandler: asking(condensingHandler, metadata),
      }),
    );
    if (!isObject(result)) throw notAllowed("host.manager.condense()", result, "a result");
    // Each field once, so that one that cannot be read is a failure like any other.
    result = { ...result };
  } catch (error) {
    const { message, details } = describeFailure(error);
    return { error: services.translate("condense_api_failed", { message }), errorDetails: details, cost: 0 };
  }
  const cost = result.cost ?? 0;
  if (signal?.aborted) return { error: CANCELLED, cancelled: true, cost };
  if (result.error) return { ...inRooWords(services, result.error), cost };
  if (!result.didCondense || result.messages === messages || result.messages.length === 0) {
    return { error: services.translate("condense_context_grew"), cost };
  }
  const [before, after, toolTokens] = await count(apiHandler, systemPrompt, messages, result, metadata?.tools);
  // Equal is no growth: handlers of 2025 count nothing for calls and results, which is where most is saved.
  if (after > before) return { error: services.translate("condense_context_grew"), cost };
  // Roo-Code tells the user of a condensation only when there is a summary, and finds it again by that message when rewinding.
  return {
    condensed: result.messages,
    summary: result.summary || report(result, before, after),
    cost,
    newContextTokens: after + toolTokens,
    before: before + toolTokens,
  };
}

/**
 * The handler as the manager is to ask it: with Roo-Code's third argument, where there is one. One that cannot create messages is left out;
 * the providers that need none still do their work.
 */
function asking(handler, metadata) {
  if (typeof handler?.createMessage !== "function") return undefined;
  if (metadata === undefined) return handler;
  const bound = { createMessage: (systemPrompt, messages) => handler.createMessage(systemPrompt, messages, metadata) };
  for (const name of ["countTokens", "getModel"]) {
    if (typeof handler[name] === "function") bound[name] = (...values) => handler[name](...values);
  }
  return bound;
}

/** The size of the model's window, as its handler tells it. */
function windowOf(apiHandler) {
  const size = answerOf(() => apiHandler?.getModel?.())?.info?.contextWindow;
  return Number.isFinite(size) && size > 0 ? size : undefined;
}

const present = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function inRooWords(services, { code, message, cause }) {
  if (code === "aborted") return { error: CANCELLED, cancelled: true };
  if (code in ROO_CODES) return { error: services.translate(ROO_CODES[code]), errorDetails: `${code}: ${message}` };
  const details = cause instanceof Error ? `\n\n${describeFailure(cause).details}` : "";
  return { error: services.translate("condense_api_failed", { message }), errorDetails: `${code}: ${message}${details}` };
}

/** Before, after and the tools, by the host's own count where it has one, so that they compare with its other numbers. */
async function count(apiHandler, systemPrompt, messages, result, tools) {
  if (typeof apiHandler?.countTokens !== "function") return [result.prevContextTokens, result.newContextTokens, 0];
  const system = { type: "text", text: systemPrompt };
  const tokens = (history) => apiHandler.countTokens([system, ...history.flatMap(blocksOf)]);
  const toolTokens = tools?.length > 0 ? await apiHandler.countTokens([{ type: "text", text: JSON.stringify(tools) }]) : 0;
  return [await tokens(messages), await tokens(result.messages), toolTokens];
}

function report(result, before, after) {
  const provider = result.metrics?.providerId;
  const percent = Math.round((100 * (before - after)) / before);
  return `Condensed without a summary${provider ? ` by the provider "${provider}"` : ""}: about ${before} tokens became ${after} (${percent}% less).`;
}

module.exports = { condenseByManager };
