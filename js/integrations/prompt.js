"use strict";

// Handles prompts of the AI SDK's language models: messages that have parts, except system messages.

const format = "ai-sdk-model";

/** Text that a condensation adds may be a plain string. */
const inParts = (message) =>
  message.role !== "system" && typeof message.content === "string"
    ? { ...message, content: [{ type: "text", text: message.content }] }
    : message;

/** Returns the prompt to send in place of `prompt`. */
async function promptFor(kept, prompt, request) {
  const sent = await kept.messagesFor(prompt, { format, ...request });
  return sent === prompt ? prompt : sent.map(inParts);
}

module.exports = { format, promptFor };
