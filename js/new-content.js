"use strict";

// Finds the current content at the place of a change when it is requested, because most callers never request it.

/** The moves of an array's elements: those removed, and the number added before each of the original ones. */
class Moves {
  #dropped = new Set();
  #added = new Map();

  /** @param {{ dropped: number[], added: number[] }} edits indices in the array as it was */
  constructor({ dropped, added }) {
    this.#dropped = new Set(dropped);
    for (const before of added) this.#added.set(before, this.count(before) + 1);
  }

  /** Returns the number of elements added before an element. */
  count(index) {
    return this.#added.get(index) ?? 0;
  }

  /**
   * Returns the first of the elements removed directly before this one, or the element itself: everything added before
   * any of them is at one place.
   */
  gap(index) {
    let first = index;
    while (this.#dropped.has(first - 1)) first--;
    return first;
  }

  /** Returns the new index of an element; undefined if it was removed. */
  of(index) {
    return this.#dropped.has(index) ? undefined : this.before(index) + this.count(index);
  }

  /** Returns the index of the first element added before an element, or where it would be. */
  before(index) {
    let place = index;
    for (const dropped of this.#dropped) if (dropped < index) place--;
    for (const [before, count] of this.#added) if (before < index) place += count;
    return place;
  }
}

/** Returns the moves that a plan makes of messages, or of the blocks of one. */
const movesOf = (edits, drop, insert, block) =>
  new Moves({
    dropped: edits.filter(({ op }) => op === drop).map((edit) => edit[block]),
    added: edits.filter(({ op }) => op === insert).map(({ before }) => before),
  });

const isAdded = ({ tokensBefore }) => tokensBefore === 0;

/** Returns the one of several things added at one place to which a change refers; if later changes undid some, the last ones remain. */
function addedBy(change, alike, moves, index) {
  const first = moves.gap(index);
  let count = 0;
  for (let each = first; each <= index; each++) count += moves.count(each);
  const nth = alike.indexOf(change) - (alike.length - count);
  return nth < 0 ? undefined : moves.before(first) + nth;
}

/** Returns the changes that added a message at the place before this one. */
const messagesAdded = (changes, moves, index) =>
  changes.filter((other) => isAdded(other) && other.blockIndex === null && moves.gap(other.messageIndex) === moves.gap(index));

/** Returns the changes that added a block at the same place. */
const blocksAdded = (changes, { messageIndex, blockIndex }) =>
  changes.filter((other) => isAdded(other) && other.messageIndex === messageIndex && other.blockIndex === blockIndex);

const CONTENT = ["content"];

/** Returns the content at the place of a change; null if there is none. */
function contentAt(change, { changes, plan, given, messages, moves }) {
  const { messageIndex, blockIndex } = change;
  if (blockIndex === null && isAdded(change))
    return messages[addedBy(change, messagesAdded(changes, moves, messageIndex), moves, messageIndex)] ?? null;
  const message = messages[moves.of(messageIndex)];
  // The message at this place is unchanged: the change concerns a message that an earlier step of a strategy had added.
  if (message === undefined || message === given[messageIndex]) return null;
  if (blockIndex === null) return message;
  // Messages of other formats have parts.
  const content = message.content ?? message.parts;
  if (!Array.isArray(content)) return content ?? message;
  const ofMessage = plan.filter((edit) => edit.message === messageIndex && (edit.at ?? CONTENT).length === 1);
  const blocks = movesOf(ofMessage, "drop_block", "insert_block", "block");
  const isNew = isAdded(change) && blocks.count(blockIndex) > 0;
  const place = isNew ? addedBy(change, blocksAdded(changes, change), blocks, blockIndex) : blocks.of(blockIndex);
  return content[place] ?? null;
}

/** Gives each change `newContent`, which is not part of JSON or copies. `messages` are the result of the plan for `given`. */
function withNewContent(changes, plan, { given, messages }) {
  const left = { changes, plan, given, messages: messages.slice(), moves: /** @type {Moves | undefined} */ (undefined) };
  const get = (change) => {
    left.moves ??= movesOf(plan, "drop", "insert", "message");
    return contentAt(change, left);
  };
  for (const change of changes) Object.defineProperty(change, "newContent", { get: () => get(change) });
}

module.exports = { withNewContent };
