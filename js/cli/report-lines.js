"use strict";

// Builds the lines of a report for people: paragraphs, tables and lists that fit the terminal.

const { colours, item, number, widthOf, wrap } = require("./terminal.js");

/** Maximum number of lines of a list; the rest is only counted. */
const MAX_LINES = 10;

const LABEL_WIDTH = 24;
const NUMBER_WIDTH = 13;
/** Minimum width of a terminal for a table, in columns. On narrower terminals, labels have lines of their own. */
const TABLE_WIDTH = LABEL_WIDTH + 4 * NUMBER_WIDTH;

/** Builds the lines; the stream decides about colour and width. */
class Report {
  #lines = [];

  constructor(stream, env, color) {
    this.paint = colours(stream, env, color);
    this.width = widthOf(stream);
    this.isNarrow = this.width < TABLE_WIDTH;
  }

  line(text = "") {
    this.#lines.push(text);
  }

  /** Adds a paragraph. Each line is coloured separately, so that colours never span line breaks. */
  text(text, paint = (line) => line) {
    for (const line of wrap(text, this.width)) this.line(paint(line));
  }

  row(label, cells, paint = (line) => line) {
    const put = (line) => this.line(paint(line.trimEnd()));
    if (!this.isNarrow) return put(label.padEnd(LABEL_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join(""));
    const shown = cells.filter((cell) => cell.trim() !== "");
    const inOne = `${label}${shown.map((cell) => `  ${cell.trim()}`).join("")}`;
    if (shown.length < 3 && inOne.length <= this.width) return put(inOne);
    for (const line of wrap(label.trimStart(), this.width - 2)) put(`${/^ */.exec(label)?.[0]}${line}`);
    const width = Math.floor(this.width / Math.max(shown.length, 1));
    const numbers = shown.map((cell) => cell.padStart(width)).join("");
    if (numbers.length <= this.width) return put(numbers);
    for (const line of wrap(shown.map((cell) => cell.trim()).join(" "), this.width - 4)) put(`    ${line}`);
  }

  /** Adds a number with words after it. */
  fact(label, value, words) {
    if (this.isNarrow) return this.text(`${label}: ${value} ${words}`.trimStart());
    this.line(`${label.padEnd(LABEL_WIDTH)}${value.padStart(NUMBER_WIDTH)}  ${words}`);
  }

  heading(label, cells = []) {
    this.line();
    this.row(label, cells, this.paint.bold);
  }

  list(items, mark = "- ", most = MAX_LINES) {
    for (const text of items.slice(0, most)) for (const line of item(mark, text, this.width)) this.line(line);
    if (items.length > most) this.line(`${mark}and ${number(items.length - most)} more`);
  }

  toString() {
    return `${this.#lines.join("\n")}\n`;
  }
}

module.exports = { LABEL_WIDTH, Report };
