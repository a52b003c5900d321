"use strict";

// Applies plans to the caller's own objects. Objects that a plan does not touch stay the same, and none is mutated.

const { contentsOf, fingerprintOf } = require("./fingerprints.js");

/**
 * Copies a value with its class, including symbols and non-enumerable fields, which JSON does not have. A computed
 * field becomes its value. Uses spread, not `Object.assign`, so that a field named `__proto__` is an ordinary field.
 */
function copyOf(value) {
  if (Array.isArray(value)) return value.slice();
  const copy = { ...value };
  for (const name of Reflect.ownKeys(value)) {
    const field = Object.getOwnPropertyDescriptor(value, name);
    if (field?.enumerable !== false) continue;
    // A frozen field becomes writable, because the copy is still being written.
    Object.defineProperty(copy, name, { ...field, configurable: true, ...("value" in field && { writable: true }) });
  }
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype ? copy : Object.setPrototypeOf(copy, prototype);
}

/** Copies the objects on a path, once each; all others are shared. */
class CopyOnWrite {
  constructor(format) {
    this.format = format;
    this.copies = new Set();
  }

  own(value) {
    if (this.copies.has(value)) return value;
    const copy = copyOf(value);
    this.copies.add(copy);
    return copy;
  }

  /** Returns `root` with `value` at `path`, and the old value. */
  set(root, path, value) {
    let holder = this.own(writable(root, path[0], path, this.format));
    const result = holder;
    for (const [at, step] of path.slice(0, -1).entries()) {
      holder = holder[step] = this.own(writable(holder[step], path[at + 1], path));
    }
    const last = path[path.length - 1];
    const previous = holder[last];
    holder[last] = value;
    return { result, previous };
  }
}

/** Returns `holder` if it has `step` itself and matches its JSON. */
function writable(holder, step, path, format) {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step))
    throw new RangeError(`there is nothing at ${JSON.stringify(path)}`);
  // Instances of LangChain's classes are read directly, not by their JSON.
  if (typeof holder.toJSON === "function" && format !== "langchain")
    throw new RangeError(`what holds ${JSON.stringify(path)} has a toJSON method`);
  return holder;
}

/** Throws if a message to drop is no longer the one that the edit is for. */
function checkDropped(messages, dropped, holds, format) {
  const bound = [...dropped].filter(([index, { was }]) => was !== undefined && index < messages.length && !holds(messages[index], index));
  if (bound.length === 0) return;
  const contents = contentsOf(
    bound.map(([index]) => messages[index]),
    format,
  );
  const changed = bound.find(([, { was }], position) => contents[position] !== was);
  if (changed) throw new RangeError(`messages[${changed[0]}] was changed meanwhile`);
}

/**
 * Applies `edits` to `messages`. Returns the new array, and the edits that undo them. Inserted messages are
 * `edit.value.message`, or one of `foreign`, the objects created by a custom provider. `recipes` describe how to
 * rebuild old texts: `[index of the edit, recipe]`. An edit with `was` is made only if that is the fingerprint of the
 * current content; if the `snapshot` for which the edits were made confirms it, nothing is read again.
 *
 * @param {any[]} messages
 * @param {any[]} edits
 * @param {{ foreign?: object[], recipes?: any[], snapshot?: import("./snapshot.js").Snapshot, format?: string }} [options]
 */
function applyPlan(messages, edits, options = {}) {
  const { foreign = [], recipes = [], snapshot, format } = options;
  if (edits.length === 0) return { messages, inverse: [] };
  const holds = (value, message, path) => snapshot?.holds(value, message, path) === true;
  const back = new Map(recipes.map(([index, recipe]) => [edits[index], recipe]));
  const sets = new Map();
  const blocks = new Map();
  const inserts = new Map();
  const dropped = new Map();
  const add = (map, key, edit) => (map.has(key) ? map.get(key).push(edit) : map.set(key, [edit]));
  for (const edit of edits) {
    if (edit.op === "set") add(sets, edit.message, edit);
    else if (edit.op === "insert") add(inserts, edit.before, edit);
    else if (edit.op === "drop_block" || edit.op === "insert_block") add(blocks, edit.message, edit);
    else dropped.set(edit.message, edit);
  }
  checkDropped(messages, dropped, holds, format);
  const result = [];
  const inverse = [];
  for (let index = 0; index <= messages.length; index++) {
    for (const { value, group } of inserts.get(index) ?? []) {
      inverse.push({ op: "drop", message: result.length, group });
      result.push(value.foreign === undefined ? value.message : foreign[value.foreign]);
    }
    if (index === messages.length) break;
    if (dropped.has(index)) {
      const { fingerprint, group } = dropped.get(index);
      const undo = { op: "insert", before: result.length, value: { message: messages[index] }, group };
      if (fingerprint !== undefined && holds(messages[index], index)) undo.was = fingerprint;
      inverse.push(undo);
      continue;
    }
    let message = messages[index];
    const copies = new CopyOnWrite(format);
    const blockEdits = blocks.get(index) ?? [];
    for (const edit of sets.get(index) ?? []) {
      const { path, was, group } = edit;
      const changed = copies.set(message, path, edit.value);
      if (was !== undefined && !holds(changed.previous, index, path) && fingerprintOf(changed.previous) !== was)
        throw new RangeError(`${placeOf(index, path)} was changed meanwhile`);
      const undo = { op: "set", message: result.length, path: movedPath(path, blockEdits), group, was };
      if (back.has(edit) && typeof changed.previous === "string") undo.recipe = back.get(edit);
      else undo.value = changed.previous;
      inverse.push(undo);
      message = changed.result;
    }
    for (const [place, edits] of byArray(blockEdits)) {
      const array = JSON.parse(place);
      message = withBlocks(message, array, edits, {
        copies,
        inverse,
        holds,
        index,
        at: result.length,
        moved: movedPath(array, blockEdits),
      });
    }
    result.push(message);
  }
  return { messages: result, inverse };
}

/** Returns the array in which blocks are added or removed; other formats have several. */
const arrayOf = ({ at = CONTENT }) => at;
const CONTENT = ["content"];

/** Groups edits by their array, as JSON; deepest first, because the others move its contents. */
function byArray(edits) {
  const arrays = new Map();
  for (const edit of edits) {
    const place = JSON.stringify(arrayOf(edit));
    if (arrays.has(place)) arrays.get(place).push(edit);
    else arrays.set(place, [edit]);
  }
  return arrays.size < 2 ? arrays : [...arrays].sort(([, [one]], [, [other]]) => arrayOf(other).length - arrayOf(one).length);
}

/** Returns a path adjusted to added and removed blocks of its message. */
function movedPath(path, edits) {
  if (edits.length === 0) return path;
  return path.map((step, depth) => {
    if (typeof step !== "number") return step;
    const here = edits.filter((edit) => {
      const array = arrayOf(edit);
      return array.length === depth && array.every((name, at) => name === path[at]);
    });
    return step + shiftOf(here, step);
  });
}

/** Returns by how much the index of a block changes. */
function shiftOf(edits, block) {
  const added = edits.filter(({ op, before }) => op === "insert_block" && before <= block).length;
  return added - edits.filter(({ op, block: dropped }) => op === "drop_block" && dropped < block).length;
}

/** Returns the message with blocks added to and removed from the array at `place`; the edits that undo this are added to `inverse`. */
function withBlocks(message, place, edits, { copies, inverse, holds, index, at, moved }) {
  const name = placeOf(index, place);
  const content = place.reduce((holder, step) => holder?.[step], message);
  if (!Array.isArray(content)) throw new RangeError(`${name} is no array of blocks`);
  const isContent = place.length === 1 && place[0] === CONTENT[0];
  const back = (edit) => inverse.push(isContent ? edit : { ...edit, at: moved });
  const dropped = new Map(edits.filter(({ op }) => op === "drop_block").map((edit) => [edit.block, edit]));
  const added = new Map();
  for (const edit of edits) {
    if (edit.op === "insert_block") {
      if (added.has(edit.before)) added.get(edit.before).push(edit);
      else added.set(edit.before, [edit]);
    }
    if ((edit.block ?? -1) >= content.length || (edit.before ?? -1) > content.length)
      throw new RangeError(`${name} has no block ${edit.block ?? edit.before}`);
  }
  const left = [];
  for (let block = 0; block <= content.length; block++) {
    for (const { value, group } of added.get(block) ?? []) {
      back({ op: "drop_block", message: at, block: left.length, group });
      left.push(value);
    }
    if (block === content.length) break;
    const edit = dropped.get(block);
    if (!edit) {
      left.push(content[block]);
      continue;
    }
    const { was, group } = edit;
    const isChanged = was !== undefined && !holds(content[block], index, [...place, block]) && fingerprintOf(content[block]) !== was;
    if (isChanged) throw new RangeError(`${name}[${block}] was changed meanwhile`);
    back({ op: "insert_block", message: at, before: left.length, value: content[block], group, was });
  }
  return copies.set(message, place, left).result;
}

/** Describes a place in messages, for people. */
function placeOf(message, path) {
  const steps = path.map((step) => (typeof step === "number" || !/^[\w$]+$/.test(step) ? `[${JSON.stringify(step)}]` : `.${step}`));
  return `messages[${message}]${steps.join("")}`;
}

module.exports = { applyPlan, placeOf };
