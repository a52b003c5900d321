"use strict";

// What stands in for images when the model cannot see them and the host has no way of its own.

const { answerOf } = require("../host-call.js");

const PLACEHOLDER = Object.freeze({ type: "text", text: "[Referenced image in conversation]" });

/** Image blocks of messages as text, unless the model supports images. Images inside tool results stay, as in Roo-Code. */
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
