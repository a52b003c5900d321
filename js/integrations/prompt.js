"use strict";

// Prompts as language models of the AI SDK take them: messages of which all but the system's have parts.

const format = "ai-sdk-model";

/** What a condensation adds may be a text. */
const inParts = (message) =>
  message.role !== "system" && typeof message.content === "string"
    ? { ...message, content: [{ type: "text", text: message.content }] }
    : message;

/** The prompt to send in the place of `prompt`. */
async function promptFor(kept, prompt, request) {
  const sent = await kept.messagesFor(prompt, { format, ...request });
  return sent === prompt ? prompt : sent.map(inParts);
}

module.exports = { format, promptFor };
