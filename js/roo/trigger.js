"use strict";

// When the context has to be managed: the arithmetic of both generations. That of the manager (`src/manager/trigger.rs`) is the same;
// `fixtures/shared/trigger.json` holds both to it.

/** Tokens kept free for the answer when the model's own limit is not known. */
const DEFAULT_MAX_TOKENS = 8192;
/** The share of the window that is never filled. */
const TOKEN_BUFFER_PERCENTAGE = 0.1;
const MIN_CONDENSE_THRESHOLD = 5;
const MAX_CONDENSE_THRESHOLD = 100;
const INHERIT = -1;

/** The percent of the window at which condensing is due. `warn` is told of a profile's threshold that cannot be used. */
function thresholdOf({ profileThresholds, currentProfileId, autoCondenseContextPercent }, warn) {
  const own = profileThresholds?.[currentProfileId];
  if (own === undefined || own === INHERIT) return autoCondenseContextPercent;
  if (own >= MIN_CONDENSE_THRESHOLD && own <= MAX_CONDENSE_THRESHOLD) return own;
  warn?.(
    `The condensing threshold ${own} of profile "${currentProfileId}" is not used: allowed are ${INHERIT} to inherit, and ${MIN_CONDENSE_THRESHOLD} to ${MAX_CONDENSE_THRESHOLD}. The global one, ${autoCondenseContextPercent}%, applies.`,
  );
  return autoCondenseContextPercent;
}

/** Tokens before the request, whether they are over what is allowed, and whether condensing is due. */
function decide(options, lastMessageTokens, warn) {
  const { totalTokens, contextWindow, maxTokens, autoCondenseContext } = options;
  const prevContextTokens = totalTokens + lastMessageTokens;
  const allowedTokens = contextWindow * (1 - TOKEN_BUFFER_PERCENTAGE) - (maxTokens || DEFAULT_MAX_TOKENS);
  const overAllowed = prevContextTokens > allowedTokens;
  // The threshold is looked up in any case: a wrong one is warned of even while it decides nothing.
  const threshold = thresholdOf(options, warn);
  const percent = (100 * prevContextTokens) / contextWindow;
  return { prevContextTokens, overAllowed, threshold, condenseDue: Boolean(autoCondenseContext) && (percent >= threshold || overAllowed) };
}

/** Counts with the host's handler; nothing to count costs no call. */
async function estimateTokenCount(content, apiHandler) {
  if (!content || content.length === 0) return 0;
  return apiHandler.countTokens(content);
}

/** The content of a message as blocks. */
const blocksOf = ({ content }) => (Array.isArray(content) ? content : [{ type: "text", text: content }]);

/** Tokens of the newest message, which the API has not reported yet. */
function countLastMessage(messages, apiHandler) {
  const last = messages[messages.length - 1];
  return last ? estimateTokenCount(blocksOf(last), apiHandler) : 0;
}

module.exports = {
  MAX_CONDENSE_THRESHOLD,
  MIN_CONDENSE_THRESHOLD,
  TOKEN_BUFFER_PERCENTAGE,
  blocksOf,
  countLastMessage,
  decide,
  estimateTokenCount,
};
