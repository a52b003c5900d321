"use strict";

// Context management as in 2025: messages that no longer fit are removed from the history.

const { notAllowed } = require("../errors.js");
const isObject = require("../is-object.js");
const { arrivedBehind, createCondense } = require("./condense.js");
const { resolveHost } = require("./host.js");
const { prepareWindow } = require("./managed.js");
const { withPlaces } = require("./readable.js");
const { Rewinds } = require("./rewind.js");
const { whyNot } = require("./messages.js");
const { TOKEN_BUFFER_PERCENTAGE, countLastMessage, countNewMessages, decide, estimateTokenCount } = require("./trigger.js");
const { fittingTruncation, pairsToRemove, unbrokenRemoval } = require("./truncation.js");
const { underWay } = require("./under-way.js");
const { asWindowCall } = require("./window-call.js");

function createSlidingWindow(host) {
  const services = resolveHost(host);
  const rewinds = new Rewinds(services.tellOnce);
  const summarizeConversation = services.host.summarizeConversation ?? createCondense(host).summarizeConversation;

  function truncateConversation(messages, fracToRemove, taskId, apiHandler) {
    services.capture("captureSlidingWindowTruncation", taskId);
    const wanted = pairsToRemove(messages.length, fracToRemove);
    return remove(messages, services.fixes ? unbrokenRemoval(messages, wanted) : wanted, apiHandler);
  }

  /** Returns the messages without the oldest ones, and without the thinking produced after those if the model would refuse it. */
  function remove(messages, removed, apiHandler) {
    const left = removed > 0 ? [messages[0], ...messages.slice(removed + 1)] : messages;
    return services.withThinkingSettled(messages, left, apiHandler);
  }

  async function truncateConversationIfNeeded(options) {
    const { messages, taskId, apiHandler } = options;
    const given = { messages, signal: services.signal(taskId), behind: arrivedBehind(services, apiHandler) };
    return underWay(given, async (running) => {
      rewinds.notice(taskId, running.messages);
      const result = await truncated({ ...options, messages: running.messages }, running);
      const settled = services.withThinkingSettled(running.messages, result.messages, apiHandler);
      return settled === result.messages ? result : { ...result, messages: settled };
    });
  }

  async function truncated(options, running) {
    const { messages, apiHandler, systemPrompt, taskId, customCondensingPrompt, condensingApiHandler, currentProfileId } = options;
    running.known.prevContextTokens = Number(options.totalTokens);
    const newTokens = await (services.countsAllNew ? countNewMessages : countLastMessage)(messages, running.counting(apiHandler));
    const { overAllowed, condenseDue, ...limits } = decide(services.usage(options), newTokens, services.warn);
    const { prevContextTokens } = limits;
    running.known.prevContextTokens = prevContextTokens;
    /** @type {import("./window-call.js").WindowCall} */
    const call = { ...limits, currentProfileId };
    let failed = { cost: 0 };
    if (condenseDue) {
      const result = await running.waitForEnd(
        asWindowCall(call, () =>
          summarizeConversation(
            messages,
            apiHandler,
            systemPrompt,
            taskId,
            prevContextTokens,
            true,
            customCondensingPrompt,
            condensingApiHandler,
          ),
        ),
      );
      if (!isObject(result)) throw notAllowed("host.summarizeConversation()", result, "a response: { messages, summary, cost, … }");
      running.known.cost = result.cost;
      if (!result.error) return { ...(call.tokensWith ? await fitted(result, call, options, running) : result), prevContextTokens };
      failed = { cost: result.cost, error: result.error };
    }
    // A cancelled call must not truncate either.
    const cancelled = condenseDue && running.signal?.aborted;
    if (!overAllowed || cancelled) return { messages, prevContextTokens, summary: "", ...failed };
    const byManager = await prepareWindow(services, call, { running, messages, systemPrompt, taskId, apiHandler }, condenseDue);
    if (byManager?.condensed) {
      const { condensed, summary, newContextTokens } = byManager;
      const response = { messages: condensed, summary, newContextTokens, cost: failed.cost };
      return { ...(await fitted(response, call, options, running)), prevContextTokens };
    }
    if (call.tokensWith) return { ...(await fitted({ messages, summary: "", ...failed }, call, options, running)), prevContextTokens };
    return { messages: truncateConversation(messages, 0.5, taskId, apiHandler), prevContextTokens, summary: "", ...failed };
  }

  /** Truncates a manager's result if it is still over the limit. If it does not fit even then, the response says why. */
  async function fitted(response, call, { taskId, apiHandler }, running) {
    const { messages } = response;
    const before = response.error ? call.prevContextTokens : (call.tokensLeft ?? call.prevContextTokens);
    const found = await truncateToFit();
    const tokens = found?.tokens ?? before;
    const counted = found && response.newContextTokens !== undefined && { newContextTokens: Math.ceil(tokens) };
    return { ...response, ...(found && { messages: found.truncated }), ...counted, ...whyNot(response, tokens, call) };

    function truncateToFit() {
      if (before <= call.fittingTokens || call.keepsAll) return undefined;
      services.capture("captureSlidingWindowTruncation", taskId);
      const count = (left) => running.wait(call.tokensWith(left));
      return fittingTruncation(messages, call.fittingTokens, (removed) => remove(messages, removed, apiHandler), count);
    }
  }

  return {
    TOKEN_BUFFER_PERCENTAGE,
    ...withPlaces({ estimateTokenCount, countNewTokens: countNewMessages, truncateConversation, truncateConversationIfNeeded }),
  };
}

module.exports = { createSlidingWindow };
