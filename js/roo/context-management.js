"use strict";

// Managing the context as in 2026: what no longer fits is hidden, and can be shown again.

const { randomUUID } = require("node:crypto");
const { notAllowed } = require("../errors.js");
const isObject = require("../is-object.js");
const { resolveHost } = require("./host.js");
const { withPlaces } = require("./readable.js");
const { createTaggedCondense } = require("./tagged-condense.js");
const { visibleIndices } = require("./tagged-history.js");
const { TOKEN_BUFFER_PERCENTAGE, blocksOf, countLastMessage, decide, estimateTokenCount } = require("./trigger.js");
const { pairsToRemove, unbrokenRemoval } = require("./truncation.js");

function createContextManagement(host) {
  const services = resolveHost(host);
  const summarizeConversation = services.host.summarizeConversation ?? createTaggedCondense(host).summarizeConversation;

  function truncateConversation(messages, fracToRemove, taskId) {
    services.capture("captureSlidingWindowTruncation", taskId);
    const truncationId = randomUUID();
    // Roo-Code takes what a summary stands for as visible, too: the fault is that hiding it again frees nothing.
    const visible = services.fixes ? visibleIndices(messages) : untruncatedIndices(messages);
    const wanted = pairsToRemove(visible.length, fracToRemove);
    const removed = services.fixes
      ? unbrokenRemoval(
          visible.map((index) => messages[index]),
          wanted,
        )
      : wanted;
    if (removed <= 0) return { messages, truncationId, messagesRemoved: 0 };

    const hidden = new Set(visible.slice(1, removed + 1));
    const boundary = visible[removed + 1] ?? messages.length;
    const marker = {
      role: "user",
      content: `[Sliding window truncation: ${removed} messages hidden to reduce context]`,
      ts: (messages[boundary]?.ts ?? Date.now()) - 1,
      isTruncationMarker: true,
      truncationId,
    };
    const tagged = messages.map((message, index) => (hidden.has(index) ? { ...message, truncationParent: truncationId } : message));
    return { messages: [...tagged.slice(0, boundary), marker, ...tagged.slice(boundary)], truncationId, messagesRemoved: removed };
  }

  /** Whether `manageContext` would do something. */
  function willManageContext({ lastMessageTokens, ...options }) {
    const { overAllowed, condenseDue } = decide(options, lastMessageTokens);
    return condenseDue || overAllowed;
  }

  async function manageContext(options) {
    const { messages, apiHandler, systemPrompt, taskId } = options;
    const { prevContextTokens, overAllowed, condenseDue } = decide(options, await countLastMessage(messages, apiHandler), services.warn);
    let failed = { cost: 0 };
    if (condenseDue) {
      const result = await summarizeConversation(condensingOptions(options));
      if (!isObject(result)) throw notAllowed("host.summarizeConversation()", result, "a response: { messages, summary, cost, … }");
      if (!result.error) return { ...result, prevContextTokens };
      failed = { cost: result.cost, error: result.error, ...(result.errorDetails !== undefined && { errorDetails: result.errorDetails }) };
    }
    // Who cancels wants no other change either.
    const cancelled = condenseDue && services.signal(taskId)?.aborted;
    if (!overAllowed || cancelled) return { messages, summary: "", prevContextTokens, ...failed };

    const truncation = truncateConversation(messages, 0.5, taskId);
    const newContextTokensAfterTruncation = await countVisible(truncation.messages, systemPrompt, apiHandler);
    return { ...truncation, prevContextTokens, summary: "", ...failed, newContextTokensAfterTruncation };
  }

  /** The system prompt and each message, a call each. */
  async function countVisible(messages, systemPrompt, apiHandler) {
    const visible = services.fixes ? visibleIndices(messages) : untruncatedIndices(messages);
    let tokens = await estimateTokenCount([{ type: "text", text: systemPrompt }], apiHandler);
    for (const index of visible) tokens += await estimateTokenCount(blocksOf(messages[index]), apiHandler);
    return tokens;
  }

  return { TOKEN_BUFFER_PERCENTAGE, ...withPlaces({ estimateTokenCount, truncateConversation, willManageContext, manageContext }) };
}

/** What no truncation has hidden. */
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
