"use strict";

// Files with one JSON value on each line: messages, or the lines of an agent's session (kinds/).

const { Failure } = require("./exit-codes.js");
const isObject = require("../is-object.js");

/**
 * Reads a text of several values, one on each line. `parse(line, number)` reads one. Returns `{ lines, halfLine }`: a
 * `{ value, text, number }` for each line that is not blank, and the number of a last line that is incomplete, because it
 * is still being written.
 */
function readLines(text, parse) {
  const lines = text.split("\n");
  const found = [];
  let halfLine;
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      found.push({ value: parse(line, index + 1), text: line.replace(/\r$/, ""), number: index + 1 });
    } catch (error) {
      if (!(error instanceof Failure) || index + 1 < lines.length || found.length === 0) throw error;
      halfLine = index + 1;
    }
  });
  return { lines: found, halfLine };
}

/** Returns true if the first five million characters of a text begin with two objects on lines of their own, which no JSON text does. */
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

/** Returns messages as lines; an unchanged one is its original line. */
function linesOf(messages, lines, text) {
  const known = new Map(lines.map((line) => [line.value, line.text]));
  return joinedLines(
    messages.map((message) => known.get(message) ?? JSON.stringify(message)),
    text,
  );
}

/** Returns lines with changes: `{ before, after }`, an original value and its new one. Unchanged parts of a line stay byte for byte. */
function rewrittenLines(changes, lines, text) {
  // Loaded here, so that help works without the addon.
  const { rewriteJson } = require("./json-rewrite.js");
  const known = new Map(lines.map((line) => [line.value, line.text]));
  const written = ({ before, after }) => (before === undefined ? JSON.stringify(after) : rewriteJson(known.get(before), before, after));
  return joinedLines(changes.map(written), text);
}

/** Joins lines to one text, which ends as `text` does. */
function joinedLines(written, text) {
  const newline = /\r\n/.test(text.slice(0, 1_000_000)) ? "\r\n" : "\n";
  return written.join(newline) + (/\n\s*$/.test(text) && written.length > 0 ? newline : "");
}

module.exports = { isJsonLines, linesOf, readLines, rewrittenLines };
