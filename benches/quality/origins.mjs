// Where the words come from that an assistant goes on to write: the source of the numbers of passages in src/salience/coefficients.rs.
//
//   node benches/quality/origins.mjs DIR [WORD]     DIR: conversations as JSON; WORD: only files whose id contains it, `-WORD`: all others
//
// For each kind of text of the older part and each age in messages: the share (%) of the runs of six words that are needed after a cut which 1000 tokens
// of it hold. A run that stands in several places counts for the newest.

import { createRequire } from "node:module";
import process from "node:process";
import { isProgram, main, root } from "../../scripts/tools.mjs";
import { table } from "../results.mjs";
import { blocksOf, readConversations, textOf, withoutLineNumbers } from "./conversations.mjs";
import { cutsOf } from "../../js/future-use/cuts.js";
import { neededQuotes } from "./quotes.mjs";

const AGES = [10, 20, 40, 80, 160, Number.POSITIVE_INFINITY];
const WORDS = 6;
const MIN_QUOTES = 10;
/** Cells of fewer tokens say nothing. */
const MIN_TOKENS = 1500;
const SHOWS = /^\s*(?:cd [^&]*&& *)?(?:cat|head|tail|nl|bat|sed -n|git (?:diff|show))\b(?!.*<<)/;
const BY_THE_HOST = /^\s*(?:<(?:system-reminder|task-notification|local-command|environment_)|This session is being|Base directory)/;

function kindOfCall({ name, input }) {
  if (/edit|write|patch/i.test(name)) return "edit, write";
  if (/^read/i.test(name)) return "read";
  if (/^(bash|shell|execute_command)$/i.test(name)) return SHOWS.test(input?.command ?? "") ? "command that shows files" : "command";
  return "other";
}

function kindOf(block, role, calls) {
  if (block.type === "tool_use") return `parameters: ${kindOfCall(block)}`;
  if (block.type === "tool_result") return `result: ${kindOfCall(calls.get(block.tool_use_id) ?? { name: "" })}`;
  if (role === "assistant") return "words: assistant";
  return BY_THE_HOST.test(textOf(block)) ? "words: host" : "words: user";
}

const values = (input) => Object.values(input ?? {}).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
const readable = (block) => withoutLineNumbers(block.type === "tool_use" ? values(block.input).join("\n") : textOf(block));

function* runsOf(text) {
  const words = text.split(/\s+/).filter(Boolean);
  for (let end = WORDS; end <= words.length; end++) yield words.slice(end - WORDS, end).join(" ");
}

/** Adds what a cut tells: tokens and shares by kind and age. */
function addCut(cut, rows, count) {
  const needed = neededQuotes(cut);
  if (needed.size < MIN_QUOTES) return;
  const whole = needed.size;
  const calls = new Map(cut.prefix.flatMap(blocksOf).flatMap((block) => (block.type === "tool_use" ? [[block.id, block]] : [])));
  for (const [index, message] of [...cut.older.entries()].toReversed()) {
    for (const block of blocksOf(message)) {
      const text = readable(block);
      const hits = new Set([...runsOf(text)].filter((run) => needed.has(run)));
      for (const run of hits) needed.delete(run);
      const kind = kindOf(block, message.role, calls);
      const age = AGES.findIndex((most) => cut.prefix.length - index - 1 <= most);
      if (!rows.has(kind))
        rows.set(
          kind,
          AGES.map(() => ({ tokens: 0, share: 0 })),
        );
      const cell = rows.get(kind)[age];
      cell.tokens += text ? count(text) : 0;
      cell.share += (100 * hits.size) / whole;
    }
  }
}

const rate = ({ tokens, share }) => (tokens < MIN_TOKENS ? "-" : ((1000 * share) / tokens).toFixed(2));

async function origins() {
  const [folder = `${root}/fixtures`, word = ""] = process.argv.slice(2);
  const addon = createRequire(import.meta.url)(root);
  const isWanted = ({ id }) => (word.startsWith("-") ? !id.includes(word.slice(1)) : id.includes(word));
  const rows = new Map();
  for (const { messages } of readConversations(folder).filter(isWanted)) {
    for (const cut of cutsOf(messages)) addCut(cut, rows, (text) => addon.countTokens(text));
  }
  const all = (cells) => cells.reduce((sum, cell) => ({ tokens: sum.tokens + cell.tokens, share: sum.share + cell.share }));
  const head = ["kind", "tokens", "all ages", ...AGES.map((age) => (Number.isFinite(age) ? `to ${age}` : "older"))];
  const lines = [...rows].sort().map(([kind, cells]) => {
    const sum = all(cells);
    return [kind, String(sum.tokens), rate(sum), ...cells.map(rate)];
  });
  console.log(table([head, ...lines]));
}

if (isProgram(import.meta.url)) await main(origins);
