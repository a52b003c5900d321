"use strict";

// Finds the contents to which pointers from an earlier condensation may resolve. These must be kept.

const POINTER = /^[ ]*(?:\d+(?:→|\t| \| |:))?\[(?:1 line|\d+ lines) as (above|below) from "(.+)"\]\r?$/gm;
const IS_LIKELY = /\[\d+ lines? as /;
const NUMBER = /^\d+(?:→|\t| \| |:)/;
/** The shortest length of a quote: every quote has at least four bytes, that is two UTF-16 units. */
const KEY_UNITS = 2;

/**
 * Returns a function that is true if a pointer in one of `messages` may resolve to a line of a content, given the index of
 * the content's message. It may be true for too many contents: a nearer line can begin like the real target.
 * @param {readonly { content: unknown }[]} messages
 * @returns {(index: number, content: unknown) => boolean}
 */
function pointedAt(messages) {
  /** The quotes by their first characters, each with the index of its message. */
  const quotes = new Map();
  messages.forEach(({ content }, index) => {
    for (const [, direction, quote] of pointersIn(content)) {
      const key = quote.slice(0, KEY_UNITS);
      if (!quotes.has(key)) quotes.set(key, []);
      quotes.get(key).push({ quote, index, isBelow: direction === "below" });
    }
  });
  if (quotes.size === 0) return () => false;
  const leadsTo = (line, at) =>
    quotes
      .get(line.slice(0, KEY_UNITS))
      ?.some(({ quote, index, isBelow }) => (isBelow ? index <= at : index >= at) && line.startsWith(quote)) === true;
  const isLedTo = (line, at) => leadsTo(line, at) || leadsTo(line.replace(NUMBER, "").trimStart(), at);
  return (at, content) => {
    for (const text of textsIn(content)) if (text.split("\n").some((line) => isLedTo(line.trimStart(), at))) return true;
    return false;
  };
}

/** Returns true if a content contains pointers to other lines. */
const holdsPointers = (content) => !pointersIn(content).next().done;

function* pointersIn(content) {
  for (const text of textsIn(content)) if (IS_LIKELY.test(text)) yield* text.matchAll(POINTER);
}

/** Yields all texts in a content: of blocks, of results, of the parameters of calls. */
function* textsIn(content) {
  const left = [content];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") yield value;
    else if (typeof value === "object" && value !== null) left.push(...Object.values(value));
  }
}

module.exports = { holdsPointers, pointedAt };
