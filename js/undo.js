"use strict";

// Asks the addon how a condensation is undone (src/restore/undo), and applies the answer to the caller's own objects.
// The addon gets the messages as it reads them, and the restore data in two parts: what the edits are, and their values.

const native = require("#native");
const { stringify } = require("./deep-json.js");
const { checked, messageOf } = require("./errors.js");
const { DIGITS, fingerprintOfMessages } = require("./fingerprints.js");
const { asRead } = require("./formats.js");
const isObject = require("./is-object.js");
const { isHollow } = require("./place.js");
const { applyPlan } = require("./plan.js");
const { attempt, dataOf, invalid } = require("./restore-data.js");
const { requireMessages, serializeMessages } = require("./serialize.js");

/** Fields of restore data other than its edits. */
const FIELDS = ["version", "original", "messages", "groups", "format"];

/** Returns the JSON of a part of restore data; `null`, which the addon refuses by its place, for one that cannot be written. */
function written(value) {
  try {
    return JSON.stringify(value, (_, inner) => (isHollow(inner) ? null : inner)) ?? "null";
  } catch (error) {
    // The value has a cycle, a BigInt or deep nesting. A getter of the caller may throw any other error.
    if (error instanceof TypeError || error instanceof RangeError) return "null";
    throw error;
  }
}

/** Returns the edits and their values as JSON, and why values cannot be written, by the numbers of their edits. */
function writtenEdits(edits) {
  /** @type {string[]} */
  const forms = [];
  /** @type {string[]} */
  const values = [];
  /** @type {Record<number, string>} */
  const unwritten = {};
  for (const edit of edits) {
    if (!isObject(edit)) {
      forms.push("null");
      values.push("null");
      break;
    }
    const { value, ...rest } = edit;
    forms.push(written({ ...rest, value: Object.hasOwn(edit, "value") || undefined }));
    try {
      values.push(stringify(value) ?? "null");
    } catch (error) {
      unwritten[values.length] = messageOf(error);
      values.push(edit.op === "insert" ? '{"message":null}' : "null");
    }
  }
  return { forms: `[${forms}]`, values: `[${values}]`, unwritten };
}

/** Returns the JSON of all messages, for pointers anywhere in them. */
function writtenWhole(messages, count, format) {
  requireMessages(messages, "messages");
  try {
    return stringify(asRead(messages, format));
  } catch {
    attempt("messages", () => stringify(asRead(messages.slice(0, count), format)));
    return serializeMessages(asRead(messages, format), "messages");
  }
}

/**
 * Returns the addon's decision: the edits to make, the edits that remain to be undone, and the changes that cannot be undone.
 * @param {any} messages
 * @param {any} data
 * @param {{ only?: any, withDependants?: boolean }} what
 */
function decided(messages, data, { only, withDependants = false }) {
  const isList = Array.isArray(data?.edits);
  const { forms, values, unwritten } = writtenEdits(isList ? data.edits : []);
  const fields = FIELDS.flatMap((name) => (data?.[name] === undefined ? [] : `"${name}":${written(data[name])}`));
  const form = `{${[...fields, `"edits":${isList ? forms : "null"}`]}}`;
  const request = `{"data":${form},"only":${JSON.stringify(only ?? null)},"withDependants":${withDependants},"unwritten":${JSON.stringify(unwritten)}}`;
  const count = lengthOf(data);
  const read = () => {
    if (!isList || data.edits.length === 0) return "[]";
    return only
      ? writtenWhole(messages, count, data.format)
      : attempt("messages", () => stringify(asRead(messages.slice(0, count), data.format)));
  };
  return JSON.parse(checked(() => native.undoChanges(read(), request, values)));
}

/** Returns the number of messages that the condensation left. */
const lengthOf = (data) => (typeof data?.messages === "string" ? Math.floor(data.messages.length / DIGITS) : 0);

/** Returns the edits to make, each with the value that it restores: `text` if the value is a recipe. */
const madeOf = (edits, taken) => taken.map(([index, text]) => withValue(edits[index], text));

function withValue(edit, text) {
  const { op, message, path, at, before, value } = edit;
  if (op === "set") return { op, message, path, value: text ?? value };
  if (op === "insert") return { op, before, value: { message: value.message } };
  return op === "insert_block" ? { op, message, ...(at && { at }), before, value } : edit;
}

/** Returns an edit with the fields that change when others are undone. */
function moved(edit, changed) {
  const { recipe, ...rest } = edit;
  return { ...(changed.value === undefined ? edit : rest), ...changed };
}

/** Undoes a whole condensation. */
function undoAll(messages, data) {
  const { taken } = decided(messages, data, {});
  if (taken.length === 0) return messages;
  const { edits, format } = data;
  const back = attempt("restoreData", () => applyPlan(messages, madeOf(edits, taken), { format }).messages);
  const length = back.length - (messages.length - lengthOf(data));
  if (attempt("messages", () => fingerprintOfMessages(back.slice(0, length), format)) !== data.original) {
    throw invalid("restoreData.edits", "what comes out is not what was condensed: edits are missing or belong to something else");
  }
  return back;
}

/** Undoes the changes `only` as far as possible; with `withDependants`, also all changes that depend on them. */
function undo(messages, data, only, withDependants) {
  const { taken, left, restored, refused, dependants } = decided(messages, data, { only, withDependants });
  const answer = { restored, refused };
  if (!left) return { messages, ...answer, restoreData: data, ...(dependants && { dependants }) };
  const { edits, original, groups, format } = data;
  const restoreData = dataOf(
    left.edits.map(([index, changed]) => moved(edits[index], changed)),
    { original, condensed: left.contents },
    groups,
    format,
  );
  const back = applyPlan(messages, madeOf(edits, taken), { format }).messages;
  return { messages: back, ...answer, restoreData, ...(dependants && { dependants }) };
}

module.exports = { undo, undoAll };
