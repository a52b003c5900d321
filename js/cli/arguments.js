"use strict";

// Reads the command's arguments, and checks them as far as possible without the history.

const fs = require("node:fs");
const { parseArgs } = require("node:util");
const { EXIT, Failure } = require("./exit-codes.js");
const { COMMANDS, FLAGS, commandNamed, commandNames, flagFor, flagNamed, flagsOf } = require("./flags.js");
const { asking, commandsLike, didYouMean, flagLike, flagsLike, numberMeant, tokensMeant, wordsLike } = require("./meant.js");
const { findSessions } = require("./sessions.js");
const { shellWord } = require("./terminal.js");
const { usageOf } = require("./usage.js");

/** Returns the flags of a command for Node's parser. A flag may be a switch for one command and take a value for another. */
const optionsOf = (command) =>
  Object.fromEntries(
    FLAGS.map((flag) => flagFor(flag, command)).map(({ name, short, value, multiple = false }) => [
      name,
      { type: value === undefined ? /** @type {const} */ ("boolean") : /** @type {const} */ ("string"), multiple, ...(short && { short }) },
    ]),
  );

/** The environment variable with the key of each API. */
const KEY_VARIABLES = Object.freeze({ anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" });

const HINTS = Object.freeze([`Usage: ${usageOf(COMMANDS[0], true)}`, "More: roo-condense --help"]);

/** Returns the failure of wrong arguments; `field` is the flag, or the command, that it is about. */
const wrong = (message, field) => new Failure(EXIT.usage, message, { field, hints: [...HINTS] });

/** Runs `read` for a command; a failure explains the usage of that command. */
function usedAs(command, read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure && error.exitCode === EXIT.usage && command.name !== "condense")
      error.hints = [`Usage: ${usageOf(command)}`, `More: roo-condense help ${command.name}`];
    throw error;
  }
}

/** Returns the failure of a flag with an invalid value; `allowed` continues "must be". */
const invalid = (flag, value, allowed) => wrong(`${flag} must be ${allowed}; got "${value}"`, flag);

/** Returns the failure of a word that is none of the allowed ones. */
const notAmong = (what, value, allowed) =>
  wrong(`${what} must be one of ${allowed.join(", ")}; got "${value}"${wordsLike(value, allowed)}`, what);

/** Joins negative numbers to the option before them, so that they are read as its value. */
function withNumbersJoined(args, options) {
  const joined = [];
  let isOver = false;
  for (const arg of args) {
    const option = /^--([a-z-]+)$/.exec(joined.at(-1) ?? "")?.[1] ?? "";
    if (!isOver && /^-\d/.test(arg) && options[option]?.type === "string") joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
    isOver ||= arg === "--";
  }
  return joined;
}

/** Returns the failure of a flag without its value; `help` is asked about the flag. */
function withoutValue(name, command) {
  if (command === "help") return flagOfHelp(name);
  const { value } = flagFor(flagNamed(name), command);
  return wrong(`--${name} needs a value: --${name} ${value}; write --${name}=-… if it begins with a dash`, `--${name}`);
}

/** Returns the failure of `help` for a flag, which names a command that has it. */
function flagOfHelp(name) {
  const [owner] = flagNamed(name).commands;
  return wrong(`--${name} is a flag of ${owner}: roo-condense help ${owner}`, "COMMAND");
}

/** Refuses a value that was written as two words, such as `20 k`. */
function refuseSplitValues({ tokens }) {
  for (const [at, { kind, name, value }] of tokens.entries()) {
    const next = tokens[at + 1];
    if (kind !== "option" || !["target", "window"].includes(name) || next?.kind !== "positional") continue;
    const whole = `${value}${next.value}`;
    const isPart = /^([km%]|\d{3})$/i.test(next.value) && (readTokens(whole) !== undefined || readPercent(whole) > 0);
    if (isPart && !fs.existsSync(next.value))
      throw wrong(`--${name} takes one word; got "${value} ${next.value}"${asking([`--${name} ${whole}`])}`, `--${name}`);
  }
}

function parse(args, command) {
  const options = optionsOf(command);
  try {
    return parseArgs({ args: withNumbersJoined(args, options), options, allowPositionals: true, tokens: true });
  } catch (error) {
    if (!String(error.code).startsWith("ERR_PARSE_ARGS")) throw error;
    if (/'--?[\w-]*key\b/i.test(error.message)) {
      throw wrong(`keys are not accepted as arguments, where others could read them: set ${Object.values(KEY_VARIABLES).join(" or ")}`);
    }
    const option = /^Option '(?:-\w, )?--([\w-]+).*' argument (?:is ambiguous|missing)/.exec(error.message)?.[1];
    if (option !== undefined) throw withoutValue(option, command);
    // Node's message also has advice about `--`, which is misleading here.
    const [sentence] = error.message.split(/\.\s/, 1);
    const [, dashes, name] = /^Unknown option '(--?)([^']*)'/.exec(error.message) ?? [];
    const meant = name === undefined ? "" : flagsLike(dashes, name, command ?? "condense");
    throw wrong(
      sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "") + meant,
      name === undefined ? undefined : `${dashes}${name}`,
    );
  }
}

/** Returns the failure of an invalid number, with the number that may have been meant. */
const wrongNumber = (flag, text, allowed, meant) =>
  wrong(`${flag} must be ${allowed}; got "${text}"${asking(meant === undefined ? [] : [meant])}`, flag);

/** Returns the failure of an invalid target. */
const wrongTarget = (text, allowed) => wrongNumber("--target", text, allowed, tokensMeant(text, true));

/** The number of tokens that a suffix multiplies by. */
const SUFFIXES = Object.freeze({ "": 1, k: 1e3, m: 1e6 });

/** Reads `200000`, `200k` or `1m` as tokens; undefined if it is none of them. */
function readTokens(text) {
  // Some write 20.000 for 20,000: without a suffix, there are no fractions.
  const [, digits, suffix = ""] = /^(\d+|\d+\.\d+(?=[km]$))([km]?)$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const tokens = Math.round(Number(digits) * SUFFIXES[suffix.toLowerCase()] * 1e6) / 1e6;
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}

/** Reads `50%` as 50; NaN if it is no percentage. */
const readPercent = (text) => Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]);

/** Reads `40000`, `40k`, `1m` or `50%` as `{ text, tokens }` or `{ text, percent }`. `calibrate` takes only a share below 100%. */
function readTarget(text, command) {
  const percent = readPercent(text);
  if (command === "calibrate") {
    const saved = 100 - percent;
    if (saved > 0 && saved < 100) return { text, percent };
    throw wrongTarget(text, "a percentage above 0% and below 100% for calibrate (40%)");
  }
  if (percent > 0 && percent <= 100) return { text, percent };
  const tokens = readTokens(text);
  if (tokens !== undefined) return { text, tokens };
  throw wrongTarget(text, "a whole number of tokens (40000, 40k), or a percentage above 0% up to 100% (50%)");
}

/** Reads the tokens of a window. */
function readWindow(text) {
  const tokens = readTokens(text);
  if (tokens !== undefined) return tokens;
  throw wrongNumber("--window", text, "a whole number of tokens (200000, 200k, 1m)", tokensMeant(text));
}

function readModel(values) {
  const { llm: api, model, "base-url": baseUrl, insecure } = values;
  if (api === undefined) {
    for (const name of ["model", "base-url", "insecure", "fallback"])
      if (values[name] !== undefined) throw wrong(`--${name} needs --llm`, `--${name}`);
    return undefined;
  }
  if (model === undefined) throw wrong("--llm needs --model", "--llm");
  if (baseUrl !== undefined) {
    const url = toUrl(baseUrl);
    if (!url || !/^https?:$/.test(url.protocol)) throw invalid("--base-url", baseUrl, "an http or https address");
    if (url.username || url.password)
      throw wrong(`--base-url must not contain a user name or password, which others could read; set ${KEY_VARIABLES[api]}`, "--base-url");
  }
  return { api, model, baseUrl, insecure: Boolean(insecure) };
}

function toUrl(text) {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Returns true if a command works without a history: a project may contain a folder with its name. */
const takesNoHistory = (name) => Boolean(commandNamed(name)?.arguments.isFolder);

/**
 * Returns the command and its arguments: histories, or a word such as the shell of `completions`. `mistyped` suggests
 * the command that may have been meant.
 */
function readCommand(positionals) {
  const [first, ...rest] = positionals;
  // A history may have the name of a command.
  const isCommand = commandNames.includes(first) && (rest.length > 0 || takesNoHistory(first) || !fs.existsSync(first));
  const command = /** @type {import("./flags.js").Command} */ (commandNamed(isCommand ? first : "condense"));
  const mistyped = isCommand || first === undefined || fs.existsSync(first) ? "" : didYouMean(first, commandNames, "the command ");
  // If a command was meant, such as "undo", the history after it is not to be condensed.
  const isWord = !isCommand && /^[\w-]+$/.test(first ?? "") && !fs.existsSync(first) && rest.some((name) => fs.existsSync(name));
  if (isWord || (mistyped && rest.length > 0)) throw wrong(`"${first}" is neither a command nor a file${mistyped || commandsLike(first)}`);
  return { command, names: isCommand ? rest : positionals, mistyped: mistyped && `"${first}" is neither a command nor a file${mistyped}` };
}

/** Refuses flags that the command does not have. */
function refuseOtherFlags(values, { command, names, mistyped }) {
  const understood = flagsOf(command.name).map(({ name }) => name);
  for (const name of Object.keys(values)) {
    if (understood.includes(name)) continue;
    if (mistyped) throw wrong(mistyped);
    if (command.name === "help") throw flagOfHelp(name);
    if (name === "restore-data" && command.name === "condense")
      throw wrong("--restore-data belongs to restore: roo-condense restore HISTORY.json --restore-data FILE", "--restore-data");
    if (["window", "recall"].includes(name) && command.name === "condense")
      throw wrong(
        `--${name} belongs to recommend, which prints the command with its --target: ${recommendCommand(names, name, values[name])}`,
        `--${name}`,
      );
    throw wrong(`${command.name} has no flag --${name}${ofCommands(name)}`, `--${name}`);
  }
}

/** Returns the command that recommends something for the history. */
function recommendCommand([file = "HISTORY"], flag, value) {
  return `roo-condense recommend ${shellWord(file)} --${flag}${value === true ? "" : ` ${shellWord(value)}`}`;
}

/** Maximum number of commands named for a flag. */
const MOST_NAMED = 3;

/** Lists the commands that have a flag. */
function ofCommands(name) {
  const { commands } = flagNamed(name);
  const more = commands.length > MOST_NAMED ? ` and ${commands.length - MOST_NAMED} more` : "";
  return `; it belongs to ${commands.slice(0, MOST_NAMED).join(", ")}${more}`;
}

/** Refuses invalid values, before any history is read. */
function checkValues(values, command) {
  for (const flag of flagsOf(command.name).filter(({ name }) => values[name] !== undefined)) {
    const value = values[flag.name];
    if ([value].flat().includes("")) throw wrong(`--${flag.name} must not be empty`, `--${flag.name}`);
    if (flag.values && !flag.values.includes(value)) throw notAmong(`--${flag.name}`, value, flag.values);
    if (flag.isNumber) checkNumber(flag, value);
  }
}

function checkNumber({ name, most = Number.POSITIVE_INFINITY }, text) {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) <= most) return;
  const allowed = most < Number.POSITIVE_INFINITY ? `a number from 0 to ${most}` : "a number, 0 or more";
  throw wrongNumber(`--${name}`, text, allowed, numberMeant(text));
}

/**
 * Returns the word that a command takes, such as a shell.
 * @param {import("./flags.js").Command} command
 */
function readWord({ name: command, arguments: { name, values = [], isOptional, isLong } }, [word, ...more]) {
  const all = isLong ? `, such as ${values[0]}` : `: ${values.join(", ")}`;
  if (more.length > 0) throw wrong(`${command} takes one ${name}; got "${word}" and "${more.join('", "')}"`, name);
  if (word === undefined && !isOptional) throw wrong(`${command} needs one ${name}${all}`, name);
  if (word === undefined || values.includes(word)) return word;
  const flag = command === "help" ? flagLike(word) : undefined;
  if (flag) throw flagOfHelp(flag.name);
  throw isLong
    ? wrong(`there is no ${name} "${word}"${didYouMean(word, values) || "; with --json, errors and warnings have a field `code`"}`, name)
    : notAmong(name, word, values);
}

/** Returns the file of the newest session of an agent on this machine. */
function lastSession(command, names) {
  if (names.length > 0)
    throw wrong(`--last is the newest session on this machine, so no history is named; got ${JSON.stringify(names[0])}`, "--last");
  const { folders, sessions } = findSessions();
  if (sessions.length > 0) return sessions[0].name;
  const looked = folders.length > 0 ? `no agent session in ${folders.join(", ")}` : "no coding agent keeps sessions on this machine";
  const named = `roo-condense ${command === "condense" ? "" : `${command} `}HISTORY`;
  throw new Failure(EXIT.unreadable, `--last: ${looked}`, { field: "--last", hints: [`Name a history: ${named}`] });
}

/**
 * Returns the histories to work on.
 * @param {import("./flags.js").Command} command
 */
function readNames({ name: command, arguments: { isOptional, isMany } }, names, values) {
  if (values.last) return [lastSession(command, names)];
  if (names.length === 0 && isOptional) return [];
  if (names.length === 0) {
    const needed = command === "condense" ? "name a history" : `${command} needs a history`;
    const places = command === "calibrate" ? " or a folder" : `${isMany ? ", a folder" : ""}, or - for standard input`;
    throw wrong(`${needed}: a file${places}`, command);
  }
  if (names.includes("")) throw wrong("the name of a history is empty", command);
  const shown = names.map((name) => `"${name}"`).join(", ");
  if (names.filter((name) => name === "-").length > 1) throw wrong("standard input can be read only once", command);
  if (names.length > 1 && !isMany) throw wrong(`${command} takes one history, not ${names.length}: ${shown}`, command);
  if (names.length > 1 && command === "condense" && values.out !== undefined)
    throw wrong(`--out takes one history, not ${names.length}: ${shown}; roo-condense batch writes several into a folder`, "--out");
  if (new Set(names).size < names.length) throw wrong(`a history is named twice: ${shown}`, command);
  return names;
}

/** Returns the session to search, unless it is the newest one, and the words to search for. */
function readWords({ name: command }, names, { last }) {
  const [file, ...words] = last ? [undefined, ...names] : names;
  if (file === undefined && !last) throw wrong(`${command} needs a session to search: a file, or --last for the newest`, command);
  if (file === "-") throw wrong(`${command} needs a file: it cannot search standard input`, command);
  if (words.join("").trim() === "") {
    const isFile = file === undefined || fs.existsSync(file);
    const before = isFile ? "" : `"${file}" is no file; name the session first. `;
    throw wrong(`${before}${command} needs words to search for, or the key of an entry`, command);
  }
  return { files: file === undefined ? [] : [file], words };
}

/** Refuses flags that contradict each other, before any history is read. */
function refuseContradictions(values, command, files) {
  const { out, json, explain, interactive, messages, quiet, force, preview, preset, provider, llm } = values;
  const inPlace = values["in-place"];
  if (command === "result" && values.budget !== undefined && !/^[1-9]\d{0,8}$/.test(values.budget))
    throw invalid("--budget", values.budget, "a whole number of tokens from 1 to 999999999");
  if (values["no-restore-data"] && out === undefined && !inPlace)
    throw wrong("--no-restore-data needs --out or --in-place", "--no-restore-data");
  if (inPlace && out !== undefined) throw wrong("--in-place and --out exclude each other", "--in-place");
  if (command === "restore" && files.includes("-") && values["restore-data"] === undefined)
    throw wrong("restore - needs --restore-data FILE: standard input has no file beside it", "--restore-data");
  if (inPlace && files.includes("-")) throw wrong("--in-place needs a file: standard input cannot be overwritten", "--in-place");
  if (command === "report" && values.html === undefined) throw wrong("report needs --html FILE, the file to write the page to", "--html");
  if (command === "batch" && (out === undefined || out === "-"))
    throw wrong("batch needs --out FOLDER, the folder to write the results to", "--out");
  if (command === "batch" && files.includes("-"))
    throw wrong("batch needs files and folders: it cannot go on with standard input", "batch");
  if (command === "mcp" && files.length === 1 && !fs.statSync(files[0], { throwIfNoEntry: false })?.isDirectory())
    throw wrong(
      `mcp takes the folder of a project; ${fs.existsSync(files[0]) ? `"${files[0]}" is a file` : `there is no "${files[0]}"`}`,
      command,
    );
  if (command === "studio" && files.includes("-")) throw wrong("studio needs files: it cannot watch standard input", "studio");
  if (force && out === undefined && command !== "report") throw wrong("--force needs --out", "--force");
  if (messages && !json) throw wrong("--messages needs --json", "--messages");
  if (preview && (inPlace || out !== undefined || messages)) {
    throw wrong(`--preview is a dry run, without a result for ${inPlace ? "--in-place" : messages ? "--messages" : "--out"}`, "--preview");
  }
  if (interactive && (out === undefined || out === "-") && !inPlace)
    throw wrong("--interactive needs --out FILE or --in-place", "--interactive");
  if (interactive && (json || quiet)) throw wrong(`--interactive and --${json ? "json" : "quiet"} exclude each other`, "--interactive");
  if (json && out === "-") throw wrong("--json and --out - exclude each other: both write to standard output", "--json");
  if (quiet && (json || explain)) throw wrong(`--quiet and --${json ? "json" : "explain"} exclude each other`, "--quiet");
  if (preset !== undefined && provider !== undefined && provider !== "smart")
    throw wrong(`--preset belongs to the provider smart, not to ${provider}`, "--preset");
  if (llm === undefined && provider === "native" && !preview)
    throw wrong("--provider native needs a language model: name it with --llm API --model MODEL", "--provider");
  if (command === "condense" && llm !== undefined && out === undefined && !inPlace && !json && !preview)
    throw wrong("--llm costs money, so the result must be kept: add --out FILE, --in-place or --json, or --preview for a dry run", "--llm");
}

/** Returns the answers given by flags, with the names that `recommend()` uses. */
const readAnswers = (values) =>
  Object.fromEntries(
    FLAGS.filter(({ name, answers }) => answers !== undefined && values[name] !== undefined).map(({ name, answers, isNumber }) => [
      answers,
      isNumber ? Number(values[name]) : values[name],
    ]),
  );

const camelCase = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());

/** Returns the value of each flag under its name in camel case; a switch is true or false. */
const plainSettings = (values) =>
  Object.fromEntries(FLAGS.map(({ name, value }) => [camelCase(name), values[name] ?? (value === undefined ? false : undefined)]));

/** Returns the settings for `--help` or `-h` anywhere: help for the command that is named, if any. */
const helpAsked = (tokens, positionals) => ({
  command: "help",
  topic: commandNames.includes(positionals[0]) ? positionals[0] : undefined,
  isShort: tokens.every(({ name, rawName }) => name !== "help" || rawName !== "--help"),
});

/** Reads the arguments. `--help` and `--version` become the commands `help` and `version`. */
function readArguments(args) {
  const name = args.find((arg) => commandNames.includes(arg));
  const parsed = usedAs(commandNamed(name ?? "condense"), () => parse(args, name));
  const { values, positionals, tokens } = parsed;
  if (values.help) return helpAsked(tokens, positionals);
  if (values.version) return { command: "version" };
  const called = readCommand(positionals);
  return usedAs(called.command, () => {
    refuseSplitValues(parsed);
    return readSettings(values, called);
  });
}

function readSettings(values, called) {
  const { command, names } = called;
  refuseOtherFlags(values, called);
  checkValues(values, command);
  if (command.arguments.values) return { command: command.name, topic: readWord(command, names) };
  const { files, words } = command.words
    ? readWords(command, names, values)
    : { files: readNames(command, names, values), words: /** @type {string[]} */ ([]) };
  refuseContradictions(values, command.name, files);
  const { target, window, quiet } = /** @type {Record<string, any>} */ (values);
  const { "frozen-messages": frozen, "exit-code": exitCode } = values;
  return {
    ...plainSettings(values),
    command: command.name,
    files,
    file: files[0],
    words,
    patterns: Array.isArray(values.redact) ? values.redact.map((text) => patternOf(readPattern("--redact", text))) : [],
    keepRestoreData: !values["no-restore-data"],
    protect: readProtect(values),
    frozenMessages: frozen === undefined ? undefined : readCount("--frozen-messages", frozen),
    exitCode: exitCode === undefined ? undefined : readExitCode(exitCode),
    target: target === undefined ? undefined : readTarget(target, command.name),
    window: window === undefined ? undefined : readWindow(window),
    answers: readAnswers(values),
    open: !values["no-open"],
    model: readModel(values),
    progress: !values["no-progress"] && !quiet,
  };
}

/** Reads a whole number. */
function readCount(option, text) {
  if (!/^\d{1,9}$/.test(text)) throw invalid(option, text, "a whole number, 0 or more");
  return Number(text);
}

/** Reads the exit code of a command, as in shells; Windows has larger and negative ones. */
function readExitCode(text) {
  if (!/^-?\d{1,10}$/.test(text)) throw invalid("--exit-code", text, "a whole number");
  return Number(text);
}

/** Reads the rules of `--protect-…`; undefined if there are none. */
function readProtect(values) {
  const [tools, paths, text] = ["tool", "path", "text"].map((name) => values[`protect-${name}`]);
  if (tools === undefined && paths === undefined && text === undefined) return undefined;
  return {
    ...(tools && { tools }),
    ...(paths && { paths }),
    ...(text && { text: text.map((each) => readPattern("--protect-text", each)) }),
  };
}

/**
 * Matches a regular expression in JavaScript's notation: from a slash to the next one that is neither escaped nor in
 * a class, then flags. Paths such as `/etc/passwd` and `/usr/bin/` do not match.
 */
const EXPRESSION = /^\/((?:[^\\/[]|\\.|\[(?:[^\\\]]|\\.)*\])+)\/((?!.*(.).*\3)[dgimsuvy]*)$/s;

/** Reads a text or a regular expression such as `/token: \w+/i`. A backslash before the first slash makes it a text: `\/usr/`. */
function readPattern(flag, text) {
  if (text.startsWith("\\/")) return text.slice(1);
  const [, source, flags] = EXPRESSION.exec(text) ?? [];
  if (source === undefined) return text;
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const allowed = `a text, or a valid regular expression between slashes (${error.message})`;
    throw wrong(`${flag} must be ${allowed}; got "${text}"; write "\\${text}" if it is a text`, flag);
  }
}

/** Returns an expression that finds a text. */
const patternOf = (pattern) => (typeof pattern === "string" ? new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")) : pattern);

/** Returns the value of `--color`, even if other arguments are wrong. */
function colorOf(args) {
  const own = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  const at = own.findLastIndex((arg) => arg === "--color" || arg.startsWith("--color="));
  const value = own[at] === "--color" ? own[at + 1] : own[at]?.slice("--color=".length);
  return flagNamed("color").values?.includes(value) ? value : undefined;
}

module.exports = { KEY_VARIABLES, colorOf, readArguments, wrong };
