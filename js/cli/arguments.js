"use strict";

// The command's arguments, checked as far as that is possible without the history.

const fs = require("node:fs");
const { parseArgs } = require("node:util");
const { EXIT, Failure } = require("./exit-codes.js");
const { USAGE } = require("./usage.js");
const { near } = require("../errors.js");

/** @type {NonNullable<import("node:util").ParseArgsConfig["options"]>} */
const OPTIONS = {
  target: { type: "string" },
  provider: { type: "string" },
  preset: { type: "string" },
  config: { type: "string" },
  tools: { type: "string" },
  "frozen-messages": { type: "string" },
  "protect-tool": { type: "string", multiple: true },
  "protect-path": { type: "string", multiple: true },
  "protect-text": { type: "string", multiple: true },
  llm: { type: "string" },
  model: { type: "string" },
  "base-url": { type: "string" },
  insecure: { type: "boolean" },
  fallback: { type: "boolean" },
  price: { type: "string" },
  preview: { type: "boolean" },
  window: { type: "string" },
  compare: { type: "boolean" },
  write: { type: "boolean" },
  "no-open": { type: "boolean" },
  priority: { type: "string" },
  budget: { type: "string" },
  latency: { type: "string" },
  loss: { type: "string" },
  configuration: { type: "string" },
  profile: { type: "string" },
  scenario: { type: "string" },
  html: { type: "string" },
  redact: { type: "boolean" },
  out: { type: "string", short: "o" },
  force: { type: "boolean" },
  "in-place": { type: "boolean" },
  explain: { type: "boolean" },
  json: { type: "boolean" },
  messages: { type: "boolean" },
  "no-restore-data": { type: "boolean" },
  "restore-data": { type: "string" },
  quiet: { type: "boolean", short: "q" },
  "no-progress": { type: "boolean" },
  color: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
};

/** Answers for a recommendation, as the package calls them. */
const ANSWERS = Object.freeze({
  priority: "priority",
  budget: "budgetPerCondensation",
  latency: "maxLatencyMs",
  loss: "acceptableLoss",
  configuration: "configuration",
  profile: "userProfile",
  scenario: "scenario",
});
const NUMBERS = ["budget", "latency", "loss"];

/** Options of the commands that only look. */
const OF_LOOKING = [...Object.keys(ANSWERS), "window", "compare", "write", "no-open", "html", "redact"];

/** The commands, each with the options that it understands beside `--help` and `--version`. */
const COMMANDS = Object.freeze({
  condense: Object.keys(OPTIONS).filter((name) => !["restore-data", ...OF_LOOKING, "help", "version"].includes(name)),
  restore: ["restore-data", "out", "force", "in-place", "json", "quiet", "no-progress", "color"],
  expand: ["out", "force", "json", "quiet", "no-progress", "color"],
  count: ["json", "no-progress", "color"],
  studio: ["window", "write", "no-open", "no-progress", "color"],
  report: ["html", "redact", "target", "window", "force", "quiet", "no-progress", "color"],
  inspect: ["target", "window", "compare", "json", "no-progress", "color"],
  recommend: [...Object.keys(ANSWERS), "target", "window", "llm", "model", "base-url", "insecure", "price", "json", "no-progress", "color"],
  calibrate: ["preset", "target", "out", "force", "json", "quiet", "no-progress", "color"],
  validate: ["json", "quiet", "no-progress", "color"],
  completions: ["color"],
});

/** What options may be, where that is known without the history. Those of answers are the addon's, which a test compares. */
const CHOICES = Object.freeze({
  llm: ["anthropic", "openai"],
  color: ["auto", "always", "never"],
  shell: ["bash", "zsh", "fish"],
  priority: ["simplicity", "zero_loss", "speed", "cost", "quality", "control"],
  configuration: ["none", "presets", "some", "custom", "per_message"],
  profile: ["solo_developer", "startup_team", "enterprise_production", "research_compliance"],
  scenario: [
    "standard",
    "limited_budget",
    "critical_quality",
    "long_conversation",
    "local_development",
    "critical_production",
    "prototype",
    "compliance",
    "multi_tenant",
  ],
});

/** Where the key of each API comes from. */
const KEY_VARIABLES = Object.freeze({ anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" });

const wrong = (message) => new Failure(EXIT.usage, message, { hints: [`Usage: ${USAGE}`, "More: roo-condense --help"] });

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
    return parseArgs({ args: withNumbersJoined(args), options: OPTIONS, allowPositionals: true });
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
  if (!Object.hasOwn(KEY_VARIABLES, api)) throw notAmong("--llm", api, CHOICES.llm);
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

/** The command, and what stands behind it: histories, or the shell of `completions`. */
function readCommand(values, positionals) {
  const [first, ...rest] = positionals;
  // A history may have the name of a command.
  const isCommand = Object.hasOwn(COMMANDS, first ?? "") && (rest.length > 0 || !fs.existsSync(first));
  const command = isCommand ? first : "condense";
  const mistyped = isCommand || first === undefined || fs.existsSync(first) ? "" : didYouMean(first, Object.keys(COMMANDS), "the command ");
  // Whoever names a command does not want the history behind it condensed.
  if (mistyped && rest.length > 0) throw wrong(`"${first}" is neither a command nor a file${mistyped}`);
  for (const name of Object.keys(values)) {
    if (COMMANDS[command].includes(name)) continue;
    if (mistyped) throw wrong(`"${first}" is neither a command nor a file${mistyped}`);
    if (name === "restore-data" && command === "condense")
      throw wrong("--restore-data is for restore: roo-condense restore HISTORY.json --restore-data FILE");
    throw wrong(`--${name} is of no use for ${command}`);
  }
  return { command, names: isCommand ? rest : positionals };
}

/** The histories to work on. */
function readNames(command, names, values) {
  if (names.length === 0 && ["studio", "recommend"].includes(command)) return [];
  if (names.length === 0 && command === "calibrate") throw wrong("calibrate: which histories? Name files, or a folder that holds them");
  if (names.length === 0) throw wrong(`${command === "condense" ? "" : `${command}: `}which history? Name a file, or - for standard input`);
  if (names.includes("")) throw wrong("the name of the history is empty");
  const shown = names.map((name) => `"${name}"`).join(", ");
  if (names.filter((name) => name === "-").length > 1) throw wrong("standard input can be read once only");
  if (names.length > 1 && ["restore", "expand", "report", "recommend"].includes(command))
    throw wrong(`${command}: one history at a time: ${shown}`);
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
  if (command !== "recommend" && llm !== undefined && out === undefined && !inPlace && !json && !preview)
    throw wrong("--llm costs money, and the result would be thrown away: --out FILE, --in-place or --json keep it, --preview asks nobody");
}

/** The answers that options give; the addon knows which there may be. */
function readAnswers(values) {
  const answers = {};
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const value = values[name];
    if (value === undefined) continue;
    if (NUMBERS.includes(name) && !/^\d+(\.\d+)?$/.test(value))
      throw wrong(`--${name}: "${value}" is not allowed; allowed: a number, 0 or more`);
    if (Object.hasOwn(CHOICES, name) && !CHOICES[name].includes(value)) throw notAmong(`--${name}`, value, CHOICES[name]);
    answers[answer] = NUMBERS.includes(name) ? Number(value) : value;
  }
  return answers;
}

/** Reads the arguments. `{ help: true, of }`, of a command or of all, and `{ version: true }` come alone. */
function readArguments(args) {
  const { values, positionals } = parse(args);
  const { color: asked } = /** @type {Record<string, any>} */ (values);
  if (asked !== undefined && !CHOICES.color.includes(asked)) throw notAmong("--color", asked, CHOICES.color);
  if (values.help) {
    const [command] = positionals;
    return { help: true, of: command !== undefined && Object.hasOwn(COMMANDS, command) && command !== "condense" ? command : undefined };
  }
  if (values.version) return { version: true };
  for (const [name, value] of Object.entries(values))
    if ([value].flat().includes("")) throw wrong(`--${name}: an empty value is not allowed`);
  const { command, names } = readCommand(values, positionals);
  if (command === "completions") {
    const [shell, ...more] = names;
    if (shell === undefined || more.length > 0) throw wrong(`completions: name one shell: ${CHOICES.shell.join(", ")}`);
    if (!CHOICES.shell.includes(shell)) throw notAmong("completions", shell, CHOICES.shell);
    return { command, shell };
  }
  const files = readNames(command, names, values);
  refuseContradictions(values, command, files);
  const { provider, preset, out, json, explain, messages, quiet, force, preview, fallback, color } = values;
  return {
    command,
    files,
    file: files[0],
    restoreData: values["restore-data"],
    keepRestoreData: !values["no-restore-data"],
    provider,
    preset,
    config: values.config,
    tools: values.tools,
    protect: readProtect(values),
    frozenMessages: values["frozen-messages"] === undefined ? undefined : readCount("--frozen-messages", values["frozen-messages"]),
    price: values.price,
    preview: Boolean(preview),
    target: values.target === undefined ? undefined : readTarget(values.target, command),
    window: values.window === undefined ? undefined : readWindow(values.window),
    answers: readAnswers(values),
    compare: Boolean(values.compare),
    write: Boolean(values.write),
    open: !values["no-open"],
    html: values.html,
    redact: Boolean(values.redact),
    model: readModel(values),
    fallback: Boolean(fallback),
    out,
    inPlace: Boolean(values["in-place"]),
    force: Boolean(force),
    explain: Boolean(explain),
    json: Boolean(json),
    messages: Boolean(messages),
    quiet: Boolean(quiet),
    progress: !values["no-progress"] && !quiet,
    color,
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
  return CHOICES.color.includes(value) ? value : undefined;
}

module.exports = { CHOICES, COMMANDS, KEY_VARIABLES, OPTIONS, colorOf, didYouMean, notAmong, readArguments, wrong };
