// Measures long tool results at a tenth of their tokens: the names that the following messages use, and the lines that report a failure. Beside it, what keeping
// the first and last lines keeps, and dropping the result as a whole (masking).
//
//   node benches/quality/results.mjs DIR [--least 2000] [--share 0.1] [--next 30]

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

const asMessage = (text) => ({ role: "user", content: text });

/** The results of a conversation that are long, with the messages before them and the names that the next messages use in calls. */
function* resultsOf({ id, messages }, { least, next }) {
  const names = new Map();
  for (const [index, message] of messages.entries()) {
    const calls = blocksOf(message).filter(({ type }) => type === "tool_use");
    for (const call of calls) names.set(call.id, call.name);
    for (const block of blocksOf(message).filter(({ type }) => type === "tool_result")) {
      const text = textOf(block);
      const tokens = text.length > least ? countTokens(text) : 0;
      if (tokens < least) continue;
      const later = messages.slice(index + 1, index + 1 + next).flatMap((each) => blocksOf(each).filter(({ type }) => type === "tool_use"));
      const used = namesOf([{ role: "assistant", content: later }]);
      const own = namesOf([asMessage(text)]);
      yield {
        id,
        tool: names.get(block.tool_use_id) ?? "",
        block,
        text,
        tokens,
        before: messages.slice(0, index),
        used: [...used].filter((name) => own.has(name)),
      };
    }
  }
}

async function measured(result, share) {
  const budget = Math.floor((result.tokens - 1) * share);
  const begun = performance.now();
  const condensed = await condenseResult(result.block, { budget, messages: result.before });
  const milliseconds = performance.now() - begun;
  const shown = textOf(condensed.result);
  const before = namesOf(result.before);
  const shareOf = (text) => {
    const found = namesOf([asMessage(text)]);
    return {
      view: result.used.filter((name) => found.has(name) || before.has(name)).length,
      own: result.used.filter((name) => found.has(name)).length,
    };
  };
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
    ...["library", "ends", "masked"].map((way) => share(way, "view")),
    ...["library", "ends"].map((way) => share(way, "own")),
    `${sum(rows, (row) => (row.fits ? 1 : 0))}`,
    `${sum(rows, (row) => row.lost)} of ${sum(rows, (row) => row.failures)}`,
    `${sum(rows, (row) => row.failuresLeftOut)}`,
  ];
}

async function program() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      least: { type: "string", default: "2000" },
      share: { type: "string", default: "0.1" },
      next: { type: "string", default: "30" },
    },
  });
  const [least, share, next] = [values.least, values.share, values.next].map(Number);
  const rows = [];
  for (const conversation of positionals.flatMap(readConversations))
    for (const result of resultsOf(conversation, { least, next })) rows.push(await measured(result, share));
  const tools = [...new Set(rows.map(({ tool }) => tool))].sort();
  const head = [
    "results",
    "count",
    "names used",
    "kept",
    "ends",
    "masked",
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
