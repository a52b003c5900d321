"use strict";

// Writes a changed value into the JSON text it was read from: what did not change keeps its text, byte for byte. So the file's own
// layout stays, and so do numbers that JavaScript cannot hold, such as 64-bit ids.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isObject = (value) => typeof value === "object" && value !== null;
const isBlank = (code) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipBlanks(text, at) {
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

function skipString(text, at) {
  for (let end = text.indexOf('"', at + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/** The end of the value that begins at `at`. The text is known to be JSON. */
function skipValue(text, at) {
  let depth = 0;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
    } else if (code === 0x7b || code === 0x5b) {
      depth++;
      at++;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
      at++;
    } else if (depth === 0) {
      while (/[\w.+-]/.test(text.charAt(at))) at++;
    } else {
      at++;
    }
    if (depth === 0) return at;
  }
}

/** Where the elements of the array or the fields of the object that begins at `start` stand: `{ key, from, start, end }`. */
function childrenOf(text, start) {
  const isArray = text[start] === "[";
  const children = [];
  let at = skipBlanks(text, start + 1);
  while (text[at] !== "]" && text[at] !== "}") {
    const from = at;
    let key;
    if (!isArray) {
      const end = skipString(text, at);
      key = JSON.parse(text.slice(at, end));
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
    const end = skipValue(text, at);
    children.push({ key, from, start: at, end });
    at = skipBlanks(text, end);
    if (text[at] === ",") at = skipBlanks(text, at + 1);
  }
  return { children, end: at + 1 };
}

/** Fields that tell messages and blocks apart. */
const MARKS = ["role", "ts", "type", "id", "tool_use_id"];
const isAlike = (before, after) => isObject(before) && isObject(after) && MARKS.every((mark) => before[mark] === after[mark]);

/** For each element of `after` the index of the one in `before` that it is or was made of; -1 for a new one. */
function origins(before, after) {
  if (before.length === after.length && !after.some(isObject)) return after.map((_, index) => index);
  const index = new Map();
  before.forEach((element, position) => isObject(element) && index.set(element, position));
  const found = after.map((element) => (isObject(element) ? (index.get(element) ?? -1) : -1));
  // The same objects divide both arrays into stretches; within one, order and marks decide.
  let limit = before.length;
  const limits = found.map(() => 0);
  for (let position = found.length - 1; position >= 0; position--) {
    limits[position] = limit;
    if (found[position] !== -1) limit = found[position];
  }
  let next = 0;
  found.forEach((origin, position) => {
    if (origin === -1) {
      for (let candidate = next; candidate < limits[position]; candidate++) {
        if (!isAlike(before[candidate], after[position])) continue;
        found[position] = candidate;
        break;
      }
    }
    if (found[position] !== -1) next = found[position] + 1;
  });
  return found;
}

/** How the file is laid out, where something new is written: the indentation of one level, and its line breaks. */
function layoutOf(text) {
  const unit = /^\s*[[{]\r?\n([ \t]+)/.exec(text.slice(0, 200))?.[1] ?? "";
  return { unit, newline: /\r\n/.test(text.slice(0, 10_000)) ? "\r\n" : "\n" };
}

/** The text of a value that is new, `depth` levels deep. */
function freshText(value, { unit, newline }, depth) {
  if (!unit) return JSON.stringify(value);
  // A string in JSON has no line break of its own.
  return JSON.stringify(value, null, unit).replaceAll("\n", newline + unit.repeat(depth));
}

class Rewriter {
  constructor(text) {
    this.text = text;
    this.layout = layoutOf(text);
  }

  /** The text of `after`, where `before` stands from `start` to `end`. */
  value(before, after, start, end, depth) {
    if (Object.is(before, after)) return this.text.slice(start, end);
    if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after))
      return freshText(after, this.layout, depth);
    const { children } = childrenOf(this.text, start);
    const parts = Array.isArray(after)
      ? this.elements(before, after, children, depth + 1)
      : this.fields(before, after, children, depth + 1);
    return this.join(parts, children, start, end, depth);
  }

  elements(before, after, children, depth) {
    const found = origins(before, after);
    return after.map((element, position) => {
      const origin = found[position];
      if (origin === -1) return { text: freshText(element, this.layout, depth) };
      const { start, end } = children[origin];
      return { child: origin, text: this.value(before[origin], element, start, end, depth) };
    });
  }

  fields(before, after, children, depth) {
    // Of a name that stands twice the last one counts.
    const byKey = new Map(children.map((child, index) => [child.key, index]));
    const kept = children.map(({ key, from, start, end }, index) => {
      if (byKey.get(key) !== index) return { child: index, text: this.text.slice(from, end) };
      if (!Object.hasOwn(after, key)) return undefined;
      return { child: index, text: this.text.slice(from, start) + this.value(before[key], after[key], start, end, depth) };
    });
    const added = Object.keys(after).filter((key) => !byKey.has(key));
    const colon = this.layout.unit ? ": " : ":";
    return [
      ...kept.filter(Boolean),
      ...added.map((key) => ({ text: JSON.stringify(key) + colon + freshText(after[key], this.layout, depth) })),
    ];
  }

  /** Puts the parts between the brackets. What stands between them stays when they are the same ones, and is repeated otherwise. */
  join(parts, children, start, end, depth) {
    const { text } = this;
    const brackets = [text[start], text[end - 1]];
    if (parts.length === 0) return brackets.join("");
    if (children.length === 0) {
      const { unit, newline } = this.layout;
      const line = (level) => (unit ? newline + unit.repeat(level) : "");
      return brackets[0] + line(depth + 1) + parts.map((part) => part.text).join(`,${line(depth + 1)}`) + line(depth) + brackets[1];
    }
    const open = text.slice(start, children[0].from);
    const close = text.slice(children[children.length - 1].end, end);
    const isSame = parts.length === children.length && parts.every(({ child }, index) => child === index);
    const usual = children.length > 1 ? text.slice(children[0].end, children[1].from) : `,${open.slice(1)}`;
    const pieces = [open];
    parts.forEach((part, index) => {
      if (index > 0) pieces.push(isSame ? text.slice(children[index - 1].end, children[index].from) : usual);
      pieces.push(part.text);
    });
    return pieces.join("") + close;
  }
}

/** The text of `after`, written into `text`, which is the JSON of `before`. Objects shared by both are taken to be unchanged. */
function rewriteJson(text, before, after) {
  if (Object.is(before, after)) return text;
  const start = skipBlanks(text, 0);
  const end = skipValue(text, start);
  return text.slice(0, start) + new Rewriter(text).value(before, after, start, end, 0) + text.slice(end);
}

module.exports = { rewriteJson };
