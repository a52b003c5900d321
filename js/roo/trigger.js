"use strict";

// When the context has to be managed: the arithmetic of both generations. That of the manager (`src/manager/trigger.rs`) is the same;
// `fixtures/shared/trigger.json` holds both to it.

/** Tokens kept free for the answer when the model's own limit is not known. */
const DEFAULT_MAX_TOKENS = 8192;
/** The share of the window that is never filled. */
const TOKEN_BUFFER_PERCENTAGE = 0.1;
/** Tokens of a window that the host does not know: what Roo-Code takes an OpenAI-compatible model to have. */
const DEFAULT_CONTEXT_WINDOW = 128_000;
/** The share of the window that `withRoom` leaves to the conversation at least. */
const ROOM = 0.5;
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

/** Tokens kept free for the answer. vscode-lm reports -1 for "unlimited"; that is no reserve, and neither are 0, null and undefined. */
const reservedTokens = (maxTokens) => (isAmount(maxTokens) ? maxTokens : undefined);

const isAmount = (tokens) => Number.isFinite(tokens) && tokens > 0;

/** The size of the window; one that is not known would never be full, or always. */
const knownWindow = (contextWindow) => (isAmount(contextWindow) ? contextWindow : DEFAULT_CONTEXT_WINDOW);

/** Tokens that may be in the context beside `reserved` for the answer. */
const allowedBeside = (contextWindow, reserved) => contextWindow * (1 - TOKEN_BUFFER_PERCENTAGE) - reserved;

/** Tokens that fit beside `reserved` for the answer; half of a window that leaves nothing beside it. */
function fittingBeside(contextWindow, reserved = DEFAULT_MAX_TOKENS) {
  const allowed = allowedBeside(contextWindow, reserved);
  return allowed > 0 ? allowed : contextWindow * ROOM;
}

/**
 * The options with a reserve that leaves half of the window to the conversation: with a larger one, short conversations would be due. A model whose
 * longest answer is its whole window has such numbers, and so has every window of 8K.
 */
function withRoom(options) {
  const most = knownWindow(options.contextWindow) * (1 - TOKEN_BUFFER_PERCENTAGE - ROOM);
  const reserved = reservedTokens(options.maxTokens) ?? DEFAULT_MAX_TOKENS;
  return reserved <= most ? options : { ...options, maxTokens: most };
}

/**
 * Tokens before the request, how many are allowed, whether they are over that, and whether condensing is due. `fittingTokens`: so many fit; where the
 * window leaves nothing beside the answer, half of it stands in for what is allowed. `limitTokens`: so many may be left for nothing to be due any more.
 */
function decide(options, lastMessageTokens, warn) {
  const { totalTokens, autoCondenseContext } = options;
  const contextWindow = knownWindow(options.contextWindow);
  const reserved = reservedTokens(options.maxTokens);
  // Handlers answer with texts of digits, too, which would be put one behind the other.
  const prevContextTokens = Number(totalTokens) + Number(lastMessageTokens);
  const allowedTokens = allowedBeside(contextWindow, reserved ?? DEFAULT_MAX_TOKENS);
  const overAllowed = prevContextTokens > allowedTokens;
  // The threshold is looked up in any case: a wrong one is warned of even while it decides nothing.
  const threshold = thresholdOf(options, warn);
  const available = options.useAvailableInputForContextPercent ? contextWindow - (reserved ?? 0) : contextWindow;
  const percent = available > 0 ? (100 * prevContextTokens) / available : 100;
  const fittingTokens = fittingBeside(contextWindow, reserved);
  return {
    prevContextTokens,
    contextWindow,
    allowedTokens,
    fittingTokens,
    limitTokens: Math.min(fittingTokens, (threshold / 100) * Math.max(available, 0) || fittingTokens),
    overAllowed,
    threshold,
    condenseDue: Boolean(autoCondenseContext) && (percent >= threshold || overAllowed),
  };
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

/**
 * Tokens of all messages that the last reported usage leaves out, in one call: those after the newest answer of the model, or after what a condensation
 * put in place of older ones, whose tokens were counted then. The newest message always counts.
 */
function countNewMessages(messages, apiHandler) {
  const isReported = ({ role, isSummary, condensedBy }) => role === "assistant" || isSummary || condensedBy;
  const first = Math.min(messages.findLastIndex(isReported) + 1, messages.length - 1);
  const recent = messages.slice(Math.max(0, first)).filter(({ isTruncationMarker }) => !isTruncationMarker);
  return estimateTokenCount(recent.flatMap(blocksOf), apiHandler);
}

module.exports = {
  MAX_CONDENSE_THRESHOLD,
  MIN_CONDENSE_THRESHOLD,
  TOKEN_BUFFER_PERCENTAGE,
  blocksOf,
  countLastMessage,
  countNewMessages,
  decide,
  estimateTokenCount,
  withRoom,
};
