"use strict";

// What an error says when the host translates nothing: what happened, and what to do about it.

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

/** The English text for an error code of Roo-Code's. */
function defaultMessage(code, parameters) {
  return MESSAGES[code](parameters);
}

/** Condensing was cancelled by the host's signal. Roo-Code has no text of its own for it. */
const CANCELLED = "Condensing was cancelled; the conversation is unchanged.";

/** The host took something out of the history, or changed it, while it was condensed. Roo-Code has no text of its own for it. */
const HISTORY_CHANGED =
  "The conversation was changed while it was condensed, so what was made of it is not used; the conversation is as you left it. Condense it again.";

/** Why a conversation does not fit even now. Roo-Code has no text of its own for it. */
function doesNotFit(tokens, { allowedTokens, contextWindow }) {
  const most = Math.floor(allowedTokens);
  if (most <= 0)
    return `A window of ${contextWindow} tokens leaves no room beside the tokens kept for the answer. Lower the model's maximum output tokens, or use a model with a larger context window.`;
  return `The conversation still does not fit: about ${Math.ceil(tokens)} tokens are left, and a window of ${contextWindow} allows ${most} beside the answer. The system prompt, the first message, the newest ones and what is protected alone take that much. Shorten them, or use a model with a larger context window.`;
}

/** The `error` of a response that leaves more tokens than are allowed, after the one that it has already. */
function whyNot({ error }, tokens, limits) {
  if (tokens <= limits.allowedTokens) return {};
  return { error: [error, doesNotFit(tokens, limits)].filter(Boolean).join(" ") };
}

module.exports = { CANCELLED, HISTORY_CHANGED, defaultMessage, whyNot };
