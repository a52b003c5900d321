"use strict";

// The help, of everything or of a command, long or with one line for each entry.

const { MEANINGS } = require("./exit-codes.js");
const { COMMANDS, FLAGS, GROUPS, commandNamed, flagsOf } = require("./flags.js");
const { wrap } = require("./terminal.js");
const { argumentOf, usageOf } = require("./usage.js");

const WIDTH = 80;
/** Columns for the names of commands and flags. */
const NAMES = 24;

const EXIT_CODES = `Exit codes
${MEANINGS.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join("\n")}
With any code but 0, nothing was written for the history that failed, unless
only the report could not be printed; the message then says so.

Tokens are counted with o200k_base. Messages and blocks are numbered from 0, as
in the file.`;

const withoutBackticks = (text) => text.replaceAll("`", "");

/** A name, and beside it what it means. */
const entry = (name, text) =>
  wrap(withoutBackticks(text), WIDTH - NAMES)
    .map((line, index) => `${(index === 0 ? `  ${name}` : "").padEnd(NAMES)}${line}`)
    .join("\n");

/** The first line of an entry as a sentence, and further ones. */
const sentences = (...parts) =>
  parts
    .filter(Boolean)
    .map((part) => (part.endsWith(".") ? part : `${part}.`))
    .join(" ");

const nameOf = ({ name, short, value }) => `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
const allowedBy = ({ values }) => values && `One of: ${values.join(", ")}`;

/** The commands of a flag, in the help of everything: named if it is not for condensing. */
const ofOthers = ({ commands }) => (commands.includes("condense") ? [] : commands);

/** The meaning of a flag, with that for single commands where it differs. */
function meaningOf(flag) {
  const others = new Map();
  for (const [command, { about, values, details }] of Object.entries(flag.for ?? {})) {
    const text = sentences(about, allowedBy({ values }), details);
    others.set(text, [...(others.get(text) ?? []), command]);
  }
  const own = [...others].map(([text, commands]) => `${commands.join(", ")}: ${text}`);
  return sentences(flag.about, allowedBy(flag), flag.details, flag.multiple && "Can be repeated", ...own);
}

function flagEntry(flag, isShort) {
  const commands = ofOthers(flag);
  if (!isShort) return entry(nameOf(flag), sentences(meaningOf(flag), commands.length > 0 && `For ${commands.join(", ")}`));
  return entry(nameOf(flag), commands.length === 1 ? `${flag.about} (${commands[0]})` : flag.about);
}

const commandEntry = (command, isShort) =>
  entry(`${command.name} ${argumentOf(command)}`, isShort ? command.about : sentences(command.about, command.details));

/** The sections of flags; `entryOf` writes each. */
const flagSections = (flags, entryOf) =>
  Object.entries(GROUPS)
    .map(([group, title]) => [title, flags.filter((flag) => flag.group === group)])
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => [title, ...members.map(entryOf)].join("\n"));

const paragraph = (text) => wrap(withoutBackticks(text), WIDTH).join("\n");

/** Command lines, in two lines each where they are too long. */
function examplesOf(commands) {
  const lines = commands.flatMap(({ examples = [] }) => examples);
  const shown = lines.flatMap((line) => {
    const at = line.length > WIDTH - 2 ? line.lastIndexOf(" --", WIDTH - 4) : -1;
    return at === -1 ? [`  ${line}`] : [`  ${line.slice(0, at)} \\`, `     ${line.slice(at)}`];
  });
  return [lines.length === 1 ? "Example" : "Examples", ...shown].join("\n");
}

function helpOfAll(isShort) {
  const [condense] = COMMANDS;
  const usage = `Usage: ${usageOf(condense, true)}\n       roo-condense COMMAND HISTORY [options]`;
  const commands = ["Commands", ...COMMANDS.map((command) => commandEntry(command, isShort))].join("\n");
  const flags = flagSections(FLAGS, (flag) => flagEntry(flag, isShort));
  if (isShort) return [usage, commands, ...flags, "More: roo-condense --help, roo-condense help COMMAND"];
  const about = paragraph(
    `Condenses the conversations of coding agents, and reports what that saves. A HISTORY is a file or folder. ${condense.arguments.about.replace(/^A file or folder\. /, "")}`,
  );
  return [usage, about, commands, ...flags, examplesOf(COMMANDS), EXIT_CODES];
}

/** The entry of a flag in the help of a command. */
function ownEntry(flag, isShort) {
  return entry(
    nameOf(flag),
    isShort ? flag.about : sentences(flag.about, allowedBy(flag), flag.details, flag.multiple && "Can be repeated"),
  );
}

function helpOfOne(command, isShort) {
  const all = [command.arguments, ...(command.words ? [command.words] : [])];
  const taken = all.map(({ name, about, values }) => entry(name, sentences(about, allowedBy({ values }))));
  return [
    `Usage: ${usageOf(command)}`,
    isShort ? command.about : paragraph(sentences(command.about, command.details)),
    ...(isShort ? [] : [`Arguments\n${taken.join("\n")}`]),
    ...flagSections(flagsOf(command.name), (flag) => ownEntry(flag, isShort)),
    ...(isShort ? [] : [examplesOf([command])]),
    isShort ? `More: roo-condense help ${command.name}` : "Exit codes: roo-condense --help",
  ];
}

/** The help of a command, or of all; `isShort` has one line for each entry. */
function help(name, isShort = false) {
  const command = commandNamed(name);
  return `${(command ? helpOfOne(command, isShort) : helpOfAll(isShort)).join("\n\n")}\n`;
}

module.exports = { help, meaningOf };
