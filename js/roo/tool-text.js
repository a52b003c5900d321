"use strict";

// Turns calls and results into text: the condensing request has no tools, and APIs then refuse tool blocks.

function toolUseToText({ name, input }) {
  const text = typeof input === "object" && input !== null ? Object.entries(input).map(parameterText).join("\n") : String(input);
  return `[Tool Use: ${name}]\n${text}`;
}

const parameterText = ([name, value]) =>
  `${name}: ${typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : String(value)}`;

function toolResultToText({ content, is_error: isError }) {
  const header = isError ? "[Tool Result (Error)]" : "[Tool Result]";
  if (typeof content === "string") return `${header}\n${content}`;
  if (Array.isArray(content)) return `${header}\n${content.map(partText).join("\n")}`;
  return header;
}

function partText(part) {
  if (part.type === "text") return part.text;
  return part.type === "image" ? "[Image]" : `[${part.type}]`;
}

/** Turns tool blocks into text blocks; returns the same content if there are none. */
function convertToolBlocksToText(content) {
  if (!Array.isArray(content) || !content.some(isToolBlock)) return content;
  return content.map((block) => {
    if (block.type === "tool_use") return { type: "text", text: toolUseToText(block) };
    if (block.type === "tool_result") return { type: "text", text: toolResultToText(block) };
    return block;
  });
}

const isToolBlock = (block) => block.type === "tool_use" || block.type === "tool_result";

/** Returns the messages without tool blocks; messages that have none are the same objects. */
function transformMessagesForCondensing(messages) {
  return messages.map((message) => {
    const content = convertToolBlocksToText(message.content);
    return content === message.content ? message : { ...message, content };
  });
}

module.exports = { convertToolBlocksToText, toolResultToText, toolUseToText, transformMessagesForCondensing };
