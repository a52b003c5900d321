"use strict";

// Context management as in 2026: messages that no longer fit are hidden and can be shown again.

const { randomUUID } = require("node:crypto");
const { notAllowed } = require("../errors.js");
const isObject = require("../is-object.js");
const { resolveHost } = require("./host.js");
const { prepareWindow } = require("./managed.js");
const { whyNot } = require("./messages.js");
const { withPlaces } = require("./readable.js");
const { arrivedBehind, createTaggedCondense } = require("./tagged-condense.js");
const { getEffectiveApiHistory, visibleIndices } = require("./tagged-history.js");
const { appendCondensed } = require("./tagging.js");
const { placesToGo } = require("./thinking.js");
const { TOKEN_BUFFER_PERCENTAGE, blocksOf, countLastMessage, countNewMessages, decide, estimateTokenCount } = require("./trigger.js");
const { fittingTruncation, pairsToRemove, unbrokenRemoval } = require("./truncation.js");
const { underWay } = require("./under-way.js");
const { asWindowCall } = require("./window-call.js");

function createContextManagement(host) {
  const services = resolveHost(host);
  const summarizeConversation = services.host.summarizeConversation ?? createTaggedCondense(host).summarizeConversation;

  function truncateConversation(messages, fracToRemove, taskId, apiHandler) {
    services.capture("captureSlidingWindowTruncation", taskId);
    // Roo-Code counts messages replaced by a summary as visible, too. That is one of its known faults: hiding them
    // again frees nothing.
    const visible = services.fixes ? visibleIndices(messages) : untruncatedIndices(messages);
    const wanted = pairsToRemove(visible.length, fracToRemove);
    const removed = services.fixes ? unbrokenRemoval(at(messages, visible), wanted) : wanted;
    return telling(messages, apiHandler, hide(messages, visible, removed, services.thinkingRule(apiHandler)));
  }

  /** Returns the truncation, after telling the host about signed thinking after it that may be refused. */
  function telling(messages, apiHandler, truncation) {
    services.withThinkingSettled(getEffectiveApiHistory(messages), getEffectiveApiHistory(truncation.messages), apiHandler);
    return truncation;
  }

  /** Returns true if `manageContext` would change something. */
  function willManageContext({ lastMessageTokens, ...options }) {
    const { overAllowed, condenseDue } = decide(services.usage(options), lastMessageTokens);
    return condenseDue || overAllowed;
  }

  async function manageContext(options) {
    const { messages, taskId, apiHandler } = options;
    const given = { messages, signal: services.signal(taskId), behind: arrivedBehind(services, apiHandler) };
    return underWay(given, (running) => managed({ ...options, messages: running.messages }, running));
  }

  async function managed(options, running) {
    const { messages, apiHandler, systemPrompt, taskId, currentProfileId } = options;
    running.known.prevContextTokens = Number(options.totalTokens);
    const counting = running.counting(apiHandler);
    const newTokens = await (services.countsAllNew ? countNewTokens : countLastMessage)(messages, counting);
    const { overAllowed, condenseDue, ...limits } = decide(services.usage(options), newTokens, services.warn);
    const { prevContextTokens } = limits;
    running.known.prevContextTokens = prevContextTokens;
    /** @type {import("./window-call.js").WindowCall} */
    const call = { ...limits, currentProfileId };
    let failed = { cost: 0 };
    if (condenseDue) {
      const result = await running.waitForEnd(asWindowCall(call, () => summarizeConversation(condensingOptions(options))));
      if (!isObject(result)) throw notAllowed("host.summarizeConversation()", result, "a response: { messages, summary, cost, … }");
      running.known.cost = result.cost;
      if (!result.error) return { ...(call.tokensWith ? await fitted(result, call, options, running) : result), prevContextTokens };
      failed = { cost: result.cost, error: result.error, ...(result.errorDetails !== undefined && { errorDetails: result.errorDetails }) };
    }
    // A cancelled call must not truncate either.
    const cancelled = condenseDue && running.signal?.aborted;
    if (!overAllowed || cancelled) return { messages, summary: "", prevContextTokens, ...failed };
    const given = services.host.manager && { ...condensingOptions(options), running, messages: getEffectiveApiHistory(messages) };
    const byManager = await prepareWindow(services, call, given, condenseDue);
    if (byManager?.condensed) {
      const { condensed, summary, newContextTokens } = byManager;
      const condenseId = randomUUID();
      const left = appendCondensed(messages, condensed, condenseId);
      const response = { messages: left, summary, newContextTokens, condenseId, cost: failed.cost };
      return { ...(await fitted(response, call, options, running)), prevContextTokens };
    }
    if (call.tokensWith) return { ...(await fitted({ messages, summary: "", ...failed }, call, options, running)), prevContextTokens };

    const truncation = truncateConversation(messages, 0.5, taskId, apiHandler);
    const newContextTokensAfterTruncation = await countVisible(truncation.messages, systemPrompt, counting);
    return { ...truncation, prevContextTokens, summary: "", ...failed, newContextTokensAfterTruncation };
  }

  /** Truncates a manager's result if it is still over the limit. If it does not fit even then, the response says why. */
  async function fitted(response, call, { taskId, apiHandler }, running) {
    const { messages } = response;
    const before = response.error ? call.prevContextTokens : (call.tokensLeft ?? call.prevContextTokens);
    const found = await truncateToFit();
    if (found) telling(messages, apiHandler, found.truncated);
    const tokens = found?.tokens ?? before;
    const after = Math.ceil(tokens);
    const counted = found && { ...("newContextTokens" in response && { newContextTokens: after }), newContextTokensAfterTruncation: after };
    return { ...response, ...found?.truncated, ...counted, ...whyNot(response, tokens, call) };

    function truncateToFit() {
      if (before <= call.fittingTokens || call.keepsAll) return undefined;
      services.capture("captureSlidingWindowTruncation", taskId);
      const visible = visibleIndices(messages);
      const rule = services.thinkingRule(apiHandler);
      const count = ({ messages: truncated }) => running.wait(call.tokensWith(getEffectiveApiHistory(truncated)));
      return fittingTruncation(at(messages, visible), call.fittingTokens, (removed) => hide(messages, visible, removed, rule), count);
    }
  }

  /** Counts the system prompt and each visible message, one call each. */
  async function countVisible(messages, systemPrompt, apiHandler) {
    const visible = services.fixes ? visibleIndices(messages) : untruncatedIndices(messages);
    let tokens = await estimateTokenCount([{ type: "text", text: systemPrompt }], apiHandler);
    for (const index of visible) tokens += await estimateTokenCount(blocksOf(messages[index]), apiHandler);
    return tokens;
  }

  return {
    TOKEN_BUFFER_PERCENTAGE,
    ...withPlaces({ estimateTokenCount, countNewTokens, truncateConversation, willManageContext, manageContext }),
  };
}

const at = (messages, indices) => indices.map((index) => messages[index]);

/** Counts all visible messages that the last reported usage does not include. */
const countNewTokens = (messages, apiHandler) => countNewMessages(getEffectiveApiHistory(messages), apiHandler);

/**
 * Hides the first `removed` visible messages after the very first one, and inserts the marker that says so. Hides the
 * thinking produced after them as well if the rule drops it.
 */
function hide(messages, visible, removed, rule) {
  const truncationId = randomUUID();
  if (removed <= 0) return { messages, truncationId, messagesRemoved: 0 };
  const hidden = new Set(visible.slice(1, removed + 1));
  const boundary = visible[removed + 1] ?? messages.length;
  const { ts = Date.now(), condensedBy } = messages[boundary] ?? {};
  const marker = {
    role: "user",
    content: `[Sliding window truncation: ${removed} messages hidden to reduce context]`,
    // A marker among the copies of a condensation has its id, so that it is removed with them.
    ts: condensedBy ? ts : ts - 1,
    isTruncationMarker: true,
    truncationId,
    ...(condensedBy && { condensedBy }),
  };
  const left = visible.slice(removed + 1);
  const places = rule.drops ? placesToGo(at(messages, left), [0, 0], rule) : [];
  // Anything hidden by another truncation or summary stays hidden with that one when this truncation is taken back.
  const standing = new Set(messages.flatMap(({ truncationId, condenseId }) => [truncationId, condenseId]).filter(Boolean));
  const thinking = new Set(places.map(([position]) => left[position]).filter((index) => !standing.has(messages[index].thinkingParent)));
  const tagged = messages.map((message, index) => {
    if (hidden.has(index)) return { ...message, truncationParent: truncationId };
    return thinking.has(index) ? { ...message, thinkingParent: truncationId } : message;
  });
  return { messages: [...tagged.slice(0, boundary), marker, ...tagged.slice(boundary)], truncationId, messagesRemoved: removed };
}

/** Returns the indices of the messages that no truncation has hidden. */
function untruncatedIndices(messages) {
  const indices = [];
  messages.forEach((message, index) => {
    if (!message.truncationParent && !message.isTruncationMarker) indices.push(index);
  });
  return indices;
}

const condensingOptions = ({
  messages,
  apiHandler,
  condensingApiHandler,
  systemPrompt,
  taskId,
  customCondensingPrompt,
  metadata,
  environmentDetails,
  filesReadByRoo,
  cwd,
  rooIgnoreController,
}) => ({
  messages,
  apiHandler,
  condensingApiHandler,
  systemPrompt,
  taskId,
  isAutomaticTrigger: true,
  customCondensingPrompt,
  metadata,
  environmentDetails,
  filesReadByRoo,
  cwd,
  rooIgnoreController,
});

module.exports = { createContextManagement };
