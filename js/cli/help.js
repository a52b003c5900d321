"use strict";

// The help, of everything or of a command, long or in one line for each entry.

const { MEANINGS } = require("./exit-codes.js");
const { COMMANDS, FLAGS, GROUPS, aboutOf, commandNamed, flagsOf, wordsOf } = require("./flags.js");
const { wrap } = require("./terminal.js");
const { argumentOf, usageOf } = require("./usage.js");

const WIDTH = 80;
/** The columns that the names of commands and flags have. */
const NAMES = 24;

const EXAMPLES = `Examples
  roo-condense api_conversation_history.json
  roo-condense history.json --target 50% --explain
  roo-condense history.json --target 40000 --out shorter.json
  roo-condense history.json --preset balanced --preview
  roo-condense history.json --provider truncation --target 25% --in-place \\
      --config '{"strategy":"head_tail"}'
  roo-condense - --target 50% --out - < history.json > shorter.json
  roo-condense restore history.json --in-place
  roo-condense inspect history.json --window 200k --compare
  roo-condense count ~/.claude/projects/*/*.jsonl
  roo-condense a.json b.json --target 50% -o condensed/
  source <(roo-condense completions bash)`;

const EXIT_CODES = `Exit codes
${MEANINGS.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join("\n")}
With another code than 0 nothing has been written, but where only the report
could not be printed, which the message says; of several histories, those that
failed were left as they are.

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
const allowedBy = (of) => wordsOf(of) && `One of: ${wordsOf(of)?.join(", ")}`;

/** What the help of everything says of flags that are not for condensing. */
const ofOthers = ({ commands }) => (commands.includes("condense") ? [] : commands);

/** What a flag means for a command, or for all that understand it. */
function meaningOf(flag, command) {
  const others = command ? [] : Object.entries(flag.aboutIn ?? {}).map(([name, text]) => `${name}: ${text}`);
  return sentences(aboutOf(flag, command), allowedBy(flag), flag.details, flag.multiple && "May be given several times", ...others);
}

function flagEntry(flag, command, isShort) {
  const commands = command ? [] : ofOthers(flag);
  if (!isShort) return entry(nameOf(flag), sentences(meaningOf(flag, command), commands.length > 0 && `For ${commands.join(", ")}`));
  const about = aboutOf(flag, command);
  return entry(nameOf(flag), commands.length === 1 ? `${about} (${commands[0]})` : about);
}

const commandEntry = (command, isShort) =>
  entry(`${command.name} ${argumentOf(command)}`, isShort ? command.about : sentences(command.about, command.details));

/** The sections of flags, those of a command or all. */
const flagSections = (flags, command, isShort) =>
  Object.entries(GROUPS)
    .map(([group, title]) => [title, flags.filter((flag) => flag.group === group)])
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => [title, ...members.map((flag) => flagEntry(flag, command, isShort))].join("\n"));

const paragraph = (text) => wrap(withoutBackticks(text), WIDTH).join("\n");

function helpOfAll(isShort) {
  const [condense] = COMMANDS;
  const usage = `Usage: ${usageOf(condense, true)}\n       roo-condense COMMAND HISTORY [options]`;
  const commands = ["Commands", ...COMMANDS.map((command) => commandEntry(command, isShort))].join("\n");
  const flags = flagSections(FLAGS, undefined, isShort);
  if (isShort) return [usage, commands, ...flags, "More: roo-condense --help, roo-condense help COMMAND"];
  const about = paragraph(
    `Condenses the conversation of a coding agent, and reports what that saves. A history is ${condense.arguments.about}`,
  );
  return [usage, about, commands, ...flags, EXAMPLES, EXIT_CODES];
}

function helpOfOne(command, isShort) {
  const { name, about, values } = command.arguments;
  return [
    `Usage: ${usageOf(command)}`,
    isShort ? command.about : paragraph(sentences(command.about, command.details)),
    ...(isShort ? [] : [`Arguments\n${entry(name, sentences(about, allowedBy({ values })))}`]),
    ...flagSections(flagsOf(command.name), command.name, isShort),
    isShort ? `More: roo-condense help ${command.name}` : "Exit codes and examples: roo-condense --help",
  ];
}

/** The help of a command, or of all; `isShort` leaves out what does not fit into a line for each entry. */
function help(name, isShort = false) {
  const command = commandNamed(name);
  return `${(command ? helpOfOne(command, isShort) : helpOfAll(isShort)).join("\n\n")}\n`;
}

module.exports = { help, meaningOf };
