"use strict";

// Readers of messages: each takes over a value with nothing that it does not know, or throws a ProtocolError. Their types are in readers.d.ts. The same
// with zod/mini is 24.7 KB in the page instead of 1.4 (zod 4.6, minified by esbuild, 27 November 2026), and a dependency of the published package, which has none.

/** The error for a message that does not follow the protocol. `code` is for programs. */
class ProtocolError extends Error {
  constructor(message) {
    super(message);
    this.name = "ProtocolError";
    this.code = "invalid_message";
  }
}

function refuse(path, expected) {
  throw new ProtocolError(`${path}: ${expected} is expected`);
}

const MAX_TEXT = 10_000;

/** Creates a reader of values that fulfil a condition. */
const where = (isRight, expected) => (value, path) => (isRight(value) ? value : refuse(path, expected));

const isWhole = (least) => (value) => Number.isSafeInteger(value) && value >= least;
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const text = where((value) => typeof value === "string", "a text");
const shortText = where((value) => typeof value === "string" && value.length <= MAX_TEXT, `a text of at most ${MAX_TEXT} characters`);
const flag = where((value) => typeof value === "boolean", "true or false");
const number = where(Number.isFinite, "a number");
const count = where(isWhole(0), "a whole number, 0 or more");
const index = where(isWhole(-1), "a whole number, -1 or more");
const record = where(isRecord, "an object");
const any = (value) => value;
const choice = (...words) => where((value) => words.includes(value), `one of ${words.join(", ")}`);

const optional = (inner) => (value, path) => (value === undefined || value === null ? undefined : inner(value, path));
const nullable = (inner) => (value, path) => (value === undefined || value === null ? null : inner(value, path));

const list =
  (inner, most = 1_000_000) =>
  (value, path) =>
    Array.isArray(value) && value.length <= most ? value.map((item, at) => inner(item, `${path}[${at}]`)) : refuse(path, "a list");

const byName = (inner) => (value, path) =>
  Object.fromEntries(Object.entries(record(value, path)).map(([name, each]) => [name, inner(each, `${path}.${name}`)]));

const object = (fields) => {
  const reader = (value, path) => {
    record(value, path);
    const read = {};
    for (const [name, inner] of Object.entries(fields)) {
      const found = inner(Object.hasOwn(value, name) ? value[name] : undefined, `${path}.${name}`);
      if (found !== undefined) read[name] = found;
    }
    return read;
  };
  return Object.assign(reader, { fields });
};

module.exports = {
  ProtocolError,
  any,
  byName,
  choice,
  count,
  flag,
  index,
  list,
  nullable,
  number,
  object,
  optional,
  record,
  shortText,
  text,
  where,
};
