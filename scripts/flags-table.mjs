// Writes the table of flags in docs/command-line.md from js/cli/flags.js.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { isProgram, root } from "./tools.mjs";

const require = createRequire(import.meta.url);
const { COMMANDS, FLAGS } = require("../js/cli/flags.js");
const { meaningOf } = require("../js/cli/help.js");

export const page = path.join(root, "docs", "command-line.md");
const BEGIN = "<!-- flags: written by node scripts/flags-table.mjs from js/cli/flags.js -->";
const END = "<!-- end of flags -->";

const code = (text) => `\`${text}\``;
/** A text in a cell, the flags that it names as code. */
const cell = (text) => text.replace(/(?<![\w`-])--[a-z-]+/g, code).replaceAll("|", "\\|");

/** @param {import("../js/cli/flags.js").Flag} flag */
const nameOf = ({ name, short, value }) => `${short ? `${code(`-${short}`)}, ` : ""}${code(`--${name}${value ? ` ${value}` : ""}`)}`;
const commandsOf = ({ commands }) => (commands.length === COMMANDS.length ? "all" : commands.join(", "));

const table = () =>
  [
    "| flag | what it does | commands |",
    "| --- | --- | --- |",
    ...FLAGS.map((flag) => `| ${nameOf(flag)} | ${cell(meaningOf(flag))} | ${commandsOf(flag)} |`),
  ].join("\n");

/** A page with the table as it has to be. */
export function withTable(text) {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new Error(`docs/command-line.md: "${BEGIN}" and "${END}" are missing, between which the table stands`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table()}\n\n${text.slice(end)}`;
}

if (isProgram(import.meta.url)) writeFileSync(page, withTable(readFileSync(page, "utf8")));
