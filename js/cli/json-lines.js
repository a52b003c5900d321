"use strict";

// Histories with one JSON value on each line: messages, the records of a Claude Code session (~/.claude/projects/*/*.jsonl), or the lines of a Codex
// rollout (~/.codex/sessions/**/rollout-*.jsonl).

const { Failure } = require("./exit-codes.js");
const { isTranscriptLine } = require("../formats.js");
const isObject = require("../is-object.js");

/**
 * A text of several values, one a line. `parse(line, number)` reads one. Returns `{ value, text }` for each line that is not blank, and the number of a last
 * line that somebody is still writing: it has no end, and is no value yet.
 */
function readLines(text, parse) {
  const lines = text.split("\n");
  const found = [];
  let halfLine;
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      found.push({ value: parse(line, index + 1), text: line.replace(/\r$/, "") });
    } catch (error) {
      if (!(error instanceof Failure) || index + 1 < lines.length || found.length === 0) throw error;
      halfLine = index + 1;
    }
  });
  return { lines: found, halfLine };
}

/** Whether a text begins with two objects on lines of their own, which no JSON text does. */
function isJsonLines(text) {
  const [first, second] = text
    .slice(0, 5_000_000)
    .split("\n")
    .filter((line) => line.trim() !== "");
  try {
    return isObject(JSON.parse(first)) && isObject(JSON.parse(second));
  } catch {
    return false;
  }
}

/** Whether a value is a record of a Claude Code session. */
const isRecord = (value) => isObject(value) && typeof value.type === "string" && !("role" in value);

/** Whether these values are records of a Claude Code session. One that has just begun holds no message yet. */
const isTranscript = (values) => values.every(isRecord) && values.some((value) => holdsMessage(value) || isTranscriptLine(value));

const holdsMessage = ({ type, message }) => (type === "user" || type === "assistant") && isObject(message) && "role" in message;

/** Whether the model saw the content of a record. Sidechains belong to subagents; API errors and summaries are for people. */
const isShown = (record) => holdsMessage(record) && !record.isSidechain && !record.isApiErrorMessage;

/**
 * The conversation in the records of a session. Claude Code writes a line for each block of an answer, and one for each result of calls made
 * together; what belongs together becomes one message again.
 */
function messagesOfTranscript(records) {
  const messages = [];
  let last;
  for (const record of records.filter(isShown)) {
    const { message } = record;
    const goesOn = last !== undefined && (isSameAnswer(last, record) || (areResults(last) && areResults(record)));
    if (goesOn) {
      const before = messages.pop();
      messages.push({ ...before, content: [...before.content, ...message.content] });
    } else {
      messages.push(message);
    }
    last = record;
  }
  return messages;
}

const isSameAnswer = (one, other) =>
  one.type === "assistant" &&
  other.type === "assistant" &&
  one.message.id !== undefined &&
  one.message.id === other.message.id &&
  Array.isArray(one.message.content) &&
  Array.isArray(other.message.content);

const areResults = ({ type, message: { content } }) =>
  type === "user" && Array.isArray(content) && content.length > 0 && content.every((block) => block?.type === "tool_result");

const isRolloutLine = (value) => isObject(value) && typeof value.type === "string" && isObject(value.payload);

/** Whether these values are the lines of a Codex rollout. */
const isRollout = (values) => values.every(isRolloutLine) && values.some(({ type }) => type === "session_meta" || type === "response_item");

/**
 * What Codex sends to the model: items of OpenAI's Responses API. A compaction replaces all items before it by its own; lines of other types repeat the
 * conversation for the screen.
 */
function itemsOfRollout(lines) {
  let items = [];
  for (const { type, payload } of lines) {
    if (type === "response_item") items.push(payload);
    else if (type === "compacted" && Array.isArray(payload.replacement_history)) items = [...payload.replacement_history];
  }
  return items;
}

/** Messages as lines; one that was not changed is the line that it was. */
function linesOf(messages, lines, text) {
  const known = new Map(lines.map((line) => [line.value, line.text]));
  const newline = /\r\n/.test(text.slice(0, 1_000_000)) ? "\r\n" : "\n";
  const written = messages.map((message) => known.get(message) ?? JSON.stringify(message));
  return written.join(newline) + (/\n\s*$/.test(text) && written.length > 0 ? newline : "");
}

/** The messages that an agent's session holds; undefined for values that are no lines of one. */
function sessionIn(values) {
  if (isTranscript(values)) return messagesOfTranscript(values);
  return isRollout(values) ? itemsOfRollout(values) : undefined;
}

module.exports = { isJsonLines, linesOf, readLines, sessionIn };
