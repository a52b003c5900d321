// Measures long tool results at a tenth of their tokens: the names that the following messages use, and the lines that report a failure. Beside it, what keeping
// the first and last lines keeps, dropping the result as a whole (masking), and lines chosen in hindsight. Of all names of a result, "fit" is the share in the
// lines that show the most names at that size: who does not know which of them will be used finds no more.
//
//   node benches/quality/results.mjs DIR [--least 2000] [--share 0.1] [--next 30]
//   node benches/quality/results.mjs DIR --budgets 1000,2000,4000,8000      at budgets, as a host sets them: by tool what is saved and lost, and by session
//   node benches/quality/results.mjs DIR --budgets 4000 --tools Grep=1000,Glob=1000  other budgets for some tools

import process from "node:process";
import { parseArgs } from "node:util";
import { condenseResult, countTokens } from "../../index.js";
import { namesOf } from "../../js/future-use/names.js";
import { isProgram, main } from "../../scripts/tools.mjs";
import { cell, machineLine, table } from "../results.mjs";
import { blocksOf, readConversations } from "./conversations.mjs";

/** A line that reports a failure, by a rule that is not that of the library. */
const FAILURE = /\b(?:error|fatal|panicked|exception|failed|failure)\b|\bFAIL\b|^E {3}|✗|✖|×/i;
const NO_FAILURE = /\b(?:0|no) (?:errors?|failed|failures?)\b|\bok$|^\s*\d+\s*[→|\t]/i;

const textOf = ({ content }) =>
  typeof content === "string"
    ? content
    : (content ?? [])
        .filter(({ type }) => type === "text")
        .map(({ text }) => text)
        .join("\n");

/** The first and the last lines in so many tokens. */
function headAndTail(text, budget) {
  const lines = text.split("\n");
  const characters = (text.length * budget) / countTokens(text) / 2;
  const taken = (from) => {
    const kept = [];
    let left = characters;
    for (const line of from) {
      if (line.length > left) {
        kept.push(line.slice(0, Math.max(0, left)));
        break;
      }
      kept.push(line);
      left -= line.length + 1;
    }
    return kept.join("\n");
  };
  return `${taken(lines)}\n${taken(lines.toReversed())}`;
}

/** Tokens of the note in a gap, such as `[…12-40]`. */
const GAP = 6;

/** The names in the lines that show the most of these names in so many tokens, notes in the gaps included, chosen greedily. */
function bestLines(text, budget, names) {
  const lines = text.split("\n").map((line, at) => ({
    at,
    names: [...namesOf([asMessage(line)])].filter((name) => names.has(name)),
    tokens: countTokens(`${line}\n`),
  }));
  const [shown, taken] = [new Set(), new Set()];
  const gaps = ({ at }) => 1 - [at - 1, at + 1].filter((beside) => taken.has(beside)).length;
  const cost = (line) => line.tokens + GAP * gaps(line);
  const worth = (line) => line.names.filter((name) => !shown.has(name)).length / Math.max(1, cost(line));
  const waiting = new Set(lines.filter((line) => line.names.length > 0));
  let left = budget;
  for (;;) {
    const fitting = [...waiting].filter((line) => cost(line) <= left && worth(line) > 0);
    if (fitting.length === 0) return shown;
    const best = fitting.reduce((one, other) => (worth(other) > worth(one) ? other : one));
    for (const name of best.names) shown.add(name);
    left -= cost(best);
    taken.add(best.at);
    waiting.delete(best);
  }
}

const asMessage = (text) => ({ role: "user", content: text });
const callsOf = (message) => blocksOf(message).filter(({ type }) => type === "tool_use");

/** The first message that shows each name: those before a message are known without reading them again. */
function firstMessages(messages) {
  const first = new Map();
  for (const [index, message] of messages.entries()) for (const name of namesOf([message])) if (!first.has(name)) first.set(name, index);
  return first;
}

/** The results of a conversation that are long, with the messages before them and the names that the next messages use in calls. */
function* resultsOf({ id, messages }, { least, next }) {
  const tools = new Map();
  const first = firstMessages(messages);
  const inCalls = messages.map((message) => [...namesOf([{ role: "assistant", content: callsOf(message) }])]);
  for (const [index, message] of messages.entries()) {
    for (const call of callsOf(message)) tools.set(call.id, call.name);
    for (const block of blocksOf(message).filter(({ type }) => type === "tool_result")) {
      const text = textOf(block);
      const tokens = text.length > least ? countTokens(text) : 0;
      if (tokens < least) continue;
      const used = new Set(inCalls.slice(index + 1, index + 1 + next).flat());
      const own = namesOf([asMessage(text)]);
      yield {
        id,
        tool: tools.get(block.tool_use_id) ?? "",
        block,
        text,
        tokens,
        before: messages.slice(0, index),
        isKnown: (name) => first.get(name) < index,
        used: [...used].filter((name) => own.has(name)),
      };
    }
  }
}

async function measured(result, budget, { bounds = false } = {}) {
  const begun = performance.now();
  const condensed = await condenseResult(result.block, { budget, messages: result.before });
  const milliseconds = performance.now() - begun;
  const shown = textOf(condensed.result);
  const shareOf = (text) => {
    const found = namesOf([asMessage(text)]);
    return {
      view: result.used.filter((name) => found.has(name) || result.isKnown(name)).length,
      own: result.used.filter((name) => found.has(name)).length,
    };
  };
  const inHindsight = new Set(result.used.filter(result.isKnown));
  let fit = 0;
  if (bounds) {
    const unseen = new Set(result.used.filter((name) => !result.isKnown(name)));
    for (const name of bestLines(result.text, budget, unseen)) inHindsight.add(name);
    const all = new Set([...namesOf([asMessage(result.text)])].filter((name) => !result.isKnown(name)));
    fit = all.size === 0 ? 1 : bestLines(result.text, budget, all).size / all.size;
  }
  const lines = new Set(shown.split("\n"));
  const isFailing = result.block.is_error === true || /^(?:exit code|error:? )/i.test(result.text);
  const failures = result.text.split("\n").filter((line) => FAILURE.test(line) && !NO_FAILURE.test(line));
  return {
    ...result,
    ...condensed,
    budget,
    milliseconds,
    library: shareOf(shown),
    ends: shareOf(headAndTail(result.text, budget)),
    masked: shareOf(""),
    hindsight: { view: inHindsight.size },
    fit,
    isFailing,
    failures: failures.length,
    lost: failures.filter((line) => ![...lines].some((shownLine) => shownLine === line || shownLine.includes(line.trim()))).length,
  };
}

const sum = (rows, value) => rows.reduce((total, row) => total + value(row), 0);

function rowOf(name, rows) {
  const used = sum(rows, (row) => row.used.length);
  const share = (way, where) => cell(used === 0 ? undefined : sum(rows, (row) => row[way][where]) / used);
  return [
    name,
    String(rows.length),
    String(used),
    ...["library", "ends", "masked", "hindsight"].map((way) => share(way, "view")),
    cell(rows.length === 0 ? undefined : sum(rows, (row) => row.fit) / rows.length),
    ...["library", "ends"].map((way) => share(way, "own")),
    `${sum(rows, (row) => (row.fits ? 1 : 0))}`,
    `${sum(rows, (row) => row.lost)} of ${sum(rows, (row) => row.failures)}`,
    `${sum(rows, (row) => row.failuresLeftOut)}`,
  ];
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
const percent = (share) => (share === undefined || Number.isNaN(share) ? "-" : `${Math.round(share * 100)}%`);
const lostNames = (rows) => sum(rows, (row) => row.used.length - row.library.view);
const saved = (rows) => sum(rows, (row) => row.tokensBefore - row.tokensAfter);

/** A row of the table: the tokens of all these results that a budget saves, and the used names that it loses. */
function rowOfBudget(name, budget, rows, all) {
  const short = rows.filter((row) => row.tokensAfter < row.tokensBefore);
  const lost = lostNames(short);
  return [
    name,
    String(budget),
    String(rows.length),
    String(short.length),
    String(saved(rows)),
    percent(saved(rows) / sum(all, (result) => result.tokens)),
    String(sum(short, (row) => row.used.length)),
    String(lost),
    lost === 0 ? "-" : String(Math.round(saved(rows) / lost)),
    `${sum(short, (row) => row.lost)} of ${sum(short, (row) => row.failures)}`,
  ];
}

/** The share of a session's result tokens that is saved, and that of the used names that are in view: the median session and the worst. */
function rowOfSessions(budget, rows, totals) {
  const sessions = [...totals].map(([id, total]) => {
    const own = rows.filter((row) => row.id === id);
    const used = sum(own, (row) => row.used.length);
    return { saved: saved(own) / total, kept: used === 0 ? 1 : 1 - lostNames(own) / used };
  });
  const [of, kept] = [sessions.map((session) => session.saved), sessions.map((session) => session.kept)];
  return [
    String(budget),
    String(sessions.length),
    percent(median(of)),
    percent(Math.max(...of)),
    cell(median(kept)),
    cell(Math.min(...kept)),
  ];
}

async function atBudgets(conversations, { budgets, ofTools, next }) {
  const rows = /** @type {string[][]} */ ([]);
  const sessions = /** @type {string[][]} */ ([]);
  const totals = new Map();
  const results = conversations.flatMap((conversation) => [...resultsOf(conversation, { least: 1, next })]);
  for (const { id, tokens } of results) totals.set(id, (totals.get(id) ?? 0) + tokens);
  for (const budget of budgets) {
    const measuredRows = [];
    for (const result of results) {
      const own = ofTools.get(result.tool) ?? budget;
      if (result.tokens > own) measuredRows.push(await measured(result, own));
    }
    const tools = [...new Set(measuredRows.map(({ tool }) => tool))].sort();
    const isOf = (tool) => (result) => result.tool === tool;
    for (const tool of tools)
      rows.push(rowOfBudget(tool, ofTools.get(tool) ?? budget, measuredRows.filter(isOf(tool)), results.filter(isOf(tool))));
    rows.push(rowOfBudget("all", budget, measuredRows, results));
    sessions.push(rowOfSessions(budget, measuredRows, totals));
  }
  const head = [
    "tool",
    "budget",
    "longer",
    "shortened",
    "saved",
    "of all",
    "names used",
    "lost",
    "saved for each lost",
    "failure lines lost",
  ];
  const ofSessions = ["budget", "sessions", "saved, median", "saved, most", "names, median", "names, worst"];
  const all = results.map(({ tokens }) => tokens);
  const looks = `${all.length} results, the median of ${median(all)} tokens`;
  process.stdout.write(`${table([head, ...rows])}\n${table([ofSessions, ...sessions])}\n${looks}; ${machineLine()}\n`);
}

async function program() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      least: { type: "string", default: "2000" },
      share: { type: "string", default: "0.1" },
      next: { type: "string", default: "30" },
      budgets: { type: "string" },
      tools: { type: "string", default: "" },
    },
  });
  const [least, share, next] = [values.least, values.share, values.next].map(Number);
  const conversations = positionals.flatMap(readConversations);
  if (values.budgets !== undefined) {
    const ofTools = new Map(values.tools.split(",").map((each) => [each.split("=")[0], Number(each.split("=")[1])]));
    return atBudgets(conversations, { budgets: values.budgets.split(",").map(Number), ofTools, next });
  }
  const rows = [];
  for (const conversation of conversations)
    for (const result of resultsOf(conversation, { least, next }))
      rows.push(await measured(result, Math.floor((result.tokens - 1) * share), { bounds: true }));
  const tools = [...new Set(rows.map(({ tool }) => tool))].sort();
  const head = [
    "results",
    "count",
    "names used",
    "kept",
    "ends",
    "masked",
    "hindsight",
    "fit",
    "kept, alone",
    "ends, alone",
    "fit",
    "failure lines lost",
    "reported lost",
  ];
  const failing = rows.filter(({ isFailing }) => isFailing);
  const body = [
    rowOf("all", rows),
    ...tools.map((tool) =>
      rowOf(
        tool,
        rows.filter((row) => row.tool === tool),
      ),
    ),
    rowOf("failing", failing),
  ];
  const times = rows.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
  const half = times[Math.floor(times.length / 2)] ?? 0;
  process.stdout.write(
    `${table([head, ...body])}\nnode benches/quality/results.mjs ${process.argv.slice(2).join(" ")}; ${machineLine()}; median ${half.toFixed(0)} ms with its messages\n`,
  );
}

if (isProgram(import.meta.url)) main(program);
