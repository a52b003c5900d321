"use strict";

// The one definition of every command and every flag. The parser, the checks, the help, the completions and the table in docs/command-line.md are made from
// it. Texts are Markdown; the help leaves the backticks out.

/**
 * What a command takes after its name.
 * @typedef {object} Argument
 * @property {string} name as the usage calls it
 * @property {string} about
 * @property {boolean} [isOptional]
 * @property {boolean} [isMany]
 * @property {readonly string[]} [values] the allowed words; without them it is a file
 */

/**
 * @typedef {object} Command
 * @property {string} name
 * @property {Argument} arguments
 * @property {string} about one line, without a full stop
 * @property {string} [details] sentences for the long help
 */

/**
 * @typedef {object} Flag
 * @property {string} name
 * @property {string} [short] its letter
 * @property {string} [value] what its value is called; a flag without it is a switch
 * @property {readonly string[] | ((library: any) => string[])} [values] the allowed words; a function where the package knows them
 * @property {boolean} [multiple] may be given several times
 * @property {boolean} [isFile] its value is a file
 * @property {boolean} [isNumber] its value is a number, 0 or more
 * @property {number} [most] the largest number
 * @property {string} about one line, without a full stop
 * @property {string} [details] sentences for the long help
 * @property {Readonly<Record<string, string>>} [aboutIn] `about` of a command for which the flag means something else
 * @property {keyof typeof GROUPS} group
 * @property {readonly string[]} commands the commands that understand it
 * @property {string} [answers] the answer of `recommend()` that it gives
 */

const SHELLS = ["bash", "zsh", "fish"];

const HISTORY = Object.freeze({
  name: "HISTORY",
  about:
    'Roo Code\'s `api_conversation_history.json` (an array of messages), an object with a field "messages", JSON Lines with a message on each line, or a session of Claude Code (`.jsonl`) without what its subagents did. `-` reads standard input.',
});

/** @type {readonly Command[]} */
const WITHOUT_HELP = [
  {
    name: "condense",
    arguments: { ...HISTORY, isMany: true },
    about: "Condense a conversation; without a command, too",
    details:
      "Reports what condensing saves. Without --out or --in-place nothing is written. Several histories are condensed one after the other.",
  },
  {
    name: "restore",
    arguments: HISTORY,
    about: "Undo a condensation",
    details:
      "With --out or --in-place: writes what was there before, byte for byte. Messages that were added after the condensation stay at the end.",
  },
  { name: "expand", arguments: HISTORY, about: "Replace every pointer by the lines it points to" },
  { name: "count", arguments: { ...HISTORY, isMany: true }, about: "Count tokens, by kind of content" },
  {
    name: "studio",
    arguments: { ...HISTORY, isMany: true, isOptional: true },
    about: "Serve a page to see, compare and undo changes",
    details: "The page is served on this machine alone.",
  },
  { name: "report", arguments: HISTORY, about: "Write that page as one file", details: "Needs --html FILE." },
  {
    name: "inspect",
    arguments: { ...HISTORY, isMany: true },
    about: "Show what fills the context window",
    details: "Prints tokens by kind, tool and file, the largest parts, and parts that say nothing new.",
  },
  {
    name: "recommend",
    arguments: { ...HISTORY, isOptional: true },
    about: "Recommend a provider",
    details:
      "The answers are the flags from --priority to --scenario, --target and --window; without them it asks, on a terminal. On a history it tries what each provider would do.",
  },
  {
    name: "calibrate",
    arguments: { name: "FOLDER", isMany: true, about: "A folder with histories, or a history." },
    about: "Learn thresholds of the provider smart from histories",
    details: "--out FILE writes them as a configuration: roo-condense HISTORY --provider smart --config FILE.",
  },
  {
    name: "validate",
    arguments: { ...HISTORY, isMany: true },
    about: "Check whether the Messages API would accept a history",
  },
  {
    name: "completions",
    arguments: { name: "SHELL", values: SHELLS, about: "The shell that reads the script." },
    about: `Print completions for ${SHELLS.join(", ")}`,
    details: "For bash: `source <(roo-condense completions bash)`.",
  },
];

const commandNames = Object.freeze([...WITHOUT_HELP.map(({ name }) => name), "help"]);

/** @type {readonly Command[]} */
const COMMANDS = deepFrozen([
  ...WITHOUT_HELP,
  {
    name: "help",
    arguments: { name: "COMMAND", isOptional: true, values: commandNames, about: "The command to explain." },
    about: "Print this help, or the help of a command",
  },
]);

const without = (...names) => commandNames.filter((name) => !names.includes(name));

/** The sections of the help, in their order. */
const GROUPS = Object.freeze({
  work: "What to do",
  answers: "Answers",
  keep: "What stays word for word, whatever the target",
  model: "Where a language model writes summaries",
  write: "What to write",
  print: "What to print",
});

/** @type {readonly Flag[]} */
const FLAGS = deepFrozen([
  {
    name: "target",
    value: "TOKENS",
    about: "Leave at most so many tokens: 40000, 40k or 50%",
    details: "A percentage is a share of the tokens before.",
    aboutIn: {
      inspect: "Show where a condensation would have to cut",
      calibrate: "Learn thresholds that leave this share, as in 40%",
    },
    group: "work",
    commands: ["condense", "report", "inspect", "recommend", "calibrate"],
  },
  {
    name: "provider",
    value: "NAME",
    values: ({ CondensationManager }) => new CondensationManager().listProviders().map(({ id }) => id),
    about: "Use this provider alone",
    details:
      "Without it: lossless, which says each thing once and removes what a later message replaced; with a target, truncation cuts what lossless leaves too much; with --preset, smart; with --llm, native. Providers: lossless, truncation, native, smart, pipeline, adaptive, cost_aware, quality_first, per_user, ab_test, progressive.",
    group: "work",
    commands: ["condense"],
  },
  {
    name: "preset",
    value: "NAME",
    values: ({ presets }) => Object.keys(presets),
    about: "Use this preset of the provider smart",
    details: "Presets: conservative (or quality), balanced, aggressive, multi_zone, selective.",
    aboutIn: { calibrate: "Learn for aggressive, multi_zone or balanced" },
    group: "work",
    commands: ["condense", "calibrate"],
  },
  {
    name: "config",
    value: "CONFIG",
    isFile: true,
    about: "Configure the provider",
    details: "A JSON object, or a file that holds one.",
    group: "work",
    commands: ["condense"],
  },
  {
    name: "tools",
    value: "TOOLS",
    isFile: true,
    about: "Say what tools do and what becomes of their calls",
    details: 'A JSON object, or a file that holds one: `{"my_*":{"keep":2},"look":{"maxTokens":800}}`.',
    group: "work",
    commands: ["condense"],
  },
  {
    name: "window",
    value: "TOKENS",
    about: "Size of the model's context window: 200000 or 200k",
    group: "work",
    commands: ["studio", "report", "inspect", "recommend"],
  },
  {
    name: "priority",
    value: "NAME",
    values: ["simplicity", "zero_loss", "speed", "cost", "quality", "control"],
    about: "What matters most",
    group: "answers",
    commands: ["recommend"],
    answers: "priority",
  },
  {
    name: "budget",
    value: "DOLLARS",
    isNumber: true,
    about: "What one condensation may cost",
    group: "answers",
    commands: ["recommend"],
    answers: "budgetPerCondensation",
  },
  {
    name: "latency",
    value: "MS",
    isNumber: true,
    about: "How long one condensation may take",
    group: "answers",
    commands: ["recommend"],
    answers: "maxLatencyMs",
  },
  {
    name: "loss",
    value: "PERCENT",
    isNumber: true,
    most: 100,
    about: "What share of the information may be lost",
    group: "answers",
    commands: ["recommend"],
    answers: "acceptableLoss",
  },
  {
    name: "configuration",
    value: "NAME",
    values: ["none", "presets", "some", "custom", "per_message"],
    about: "How much you want to configure",
    group: "answers",
    commands: ["recommend"],
    answers: "configuration",
  },
  {
    name: "profile",
    value: "NAME",
    values: ["solo_developer", "startup_team", "enterprise_production", "research_compliance"],
    about: "Who uses the agent",
    group: "answers",
    commands: ["recommend"],
    answers: "userProfile",
  },
  {
    name: "scenario",
    value: "NAME",
    values: [
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
    about: "What the agent is used for",
    group: "answers",
    commands: ["recommend"],
    answers: "scenario",
  },
  {
    name: "protect-tool",
    value: "GLOB",
    multiple: true,
    about: "Keep the calls of these tools and their results",
    group: "keep",
    commands: ["condense"],
  },
  {
    name: "protect-path",
    value: "GLOB",
    multiple: true,
    about: "Keep the calls about these files and their results",
    group: "keep",
    commands: ["condense"],
  },
  {
    name: "protect-text",
    value: "TEXT",
    multiple: true,
    about: "Keep every block that contains this text",
    details:
      "Between two slashes, with no unescaped slash between them, it is a regular expression: `/token: \\w+/i`; `\\/usr/` is the text `/usr/`.",
    group: "keep",
    commands: ["condense"],
  },
  {
    name: "frozen-messages",
    value: "N",
    about: "Keep the first N messages, with nothing between them",
    details: "The prompt cache stays valid up to there.",
    group: "keep",
    commands: ["condense"],
  },
  {
    name: "llm",
    value: "API",
    values: ["anthropic", "openai"],
    about: "Ask a language model through this API",
    details:
      "openai is also for all other services that speak its protocol. The key comes from the environment, `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, never from an argument.",
    group: "model",
    commands: ["condense", "recommend", "studio"],
  },
  { name: "model", value: "MODEL", about: "The model's name", group: "model", commands: ["condense", "recommend", "studio"] },
  {
    name: "fallback",
    about: "Go on without the model when it does not respond",
    details: "Without --fallback that is a failure, and nothing is written.",
    group: "model",
    commands: ["condense"],
  },
  {
    name: "base-url",
    value: "URL",
    about: "Send requests to another server",
    details: "For example `http://localhost:11434/v1`.",
    group: "model",
    commands: ["condense", "recommend", "studio"],
  },
  {
    name: "insecure",
    about: "Send the key over plain http to another machine, too",
    group: "model",
    commands: ["condense", "recommend", "studio"],
  },
  {
    name: "price",
    value: "PRICE",
    isFile: true,
    about: "What the model costs, in dollars per million tokens",
    details:
      'A JSON object, or a file that holds one: `{"inputPrice":3, "outputPrice":15, "cacheWritesPrice":3.75, "cacheReadsPrice":0.3}`.',
    group: "model",
    commands: ["condense", "recommend", "studio"],
  },
  {
    name: "out",
    short: "o",
    value: "FILE",
    isFile: true,
    about: "Write the result to this file",
    details: "`-` is standard output, and the report then goes to standard error. For several histories it is a folder that exists.",
    aboutIn: { calibrate: "Write the configuration to this file" },
    group: "write",
    commands: ["condense", "restore", "expand", "calibrate"],
  },
  {
    name: "html",
    value: "FILE",
    isFile: true,
    about: "Write the page to this file",
    group: "write",
    commands: ["report"],
  },
  {
    name: "force",
    about: "Let --out replace a file, but never the input",
    aboutIn: { report: "Let --html replace a file, but never the input" },
    group: "write",
    commands: ["condense", "restore", "expand", "report", "calibrate"],
  },
  {
    name: "in-place",
    about: "Replace the input, after a backup",
    details: "The backup is `HISTORY.json.bak`, or `.bak.1`, `.bak.2` and so on when there is one.",
    group: "write",
    commands: ["condense", "restore"],
  },
  {
    name: "no-restore-data",
    about: "Do not write what restore needs",
    details: "It is written beside the result: `HISTORY.restore.json`, or `HISTORY.restore.1.json` and so on when there is one.",
    group: "write",
    commands: ["condense"],
  },
  {
    name: "restore-data",
    value: "FILE",
    isFile: true,
    about: "Read the restore data from this file",
    details: "Needed where the restore data is not beside the history.",
    group: "write",
    commands: ["restore"],
  },
  {
    name: "write",
    about: "Let the page save, each time after a backup",
    details: "Without --write the page writes nothing.",
    group: "write",
    commands: ["studio"],
  },
  { name: "redact", about: "Leave the texts out of the page", group: "write", commands: ["report"] },
  { name: "no-open", about: "Print the address, and open no browser", group: "print", commands: ["studio"] },
  {
    name: "preview",
    about: "Print what would be done and cost, and do nothing",
    details: "Lists the steps. No model is asked, and nothing is written.",
    group: "print",
    commands: ["condense"],
  },
  {
    name: "compare",
    about: "Compare what each provider would leave",
    details: "Lists providers and presets, with cost and time. No model is asked.",
    group: "print",
    commands: ["inspect"],
  },
  {
    name: "explain",
    about: "Print every change, with its reason and a line diff",
    group: "print",
    commands: ["condense"],
  },
  {
    name: "json",
    about: "Print the report as one JSON object",
    details: 'On standard output; for several histories with a list "files".',
    group: "print",
    commands: ["condense", "restore", "expand", "count", "inspect", "recommend", "calibrate", "validate"],
  },
  {
    name: "messages",
    about: "With --json: print the messages and restore data, too",
    details: "The restore data is what `restore()` needs.",
    group: "print",
    commands: ["condense"],
  },
  {
    name: "quiet",
    short: "q",
    about: "Print errors only",
    group: "print",
    commands: ["condense", "restore", "expand", "report", "calibrate", "validate"],
  },
  {
    name: "no-progress",
    about: "Print no progress bar",
    details: "There is one on a terminal only.",
    group: "print",
    commands: without("completions", "help"),
  },
  {
    name: "color",
    value: "WHEN",
    values: ["auto", "always", "never"],
    about: "Print in colors",
    details: "auto is on a terminal. Without --color, `NO_COLOR` and `FORCE_COLOR` decide.",
    group: "print",
    commands: commandNames,
  },
  {
    name: "help",
    short: "h",
    about: "Print help, and with -h a short form of it",
    group: "print",
    commands: commandNames,
  },
  { name: "version", short: "V", about: "Print the version", group: "print", commands: commandNames },
]);

function deepFrozen(value) {
  if (typeof value === "object") Object.values(value).forEach(deepFrozen);
  return Object.freeze(value);
}

/**
 * The command of a name, if there is one.
 * @param {string | undefined} name
 */
const commandNamed = (name) => COMMANDS.find((command) => command.name === name);

/**
 * The flag of a name, which there is.
 * @param {string} name
 */
const flagNamed = (name) => /** @type {Flag} */ (FLAGS.find((flag) => flag.name === name));

/**
 * The flags that a command understands.
 * @param {string} command
 */
const flagsOf = (command) => FLAGS.filter(({ commands }) => commands.includes(command));

/**
 * The words that a flag or an argument allows, as far as they are known without the package.
 * @param {{ values?: Flag["values"] }} of
 * @returns {readonly string[] | undefined}
 */
const wordsOf = ({ values }) => (typeof values === "function" ? undefined : values);

/**
 * What a flag does for a command.
 * @param {Flag} flag
 * @param {string} [command]
 */
const aboutOf = ({ about, aboutIn }, command = "") => aboutIn?.[command] ?? about;

module.exports = { COMMANDS, FLAGS, GROUPS, aboutOf, commandNamed, commandNames, flagNamed, flagsOf, wordsOf };
