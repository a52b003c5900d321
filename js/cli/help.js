"use strict";

// The help for everything or for one command, long or with one line for each entry.

const { MEANINGS } = require("./exit-codes.js");
const { COMMANDS, FLAGS, GROUPS, commandNamed, flagsOf } = require("./flags.js");
const { item, wrap } = require("./terminal.js");
const { argumentOf, usageOf } = require("./usage.js");

/** The largest width of the help; a narrower terminal gets as many columns as it has. */
const WIDTH = 80;
/** Columns for the names of commands and flags. */
const NAMES = 24;
/** Below this width a name is placed above its meaning. */
const NARROW = 64;

const withoutBackticks = (text) => text.replaceAll("`", "");

/** Formats the help for a width: an entry, a paragraph, command lines. */
class Layout {
  constructor(width) {
    this.width = Math.min(width, WIDTH);
  }

  /** Returns a name, with its meaning beside or below it. */
  entry(name, text) {
    const isNarrow = this.width < NARROW;
    const lines = wrap(withoutBackticks(text), this.width - (isNarrow ? 4 : NAMES));
    if (isNarrow) return [`  ${name}`, ...lines.map((line) => `    ${line}`)].join("\n");
    return lines.map((line, index) => `${(index === 0 ? `  ${name}` : "").padEnd(NAMES)}${line}`).join("\n");
  }

  paragraph(text, mark = "") {
    return item(mark, withoutBackticks(text), this.width).join("\n");
  }

  /** Returns command lines, each in several lines if it is too long. */
  examplesOf(commands) {
    const lines = commands.flatMap(({ examples = [] }) => examples);
    const shown = lines.map((line) => this.#broken(line, "  "));
    return [lines.length === 1 ? "Example" : "Examples", ...shown].join("\n");
  }

  /** Breaks a command line that is too long before flags, else at a blank. */
  #broken(line, indent) {
    const room = this.width - indent.length - 2;
    if (indent.length + line.length <= this.width) return indent + line;
    const flag = line.lastIndexOf(" --", room);
    const at = flag > 0 ? flag : line.lastIndexOf(" ", room);
    return at <= 0 ? indent + line : `${indent}${line.slice(0, at)} \\\n${this.#broken(line.slice(at + 1), "      ")}`;
  }

  exitCodes() {
    const codes = MEANINGS.map(([code, meaning]) => this.paragraph(meaning, `  ${String(code).padStart(3)}  `));
    const notes = [
      "With any code but 0, nothing was written for the history that failed, unless only the report could not be printed; the message then says so. `roo-condense explain CODE` explains a code.",
      "Tokens are counted with o200k_base. Messages and blocks are numbered from 0, as in the file.",
    ];
    return `Exit codes\n${[
      ...codes,
      ...notes
        .map((note) => this.paragraph(note))
        .join("\n\n")
        .split("\n"),
    ].join("\n")}`;
  }
}

/** Returns the first line of an entry as a sentence, and further ones. */
const sentences = (...parts) =>
  parts
    .filter(Boolean)
    .map((part) => (part.endsWith(".") ? part : `${part}.`))
    .join(" ");

const nameOf = ({ name, short, value }) => `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
const allowedBy = ({ values, isLong = false }) => values && !isLong && `One of: ${values.join(", ")}`;

/** Returns the commands of a flag for the general help: none if the flag is for condensing. */
const ofOthers = ({ commands }) => (commands.includes("condense") ? [] : commands);

/** Returns the meaning of a flag, with its other meanings for single commands. */
function meaningOf(flag) {
  const others = new Map();
  for (const [command, { about, values, details }] of Object.entries(flag.for ?? {})) {
    const text = sentences(about, allowedBy({ values }), details);
    others.set(text, [...(others.get(text) ?? []), command]);
  }
  const own = [...others].map(([text, commands]) => `${commands.join(", ")}: ${text}`);
  return sentences(flag.about, allowedBy(flag), flag.details, flag.multiple && "Can be repeated", ...own);
}

function flagEntry(layout, flag, isShort) {
  const commands = ofOthers(flag);
  if (!isShort) return layout.entry(nameOf(flag), sentences(meaningOf(flag), commands.length > 0 && `For ${commands.join(", ")}`));
  return layout.entry(nameOf(flag), commands.length === 1 ? `${flag.about} (${commands[0]})` : flag.about);
}

const commandEntry = (layout, command, isShort) =>
  layout.entry(`${command.name} ${argumentOf(command)}`, isShort ? command.about : sentences(command.about, command.details));

/** Returns the sections of flags; `entryOf` writes each flag. */
const flagSections = (flags, entryOf) =>
  Object.entries(GROUPS)
    .map(([group, title]) => [title, flags.filter((flag) => flag.group === group)])
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => [title, ...members.map(entryOf)].join("\n"));

function helpOfAll(layout, isShort) {
  const [condense] = COMMANDS;
  const usage = [
    layout.paragraph(usageOf(condense, true), "Usage: "),
    layout.paragraph("roo-condense COMMAND HISTORY [options]", "       "),
  ].join("\n");
  const commands = ["Commands", ...COMMANDS.map((command) => commandEntry(layout, command, isShort))].join("\n");
  const flags = flagSections(FLAGS, (flag) => flagEntry(layout, flag, isShort));
  if (isShort) return [usage, commands, ...flags, layout.paragraph("More: roo-condense --help, roo-condense help COMMAND")];
  const about = layout.paragraph(
    `Condenses the conversations of coding agents, and reports what that saves. A HISTORY is a file or folder. ${condense.arguments.about.replace(/^A file or folder\. /, "")}`,
  );
  return [usage, about, commands, ...flags, layout.examplesOf(COMMANDS), layout.exitCodes()];
}

/** Returns the entry of a flag in the help for a command. */
function ownEntry(layout, flag, isShort) {
  return layout.entry(
    nameOf(flag),
    isShort ? flag.about : sentences(flag.about, allowedBy(flag), flag.details, flag.multiple && "Can be repeated"),
  );
}

function helpOfOne(layout, command, isShort) {
  const all = [command.arguments, ...(command.words ? [command.words] : [])];
  const taken = all.map((taken) => layout.entry(taken.name, sentences(taken.about, allowedBy(taken))));
  return [
    layout.paragraph(usageOf(command), "Usage: "),
    layout.paragraph(isShort ? command.about : sentences(command.about, command.details)),
    ...(isShort ? [] : [`Arguments\n${taken.join("\n")}`]),
    ...flagSections(flagsOf(command.name), (flag) => ownEntry(layout, flag, isShort)),
    ...(isShort ? [] : [layout.examplesOf([command])]),
    isShort ? `More: roo-condense help ${command.name}` : "Exit codes: roo-condense --help",
  ];
}

/** Returns the help for a command, or for all, at most `width` columns wide; `isShort` has one line for each entry. */
function help(name, isShort = false, width = WIDTH) {
  const command = commandNamed(name);
  const layout = new Layout(width);
  return `${(command ? helpOfOne(layout, command, isShort) : helpOfAll(layout, isShort)).join("\n\n")}\n`;
}

module.exports = { help, meaningOf };
