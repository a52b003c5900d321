"use strict";

// Replaces images by text when the model cannot see them and the host has no function for that.

const { answerOf } = require("../host-call.js");

const PLACEHOLDER = Object.freeze({ type: "text", text: "[Referenced image in conversation]" });

/** Turns image blocks of messages into text unless the model supports images. Images inside tool results are kept, as in Roo-Code. */
function describeImages(messages, apiHandler) {
  const model = answerOf(
    () => apiHandler?.getModel?.(),
    (error) => {
      throw error;
    },
  );
  if (model?.info?.supportsImages) return messages;
  return messages.map((message) => {
    if (!Array.isArray(message.content) || !message.content.some(isImage)) return message;
    return { ...message, content: message.content.map((block) => (isImage(block) ? { ...PLACEHOLDER } : block)) };
  });
}

const isImage = (block) => block?.type === "image";

module.exports = { describeImages };
