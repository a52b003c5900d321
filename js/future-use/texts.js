"use strict";

// Returns the texts of a message that a model reads, in which the measures of future use search. A message may be
// anything.

const { stringify } = require("../deep-json.js");
const isObject = require("../is-object.js");

/** Returns the blocks of a message; a string content is one text block. */
function blocksOf(message) {
  const content = message?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** Returns the text of a block that a model reads, with parameters as JSON. Images, thinking and the like have none. */
function textOf(block) {
  if (block?.type === "text") return typeof block.text === "string" ? block.text : "";
  if (block?.type === "tool_use") return stringify(block.input ?? {}) ?? "";
  if (block?.type !== "tool_result") return "";
  const { content } = block;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(textOf).join("\n") : "";
}

const textOfMessage = (message) => blocksOf(message).map(textOf).join("\n");

/** Returns a text without the line numbers that read tools add. */
const withoutLineNumbers = (text) => text.replace(/^ *\d+(?:\t|→| \| )/gm, "");

module.exports = { blocksOf, textOf, textOfMessage, withoutLineNumbers };
