"use strict";

// Shows differences of messages as lines for people: removed lines in red, added ones in green, with a few lines
// around them.

const { number, plural, visible, visibleLine } = require("./terminal.js");

/** The largest number of removed or added lines in a row that are all shown, and the number shown of longer rows. */
const [MAX_IN_A_ROW, SHOWN_IN_A_ROW] = [6, 4];
/** The largest number of places shown of one text. */
const MAX_HUNKS = 4;
/** The largest number of texts shown of one message. */
const MAX_TEXTS = 4;
const INDENT = "      ";

/** The limits for `diffMessages`. */
const LIMITS = Object.freeze({ context: 1, lines: 5000, characters: 240 });

const MARKS = { same: " ", removed: "-", added: "+" };

/** Describes the place of a text in its message. */
function placeOf({ path, blockIndex }, named) {
  const names = path.slice(1).filter((step) => typeof step === "string");
  const parameter = names[0] === "input" ? names.slice(1).join(".") : "";
  return [named && path.length > 1 && `block ${blockIndex}`, parameter].filter(Boolean).join(" ");
}

/** Returns a line of a difference, cut to the width. Long lines were already reduced to the part that differs. */
function shownLine({ kind, text, charactersBefore = 0, charactersAfter = 0 }, width) {
  const said = visibleLine(text);
  const room = width - INDENT.length - 2;
  const before = charactersBefore > 0 ? "…" : "";
  const isCut = before.length + said.length > room || charactersAfter > 0;
  const shown = isCut ? `${before}${said}`.slice(0, room - 1) : `${before}${said}`;
  return `${INDENT}${MARKS[kind]} ${shown}${isCut ? "…" : ""}`.trimEnd();
}

/** Groups of adjacent lines of one kind. */
function rowsOf(lines) {
  const rows = [];
  for (const line of lines) {
    const last = rows.at(-1);
    if (last && last[0].kind === line.kind) last.push(line);
    else rows.push([line]);
  }
  return rows;
}

/** Describes the place of a hunk. */
function headingOf(hunk, place) {
  const { beforeLine, afterLine } = hunk;
  const line = beforeLine === afterLine ? `line ${number(beforeLine)}` : `line ${number(beforeLine)}, now ${number(afterLine)}`;
  return visible([place, line].filter(Boolean).join(", "));
}

function writeHunk(report, hunk, place) {
  const { dim, red, green, cyan } = report.paint;
  const paints = { same: dim, removed: red, added: green };
  report.line(cyan(`${INDENT.slice(2)}@ ${headingOf(hunk, place).slice(0, report.width - INDENT.length)}`));
  for (const row of rowsOf(hunk.lines)) {
    const shown = row.length > MAX_IN_A_ROW ? row.slice(0, SHOWN_IN_A_ROW) : row;
    const paint = paints[row[0].kind];
    for (const line of shown) report.line(paint(shownLine(line, report.width)));
    if (shown.length < row.length) report.line(paint(`${INDENT}${MARKS[row[0].kind]} … ${plural(row.length - shown.length, "more line")}`));
  }
}

/** Writes the differences in the texts of a message. */
function writeTexts(report, diff, { named = true } = {}) {
  const { dim } = report.paint;
  for (const text of diff.slice(0, MAX_TEXTS)) {
    for (const [index, hunk] of text.hunks.slice(0, MAX_HUNKS).entries()) writeHunk(report, hunk, index === 0 ? placeOf(text, named) : "");
    const more = [
      text.hunks.length > MAX_HUNKS && plural(text.hunks.length - MAX_HUNKS, "more place"),
      text.omittedLines > 0 && plural(text.omittedLines, "more line"),
    ].filter(Boolean);
    if (more.length > 0) report.line(dim(`${INDENT}… ${more.join(", ")}`));
  }
  if (diff.length > MAX_TEXTS) report.line(dim(`${INDENT}… ${plural(diff.length - MAX_TEXTS, "more text")}`));
}

module.exports = { LIMITS, writeTexts };
