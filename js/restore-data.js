"use strict";

// Creates the data that undoes a condensation, and reads it back from wherever the host kept it.

const { argumentError, messageOf } = require("./errors.js");
const { DIGITS, contentsOf, divided, fingerprintOf, fingerprintsOf, lengthIn } = require("./fingerprints.js");
const { NAMES } = require("./formats.js");
const { placeOf } = require("./plan.js");
const { isEach, isPath, isRecipe, isWithin, rebuild } = require("./recipe.js");

const VERSION = 2;
/** More blocks than a message can have. */
const MAX_BLOCKS = 2 ** 32 - 1;

/**
 * The data that `restore` needs later, as plain JSON. It refers to the caller's own objects, so no text is copied.
 * `contents`: what the messages said before (`original`, of all of them) and say now (`condensed`, of each); see fingerprints.js
 * `groups`: the changes that can only be undone together, by their ids; an edit has the number of its group
 * `format`: of the messages, where it is not our own
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

/** Returns the data if it has the form that a condensation returns. */
function checkedData(data) {
  if (data?.version === 1) {
    throw invalid("restoreData.version", "1 is of an earlier version of roo-condense, which alone can read it; this one reads 2");
  }
  if (data?.version !== VERSION || !Array.isArray(data.edits)) {
    throw invalid("restoreData", `not what a condensation returned (version ${VERSION}, with edits)`);
  }
  const { edits, original, messages: contents, groups = [], format } = data;
  if (edits.length === 0) {
    // A condensation that changed nothing has no other fields.
    const isAll = original === undefined && contents === undefined;
    if (!isAll) throw invalid("restoreData.edits", "are missing: there is no way back without them");
    return { edits, original: "", contents: [], groups: [], format: undefined };
  }
  if (format !== undefined && !NAMES.includes(format)) throw invalid("restoreData.format", "is no format that is known here");
  if (lengthIn(original) === undefined) throw invalid("restoreData.original", "is not a number of messages with a hash");
  if (typeof contents !== "string" || !/^(?:[0-9a-f]{8})*$/.test(contents)) {
    throw invalid("restoreData.messages", `is not ${DIGITS} digits for each message`);
  }
  if (!isEach(groups, (group) => isEach(group, (id) => typeof id === "string"))) {
    throw invalid("restoreData.groups", "are not the ids of changes");
  }
  let index = 0;
  const isNext = (edit) => isEdit(edit, contents.length / DIGITS) && ++index > 0;
  if (!isEach(edits, isNext)) throw invalid(`restoreData.edits[${index}]`, "is not an edit of these messages");
  checkDisjoint(edits);
  return { edits, original, contents: divided(contents), groups, format };
}

function isEdit(edit, length) {
  const { op, message, block, path, before, value, recipe, was, group = 0, at = CONTENT } = edit ?? {};
  if (!isWithin(group, 0, Number.MAX_SAFE_INTEGER)) return false;
  switch (op) {
    case "set": {
      const isSource = recipe === undefined ? Object.hasOwn(edit, "value") : isRecipe(recipe, length);
      return isWithin(message, 0, length - 1) && isPath(path) && path.length > 0 && lengthIn(was) !== undefined && isSource;
    }
    case "drop":
      return isWithin(message, 0, length - 1);
    case "drop_block":
      return isWithin(message, 0, length - 1) && isPath(at) && isWithin(block, 0, MAX_BLOCKS);
    case "insert_block":
      return (
        isWithin(message, 0, length - 1) &&
        isPath(at) &&
        isWithin(before, 0, MAX_BLOCKS) &&
        Object.hasOwn(edit, "value") &&
        lengthIn(was) !== undefined
      );
    case "insert": {
      const isMessage = typeof value === "object" && value !== null && Object.hasOwn(value, "message") && value.foreign === undefined;
      return isWithin(before, 0, length) && lengthIn(was) !== undefined && isMessage;
    }
    default:
      return false;
  }
}

/** Throws if two edits concern the same value, or one concerns a part of another's. */
function checkDisjoint(edits) {
  const key = (message, path) => JSON.stringify([message, ...path]);
  const pathOf = ({ op, block, path, at = CONTENT }) => (op === "drop" ? [] : op === "drop_block" ? [...at, block] : path);
  const places = edits.map((edit) => (isInsert(edit.op) ? undefined : key(edit.message, pathOf(edit))));
  const taken = new Set();
  places.forEach((place, index) => {
    if (place !== undefined && taken.has(place)) throw invalid(`restoreData.edits[${index}]`, "another edit is about the same");
    taken.add(place);
  });
  edits.forEach(({ op, message, at = CONTENT, path = [...at, "a block"] }, index) => {
    if (op !== "set" && op !== "insert_block") return;
    for (let length = 0; length < path.length; length++) {
      if (taken.has(key(message, path.slice(0, length))))
        throw invalid(`restoreData.edits[${index}]`, "another edit is about what holds it");
    }
  });
}

/** The array in which blocks are added and removed, unless an edit names another. */
const CONTENT = ["content"];

const isInsert = (op) => op === "insert" || op === "insert_block";

/** Throws if a message is not the one that the condensation left there. Further messages may follow. */
function checkMessages(messages, known, format) {
  if (messages.length < known.length) {
    throw invalid("messages", `the condensation left ${known.length}, here are ${messages.length}`);
  }
  const contents = attempt("messages", () => contentsOf(messages.slice(0, known.length), format));
  const changed = known.findIndex((content, index) => content !== contents[index]);
  if (changed !== -1) {
    throw invalid(
      `messages[${changed}]`,
      "is not the message that the condensation left there: it was edited, condensed again, restored already, or is of another conversation",
    );
  }
}

/** Returns the edit with the old value that it restores. */
function resolved(edit, place, messages) {
  if (edit.op === "drop" || edit.op === "drop_block") return edit;
  if (edit.op === "insert") {
    checkOutput(edit.value.message, edit.was, `${place}.value.message`);
    return { op: "insert", before: edit.before, value: { message: edit.value.message } };
  }
  if (edit.op === "insert_block") {
    checkOutput(edit.value, edit.was, `${place}.value`);
    const { message, at, before, value } = edit;
    return { op: "insert_block", message, ...(at && { at }), before, value };
  }
  const { message, path, recipe, was } = edit;
  const part = `${place}.${recipe === undefined ? "value" : "recipe"}`;
  const value = recipe === undefined ? edit.value : attempt(part, () => rebuild(recipe, messages, lengthIn(was)));
  checkOutput(value, was, `${part}, for ${placeOf(message, path)}`);
  return { op: "set", message, path, value };
}

function checkOutput(value, was, place) {
  const is = attempt(place, () => fingerprintOf(value));
  if (is !== was) throw invalid(place, `is not what stood there (${is} instead of ${was})`);
}

module.exports = { attempt, checkMessages, checkedData, dataOf, invalid, resolved };
