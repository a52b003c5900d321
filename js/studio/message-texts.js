"use strict";

// Turns a message into texts that a person can read. Its content may be any value.

const { stringify } = require("../deep-json.js");
const isObject = require("../is-object.js");

/** The number of characters of a text that are sent to a page; the rest is only counted. */
const MAX_SHOWN = 200_000;

function cut(kind, text) {
  const whole = String(text);
  return { kind, text: whole.slice(0, MAX_SHOWN), omitted: Math.max(0, whole.length - MAX_SHOWN) };
}

const json = (value) => {
  // A value too deep to be indented is written without indents.
  for (const write of [() => JSON.stringify(value, null, 2), () => stringify(value)]) {
    try {
      return write() ?? "";
    } catch {}
  }
  return "";
};

function imageText({ source }) {
  const data = isObject(source) && typeof source.data === "string" ? `, ${source.data.length} characters` : "";
  return `[image${data}]`;
}

/** @returns {{ kind: string, text: string, omitted: number }[]} */
function blockTexts(block) {
  if (!isObject(block)) return [cut("other", json(block))];
  switch (block.type) {
    case "text":
      return [cut("text", block.text)];
    case "thinking":
      return [cut("thinking", block.thinking)];
    case "tool_use":
      return [cut("call", `${block.name}\n${json(block.input)}`)];
    case "tool_result":
      return contentTexts(block.content).map((text) => ({ ...text, kind: text.kind === "text" ? "result" : text.kind }));
    case "image":
      return [cut("image", imageText(block))];
    default:
      return [cut("other", json(block))];
  }
}

function contentTexts(content) {
  if (typeof content === "string") return [cut("text", content)];
  if (Array.isArray(content)) return content.flatMap(blockTexts);
  return content == null ? [] : [cut("other", json(content))];
}

/** Returns the role and the texts of a message. */
function textsOf(message) {
  if (!isObject(message)) return { role: "", texts: [cut("other", json(message))] };
  return { role: String(message.role ?? "").slice(0, 40), texts: contentTexts(message.content) };
}

/** Returns true if a string in a value contains `wanted`, which is in lower case. */
function says(value, wanted) {
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === "string") {
      if (next.toLowerCase().includes(wanted)) return true;
    } else if (next !== null && typeof next === "object") {
      // Images contain no searchable text.
      if (next.type !== "base64") left.push(...Object.values(next));
    }
  }
  return false;
}

/** Returns the indices of the messages whose content contains a text, in upper or lower case. */
function placesOf(messages, text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  return messages.flatMap((message, index) => (says(isObject(message) ? message.content : message, wanted) ? [index] : []));
}

module.exports = { placesOf, textsOf };
