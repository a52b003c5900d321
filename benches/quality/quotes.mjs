// Runs of six words that the assistant goes on to write and that stood only in the older part.

import { blocksOf, textOf, withoutLineNumbers } from "./conversations.mjs";

const WORDS = 6;
/** Cuts after which fewer are needed say nothing. */
const MIN_QUOTES = 10;

const values = (input) => Object.values(input ?? {}).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
const readable = (block) => withoutLineNumbers(block.type === "tool_use" ? values(block.input).join("\n") : textOf(block));

function* runsOf(messages) {
  for (const block of messages.flatMap(blocksOf)) {
    const words = readable(block).split(/\s+/).filter(Boolean);
    for (let end = WORDS; end <= words.length; end++) yield words.slice(end - WORDS, end).join(" ");
  }
}

/** The runs that are needed after a cut. */
export function neededQuotes({ older, kept, future }) {
  const written = new Set(runsOf(future));
  const needed = new Set();
  for (const run of runsOf(older)) if (written.has(run)) needed.add(run);
  for (const run of runsOf(kept)) needed.delete(run);
  return needed;
}

/** The share of the runs that are still there. */
export function keptQuotes(messages, needed) {
  if (needed.size < MIN_QUOTES) return undefined;
  const there = new Set();
  for (const run of runsOf(messages)) if (needed.has(run)) there.add(run);
  return there.size / needed.size;
}
