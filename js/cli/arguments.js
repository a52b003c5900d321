"use strict";

// The command's arguments, checked as far as that is possible without the history.

const fs = require("node:fs");
const { parseArgs } = require("node:util");
const { EXIT, Failure } = require("./exit-codes.js");
const { COMMANDS, FLAGS, commandNamed, commandNames, flagNamed, flagsOf, wordsOf } = require("./flags.js");
const { usageOf } = require("./usage.js");
const { near } = require("../errors.js");

/** The flags as Node's parser takes them. */
const OPTIONS = Object.fromEntries(
  FLAGS.map(({ name, short, value, multiple = false }) => [
    name,
    { type: value === undefined ? /** @type {const} */ ("boolean") : /** @type {const} */ ("string"), multiple, ...(short && { short }) },
  ]),
);

/** Where the key of each API comes from. */
const KEY_VARIABLES = Object.freeze({ anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" });

const wrong = (message) =>
  new Failure(EXIT.usage, message, { hints: [`Usage: ${usageOf(COMMANDS[0], true)}`, "More: roo-condense --help"] });

/** A question after what is not known, where something known is near. */
function didYouMean(name, known, before = "") {
  const meant = near(name, known).map((each) => `${before}${each}`);
  return meant.length > 0 ? `; did you mean ${meant.join(" or ")}?` : "";
}

/** The failure of an option whose value is none of those that it may have. */
const notAmong = (what, value, allowed) =>
  wrong(`${what}: "${value}" is not allowed; allowed: ${allowed.join(", ")}${didYouMean(value, allowed)}`);

/** The arguments with numbers below zero joined to their options: they are values, which are judged like others, and no options. */
function withNumbersJoined(args) {
  const joined = [];
  let isOver = false;
  for (const arg of args) {
    const option = /^--([a-z-]+)$/.exec(joined.at(-1) ?? "")?.[1] ?? "";
    if (!isOver && /^-\d/.test(arg) && OPTIONS[option]?.type === "string") joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
    isOver ||= arg === "--";
  }
  return joined;
}

function parse(args) {
  try {
    return parseArgs({ args: withNumbersJoined(args), options: OPTIONS, allowPositionals: true, tokens: true });
  } catch (error) {
    if (!String(error.code).startsWith("ERR_PARSE_ARGS")) throw error;
    if (/'--?[\w-]*key\b/i.test(error.message)) {
      throw wrong(`a key is never taken as an argument, where others could read it: set ${Object.values(KEY_VARIABLES).join(" or ")}`);
    }
    const option = /^Option '(?:-\w, )?--([\w-]+).*' argument (?:is ambiguous|missing)/.exec(error.message)?.[1];
    if (option !== undefined) throw wrong(`--${option} needs a value; one that begins with a dash is written --${option}=-…`);
    // Node adds advice about `--` that misleads more than it helps.
    const [sentence] = error.message.split(/\.\s/, 1);
    const name = /^Unknown option '--([^']*)'/.exec(error.message)?.[1];
    const meant = name === undefined ? "" : didYouMean(name, Object.keys(OPTIONS), "--");
    throw wrong(sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "") + meant);
  }
}

/** `40000`, `40k` or `50%` as `{ text, tokens }` or `{ text, percent }`. Only a share that saves something can be learned for. */
function readTarget(text, command) {
  const percent = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]);
  if (command === "calibrate") {
    const saved = 100 - percent;
    if (saved > 0 && saved < 100) return { text, percent };
    throw wrong(`--target: "${text}" is not allowed for calibrate; allowed: a share of what there is, above 0% and below 100% (40%)`);
  }
  if (percent > 0 && percent <= 100) return { text, percent };
  const count = /^(\d+(?:\.\d+)?)(k?)$/i.exec(text);
  const tokens = count ? Math.round(Number(count[1]) * (count[2] ? 1000 : 1) * 1e6) / 1e6 : Number.NaN;
  if (Number.isSafeInteger(tokens) && tokens > 0) return { text, tokens };
  throw wrong(
    `--target: "${text}" is not allowed; allowed: a whole number of tokens (40000, 40k), or a share above 0% and up to 100% (50%)`,
  );
}

/** `200000` or `200k`. */
function readWindow(text) {
  const [, digits, thousands] = /^(\d+(?:\.\d+)?)(k?)$/i.exec(text) ?? [];
  const tokens = digits === undefined ? Number.NaN : Math.round(Number(digits) * (thousands ? 1000 : 1) * 1e6) / 1e6;
  if (Number.isSafeInteger(tokens) && tokens > 0) return tokens;
  throw wrong(`--window: "${text}" is not allowed; allowed: a whole number of tokens (200000, 200k)`);
}

function readModel(values) {
  const { llm: api, model, "base-url": baseUrl, insecure } = values;
  if (api === undefined) {
    for (const name of ["model", "base-url", "insecure", "fallback"]) if (values[name] !== undefined) throw wrong(`--${name} needs --llm`);
    return undefined;
  }
  if (model === undefined) throw wrong("--llm needs --model");
  if (baseUrl !== undefined) {
    const url = toUrl(baseUrl);
    if (!url || !/^https?:$/.test(url.protocol)) throw wrong(`--base-url: "${baseUrl}" is not allowed; allowed: an http or https address`);
    if (url.username || url.password)
      throw wrong(`--base-url: must not hold a name or password, which others could read; set ${KEY_VARIABLES[api]}`);
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

/** The command, and what stands behind it: histories, or a word such as the shell of `completions`. */
function readCommand(values, positionals) {
  const [first, ...rest] = positionals;
  // A history may have the name of a command.
  const isCommand = commandNames.includes(first) && (rest.length > 0 || !fs.existsSync(first));
  const command = /** @type {import("./flags.js").Command} */ (commandNamed(isCommand ? first : "condense"));
  const mistyped = isCommand || first === undefined || fs.existsSync(first) ? "" : didYouMean(first, commandNames, "the command ");
  // Whoever names a command does not want the history behind it condensed.
  if (mistyped && rest.length > 0) throw wrong(`"${first}" is neither a command nor a file${mistyped}`);
  const understood = flagsOf(command.name).map(({ name }) => name);
  for (const name of Object.keys(values)) {
    if (understood.includes(name)) continue;
    if (mistyped) throw wrong(`"${first}" is neither a command nor a file${mistyped}`);
    if (name === "restore-data" && command.name === "condense")
      throw wrong("--restore-data is for restore: roo-condense restore HISTORY.json --restore-data FILE");
    throw wrong(`--${name} is of no use for ${command.name}`);
  }
  return { command, names: isCommand ? rest : positionals };
}

/** Refuses values that no history makes right. What the package alone knows is checked with it at hand. */
function checkValues(values) {
  for (const flag of FLAGS.filter(({ name }) => values[name] !== undefined)) {
    const value = values[flag.name];
    if ([value].flat().includes("")) throw wrong(`--${flag.name}: an empty value is not allowed`);
    const words = wordsOf(flag);
    if (words && !words.includes(value)) throw notAmong(`--${flag.name}`, value, words);
    if (flag.isNumber) checkNumber(flag, value);
  }
}

/** Refuses words that only the package knows to be wrong. */
function checkWords(settings, library) {
  for (const { name, values } of FLAGS) {
    const given = settings[camelCase(name)];
    if (typeof values !== "function" || given === undefined) continue;
    const allowed = values(library);
    if (!allowed.includes(given)) throw notAmong(`--${name}`, given, allowed);
  }
}

function checkNumber({ name, most = Number.POSITIVE_INFINITY }, text) {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) <= most) return;
  throw wrong(
    `--${name}: "${text}" is not allowed; allowed: a number${most < Number.POSITIVE_INFINITY ? ` from 0 to ${most}` : ", 0 or more"}`,
  );
}

/**
 * The word that a command takes, such as a shell.
 * @param {import("./flags.js").Command} command
 */
function readWord({ name: command, arguments: { name, values = [], isOptional } }, [word, ...more]) {
  if (more.length > 0 || (word === undefined && !isOptional))
    throw wrong(`${command}: name one ${name.toLowerCase()}: ${values.join(", ")}`);
  if (word !== undefined && !values.includes(word)) throw notAmong(command, word, values);
  return word;
}

/**
 * The histories to work on.
 * @param {import("./flags.js").Command} command
 */
function readNames({ name: command, arguments: { isOptional, isMany } }, names, values) {
  if (names.length === 0 && isOptional) return [];
  if (names.length === 0 && command === "calibrate") throw wrong("calibrate: which histories? Name files, or a folder that holds them");
  if (names.length === 0) throw wrong(`${command === "condense" ? "" : `${command}: `}which history? Name a file, or - for standard input`);
  if (names.includes("")) throw wrong("the name of the history is empty");
  const shown = names.map((name) => `"${name}"`).join(", ");
  if (names.filter((name) => name === "-").length > 1) throw wrong("standard input can be read once only");
  if (names.length > 1 && !isMany) throw wrong(`${command}: one history at a time: ${shown}`);
  if (names.length > 1 && values.out === "-") throw wrong(`--out -: one history at a time: ${shown}`);
  if (new Set(names).size < names.length) throw wrong(`a history is named twice: ${shown}`);
  return names;
}

/** What excludes what; told before anything is read. */
function refuseContradictions(values, command, files) {
  const { out, json, explain, messages, quiet, force, preview, preset, provider, llm } = values;
  const inPlace = values["in-place"];
  if (values["no-restore-data"] && out === undefined && !inPlace) throw wrong("--no-restore-data needs --out or --in-place");
  if (inPlace && out !== undefined) throw wrong("--in-place and --out exclude each other");
  if (command === "restore" && files.includes("-") && values["restore-data"] === undefined)
    throw wrong("restore - needs --restore-data: nothing stands beside standard input");
  if (inPlace && files.includes("-")) throw wrong("--in-place needs a file: standard input cannot be replaced");
  if (command === "report" && values.html === undefined) throw wrong("report needs --html FILE: where the page is to be written");
  if (command === "studio" && files.includes("-")) throw wrong("studio follows files: standard input is none");
  if (force && out === undefined && command !== "report") throw wrong("--force needs --out");
  if (messages && !json) throw wrong("--messages needs --json");
  if (preview && (inPlace || out !== undefined || messages)) {
    throw wrong(`--preview changes nothing, so there is nothing for ${inPlace ? "--in-place" : messages ? "--messages" : "--out"}`);
  }
  if (json && out === "-") throw wrong("--json and --out - both want standard output");
  if (quiet && (json || explain)) throw wrong(`--quiet and --${json ? "json" : "explain"} exclude each other`);
  if (preset !== undefined && provider !== undefined && provider !== "smart")
    throw wrong(`--preset is for the provider smart, not for "${provider}"`);
  if (llm === undefined && provider === "native" && !preview)
    throw wrong("--provider native asks a language model: --llm API --model MODEL say which");
  if (command === "condense" && llm !== undefined && out === undefined && !inPlace && !json && !preview)
    throw wrong("--llm costs money, and the result would be thrown away: --out FILE, --in-place or --json keep it, --preview asks nobody");
}

/** The answers that flags give, as `recommend()` calls them. */
const readAnswers = (values) =>
  Object.fromEntries(
    FLAGS.filter(({ name, answers }) => answers !== undefined && values[name] !== undefined).map(({ name, answers, isNumber }) => [
      answers,
      isNumber ? Number(values[name]) : values[name],
    ]),
  );

const camelCase = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());

/** The value of each flag under its name in camel case; a switch is true or false. */
const plainSettings = (values) =>
  Object.fromEntries(FLAGS.map(({ name, value }) => [camelCase(name), value === undefined ? Boolean(values[name]) : values[name]]));

/** What is asked with `--help` or `-h`, anywhere: help of the command that is named, if one is. */
const helpAsked = (tokens, positionals) => ({
  command: "help",
  topic: commandNames.includes(positionals[0]) ? positionals[0] : undefined,
  isShort: tokens.every(({ name, rawName }) => name !== "help" || rawName !== "--help"),
});

/** Reads the arguments. `--help` and `--version` come alone, as the commands `help` and `version`. */
function readArguments(args) {
  const { values, positionals, tokens } = parse(args);
  if (values.help) return helpAsked(tokens, positionals);
  if (values.version) return { command: "version" };
  const { command, names } = readCommand(values, positionals);
  checkValues(values);
  if (command.arguments.values) return { command: command.name, topic: readWord(command, names) };
  const files = readNames(command, names, values);
  refuseContradictions(values, command.name, files);
  const { target, window, quiet } = /** @type {Record<string, any>} */ (values);
  const frozen = values["frozen-messages"];
  return {
    ...plainSettings(values),
    command: command.name,
    files,
    file: files[0],
    keepRestoreData: !values["no-restore-data"],
    protect: readProtect(values),
    frozenMessages: frozen === undefined ? undefined : readCount("--frozen-messages", frozen),
    target: target === undefined ? undefined : readTarget(target, command.name),
    window: window === undefined ? undefined : readWindow(window),
    answers: readAnswers(values),
    open: !values["no-open"],
    model: readModel(values),
    progress: !values["no-progress"] && !quiet,
  };
}

/** A whole number. */
function readCount(option, text) {
  if (!/^\d{1,9}$/.test(text)) throw wrong(`${option}: "${text}" is not allowed; allowed: a whole number, 0 or more`);
  return Number(text);
}

/** What `--protect-...` say; undefined for nothing. */
function readProtect(values) {
  const [tools, paths, text] = ["tool", "path", "text"].map((name) => values[`protect-${name}`]);
  if (tools === undefined && paths === undefined && text === undefined) return undefined;
  return { ...(tools && { tools }), ...(paths && { paths }), ...(text && { text: text.map(readPattern) }) };
}

/**
 * A regular expression as JavaScript writes it: from a slash to the next one that is neither escaped nor in a class, and letters that are flags behind it.
 * Paths such as `/etc/passwd` and `/usr/bin/` are none.
 */
const EXPRESSION = /^\/((?:[^\\/[]|\\.|\[(?:[^\\\]]|\\.)*\])+)\/((?!.*(.).*\3)[dgimsuvy]*)$/s;

/** A text, or a regular expression: `/token: \w+/i`. A backslash before the first slash makes a text of it: `\/usr/`. */
function readPattern(text) {
  if (text.startsWith("\\/")) return text.slice(1);
  const [, source, flags] = EXPRESSION.exec(text) ?? [];
  if (source === undefined) return text;
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw wrong(
      `--protect-text: "${text}" is not allowed; allowed: a text, or a regular expression between slashes (${error.message}); the same as a text is "\\${text}"`,
    );
  }
}

/** What `--color` says in arguments that may be wrong otherwise. */
function colorOf(args) {
  const own = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  const at = own.findLastIndex((arg) => arg === "--color" || arg.startsWith("--color="));
  const value = own[at] === "--color" ? own[at + 1] : own[at]?.slice("--color=".length);
  return wordsOf(flagNamed("color"))?.includes(value) ? value : undefined;
}

module.exports = { KEY_VARIABLES, checkWords, colorOf, didYouMean, notAmong, readArguments, wrong };
