"use strict";

// What pointers that a history holds already, left by an earlier condensation, may lead to: it has to stay.

const POINTER = /^[ ]*(?:\d+(?:→|\t| \| |:))?\[(?:1 line|\d+ lines) as (above|below) from "(.+)"\]\r?$/gm;
const IS_LIKELY = /\[\d+ lines? as /;
const NUMBER = /^\d+(?:→|\t| \| |:)/;
/** Every quote has four bytes at least, and so two UTF-16 units. */
const KEY_UNITS = 2;

/**
 * Whether a pointer in one of `messages` may lead into a content, by the index of its message. More is said of than is led to: a nearer line may begin
 * like it.
 * @param {readonly { content: unknown }[]} messages
 * @returns {(index: number, content: unknown) => boolean}
 */
function pointedAt(messages) {
  /** By how it begins, each quote with the message it is in. */
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

/** Whether there are pointers to other lines in a content. */
const holdsPointers = (content) => !pointersIn(content).next().done;

function* pointersIn(content) {
  for (const text of textsIn(content)) if (IS_LIKELY.test(text)) yield* text.matchAll(POINTER);
}

/** All texts in a content: of blocks, of results, of the parameters of calls. */
function* textsIn(content) {
  const left = [content];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") yield value;
    else if (typeof value === "object" && value !== null) left.push(...Object.values(value));
  }
}

module.exports = { holdsPointers, pointedAt };
