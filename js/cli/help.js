"use strict";

const { MEANINGS } = require("./exit-codes.js");

const { USAGE } = require("./usage.js");

const help = () => `Usage: ${USAGE}
       roo-condense COMMAND HISTORY.json [options]

Condenses the conversation of a coding agent, and reports what that saves.
HISTORY.json is Roo Code's api_conversation_history.json (an array of messages)
or an object with a field "messages"; JSON Lines, a message on each line; or a
session of Claude Code (.jsonl), without what its subagents did. - reads
standard input. Several histories are condensed one after the other. Without
--out or --in-place nothing is written.

Commands
  restore HISTORY     undo a condensation, see below
  expand HISTORY      replace every pointer by the lines that it leads to
  count HISTORY...    tokens, by kind of content
  inspect HISTORY...  what fills it: tokens by kind, tool and file, the largest
                      parts, and what says nothing new
  studio [HISTORY...] a page to see, compare and take back what would change,
                      served on this machine alone
  report HISTORY      the same page as one file, --html FILE
  validate HISTORY... whether the Messages API would accept it
  recommend [HISTORY] which provider to take; on a terminal it asks, or answers
                      are --priority, --budget DOLLARS, --latency MS, --loss
                      PERCENT, --configuration, --profile, --scenario, --target
                      and --window; on a history it tries what each would do
  calibrate FOLDER... thresholds of the smart provider (--preset aggressive,
                      multi_zone or balanced), learned from the histories
                      there; --out FILE writes them for --config
  completions SHELL   completions for bash, zsh or fish

What to do
  --target TOKENS     how much may be left: 40000, 40k, or 50% of what there is
  --provider NAME     this provider alone. Without it: lossless, which says
                      each thing once and leaves out what a later message
                      replaced; with a target, truncation cuts what lossless
                      leaves too much; with --preset, smart; with --llm, native
  --preset NAME       a preset of the smart provider: conservative (or
                      quality), balanced, aggressive, multi_zone or selective
  --config CONFIG     the provider's configuration: a JSON object, or a file
                      that holds one
  --tools TOOLS       what tools do and what becomes of their calls: a JSON
                      object, or a file that holds one:
                      {"my_*":{"keep":2},"look":{"maxTokens":800}}

With inspect
  --window TOKENS     the context window of the model: 200000, 200k
  --target TOKENS     where a condensation would have to cut
  --compare           what each provider and preset would leave, at what cost,
                      in what time; no model is asked

With studio and report
  --write             studio: let the page save, each time after a backup; else
                      nothing is written
  --no-open           studio: print the address, and open no browser
  --html FILE         report: where to write it
  --redact            report: leave the texts out
  --window TOKENS     the context window of the model
  --target TOKENS     report: how much may be left

What stays word for word, whatever the target; each as often as needed
  --protect-tool GLOB calls of these tools and what they answered
  --protect-path GLOB calls about these files and what they answered
  --protect-text TEXT whatever block this stands in. Between two slashes, with
                      none in it that is not escaped, it is a regular
                      expression: /token: \\w+/i; \\/usr/ is the text /usr/
  --frozen-messages N the first N messages, with nothing put between them, so
                      that the prompt cache holds up to there

Where a language model writes summaries
  --llm API           anthropic or openai (and all that speak its protocol).
                      The key comes from the environment, ANTHROPIC_API_KEY or
                      OPENAI_API_KEY, never from an argument
  --model MODEL       the model's name
  --fallback          go on without the model when it does not answer; else that
                      is a failure, and nothing is written
  --base-url URL      another server, such as http://localhost:11434/v1
  --insecure          send the key over plain http to another machine, too
  --price PRICE       what the model costs in dollars per million tokens, a JSON
                      object or a file that holds one: {"inputPrice":3,
                      "outputPrice":15,"cacheWritesPrice":3.75,
                      "cacheReadsPrice":0.3}

What to write
  -o, --out FILE      the condensed history; - is standard output, and the
                      report then goes to standard error. For several
                      histories a folder
  --force             --out may replace a file (never the input)
  --in-place          replace the input, after a backup to HISTORY.json.bak, or
                      .bak.1, .bak.2 and so on when there is one
  --no-restore-data   do not write what leads back. It is written beside the
                      result: HISTORY.restore.json, or HISTORY.restore.1.json
                      and so on when there is one

To undo it
  roo-condense restore HISTORY.json
                      with --out or --in-place: what was there before, byte for
                      byte. Messages that were added since stay at the end
  --restore-data FILE what leads back, where it does not stand beside the file

What to print
  --preview           what would be done, step by step, and what it would cost;
                      no model is asked, and nothing is written
  --explain           also every change, with its reason and a line diff
  --json              the report as one JSON object on standard output; of
                      several histories with a list "files"
  --messages          with --json: also the messages, and what restore() needs
  -q, --quiet         nothing but errors
  --no-progress       no progress bar (there is one only on a terminal)
  --color WHEN        auto (on a terminal), always or never; else NO_COLOR and
                      FORCE_COLOR say
  -h, --help, -V, --version

Examples
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
  source <(roo-condense completions bash)

Exit codes
${MEANINGS.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join("\n")}
With another code than 0 nothing has been written, but where only the report
could not be printed, which the message says; of several histories, those that
failed were left as they are.

Tokens are counted with o200k_base. Messages and blocks are numbered from 0, as
in the file.
`;

/** The columns that the names of commands and options have. */
const NAMES = 22;

/** The paragraphs of a text, each with what stands in the columns of names, and what follows on lines that go further in. */
const entriesOf = (lines) =>
  lines.reduce((entries, line) => {
    if (/^ {2}\S/.test(line) || entries.length === 0) entries.push([line]);
    else entries.at(-1).push(line);
    return entries;
  }, []);

/** The long names of the options that an entry is about. */
const namesOf = ([first]) => [...first.slice(0, NAMES).matchAll(/--([a-z-]+)/g)].map(([, name]) => name);

/** The help for one command, which understands these options: what of the whole help is about it. */
function helpOf(command, options) {
  const sections = help()
    .split("\n\n")
    .map((section) => section.split("\n"));
  const section = (start) => sections.find(([title]) => title.startsWith(start)) ?? [];
  const [described] = entriesOf(section("Commands").slice(1)).filter(([first]) => first.startsWith(`  ${command} `));
  const [usage = "", ...words] = described ?? [];
  const own = sections
    .filter(([title]) => title.startsWith("With ") && title.includes(command))
    .flatMap((lines) => entriesOf(lines.slice(1)));
  const isOwn = (name) => own.some((entry) => namesOf(entry).includes(name));
  const general = sections
    .filter(([title]) => !title.startsWith("With ") && !["Commands", "Examples", "To undo it"].includes(title))
    .flatMap((lines) => entriesOf(lines.slice(1)))
    .filter((entry) => !namesOf(entry).some(isOwn));
  const undo = command === "restore" ? entriesOf(section("To undo it").slice(1)) : [];
  const understood = [...own, ...undo, ...general].filter((entry) => namesOf(entry).some((name) => options.includes(name)));
  const text = [usage.slice(NAMES), ...words.map((line) => line.trim())];
  return `Usage: roo-condense ${usage.slice(0, NAMES).trim()} [options]\n\n${text.map((line) => `  ${line}`).join("\n")}\n\nOptions\n${understood.flat().join("\n")}\n\nExit codes and examples: roo-condense --help\n`;
}

module.exports = { help, helpOf };
