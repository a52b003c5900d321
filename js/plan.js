"use strict";

// Plans applied to the caller's own objects: what a plan does not touch stays the same object, and nothing is ever mutated.

const { contentsOf, fingerprintOf } = require("./fingerprints.js");

/**
 * A copy of the same class, with the fields that JSON does not have, symbols and those that are not enumerable. A field that is computed becomes what it
 * was. Spread, not `Object.assign`: a field named `__proto__` is a field like any other.
 */
function copyOf(value) {
  if (Array.isArray(value)) return value.slice();
  const copy = { ...value };
  for (const name of Reflect.ownKeys(value)) {
    const field = Object.getOwnPropertyDescriptor(value, name);
    if (field?.enumerable !== false) continue;
    // What was frozen is not: the copy is still being written.
    Object.defineProperty(copy, name, { ...field, configurable: true, ...("value" in field && { writable: true }) });
  }
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype ? copy : Object.setPrototypeOf(copy, prototype);
}

/** Copies what lies on a path, once; everything beside it is shared. */
class CopyOnWrite {
  constructor() {
    this.copies = new Set();
  }

  own(value) {
    if (this.copies.has(value)) return value;
    const copy = copyOf(value);
    this.copies.add(copy);
    return copy;
  }

  /** `root` with `value` at `path`, and what stood there. */
  set(root, path, value) {
    let holder = this.own(writable(root, path[0], path));
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

/** `holder`, when it holds `step` itself and is what its JSON says. */
function writable(holder, step, path) {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step))
    throw new RangeError(`there is nothing at ${JSON.stringify(path)}`);
  if (typeof holder.toJSON === "function") throw new RangeError(`what holds ${JSON.stringify(path)} has a toJSON method`);
  return holder;
}

/** Throws when a message that is to be dropped is no longer the one that the edit is for. */
function checkDropped(messages, dropped, holds) {
  const bound = [...dropped].filter(([index, { was }]) => was !== undefined && index < messages.length && !holds(messages[index], index));
  if (bound.length === 0) return;
  const contents = contentsOf(bound.map(([index]) => messages[index]));
  const changed = bound.find(([, { was }], position) => contents[position] !== was);
  if (changed) throw new RangeError(`messages[${changed[0]}] was changed meanwhile`);
}

/**
 * Applies `edits` to `messages`. Returns the new array, and the edits that lead back. Inserted messages are `edit.value.message`,
 * or one of `foreign`, the objects that a provider of the host made. `recipes` says how old texts can be put together again:
 * `[index of the edit, recipe]`. An edit with `was` is made only where that is the fingerprint of what stands there; where the `snapshot` that the
 * edits were made for says that it is, nothing is read again.
 *
 * @param {any[]} messages
 * @param {any[]} edits
 * @param {{ foreign?: object[], recipes?: any[], snapshot?: import("./snapshot.js").Snapshot }} [options]
 */
function applyPlan(messages, edits, options = {}) {
  const { foreign = [], recipes = [], snapshot } = options;
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
  checkDropped(messages, dropped, holds);
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
    const copies = new CopyOnWrite();
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
    if (blockEdits.length > 0) message = withBlocks(message, blockEdits, { copies, inverse, holds, index, at: result.length });
    result.push(message);
  }
  return { messages: result, inverse };
}

/** Where a path leads when blocks of its message have come and gone. */
function movedPath(path, edits) {
  const [field, block, ...rest] = path;
  return typeof block === "number" && edits.length > 0 ? [field, block + shiftOf(edits, block), ...rest] : path;
}

/** By how much the place of a block changes. */
function shiftOf(edits, block) {
  const added = edits.filter(({ op, before }) => op === "insert_block" && before <= block).length;
  return added - edits.filter(({ op, block: dropped }) => op === "drop_block" && dropped < block).length;
}

/** The message with blocks that come and go; the edits that lead back are added to `inverse`. */
function withBlocks(message, edits, { copies, inverse, holds, index, at }) {
  const name = `messages[${index}]`;
  const { content } = message;
  if (!Array.isArray(content)) throw new RangeError(`${name}.content is no array of blocks`);
  const dropped = new Map(edits.filter(({ op }) => op === "drop_block").map((edit) => [edit.block, edit]));
  const added = new Map();
  for (const edit of edits) {
    if (edit.op === "insert_block") {
      if (added.has(edit.before)) added.get(edit.before).push(edit);
      else added.set(edit.before, [edit]);
    }
    if ((edit.block ?? -1) >= content.length || (edit.before ?? -1) > content.length)
      throw new RangeError(`${name}.content has no block ${edit.block ?? edit.before}`);
  }
  const left = [];
  for (let block = 0; block <= content.length; block++) {
    for (const { value, group } of added.get(block) ?? []) {
      inverse.push({ op: "drop_block", message: at, block: left.length, group });
      left.push(value);
    }
    if (block === content.length) break;
    const edit = dropped.get(block);
    if (!edit) {
      left.push(content[block]);
      continue;
    }
    const { was, group } = edit;
    const isChanged = was !== undefined && !holds(content[block], index, ["content", block]) && fingerprintOf(content[block]) !== was;
    if (isChanged) throw new RangeError(`${name}.content[${block}] was changed meanwhile`);
    inverse.push({ op: "insert_block", message: at, before: left.length, value: content[block], group, was });
  }
  return copies.set(message, ["content"], left).result;
}

/** A place in messages, for people. */
function placeOf(message, path) {
  const steps = path.map((step) => (typeof step === "number" || !/^[\w$]+$/.test(step) ? `[${JSON.stringify(step)}]` : `.${step}`));
  return `messages[${message}]${steps.join("")}`;
}

module.exports = { applyPlan, placeOf };
