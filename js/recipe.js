"use strict";

// Rebuilds old texts from the condensed messages, so that restoreData need not contain them. The host may have kept
// recipes anywhere, so every number is checked before use, and no text becomes longer than the one it is for.

/**
 * The limits of a text's length against the texts it is made of: 64 times their length, plus 2^20 units. The addon
 * writes no recipe beyond that (src/conversation/recipe.rs).
 */
const MAX_EXPANSION = 64;
const FREE_UNITS = 2 ** 20;
/** The limits of line numbers, as in the addon. */
const MAX_NUMBER = 2 ** 32 - 1;
const MAX_WIDTH = 255;
const MAX_SEPARATOR = 8;
const MAX_PATH = 256;

/** Returns a number in the form before a line. */
const prefix = (number, width, separator) => String(number).padStart(width) + separator;

/** Returns the value at `path` in `message`. */
function at(message, path) {
  let value = message;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      throw new RangeError(`there is nothing at ${JSON.stringify(path)}`);
    value = value[step];
  }
  if (typeof value !== "string") throw new RangeError(`there is no text at ${JSON.stringify(path)}`);
  return value;
}

/**
 * The text of `length` units that `recipe` describes: `{ texts: [[message, path]], parts: [[text, start, end, from?, to?, times?]] }`. A part is a
 * range (UTF-16 units) of one of the texts. From its lines the numbers `from` (`[number, width, separator, every]`: only lines whose number is a
 * multiple of `every` have one) are taken off, the numbers `to` (`[number, width, separator]`) are put on, and it stands there `times` times.
 */
function rebuild(recipe, messages, length) {
  const texts = recipe.texts.map(([message, path]) => at(messages[message], path));
  const most = MAX_EXPANSION * texts.reduce((sum, text) => sum + text.length, 0) + FREE_UNITS;
  if (length > most) throw new RangeError(`${length} characters cannot come from what is there; at most ${most}`);
  const written = [];
  // Line feeds join the parts.
  let left = length + 1;
  const write = (text) => {
    left -= text.length + 1;
    if (left < 0) throw new RangeError(`it says more than the ${length} characters of the text`);
    written.push(text);
  };
  for (const [text, start, end, from, to, times = 1] of recipe.parts) {
    if (end > texts[text].length) throw new RangeError(`character ${end} of a text of ${texts[text].length}`);
    const part = texts[text].slice(start, end);
    if (!from && !to) {
      for (let turn = 0; turn < times; turn++) write(part);
      continue;
    }
    let lines = part.split("\n");
    if (from) {
      const [number, width, separator, every] = from;
      lines = lines.map((line, index) =>
        (number + index) % every === 0 ? line.slice(prefix(number + index, width, separator).length) : line,
      );
    }
    for (let turn = 0; turn < times; turn++) {
      lines.forEach((line, index) => write(to ? prefix(to[0] + turn + index, to[1], to[2]) + line : line));
    }
  }
  if (left !== 0) throw new RangeError(`it says less than the ${length} characters of the text`);
  return written.join("\n");
}

const isWithin = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;
const isIndex = (value) => isWithin(value, 0, MAX_NUMBER);
const isStep = (step) => typeof step === "string" || isIndex(step);

/** Works like `Array.prototype.every` without skipping holes, for arrays that may consist of holes. */
function isEach(values, holds) {
  if (!Array.isArray(values)) return false;
  for (const value of values) if (!holds(value)) return false;
  return true;
}

/** Returns true if `value` can be a path in a message. */
const isPath = (value) => Array.isArray(value) && value.length <= MAX_PATH && isEach(value, isStep);

function isNumbering(value, fields) {
  if (value === undefined || value === 0) return true;
  if (!Array.isArray(value) || value.length !== fields) return false;
  const [number, width, separator, every = 1] = value;
  return (
    isWithin(number, 0, MAX_NUMBER) &&
    isWithin(width, 0, MAX_WIDTH) &&
    typeof separator === "string" &&
    separator.length <= MAX_SEPARATOR &&
    isWithin(every, 1, MAX_NUMBER)
  );
}

function isPart(part, texts) {
  if (!Array.isArray(part) || part.length < 3 || part.length > 6) return false;
  const [text, start, end, from, to, times = 1] = part;
  return (
    isWithin(text, 0, texts - 1) &&
    isIndex(start) &&
    isWithin(end, start, MAX_NUMBER) &&
    isNumbering(from, 4) &&
    isNumbering(to, 3) &&
    isWithin(times, 1, MAX_NUMBER)
  );
}

/** Returns true if `value` has the form of a recipe for `messages` messages. Whether its text is the right one is checked after rebuilding it. */
function isRecipe(value, messages) {
  const isText = (text) => Array.isArray(text) && text.length === 2 && isWithin(text[0], 0, messages - 1) && isPath(text[1]);
  return isEach(value?.texts, isText) && isEach(value.parts, (part) => isPart(part, value.texts.length));
}

module.exports = { isEach, isPath, isRecipe, isWithin, rebuild };
