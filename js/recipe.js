"use strict";

// Old texts put together again from the condensed messages, so that restoreData need not hold them.

/** How a number stands in front of a line. */
const prefix = (number, width, separator) => String(number).padStart(width) + separator;

/** What stands at `path` in `message`. */
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
 * The text that `recipe` describes: `{ texts: [[message, path]], parts: [[text, start, end, from?, to?, times?]] }`. A part is a range
 * (UTF-16 units) of one of the texts. From its lines the numbers `from` (`[number, width, separator, every]`: only lines whose number is a
 * multiple of `every` have one) are taken off, the numbers `to` (`[number, width, separator]`) are put on, and it stands there `times` times.
 */
function rebuild(recipe, messages) {
  const texts = recipe.texts.map(([message, path]) => at(messages[message], path));
  const written = [];
  for (const [text, start, end, from, to, times = 1] of recipe.parts) {
    const part = texts[text].slice(start, end);
    if (!from && !to && times === 1) {
      written.push(part);
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
      lines.forEach((line, index) => written.push(to ? prefix(to[0] + turn + index, to[1], to[2]) + line : line));
    }
  }
  return written.join("\n");
}

const isIndex = (value) => Number.isInteger(value) && value >= 0;

/** Whether `value` has the shape of a recipe. */
function isRecipe(value) {
  return (
    Array.isArray(value?.texts) &&
    Array.isArray(value.parts) &&
    value.texts.every((text) => Array.isArray(text) && isIndex(text[0]) && Array.isArray(text[1])) &&
    value.parts.every((part) => Array.isArray(part) && part.slice(0, 3).every(isIndex) && part[0] < value.texts.length)
  );
}

module.exports = { rebuild, isRecipe };
