"use strict";

// Where a text stops being JSON. JSON.parse says that it does, but how it says where differs between versions of Node.

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANKS = /[ \t\r\n]*/y;
const HEX = /[0-9a-fA-F]{4}/y;
const WORD = /[\w$.+-]+/y;
const LITERALS = ["true", "false", "null"];

function match(expression, text, at) {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? "";
}

/** The end of the string that begins at `at`, or what is wrong with it. */
function checkString(text, at) {
  for (let index = at + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return { end: index + 1 };
    if (code < 0x20) {
      const what = code === 0x0a || code === 0x0d ? "a line break" : `the control character ${code}`;
      return { error: { offset: index, message: `${what} inside a string, where it has to be escaped` } };
    }
    if (code === 0x5c) {
      const letter = text[++index];
      if (letter === "u" && match(HEX, text, index + 1)) index += 4;
      else if (letter === undefined || !'"\\/bfnrt'.includes(letter))
        return { error: { offset: index - 1, message: "an unknown escape inside a string" } };
    }
  }
  return { error: { offset: text.length, message: "the file ends inside a string", begins: at } };
}

/** The end of the string, number or literal that begins at `at`; 0 when there is none. */
function checkScalar(text, at) {
  if (text[at] === '"') return checkString(text, at);
  const literal = LITERALS.find((word) => text.startsWith(word, at)) ?? match(NUMBER, text, at);
  return { end: literal ? at + literal.length : 0 };
}

function found(text, at) {
  if (at >= text.length) return "the file ends";
  return `found ${JSON.stringify(match(WORD, text, at).slice(0, 20) || String.fromCodePoint(text.codePointAt(at)))}`;
}

/**
 * The first error of a text as `{ offset, message }`; undefined when it is JSON. For strings that never end, `begins` is where they do.
 * Follows the grammar of RFC 8259 with a stack of its own: no nesting is too deep.
 */
function findJsonError(text) {
  const open = [];
  let at = 0;
  let expect = "value";
  const error = (what) => ({ offset: at, message: `${what} expected, but ${found(text, at)}` });
  for (;;) {
    at += match(BLANKS, text, at).length;
    const next = text[at];
    const inArray = open[open.length - 1] === "]";
    if (expect === "end") return at < text.length ? error("the end of the file") : undefined;
    if (expect === "comma") {
      if (next === ",") expect = inArray ? "value" : "key";
      else if (next === open[open.length - 1]) open.pop();
      else return error(inArray ? 'a comma or "]"' : 'a comma or "}"');
      at++;
      if (next !== ",") expect = open.length ? "comma" : "end";
    } else if (expect === "colon") {
      if (next !== ":") return error("a colon");
      at++;
      expect = "value";
    } else if ((expect === "first value" && next === "]") || (expect === "first key" && next === "}")) {
      open.pop();
      at++;
      expect = open.length ? "comma" : "end";
    } else if (expect.endsWith("key")) {
      if (next !== '"') return error(expect === "key" ? "a field name in double quotes" : 'a field name in double quotes or "}"');
      const checked = checkString(text, at);
      if (checked.error) return checked.error;
      at = checked.end;
      expect = "colon";
    } else if (next === "[" || next === "{") {
      open.push(next === "[" ? "]" : "}");
      at++;
      expect = next === "[" ? "first value" : "first key";
    } else {
      const checked = checkScalar(text, at);
      if (checked.error) return checked.error;
      if (!checked.end) return error("a value");
      at = checked.end;
      expect = open.length ? "comma" : "end";
    }
  }
}

/** Line and column of an offset, both from 1; columns in UTF-16 units, as editors count them. */
function position(text, offset) {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1, start };
}

module.exports = { findJsonError, position };
