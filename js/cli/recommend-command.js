"use strict";

// `roo-condense recommend [HISTORY]`: recommends a provider. Without answers it asks, on a terminal.

const path = require("node:path");
const readline = require("node:readline/promises");
const { createHandler, readObject } = require("./condensation.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { flagNamed } = require("./flags.js");
const { readHistory } = require("./history-file.js");
const { Interruption } = require("./interruption.js");
const { didYouMean } = require("./meant.js");
const { inOwnWords } = require("./own-words.js");
const { free: FREE } = require("./providers.json");
const { Report } = require("./report-lines.js");
const { item, shellWord, visible, withCommas } = require("./terminal.js");
const { version } = require("../../package.json");

/**
 * Returns the words of a flag as choices with their values.
 * @type {(flag: string) => [string, string][]}
 */
const choicesOf = (flag) => (flagNamed(flag).values ?? []).map((word) => [word, word]);

/**
 * The questions: the name of each answer, and its choices with their values.
 * @type {readonly (readonly [string, string, [string, string | number][]])[]}
 */
const QUESTIONS = Object.freeze([
  ["priority", "What matters most?", choicesOf("priority")],
  [
    "budgetPerCondensation",
    "How much may one condensation cost?",
    [
      ["more than $0.05", 0.1],
      ["$0.01 to $0.05", 0.05],
      ["less than $0.01", 0.005],
      ["nothing", 0],
    ],
  ],
  [
    "maxLatencyMs",
    "How long may it take?",
    [
      ["100 ms", 100],
      ["half a second", 500],
      ["2 seconds", 2000],
      ["10 seconds", 10_000],
      ["longer", 60_000],
    ],
  ],
  [
    "acceptableLoss",
    "How much information may be lost?",
    [
      ["nothing", 0],
      ["less than 10%", 10],
      ["less than 30%", 30],
      ["less than 50%", 50],
      ["more", 100],
    ],
  ],
  ["configuration", "How much do you want to configure?", choicesOf("configuration")],
]);

/** Returns the choice with this number or text. */
function choiceOf(choices, said) {
  const number = /^\d+$/.test(said) ? Number(said) : 0;
  return choices[number - 1] ?? choices.find(([text]) => text.toLowerCase() === said.toLowerCase());
}

/** Asks on the terminal, again if the answer is not a choice. An empty line skips a question, the end of the input all remaining ones. */
async function ask(stdin, stdout, interruption) {
  const terminal = readline.createInterface({ input: stdin, output: stdout });
  const ended = new Promise((resolve) => terminal.once("close", () => resolve(undefined)));
  // A terminal in line mode receives Ctrl+C before the process does.
  const stopped = new Promise((_, reject) => terminal.once("SIGINT", () => reject(new Failure(EXIT.interrupted, "interrupted"))));
  const { signal } = interruption;
  const answers = {};
  try {
    for (const [name, question, choices] of QUESTIONS) {
      const lines = choices.map(([text], index) => `  ${index + 1} ${text}`);
      const asked = `${question}\n${lines.join("\n")}\n  (Enter to skip) `;
      for (let prompt = asked; ; ) {
        const said = (await Promise.race([terminal.question(prompt, { signal }), ended, stopped]))?.trim();
        if (said === undefined) {
          // Ctrl+D: there will be no more answers.
          stdout.write("\n");
          return answers;
        }
        const chosen = choiceOf(choices, said);
        if (chosen) answers[name] = chosen[1];
        if (chosen || said === "") break;
        const texts = choices.map(([text]) => text);
        prompt = `  "${visible(said)}" is not a choice${didYouMean(said, texts)}; a number from 1 to ${choices.length}, or Enter to skip: `;
      }
    }
    return answers;
  } catch (error) {
    if (interruption.signal.aborted || error?.code === "ABORT_ERR") throw new Failure(EXIT.interrupted, "interrupted");
    throw error;
  } finally {
    terminal.close();
  }
}

/** Returns the tokens that the recommendation promises; undefined if nothing was measured. */
const promised = ({ values }) => values.tokens ?? (values.reason && promised(values.reason));

/** Returns the flags for a model, which has to be named. Its output costs money, so the result is written to a file. */
function modelFlags(file, model) {
  const { api = "API", model: name = "MODEL", baseUrl } = model ?? {};
  const kept = file === undefined ? "FILE" : shellWord(`${file.replace(/\.jsonl?$/i, "")}.condensed${path.extname(file)}`);
  return [
    `--llm ${api} --model ${shellWord(name)}`,
    ...(baseUrl === undefined ? [] : [`--base-url ${shellWord(baseUrl)}`]),
    `--out ${kept}`,
  ];
}

/**
 * Returns the command line that condenses as recommended, with the result that was measured: with the target, even if
 * that is missed. Lossless alone gives the same result without a target that it misses.
 */
function commandFor({ provider, config, isDefault, targetTokens, said }, { file, model }) {
  const { preset, ...rest } = config;
  const isPreset = provider === "smart" && preset !== undefined && Object.keys(rest).length === 0;
  const how = isPreset ? `--preset ${preset}` : `--provider ${provider}`;
  const own = isPreset || Object.keys(config).length === 0 ? [] : [`--config ${shellWord(JSON.stringify(config))}`];
  const isReached = (promised(said) ?? 0) <= targetTokens;
  const isAsFarAsItCan = provider === "lossless" && !isDefault && !isReached;
  const asks = provider === "native" || (model !== undefined && !FREE.includes(provider));
  return [
    "roo-condense",
    file === undefined ? "HISTORY" : shellWord(file),
    ...(isDefault ? [] : [how, ...own]),
    ...(targetTokens === undefined || isAsFarAsItCan ? [] : [`--target ${targetTokens}`]),
    ...(asks ? modelFlags(file, model) : []),
  ].join(" ");
}

function textOf(found, settings, { stdout, env }) {
  const { provider, config, managerOptions, reason, alternatives, warnings } = found;
  const report = new Report(stdout, env, settings.color);
  const { bold, yellow } = report.paint;
  const shown = (value) => (Object.keys(value).length === 0 ? "" : ` ${JSON.stringify(value)}`);
  const put = (mark, text, paint = (line) => line) => {
    for (const line of item(mark, text, report.width)) report.line(paint(line));
  };
  put("", `${provider}${shown(config)}`, bold);
  put("  ", withCommas(reason));
  // In one line, whatever its length, so that it can be copied.
  report.line(`  Use it: ${commandFor(found, settings)}`);
  if (managerOptions) put("  ", `In the JavaScript API, with the manager's options${shown(managerOptions)}`);
  for (const { code, message } of warnings) put("", `${code}: ${message}`, (line) => line.replace(`${code}:`, () => `${yellow(code)}:`));
  if (alternatives.length > 0) report.line("Alternatives");
  const withOptions = ({ managerOptions }) => (managerOptions ? `, with the manager's options${shown(managerOptions)}` : "");
  for (const other of alternatives) {
    put("  ", `${other.provider}${shown(other.config)}${withOptions(other)}`);
    put("    ", `for: ${withCommas(other.why)}`);
    put("    ", `against: ${withCommas(other.whyNot)}`);
  }
  return report.toString();
}

async function recommendProvider(library, settings, { stdout, env, warn, stdin = process.stdin }) {
  const { file, answers, target, window, recall, model, price, json, format } = settings;
  const interruption = new Interruption(() => {});
  const { signal } = interruption;
  const nothing = Object.keys(answers).length === 0 && !file && !target && !window;
  const given = nothing && stdin.isTTY && stdout.isTTY ? await ask(stdin, stdout, interruption) : answers;
  const handler = createHandler(library, model, env);
  const history = file ? readHistory(file, warn, format) : undefined;
  const own = readObject("--price", price);
  const asked = {
    ...given,
    ...(window && { contextWindow: window }),
    ...(recall && { recall }),
    ...(target?.tokens !== undefined && { targetTokens: target.tokens }),
    ...(target?.percent !== undefined && { reductionPercent: 100 - target.percent }),
    ...(handler && { handler }),
    ...(history && { messages: history.messages, format: history.format, signal }),
    ...(own && { price: own }),
  };
  let found;
  try {
    found = await interruption.during(() => library.recommend(asked));
  } catch (error) {
    if (signal.aborted) throw new Failure(signal.reason, "interrupted");
    if (["invalid_config", "out_of_range", "invalid_argument", "invalid_messages"].includes(error.code))
      throw new Failure(EXIT.usage, inOwnWords(error, "recommend"), { code: error.code, cause: error });
    throw error;
  }
  stdout.write(
    json ? `${JSON.stringify({ version, exitCode: EXIT.done, ...found }, null, 2)}\n` : textOf(found, settings, { stdout, env }),
  );
  return EXIT.done;
}

module.exports = { recommendProvider };
