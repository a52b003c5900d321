"use strict";

// `roo-condense recall`: searches a whole session, for people.

const path = require("node:path");
const { MOST_BYTES } = require("./client-recall.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { redactor } = require("./session-cleaning.js");
const { SessionFiles } = require("./session-files.js");
const { SessionIndex } = require("./session-index.js");
const { findSessions, sessionsOf } = require("./sessions.js");
const { print } = require("./telling.js");
const { bytes, item, plural, visibleLine, widthOf } = require("./terminal.js");
const { readLines } = require("../recall/ask.js");
const { version } = require("../../package.json");

/** Maximum tokens of an answer: about two screens. */
const MAX_TOKENS = 1500;

/** Returns the newest session of the current folder; if the folder has none, the newest on this machine. */
function newest() {
  const [found] = [...sessionsOf({ project: process.cwd() }), ...findSessions().sessions];
  if (found) return found.name;
  throw new Failure(EXIT.unreadable, "no coding agent has a session on this machine", {
    hints: ["Name a file: roo-condense recall FILE WORDS"],
  });
}

/**
 * Reads an entry if the words are its key, with or without lines; otherwise searches.
 * @returns {Promise<{ read?: any, found?: any }>}
 */
async function answerTo(index, words) {
  const [key, lines, ...more] = words;
  const range = more.length === 0 ? readLines(lines) : undefined;
  const read = range && (await index.read(key, { ...range, maxTokens: MAX_TOKENS }));
  return read ? { read } : { found: await index.search(words.join(" "), { maxTokens: MAX_TOKENS }) };
}

/** @type {(read: any) => string} */
const headOf = ({ text: _, ...read }) => `[${read.key}] ${read.title}: lines ${read.first}-${read.last} of ${read.total}`;

/**
 * Returns the result as text for people.
 * @param {{ read?: any, found?: any }} answer
 * @param {string} name
 * @param {string[]} notes
 */
function textOf({ read, found }, name, notes) {
  const about = notes.length > 0 ? ` (${notes.join("; ")})` : "";
  if (read && read.first > read.total) return `[${read.key}] has ${plural(read.total, "line")}.`;
  if (read) return `${headOf(read)}\n\n${read.text}${read.next ? `\n(next: lines ${read.next})` : ""}`;
  if (found.hits.length === 0) return `None of ${plural(found.entries, "entry", "entries")} in ${name} has any of these words${about}.`;
  const shown = plural(found.hits.length, "entry", "entries");
  return `${shown} of ${found.matching} with these words, in ${name}${about}. A key and lines print more: recall FILE KEY 40-80\n\n${found.hits.map(({ text }) => text.trimEnd()).join("\n\n")}`;
}

/** Returns notes about the files for a reader. */
const notesOn = ({ damaged, leftOut }) => [
  ...(damaged > 0 ? [`${plural(damaged, "damaged line")} skipped`] : []),
  ...(leftOut > 0 ? [`the oldest ${bytes(leftOut)} are not searched`] : []),
];

/** Returns the lines to print. A terminal gets them wrapped at blanks, with their indent; a program gets whole lines. */
function linesFor(stdout, text) {
  const lines = text.split("\n").map(visibleLine);
  if (!stdout.isTTY) return lines;
  return lines.flatMap((line) => {
    const [indent] = /^ {0,12}/.exec(line) ?? [""];
    return item(indent, line.slice(indent.length), widthOf(stdout)).map((part) => part.trimEnd());
  });
}

/** Returns the exit code. */
async function recall({ file = newest(), words, patterns, json }, { stdout }) {
  const redact = redactor(patterns);
  const index = new SessionIndex({ redact: patterns });
  const parts = new SessionFiles().partsAt(file, { most: MOST_BYTES });
  await index.update(parts);
  const answer = await answerTo(index.index, words);
  const state = index.stateOf(parts);
  if (json) {
    const { damaged: damagedLines, leftOut: bytesLeftOut, compactions } = state;
    const report = {
      version,
      exitCode: EXIT.done,
      file,
      program: parts[0].program,
      compactions,
      damagedLines,
      bytesLeftOut,
      ...(answer.read ?? answer.found),
    };
    await print(stdout, `${redact(JSON.stringify(report, null, 2))}\n`);
  } else {
    const text = redact(textOf(answer, path.basename(file), notesOn(state)));
    await print(stdout, `${linesFor(stdout, text).join("\n")}\n`);
  }
  return EXIT.done;
}

module.exports = { recall };
