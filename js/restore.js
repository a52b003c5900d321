"use strict";

// Undoes a condensation exactly, or not at all. Both the restored values and the messages they go into are compared
// with their fingerprints.

const { notAllowed, readable, refuseUnknown } = require("./errors.js");
const { fingerprintOfMessages } = require("./fingerprints.js");
const { applyPlan } = require("./plan.js");
const { attempt, checkMessages, checkedData, invalid, resolved } = require("./restore-data.js");
const { undo, undoWithDependants } = require("./undo.js");

/**
 * Returns the messages before the condensation that led to `condensed`; with `only`, the messages after undoing these
 * changes, and with `withDependants` also all changes that depend on them.
 * @param {{ messages: object[], restoreData: object }} condensed
 * @param {{ only?: string[], withDependants?: boolean }} [options]
 */
function restore(condensed, options) {
  const { only, withDependants } = readOptions(options);
  return readable("result", () => {
    if (typeof condensed !== "object" || condensed === null)
      throw notAllowed("result", condensed, "a result, or { messages, restoreData }");
    const { messages, restoreData: data } = condensed;
    if (!Array.isArray(messages)) throw notAllowed("messages", messages, "the array of condensed messages");
    const known = checkedData(data);
    if (!only) return restored(messages, known);
    return withDependants ? undoWithDependants(messages, known, data, only) : undo(messages, known, data, only);
  });
}

function readOptions(options) {
  if (options === undefined) return {};
  return readable("options", () => {
    if (typeof options !== "object" || options === null || Array.isArray(options))
      throw notAllowed("options", options, "{ only: the ids of changes }");
    refuseUnknown("options", options, ["only", "withDependants"]);
    const { only, withDependants = false } = options;
    if (typeof withDependants !== "boolean") throw notAllowed("options.withDependants", withDependants, "true or false");
    if (only === undefined) {
      if (withDependants) throw notAllowed("options.withDependants", withDependants, "absent without options.only");
      return {};
    }
    if (!Array.isArray(only)) throw notAllowed("options.only", only, "an array of ids of changes");
    const ids = Array.from(only, (id, index) => {
      if (typeof id !== "string") throw notAllowed(`options.only[${index}]`, id, "the id of a change");
      return id;
    });
    return { only: ids, withDependants };
  });
}

function restored(messages, { edits, contents, original, format }) {
  if (edits.length === 0) return messages;
  checkMessages(messages, contents, format);
  const plain = edits.map((edit, index) => resolved(edit, `restoreData.edits[${index}]`, messages));
  const back = attempt("restoreData", () => applyPlan(messages, plain, { format }).messages);
  const length = back.length - (messages.length - contents.length);
  if (attempt("messages", () => fingerprintOfMessages(back.slice(0, length), format)) !== original) {
    throw invalid("restoreData.edits", "what comes out is not what was condensed: edits are missing or belong to something else");
  }
  return back;
}

module.exports = { restore };
