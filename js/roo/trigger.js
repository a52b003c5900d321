"use strict";

// Decides when the context has to be managed, with the arithmetic of both generations. The manager's
// (`src/manager/trigger.rs`) is the same; `fixtures/shared/trigger.json` tests both.

/** Tokens reserved for the response if the model's own limit is unknown. */
const DEFAULT_MAX_TOKENS = 8192;
/** The share of the window that is always left free. */
const TOKEN_BUFFER_PERCENTAGE = 0.1;
/** Tokens of a window whose size the host does not know: Roo-Code's default for OpenAI-compatible models. */
const DEFAULT_CONTEXT_WINDOW = 128_000;
/** The minimum share of the window that `withRoom` leaves to the conversation. */
const ROOM = 0.5;
const MIN_CONDENSE_THRESHOLD = 5;
const MAX_CONDENSE_THRESHOLD = 100;
const INHERIT = -1;

/** Returns the percent of the window at which condensing is due. `warn` receives a text about a profile's invalid threshold. */
function thresholdOf({ profileThresholds, currentProfileId, autoCondenseContextPercent }, warn) {
  const own = profileThresholds?.[currentProfileId];
  if (own === undefined || own === INHERIT) return autoCondenseContextPercent;
  if (own >= MIN_CONDENSE_THRESHOLD && own <= MAX_CONDENSE_THRESHOLD) return own;
  warn?.(
    `The condensing threshold ${own} of profile "${currentProfileId}" is not used: allowed are ${INHERIT} to inherit, and ${MIN_CONDENSE_THRESHOLD} to ${MAX_CONDENSE_THRESHOLD}. The global one, ${autoCondenseContextPercent}%, applies.`,
  );
  return autoCondenseContextPercent;
}

/** Returns the tokens reserved for the response; undefined for 0, null, undefined and -1, by which vscode-lm means "unlimited". */
const reservedTokens = (maxTokens) => (isAmount(maxTokens) ? maxTokens : undefined);

const isAmount = (tokens) => Number.isFinite(tokens) && tokens > 0;

/** Returns the size of the window. Without a default, a window of unknown size would be full always or never. */
const knownWindow = (contextWindow) => (isAmount(contextWindow) ? contextWindow : DEFAULT_CONTEXT_WINDOW);

/** Returns the maximum tokens in the context if `reserved` tokens are left for the response. */
const allowedBeside = (contextWindow, reserved) => contextWindow * (1 - TOKEN_BUFFER_PERCENTAGE) - reserved;

/** Does the same, but returns half of the window if the reserve leaves nothing. */
function fittingBeside(contextWindow, reserved = DEFAULT_MAX_TOKENS) {
  const allowed = allowedBeside(contextWindow, reserved);
  return allowed > 0 ? allowed : contextWindow * ROOM;
}

/**
 * Returns the options with a reserve that leaves half of the window to the conversation; a larger reserve would make
 * even short conversations due. This happens with models whose longest answer is their whole window, and with every
 * window of 8K.
 */
function withRoom(options) {
  const most = knownWindow(options.contextWindow) * (1 - TOKEN_BUFFER_PERCENTAGE - ROOM);
  const reserved = reservedTokens(options.maxTokens) ?? DEFAULT_MAX_TOKENS;
  return reserved <= most ? options : { ...options, maxTokens: most };
}

/**
 * Returns the tokens before the request, the limit, whether they are over it, and whether condensing is due.
 * `fittingTokens`: the tokens that fit; half of the window if the response leaves nothing. `limitTokens`: the maximum
 * tokens with which nothing is due any more.
 */
function decide(options, lastMessageTokens, warn) {
  const { totalTokens, autoCondenseContext } = options;
  const contextWindow = knownWindow(options.contextWindow);
  const reserved = reservedTokens(options.maxTokens);
  // Some handlers report numbers as text, which `+` would concatenate.
  const prevContextTokens = Number(totalTokens) + Number(lastMessageTokens);
  const allowedTokens = allowedBeside(contextWindow, reserved ?? DEFAULT_MAX_TOKENS);
  const overAllowed = prevContextTokens > allowedTokens;
  // The threshold is looked up in any case, so that a wrong one causes a warning even if it decides nothing.
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

/** Counts by the host's handler; returns 0 without asking it if there is nothing to count. */
async function estimateTokenCount(content, apiHandler) {
  if (!content || content.length === 0) return 0;
  return apiHandler.countTokens(content);
}

/** Returns the content of a message as blocks. */
const blocksOf = ({ content }) => (Array.isArray(content) ? content : [{ type: "text", text: content }]);

/** Counts the newest message, which the API has not reported yet. */
function countLastMessage(messages, apiHandler) {
  const last = messages[messages.length - 1];
  return last ? estimateTokenCount(blocksOf(last), apiHandler) : 0;
}

/**
 * Counts in one call all messages that the last reported usage does not include: those after the newest answer of the
 * model, or after the messages that a condensation inserted, which were counted then. The newest message always
 * counts.
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
