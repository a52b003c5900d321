"use strict";

// Undoes a condensation exactly, or not at all; or single changes of it.

const { notAllowed, readable, refuseUnknown } = require("./errors.js");
const { undo, undoAll } = require("./undo.js");

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
    return only ? undo(messages, data, only, withDependants) : undoAll(messages, data);
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

module.exports = { restore };
