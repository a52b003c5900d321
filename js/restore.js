"use strict";

// Undoing a condensation.

const { argumentError, messageOf, notAllowed, readable } = require("./errors.js");
const { applyPlan } = require("./plan.js");
const { isRecipe } = require("./recipe.js");

const VERSION = 1;

/** What `restore` needs later: plain JSON data. It refers to the caller's own objects, so it costs no copy. */
const restoreData = (edits) => ({ version: VERSION, edits });

/** Gives back the messages as they were before the condensation that led to `condensed`. */
function restore(condensed) {
  return readable("result", () => restored(condensed));
}

function restored(condensed) {
  if (typeof condensed !== "object" || condensed === null) throw notAllowed("result", condensed, "a result, or { messages, restoreData }");
  const { messages, restoreData: data } = condensed;
  if (!Array.isArray(messages)) throw notAllowed("messages", messages, "the array of condensed messages");
  if (data?.version !== VERSION || !Array.isArray(data.edits)) {
    throw argumentError("invalid_restore_data", `restoreData: not what a condensation returned (version ${VERSION}, with edits)`);
  }
  if (!data.edits.every((edit) => isEdit(edit, messages.length))) {
    throw argumentError("invalid_restore_data", "restoreData: does not belong to these messages");
  }
  try {
    return applyPlan(messages, data.edits).messages;
  } catch (error) {
    throw argumentError("invalid_restore_data", `restoreData: does not belong to these messages: ${messageOf(error)}`, error);
  }
}

const isStep = (step) => typeof step === "string" || Number.isInteger(step);

function isEdit(edit, length) {
  const within = (index, end) => Number.isInteger(index) && index >= 0 && index < end;
  switch (edit?.op) {
    case "set":
      return (
        within(edit.message, length) &&
        Array.isArray(edit.path) &&
        edit.path.length > 0 &&
        edit.path.every(isStep) &&
        (edit.recipe === undefined ? "value" in edit : isRecipe(edit.recipe))
      );
    case "drop":
      return within(edit.message, length);
    case "insert":
      return (
        within(edit.before, length + 1) &&
        typeof edit.value === "object" &&
        edit.value !== null &&
        Object.hasOwn(edit.value, "message") &&
        edit.value.foreign === undefined
      );
    default:
      return false;
  }
}

module.exports = { restore, restoreData };
