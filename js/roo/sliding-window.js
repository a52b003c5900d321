"use strict";

// Managing the context as in 2025: what no longer fits is removed from the history.

const { notAllowed } = require("../errors.js");
const isObject = require("../is-object.js");
const { createCondense } = require("./condense.js");
const { resolveHost } = require("./host.js");
const { withPlaces } = require("./readable.js");
const { TOKEN_BUFFER_PERCENTAGE, countLastMessage, decide, estimateTokenCount } = require("./trigger.js");
const { pairsToRemove, unbrokenRemoval } = require("./truncation.js");

function createSlidingWindow(host) {
  const services = resolveHost(host);
  const summarizeConversation = services.host.summarizeConversation ?? createCondense(host).summarizeConversation;

  function truncateConversation(messages, fracToRemove, taskId) {
    services.capture("captureSlidingWindowTruncation", taskId);
    const wanted = pairsToRemove(messages.length, fracToRemove);
    const removed = services.fixes ? unbrokenRemoval(messages, wanted) : wanted;
    return removed > 0 ? [messages[0], ...messages.slice(removed + 1)] : messages;
  }

  async function truncateConversationIfNeeded(options) {
    const { messages, apiHandler, systemPrompt, taskId, customCondensingPrompt, condensingApiHandler } = options;
    const { prevContextTokens, overAllowed, condenseDue } = decide(options, await countLastMessage(messages, apiHandler), services.warn);
    let failed = { cost: 0 };
    if (condenseDue) {
      const result = await summarizeConversation(
        messages,
        apiHandler,
        systemPrompt,
        taskId,
        prevContextTokens,
        true,
        customCondensingPrompt,
        condensingApiHandler,
      );
      if (!isObject(result)) throw notAllowed("host.summarizeConversation()", result, "a response: { messages, summary, cost, … }");
      if (!result.error) return { ...result, prevContextTokens };
      failed = { cost: result.cost, error: result.error };
    }
    // Who cancels wants no other change either.
    const cancelled = condenseDue && services.signal(taskId)?.aborted;
    const kept = overAllowed && !cancelled ? truncateConversation(messages, 0.5, taskId) : messages;
    return { messages: kept, prevContextTokens, summary: "", ...failed };
  }

  return { TOKEN_BUFFER_PERCENTAGE, ...withPlaces({ estimateTokenCount, truncateConversation, truncateConversationIfNeeded }) };
}

module.exports = { createSlidingWindow };
