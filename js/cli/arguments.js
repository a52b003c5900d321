"use strict";

// The command's arguments, checked as far as that is possible without the history.

const { parseArgs } = require("node:util");
const { EXIT, Failure } = require("./exit-codes.js");
const { USAGE } = require("./help.js");

/** @type {NonNullable<import("node:util").ParseArgsConfig["options"]>} */
const OPTIONS = {
  target: { type: "string" },
  provider: { type: "string" },
  preset: { type: "string" },
  config: { type: "string" },
  llm: { type: "string" },
  model: { type: "string" },
  "base-url": { type: "string" },
  insecure: { type: "boolean" },
  price: { type: "string" },
  preview: { type: "boolean" },
  out: { type: "string" },
  force: { type: "boolean" },
  "in-place": { type: "boolean" },
  explain: { type: "boolean" },
  json: { type: "boolean" },
  messages: { type: "boolean" },
  "no-restore-data": { type: "boolean" },
  "restore-data": { type: "string" },
  quiet: { type: "boolean", short: "q" },
  "no-progress": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
};

/** Where the key of each API comes from. */
const KEY_VARIABLES = Object.freeze({ anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" });

const wrong = (message) => new Failure(EXIT.usage, message, { hints: [`Usage: ${USAGE}`, "More: roo-condense --help"] });

function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    if (!String(error.code).startsWith("ERR_PARSE_ARGS")) throw error;
    if (/'--?[\w-]*key\b/i.test(error.message)) {
      throw wrong(`a key is never taken as an argument, where others could read it: set ${Object.values(KEY_VARIABLES).join(" or ")}`);
    }
    // Node adds advice about `--` that misleads more than it helps.
    const [sentence] = error.message.split(/\.\s/, 1);
    throw wrong(sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, ""));
  }
}

/** `40000`, `40k` or `50%` as `{ text, tokens }` or `{ text, percent }`. */
function readTarget(text) {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(text);
  if (share && Number(share[1]) > 0 && Number(share[1]) <= 100) return { text, percent: Number(share[1]) };
  const count = /^(\d+(?:\.\d+)?)(k?)$/i.exec(text);
  const tokens = count ? Math.round(Number(count[1]) * (count[2] ? 1000 : 1) * 1e6) / 1e6 : Number.NaN;
  if (Number.isSafeInteger(tokens) && tokens > 0) return { text, tokens };
  throw wrong(
    `--target: "${text}" is not allowed; allowed: a whole number of tokens (40000, 40k), or a share above 0% and up to 100% (50%)`,
  );
}

function readModel(values) {
  const { llm: api, model, "base-url": baseUrl, insecure } = values;
  if (api === undefined) {
    for (const name of ["model", "base-url", "insecure"]) if (values[name] !== undefined) throw wrong(`--${name} needs --llm`);
    return undefined;
  }
  if (!Object.hasOwn(KEY_VARIABLES, api)) throw wrong(`--llm: "${api}" is not allowed; allowed: ${Object.keys(KEY_VARIABLES).join(", ")}`);
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

/** What `roo-condense restore` understands. */
const RESTORE_OPTIONS = new Set(["restore-data", "out", "force", "in-place", "json", "quiet", "no-progress"]);

/** Says which of the options are of no use for the command; the history's name is left. */
function readCommand(values, positionals) {
  const isRestore = positionals[0] === "restore" && positionals.length > 1;
  const names = isRestore ? positionals.slice(1) : positionals;
  if (isRestore) {
    for (const name of Object.keys(values)) if (!RESTORE_OPTIONS.has(name)) throw wrong(`--${name} is of no use for restore`);
  } else if (values["restore-data"] !== undefined) {
    throw wrong("--restore-data is for restore: roo-condense restore HISTORY.json --restore-data FILE");
  }
  if (values["no-restore-data"] && values.out === undefined && !values["in-place"])
    throw wrong("--no-restore-data needs --out or --in-place");
  return { isRestore, names };
}

/** Reads the arguments. `{ help: true }` and `{ version: true }` come alone. */
function readArguments(args) {
  const { values, positionals } = parse(args);
  if (values.help) return { help: true };
  if (values.version) return { version: true };
  for (const [name, value] of Object.entries(values)) if (value === "") throw wrong(`--${name}: an empty value is not allowed`);
  const { isRestore, names } = readCommand(values, positionals);
  if (names.length === 0) throw wrong("which history? Name a file, or - for standard input");
  if (names.length > 1) throw wrong(`one history at a time: ${names.map((name) => `"${name}"`).join(", ")}`);
  const [file] = names;
  if (file === "") throw wrong("the name of the history is empty");
  const { provider, preset, out, json, explain, messages, quiet, force, preview } = values;
  const inPlace = values["in-place"];
  if (inPlace && out !== undefined) throw wrong("--in-place and --out exclude each other");
  if (isRestore && file === "-" && values["restore-data"] === undefined)
    throw wrong("restore - needs --restore-data: nothing stands beside standard input");
  if (inPlace && file === "-") throw wrong("--in-place needs a file: standard input cannot be replaced");
  if (force && out === undefined) throw wrong("--force needs --out");
  if (messages && !json) throw wrong("--messages needs --json");
  if (preview && (inPlace || out !== undefined || messages)) {
    throw wrong(`--preview changes nothing, so there is nothing for ${inPlace ? "--in-place" : messages ? "--messages" : "--out"}`);
  }
  if (json && out === "-") throw wrong("--json and --out - both want standard output");
  if (quiet && (json || explain)) throw wrong(`--quiet and --${json ? "json" : "explain"} exclude each other`);
  if (preset !== undefined && provider !== undefined && provider !== "smart")
    throw wrong(`--preset is for the provider smart, not for "${provider}"`);
  return {
    file,
    restore: isRestore,
    restoreData: values["restore-data"],
    keepRestoreData: !values["no-restore-data"],
    provider,
    preset,
    config: values.config,
    price: values.price,
    preview: Boolean(preview),
    target: values.target === undefined ? undefined : readTarget(values.target),
    model: readModel(values),
    out,
    inPlace: Boolean(inPlace),
    force: Boolean(force),
    explain: Boolean(explain),
    json: Boolean(json),
    messages: Boolean(messages),
    quiet: Boolean(quiet),
    progress: !values["no-progress"] && !quiet,
  };
}

module.exports = { KEY_VARIABLES, readArguments, wrong };
