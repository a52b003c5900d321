"use strict";

// Reads a file of lines in pieces of whole lines, so that a file of any size takes little memory.

const { constants } = require("node:buffer");

/** The number of bytes to read at once. A piece is one line, or several lines of about this size together. */
const BLOCK = 1 << 20;
/** Maximum bytes of a line, because Node supports no longer text. */
const LONGEST = constants.MAX_STRING_LENGTH;

const NEWLINE = 0x0a;

/**
 * Reads a file from the byte `at` on. Each piece has `bytes`, which end with a newline except at the end of the file,
 * their begin (`at`) and end (`end`), the number of its first line (`line`, from 1), and the number of lines
 * (`count`). A line longer than `longest` is skipped: its piece has no bytes.
 * @param {import("node:fs/promises").FileHandle} file
 * @param {{ at?: number, size?: number, line?: number, block?: number, longest?: number }} [options] `size`: where to end, as if the file did; `line`: number of the line that begins at `at`
 * @returns {AsyncGenerator<{ bytes: Buffer | undefined, at: number, end: number, line: number, count: number }>}
 */
async function* wholeLines(file, { at = 0, size = Number.POSITIVE_INFINITY, line = 1, block = BLOCK, longest = LONGEST } = {}) {
  /** The beginning of a line that was read, and is not part of a piece yet. */
  let rest = /** @type {Buffer[]} */ ([]);
  let held = 0;
  let skipped = 0;
  const take = (/** @type {Buffer[]} */ parts) => {
    const bytes = Buffer.concat(parts);
    const count = newlinesIn(bytes) + (bytes.at(-1) === NEWLINE ? 0 : 1);
    const piece = { bytes, at, end: at + bytes.length, line, count };
    at = piece.end;
    line += count;
    return piece;
  };
  for (let position = at; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(block), 0, Math.min(block, size - position), position);
    position += bytesRead;
    let found = buffer.subarray(0, bytesRead);
    if (bytesRead === 0) break;
    if (held + skipped > 0) {
      // A line that does not fit into a block is a piece of its own.
      const end = found.indexOf(NEWLINE) + 1;
      const own = end === 0 ? found : found.subarray(0, end);
      if (skipped > 0 || held + own.length > longest) {
        skipped += held + own.length;
        rest = [];
        held = 0;
      } else {
        rest.push(own);
        held += own.length;
      }
      if (end === 0) continue;
      if (skipped > 0) {
        yield { bytes: undefined, at, end: at + skipped, line, count: 1 };
        at += skipped;
        line++;
        skipped = 0;
      } else {
        yield take(rest);
      }
      rest = [];
      held = 0;
      found = found.subarray(end);
    }
    const end = found.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield take([found.subarray(0, end)]);
    if (end < found.length) {
      rest = [found.subarray(end)];
      held = found.length - end;
    }
  }
  if (skipped > 0) yield { bytes: undefined, at, end: at + skipped, line, count: 1 };
  else if (held > 0) yield take(rest);
}

function newlinesIn(bytes) {
  let count = 0;
  for (let index = bytes.indexOf(NEWLINE); index !== -1; index = bytes.indexOf(NEWLINE, index + 1)) count++;
  return count;
}

/** Yields the lines of a piece, each with its number, its bytes without the line break, and the break. */
function* linesIn({ bytes, line }) {
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.length : found + 1;
    const breakAt = found === -1 ? end : found > start && bytes[found - 1] === 0x0d ? found - 1 : found;
    yield { number: line, bytes: bytes.subarray(start, breakAt), lineBreak: bytes.subarray(breakAt, end) };
    start = end;
  }
}

module.exports = { linesIn, wholeLines };
