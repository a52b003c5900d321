"use strict";

// Default texts of errors, for hosts that translate nothing: each says what happened and what to do about it.

const MESSAGES = {
  condense_not_enough_messages: () =>
    "There are not enough messages to condense yet. Go on with the conversation, or raise the condensing threshold.",
  condensed_recently: () =>
    "The conversation was condensed a moment ago. Go on first; if the context is full already, shorten the last messages or use a model with a larger context window.",
  condense_handler_invalid: () =>
    "The API configuration chosen for condensing cannot create messages. Choose a valid one in the condensing settings.",
  condense_failed: () => "The model returned no summary, so nothing was condensed. Try again, or choose another model for condensing.",
  condense_context_grew: () =>
    "Condensing would not make the context smaller, so it was left as it was. Shorten the condensing prompt, or choose another provider or model for condensing.",
  condense_nothing_saved: () =>
    "Nothing in the conversation could be shortened, so it was left as it was. Go on, choose a provider that asks a model, or use a model with a larger context window.",
  condense_api_failed: ({ message } = { message: undefined }) =>
    `Condensing failed and changed nothing: ${message}. Check the API configuration for condensing and try again.`,
};

/** Returns the English text for one of Roo-Code's error codes. */
function defaultMessage(code, parameters) {
  return MESSAGES[code](parameters);
}

/** The host's signal cancelled condensing. Roo-Code has no text of its own for this. */
const CANCELLED = "Condensing was cancelled; the conversation is unchanged.";

/** The host removed messages, or changed them, during condensing. Roo-Code has no text of its own for this. */
const HISTORY_CHANGED =
  "The conversation was changed while it was condensed, so what was made of it is not used; the conversation is as you left it. Condense it again.";

/** Says why a conversation does not fit even after truncating. Roo-Code has no text of its own for this. */
function doesNotFit(tokens, { allowedTokens, contextWindow }) {
  const most = Math.floor(allowedTokens);
  if (most <= 0)
    return `A window of ${contextWindow} tokens leaves no room beside the tokens kept for the answer. Lower the model's maximum output tokens, or use a model with a larger context window.`;
  return `The conversation still does not fit: about ${Math.ceil(tokens)} tokens are left, and a window of ${contextWindow} allows ${most} beside the answer. The system prompt, the first message, the newest ones and what is protected alone take that much. Shorten them, or use a model with a larger context window.`;
}

/** Returns the `error` of a response that leaves more tokens than the limit, appended to an error it already has. */
function whyNot({ error }, tokens, limits) {
  if (tokens <= limits.allowedTokens) return {};
  return { error: [error, doesNotFit(tokens, limits)].filter(Boolean).join(" ") };
}

module.exports = { CANCELLED, HISTORY_CHANGED, defaultMessage, whyNot };
