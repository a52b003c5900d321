"use strict";

// Counts by Roo-Code's rule: o200k_base, times 1.5, rounded up once per call.

// The addon is loaded by the first count, so that a host without a binary can load the rest of the drop-in and count
// by itself.

const { notAllowed } = require("../errors.js");
const isObject = require("../is-object.js");

const ENCODING = "o200k_base";
const SCALE = 1.5;
/** The tokens of an image without data. */
const IMAGE_TOKENS = 300;

async function countTokens(content, options = {}) {
  if (!Array.isArray(content)) throw notAllowed("content", content, "an array of content blocks");
  if (!isObject(options)) throw notAllowed("options", options, "{ toolBlocks? }");
  const { toolBlocks = true } = options;
  if (typeof toolBlocks !== "boolean") throw notAllowed("options.toolBlocks", toolBlocks, "true or false");
  if (content.length === 0) return 0;
  // The vocabulary is built on another thread, which takes some hundred milliseconds once.
  await require("../count.js").warmUp(ENCODING);
  let tokens = 0;
  for (const block of content) tokens += countBlock(block, toolBlocks);
  return Math.ceil(tokens * SCALE);
}

function countBlock(block, toolBlocks) {
  switch (block?.type) {
    case "text":
      return countText(block.text);
    case "image":
      return countImage(block.source);
    case "tool_use":
      return toolBlocks ? countText(callText(block)) : 0;
    case "tool_result":
      return toolBlocks ? countText(resultText(block)) : 0;
    default:
      return 0;
  }
}

const countText = (text) => (typeof text === "string" && text !== "" ? require("../count.js").countText(text, ENCODING) : 0);

function countImage(source) {
  return isObject(source) && typeof source.data === "string" ? Math.ceil(Math.sqrt(source.data.length)) : IMAGE_TOKENS;
}

/** Returns the text by which a call is counted. */
function callText({ name, input }) {
  const lines = [`Tool: ${name}`];
  if (input !== undefined) lines.push(`Arguments: ${json(input)}`);
  return lines.join("\n");
}

function json(input) {
  try {
    return JSON.stringify(input);
  } catch {
    return "[serialization error]";
  }
}

/** Returns the text by which a result is counted. */
function resultText({ tool_use_id: id, is_error: isError, content }) {
  const lines = [`Tool Result (${id})`];
  if (isError) lines.push("[Error]");
  if (typeof content === "string") lines.push(content);
  else if (Array.isArray(content)) lines.push(...content.map(partText));
  return lines.join("\n");
}

function partText(part) {
  if (part?.type === "text") return part.text || "";
  if (part?.type === "image") return "[Image content]";
  return `[Unsupported content: ${part?.type}]`;
}

module.exports = { countTokens };
