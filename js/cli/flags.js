"use strict";

// The single definition of every command and every flag. The parser, the checks, the help, the completions, the flags
// in error messages and the table in docs/command-line.md are made from it. Texts are Markdown; the help leaves the
// backticks out.

/**
 * The argument of a command.
 * @typedef {object} Argument
 * @property {string} name as the usage calls it
 * @property {string} about
 * @property {boolean} [isOptional]
 * @property {boolean} [isMany] several of them, and folders that hold them
 * @property {boolean} [isFolder] it is a folder, and no history
 * @property {readonly string[]} [values] the allowed words; without them it is a file
 * @property {boolean} [isLong] there are too many words to list them
 */

/**
 * @typedef {object} Command
 * @property {string} name
 * @property {Argument} arguments
 * @property {Argument} [words] words after it, which are no files
 * @property {string} about one line, without a full stop
 * @property {string} [details] sentences for the long help
 * @property {readonly string[]} [examples] command lines
 */

/**
 * @typedef {object} Flag
 * @property {string} name
 * @property {string} [short] its letter
 * @property {string} [value] what its value is called; a flag without it is a switch
 * @property {readonly string[]} [values] the allowed words
 * @property {boolean} [multiple] may be given several times
 * @property {boolean} [isFile] its value is a file
 * @property {boolean} [isNumber] its value is a number, 0 or more
 * @property {number} [most] the largest number
 * @property {string} about one line, without a full stop
 * @property {string} [details] sentences for the long help
 * @property {Readonly<Record<string, { value?: string, about?: string, details?: string, values?: readonly string[] }>>} [for] other
 * meanings of the flag, by command
 * @property {keyof typeof GROUPS} group
 * @property {readonly string[]} commands the commands that accept it
 * @property {string} [answers] the answer of `recommend()` that it gives
 * @property {readonly string[]} [options] the options of the JavaScript API that it sets; messages about them name the flag instead
 */

const codes = require("./codes.json");
const { MEANINGS, codeName } = require("./exit-codes.js");
const { NAMES: FORMATS } = require("../formats.js");

const SHELLS = ["bash", "zsh", "fish"];

const KINDS =
  'Roo Code\'s `api_conversation_history.json` or another array of messages, an object with "messages", "input", "contents", "history" or "conversation", JSON Lines with one message per line, or a session of Claude Code or of one of its subagents, Codex, Gemini CLI, Goose, Pi, OpenCode, Cursor or Copilot. `-` is standard input.';
const HISTORY = Object.freeze({ name: "HISTORY", about: `A file: ${KINDS}` });
const HISTORIES = Object.freeze({
  name: "HISTORY",
  isMany: true,
  about: `A file or folder. Files: ${KINDS} In a folder, all \`.json\` and \`.jsonl\` files that are histories, at any depth.`,
});

/** @type {readonly Command[]} */
const WITHOUT_HELP = [
  {
    name: "condense",
    arguments: HISTORIES,
    about: "Condense histories; the default command",
    details: "Reports what condensing saves. Nothing is written without --out or --in-place. Several histories are condensed one by one.",
    examples: [
      "roo-condense api_conversation_history.json",
      "roo-condense history.json --target 50% --explain",
      "roo-condense history.json --target 40000 --out shorter.json",
      "roo-condense history.json --preset balanced --preview",
      `roo-condense history.json --provider truncation --target 25% --in-place --config '{"strategy":"head_tail"}'`,
      "roo-condense - --target 50% --out - < history.json > shorter.json",
    ],
  },
  {
    name: "batch",
    arguments: {
      ...HISTORIES,
      about: `${HISTORIES.about} Also JSON Lines of any size with a whole history on each line.`.replace(" `-` is standard input.", ""),
    },
    about: "Condense many histories into a folder, on all cores",
    details:
      "Needs --out FOLDER. After any end, the same command goes on where it was. An input that fails does not stop the others; a line that fails is left out of the result.",
    examples: ["roo-condense batch tasks/ --target 50% --out condensed/", "roo-condense batch dataset.jsonl --target 40k --out condensed/"],
  },
  {
    name: "restore",
    arguments: HISTORY,
    about: "Undo a condensation",
    details:
      "With --out or --in-place, writes the original history, byte for byte. Messages added after the condensation are kept at the end.",
    examples: ["roo-condense restore history.json --in-place"],
  },
  {
    name: "expand",
    arguments: HISTORY,
    about: "Replace every pointer by the lines it points to",
    examples: ["roo-condense expand shorter.json --out readable.json"],
  },
  {
    name: "count",
    arguments: HISTORIES,
    about: "Count tokens by kind of content",
    examples: ["roo-condense count ~/.claude/projects/"],
  },
  {
    name: "studio",
    arguments: { ...HISTORY, isMany: true, isOptional: true },
    about: "Open a page to view, compare and undo changes",
    details: "The page is served on this machine only.",
    examples: ["roo-condense studio history.json --write"],
  },
  {
    name: "report",
    arguments: HISTORY,
    about: "Write that page as one HTML file",
    details: "Needs --html FILE.",
    examples: ["roo-condense report history.json --html report.html"],
  },
  {
    name: "inspect",
    arguments: HISTORIES,
    about: "Show what fills the context window",
    details: "Prints tokens by kind, tool and file, the largest parts, and repeated or stale parts.",
    examples: ["roo-condense inspect history.json --window 200k --compare"],
  },
  {
    name: "recommend",
    arguments: { ...HISTORY, isOptional: true },
    about: "Recommend a provider",
    details:
      "The flags from --priority to --scenario, --target and --window answer its questions; without any of them it asks, on a terminal. With a history, it tries every provider on it.",
    examples: ["roo-condense recommend history.json --priority cost --target 40%"],
  },
  {
    name: "calibrate",
    arguments: { name: "FOLDER", isMany: true, about: "A folder with histories, or a history." },
    about: "Learn thresholds of the provider smart from histories",
    details: "--out FILE writes them as a configuration, for --provider smart --config FILE.",
    examples: ["roo-condense calibrate tasks/ --out smart.json"],
  },
  {
    name: "validate",
    arguments: HISTORIES,
    about: "Check whether the Messages API accepts histories",
    examples: ["roo-condense validate history.json"],
  },
  {
    name: "recall",
    arguments: {
      name: "FILE",
      about:
        "A history or session, read whole: also what its agent compacted away, and its subagents. A session of OpenCode's database is named `opencode.db#ses_…`.",
    },
    words: { name: "WORDS", isMany: true, about: "Words to search for; or the key of an entry, and lines of it such as 40-80." },
    about: "Search a whole session, before its compactions too",
    details: "With --last, FILE is omitted: the newest session of the current folder is searched.",
    examples: [
      'roo-condense recall ~/.claude/projects/-work-shop/6a46.jsonl "refund webhook"',
      "roo-condense recall --last migration failed",
      "roo-condense recall session.jsonl k7fa 40-80",
    ],
  },
  {
    name: "result",
    arguments: { name: "OUTPUT", isOptional: true, about: "A file with the output of a command. Default: standard input, any bytes." },
    about: "Shorten the output of a command before a model reads it",
    details:
      "Lines that say how it ended and what failed stay word for word; the last line says what is missing, and names the file that keeps the whole. Output within the budget is printed as it is. Ends with the exit code that --exit-code gives.",
    examples: [
      "npm test 2>&1 | roo-condense result --budget 4000",
      "cargo build > build.log 2>&1; roo-condense result build.log --exit-code $?",
    ],
  },
  {
    name: "mcp",
    arguments: {
      name: "FOLDER",
      isOptional: true,
      isFolder: true,
      about: "The project whose sessions are searched. Default: the one that the client names, else the current folder.",
    },
    about: "Serve recall to coding agents over MCP (stdio)",
    details:
      "MCP is the Model Context Protocol. Lets the model of Claude Code, Codex, Gemini CLI, OpenCode, Cursor, Copilot, Pi, Cline, Roo Code or Zoo Code search its own session, also what a compaction removed. Reads session files of the project only; writes nothing, and uses no network.",
    examples: ["claude mcp add recall -- npx -y roo-condense mcp", "codex mcp add recall -- npx -y roo-condense mcp"],
  },
  {
    name: "completions",
    arguments: { name: "SHELL", values: SHELLS, about: "The shell to print the script for." },
    about: `Print completions for ${SHELLS.join(", ")}`,
    examples: [
      "source <(roo-condense completions bash)",
      "roo-condense completions zsh > ~/.zfunc/_roo-condense",
      "roo-condense completions fish > ~/.config/fish/completions/roo-condense.fish",
    ],
  },
  {
    name: "explain",
    arguments: {
      name: "CODE",
      values: [...new Set([...Object.keys(codes), ...MEANINGS.flatMap(([code]) => [codeName(code), String(code)])])],
      isLong: true,
      about: "A code of an error or a warning, as `--json` and messages print it, or an exit code.",
    },
    about: "Explain a code of an error or a warning",
    details: "Prints what it means and what to do.",
    examples: ["roo-condense explain target_not_met", "roo-condense explain 6"],
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
    examples: ["roo-condense help condense"],
  },
]);

const without = (...names) => commandNames.filter((name) => !names.includes(name));

/** The sections of the help, in order. */
const GROUPS = Object.freeze({
  work: "Condensing",
  answers: "Answers",
  keep: "Keep word for word, whatever the target",
  model: "Language model",
  write: "Writing files",
  print: "Printing",
});

/** Written by `npm run generate`. */
const { providers: PROVIDERS, presets: PRESETS } = require("./providers.json");

/** The commands that read histories. */
const READING = without("completions", "explain", "help", "mcp", "result");

/** @type {readonly Flag[]} */
const FLAGS = deepFrozen([
  {
    name: "target",
    value: "TOKENS",
    about: "Largest number of tokens to leave: 40000, 40k or 50%",
    details: "A percentage is a share of the original tokens.",
    for: {
      inspect: { about: "Show where a condensation to this target would cut", details: "40000, 40k, or 50% of the tokens." },
      calibrate: { about: "Learn thresholds that leave this share, such as 40%" },
    },
    group: "work",
    commands: ["condense", "batch", "report", "inspect", "recommend", "calibrate"],
    options: ["options.targetTokens", "targetTokens", "reductionPercent", "options.goal.reductionPercent"],
  },
  {
    name: "provider",
    value: "NAME",
    values: PROVIDERS,
    about: "Use this provider, without fallbacks",
    details:
      "Default: lossless, which keeps one copy of everything and drops what a later message replaced; with a target, truncation shortens the rest; with --preset, smart; with --llm, native.",
    group: "work",
    commands: ["condense", "batch"],
    options: ["options.provider", "provider"],
  },
  {
    name: "preset",
    value: "NAME",
    values: PRESETS,
    about: "Use the provider smart with this preset",
    details: "quality is another name for conservative.",
    for: { calibrate: { about: "Preset to learn thresholds for", values: ["aggressive", "multi_zone", "balanced"] } },
    group: "work",
    commands: ["condense", "batch", "calibrate"],
    options: ["options.preset", "preset"],
  },
  {
    name: "config",
    value: "CONFIG",
    isFile: true,
    about: "Configuration of the provider",
    details: "A JSON object, or a file that holds one.",
    group: "work",
    commands: ["condense", "batch"],
    options: ["options.config"],
  },
  {
    name: "tools",
    value: "TOOLS",
    isFile: true,
    about: "What your tools do, and how to treat their calls",
    details: 'A JSON object, or a file that holds one: `{"my_*":{"keep":2},"look":{"maxTokens":800}}`.',
    group: "work",
    commands: ["condense", "batch"],
    options: ["tools"],
  },
  {
    name: "format",
    value: "NAME",
    values: FORMATS,
    about: "Format of the messages, if they do not show it",
    details: "Most formats write text alone in the same way, which is then read as Anthropic's.",
    group: "work",
    // A session identifies its own format.
    commands: READING.filter((name) => name !== "recall"),
    options: ["options.format", "format", "answers.format"],
  },
  {
    name: "last",
    about: "Take the newest agent session on this machine",
    for: { recall: { details: "Sessions of the current folder come first." } },
    group: "work",
    commands: ["condense", "inspect", "studio", "report", "recall"],
  },
  {
    name: "window",
    value: "TOKENS",
    about: "The model's context window: 200000, 200k or 1m",
    group: "work",
    commands: ["studio", "report", "inspect", "recommend"],
    options: ["context.contextWindow", "contextWindow"],
  },
  {
    name: "recall",
    about: "The model has recall: leave a tenth of the window",
    details:
      "Recall is the tool of `roo-condense mcp`, which finds what was left out. Without it the advice is half of the window, or no target where only repeated text has to go.",
    group: "work",
    commands: ["studio", "report", "recommend"],
    options: ["answers.recall", "options.recall"],
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
    about: "Largest cost of one condensation",
    for: { result: { value: "TOKENS", about: "Largest number of tokens to print. Default: 4000" } },
    group: "answers",
    commands: ["recommend", "result"],
    answers: "budgetPerCondensation",
  },
  {
    name: "latency",
    value: "MS",
    isNumber: true,
    about: "Longest time of one condensation",
    group: "answers",
    commands: ["recommend"],
    answers: "maxLatencyMs",
  },
  {
    name: "loss",
    value: "PERCENT",
    isNumber: true,
    most: 100,
    about: "Acceptable loss of information",
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
    commands: ["condense", "batch"],
    options: ["options.protect.tools"],
  },
  {
    name: "protect-path",
    value: "GLOB",
    multiple: true,
    about: "Keep the calls about these files and their results",
    group: "keep",
    commands: ["condense", "batch"],
    options: ["options.protect.paths", "protect.paths"],
  },
  {
    name: "protect-text",
    value: "TEXT",
    multiple: true,
    about: "Keep every block that contains this text",
    details:
      "A regular expression if between two slashes, with no unescaped slash inside: `/token: \\w+/i`. `\\/usr/` is the text `/usr/`.",
    group: "keep",
    commands: ["condense", "batch"],
    options: ["options.protect.text", "protect.text"],
  },
  {
    name: "frozen-messages",
    value: "N",
    about: "Leave the first N messages unchanged",
    details: "Nothing is inserted between them, so the prompt cache stays valid that far.",
    group: "keep",
    commands: ["condense", "batch"],
    options: ["options.frozenMessages"],
  },
  {
    name: "llm",
    value: "API",
    values: ["anthropic", "openai"],
    about: "Let a language model write summaries, through this API",
    details:
      "openai includes all services with a compatible API. The key is read from the environment variable `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, never from an argument.",
    group: "model",
    commands: ["condense", "batch", "recommend", "studio"],
    options: ["api"],
  },
  {
    name: "model",
    value: "MODEL",
    about: "Name of the model",
    group: "model",
    commands: ["condense", "batch", "recommend", "studio"],
    options: ["model"],
  },
  {
    name: "fallback",
    about: "Condense without the model if it does not respond",
    details: "Otherwise that is an error, and nothing is written.",
    group: "model",
    commands: ["condense", "batch"],
  },
  {
    name: "base-url",
    value: "URL",
    about: "Send requests to another service",
    details: "For example `http://localhost:11434/v1`.",
    group: "model",
    commands: ["condense", "batch", "recommend", "studio"],
    options: ["baseUrl"],
  },
  {
    name: "insecure",
    about: "Send the key to another machine over plain http",
    group: "model",
    commands: ["condense", "batch", "recommend", "studio"],
    options: ["insecure"],
  },
  {
    name: "price",
    value: "PRICE",
    isFile: true,
    about: "Price of the model, in dollars per million tokens",
    details:
      'A JSON object, or a file that holds one: `{"inputPrice":3, "outputPrice":15, "cacheWritesPrice":3.75, "cacheReadsPrice":0.3}`.',
    group: "model",
    commands: ["condense", "batch", "recommend", "studio"],
    options: ["options.price", "price"],
  },
  {
    name: "out",
    short: "o",
    value: "FILE",
    isFile: true,
    about: "Write the result to this file",
    details: "`-` is standard output; the report then goes to standard error.",
    for: {
      batch: {
        value: "FOLDER",
        about: "Write the results into this folder",
        details: "It must be new or empty, or the folder of an earlier batch. Results of a folder keep their paths below it.",
      },
      calibrate: { about: "Write the configuration to this file", details: "`-` is standard output." },
    },
    group: "write",
    commands: ["condense", "batch", "restore", "expand", "calibrate"],
  },
  {
    name: "exit-code",
    value: "N",
    about: "Exit code of the command",
    details: "The last line says it, and roo-condense ends with it.",
    group: "work",
    commands: ["result"],
    options: ["options.exitCode"],
  },
  {
    name: "store",
    value: "FOLDER",
    isFile: true,
    about: "Keep whole outputs in this folder",
    details: "Default: `roo-condense/results` in the user's cache folder, where files go after 30 days. In a named folder, they stay.",
    group: "write",
    commands: ["result"],
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
    about: "Let --out overwrite a file, but never the input",
    for: { report: { about: "Let --html overwrite a file, but never the input" } },
    group: "write",
    commands: ["condense", "restore", "expand", "report", "calibrate"],
  },
  {
    name: "in-place",
    about: "Overwrite the input, after a backup",
    details: "The backup is `HISTORY.json.bak`, or `.bak.1`, `.bak.2` and so on if that exists.",
    group: "write",
    commands: ["condense", "restore"],
  },
  {
    name: "no-restore-data",
    about: "Do not write the restore data",
    details: "It is written beside the result: `HISTORY.restore.json`, or `HISTORY.restore.1.json` and so on if that exists.",
    group: "write",
    commands: ["condense", "batch"],
  },
  {
    name: "restore-data",
    value: "FILE",
    isFile: true,
    about: "Read the restore data from this file",
    details: "Needed if it is not beside the history.",
    group: "write",
    commands: ["restore"],
  },
  {
    name: "write",
    about: "Let the page save, each time after a backup",
    details: "Without it, the page writes nothing.",
    group: "write",
    commands: ["studio"],
  },
  {
    name: "settings",
    value: "FILE",
    isFile: true,
    about: "Keep the page's settings in this file",
    details:
      "The page reads and writes them there, as JSON with the names of a manager's options. Without it, they last as long as the studio.",
    group: "write",
    commands: ["studio"],
  },
  {
    name: "redact",
    about: "Leave texts out of the page",
    for: Object.fromEntries(
      ["recall", "mcp"].map((command) => [
        command,
        {
          value: "PATTERN",
          multiple: true,
          about: "Leave out all that matches this text",
          details: "It is neither found nor shown. A regular expression if between two slashes: `/sk-[a-z0-9]{20,}/i`.",
        },
      ]),
    ),
    group: "write",
    commands: ["report", "recall", "mcp"],
  },
  { name: "no-open", about: "Print the address, but do not open a browser", group: "print", commands: ["studio"] },
  {
    name: "preview",
    about: "Dry run: print the steps, savings and cost",
    details: "Calls no language model and writes nothing.",
    group: "print",
    commands: ["condense"],
  },
  {
    name: "compare",
    about: "Compare what each provider would leave",
    details: "Lists providers and presets, with cost and time. Calls no language model.",
    group: "print",
    commands: ["inspect"],
  },
  {
    name: "interactive",
    short: "i",
    about: "Ask about each change: keep it or skip it",
    details:
      "Shows each change with its line diff on the terminal. Needs --out FILE or --in-place, which write the result after the last answer.",
    group: "work",
    commands: ["condense"],
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
    for: {
      ...Object.fromEntries(
        ["condense", "count", "inspect", "validate"].map((command) => [
          command,
          { details: 'For several histories, it has a list "files" and a "total".' },
        ]),
      ),
      batch: { details: 'It has a "total" and a list "files".' },
    },
    group: "print",
    commands: ["condense", "batch", "restore", "expand", "count", "inspect", "recommend", "calibrate", "validate", "recall", "result"],
  },
  {
    name: "messages",
    about: "Include messages and restore data in --json",
    details: "The function `restore()` needs both.",
    group: "print",
    commands: ["condense"],
  },
  {
    name: "quiet",
    short: "q",
    about: "Print errors only",
    group: "print",
    commands: ["condense", "batch", "restore", "expand", "report", "calibrate", "validate"],
  },
  {
    name: "no-progress",
    about: "Print no progress",
    details: "Otherwise a terminal shows a bar, and a log gets a line every few seconds, on standard error.",
    group: "print",
    commands: READING,
  },
  {
    name: "color",
    value: "WHEN",
    values: ["auto", "always", "never"],
    about: "When to print in colors",
    details: "auto: on a terminal, unless the environment variable `NO_COLOR` or `FORCE_COLOR` is set.",
    group: "print",
    commands: commandNames,
  },
  {
    name: "help",
    short: "h",
    about: "Print help; -h prints a short form",
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
 * Returns the command with a name, if there is one.
 * @param {string | undefined} name
 */
const commandNamed = (name) => COMMANDS.find((command) => command.name === name);

/**
 * Returns the flag with a name, which must exist.
 * @param {string} name
 */
const flagNamed = (name) => /** @type {Flag} */ (FLAGS.find((flag) => flag.name === name));

/**
 * Returns a flag with its meaning for a command.
 * @param {Flag} flag
 * @param {string} [command]
 * @returns {Flag}
 */
function flagFor(flag, command = "") {
  const own = flag.for?.[command];
  if (!own) return flag;
  // Details of the general meaning do not explain a different one.
  return { ...flag, ...(own.about && { details: undefined }), ...own };
}

/**
 * Returns the flags of a command, with their meaning for it.
 * @param {string} command
 */
const flagsOf = (command) => FLAGS.filter(({ commands }) => commands.includes(command)).map((flag) => flagFor(flag, command));

module.exports = { COMMANDS, FLAGS, GROUPS, commandNamed, commandNames, flagFor, flagNamed, flagsOf };
