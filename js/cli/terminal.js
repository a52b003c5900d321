"use strict";

// Text for people: colours, widths, numbers.

const DEFAULT_WIDTH = 80;
const MAX_WIDTH = 120;

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] };

/**
 * Returns whether to colour the output to a stream: from `--color`, else from NO_COLOR (https://no-color.org) or
 * FORCE_COLOR (https://force-color.org), else true for a terminal that supports it.
 */
function isColourful(stream, env, color = "auto") {
  if (color !== "auto") return color === "always";
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  return Boolean(stream.isTTY) && env.TERM !== "dumb";
}

/** Returns functions that colour a text, or leave it unchanged. */
function colours(stream, env, color) {
  const on = isColourful(stream, env, color);
  const entries = Object.entries(STYLES).map(([name, [open, close]]) => [
    name,
    (text) => (on ? `\u001b[${open}m${text}\u001b[${close}m` : text),
  ]);
  return Object.fromEntries(entries);
}

/** Returns the columns to fill: those of the terminal within limits, 80 without one. */
const widthOf = (stream) => (stream.isTTY && stream.columns ? Math.max(40, Math.min(stream.columns, MAX_WIDTH)) : DEFAULT_WIDTH);

/** Returns a text as one line without control characters, because the content of a history must not control the terminal. */
const visible = (text) => String(text).replace(/\s+/g, " ").replace(UNSEEN, "\ufffd");

/** Characters that control a terminal, change the direction of text, or are invisible. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/gu;

/** Does the same for one line of a text, and keeps its blanks. */
const visibleLine = (text) => text.replace(/\t/g, "    ").replace(UNSEEN, "\ufffd");

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const number = (value) => whole.format(value);
/** Formats the numbers in a sentence like those in tables. */
const withCommas = (text) => text.replace(/(?<![\w.])\d{4,}(?![\w.])/g, (digits) => number(Number(digits)));
const percent = (part, total) => `${(total === 0 ? 0 : (100 * part) / total).toFixed(1)}%`;
const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

function milliseconds(value) {
  if (value < 10) return `${value.toFixed(1)} ms`;
  return value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(1)} s`;
}

function bytes(count) {
  if (count < 1000) return plural(count, "byte");
  return count < 1e6 ? `${(count / 1e3).toFixed(0)} KB` : `${(count / 1e6).toFixed(1)} MB`;
}

/** Breaks a text into lines of at most `width` characters, at blanks where there are any. */
function wrap(text, width) {
  const lines = [];
  let line = "";
  for (let word of text.split(" ")) {
    if (line && line.length + 1 + word.length <= width) {
      line += ` ${word}`;
      continue;
    }
    if (line) lines.push(line);
    for (; word.length > width; word = word.slice(width)) lines.push(word.slice(0, width));
    line = word;
  }
  lines.push(line);
  return lines;
}

/** Returns a list item: the first line after `mark`, the others below its text. */
const item = (mark, text, width) =>
  wrap(text, width - mark.length).map((line, index) => (index === 0 ? mark : " ".repeat(mark.length)) + line);

/** Quotes a text for shells. */
const shellQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
/** Quotes a word for shells, if it needs it. */
const shellWord = (word) => (/^[\w@%+=:,./-][\w@%+=:,./~-]*$/.test(word) ? word : shellQuoted(word));

module.exports = {
  bytes,
  colours,
  item,
  milliseconds,
  number,
  percent,
  plural,
  shellQuoted,
  shellWord,
  visible,
  visibleLine,
  widthOf,
  withCommas,
  wrap,
};
