"use strict";

// The texts of a message that a model reads, in which the measures of future use look for names and passages. A message may be anything.

const { stringify } = require("../deep-json.js");
const isObject = require("../is-object.js");

/** The blocks of a message; a content that is a string is one block of text. */
function blocksOf(message) {
  const content = message?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** What a model reads of a block, parameters as JSON. Images, thinking and the like have no text. */
function textOf(block) {
  if (block?.type === "text") return typeof block.text === "string" ? block.text : "";
  if (block?.type === "tool_use") return stringify(block.input ?? {}) ?? "";
  if (block?.type !== "tool_result") return "";
  const { content } = block;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(textOf).join("\n") : "";
}

const textOfMessage = (message) => blocksOf(message).map(textOf).join("\n");

/** A text without the line numbers that tools put in front of what they read. */
const withoutLineNumbers = (text) => text.replace(/^ *\d+(?:\t|→| \| )/gm, "");

module.exports = { blocksOf, textOf, textOfMessage, withoutLineNumbers };
