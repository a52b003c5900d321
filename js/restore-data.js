"use strict";

// Creates the data that undoes a condensation. The addon reads it back (src/restore/undo/data.rs).

const { argumentError, messageOf } = require("./errors.js");
const { fingerprintsOf } = require("./fingerprints.js");

const VERSION = 2;

/**
 * Returns the data that `restore` needs later, as plain JSON. It refers to the caller's own objects, so no text is copied.
 * `contents`: content hashes of the messages, one for all of them before (`original`), and one for each now (`condensed`); see
 * fingerprints.js
 * `groups`: the ids of changes that can only be undone together; an edit has the number of its group
 * `format`: the format of the messages, if it is not our own
 * @type {(edits: any[], contents?: any, groups?: any[], format?: string) => any}
 */
function dataOf(edits, contents, groups = [], format = undefined) {
  if (edits.length === 0) return { version: VERSION, edits };
  const inserts = edits.filter(({ op, was }) => op === "insert" && was === undefined);
  const fingerprints = inserts.length === 0 ? [] : fingerprintsOf(inserts.map(({ value }) => value.message));
  inserts.forEach((edit, index) => (edit.was = fingerprints[index]));
  const { original, condensed: messages } = contents;
  return { version: VERSION, ...(format && { format }), original, messages, groups, edits };
}

const invalid = (place, reason, more) => argumentError("invalid_restore_data", `${place}: ${reason}`, { field: place, ...more });

/** Returns the result of `work`; errors are reported as errors of the data. */
function attempt(place, work) {
  try {
    return work();
  } catch (error) {
    if (error?.code === "invalid_restore_data") throw error;
    throw invalid(place, `does not belong to these messages: ${messageOf(error)}`, { cause: error });
  }
}

module.exports = { attempt, dataOf, invalid };
