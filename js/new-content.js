"use strict";

// What stands now where a change was made, found when it is asked for: most callers never do.

/** How the elements of an array have moved: which went, and how many came before which of those that were there. */
class Moves {
  #dropped = new Set();
  #added = new Map();

  /** @param {{ dropped: number[], added: number[] }} edits indices in the array as it was */
  constructor({ dropped, added }) {
    this.#dropped = new Set(dropped);
    for (const before of added) this.#added.set(before, this.count(before) + 1);
  }

  /** How many were added before an element. */
  count(index) {
    return this.#added.get(index) ?? 0;
  }

  /** Where an element stands; undefined for one that went. */
  of(index) {
    return this.#dropped.has(index) ? undefined : this.before(index) + this.count(index);
  }

  /** Where the first of those stands that were added before an element, or would. */
  before(index) {
    let place = index;
    for (const dropped of this.#dropped) if (dropped < index) place--;
    for (const [before, count] of this.#added) if (before < index) place += count;
    return place;
  }
}

/** The moves of the messages that a plan makes, or of the blocks of one. */
const movesOf = (edits, drop, insert, block) =>
  new Moves({
    dropped: edits.filter(({ op }) => op === drop).map((edit) => edit[block]),
    added: edits.filter(({ op }) => op === insert).map(({ before }) => before),
  });

const isAdded = ({ tokensBefore }) => tokensBefore === 0;
const isBeside = (one, other) => one.messageIndex === other.messageIndex && one.blockIndex === other.blockIndex;

/** Of several things that were added at one place, the one that a change tells of; of changes that later ones undid, the last stand. */
function addedBy(change, changes, moves, index) {
  const alike = changes.filter((other) => isAdded(other) && isBeside(change, other));
  const nth = alike.indexOf(change) - (alike.length - moves.count(index));
  return nth < 0 ? undefined : moves.before(index) + nth;
}

/** What stands in the place of a change; null where nothing does. */
function contentAt(change, { changes, plan, messages, moves }) {
  const { messageIndex, blockIndex } = change;
  if (blockIndex === null && isAdded(change)) return messages[addedBy(change, changes, moves, messageIndex)] ?? null;
  const message = messages[moves.of(messageIndex)];
  if (message === undefined || blockIndex === null) return message ?? null;
  if (typeof message.content === "string") return message.content;
  const ofMessage = plan.filter((edit) => edit.message === messageIndex);
  const blocks = movesOf(ofMessage, "drop_block", "insert_block", "block");
  const place = isAdded(change) && blocks.count(blockIndex) > 0 ? addedBy(change, changes, blocks, blockIndex) : blocks.of(blockIndex);
  return message.content[place] ?? null;
}

/** Gives each change `newContent`, which no JSON and no copy has. `messages` are what the plan left. */
function withNewContent(changes, plan, messages) {
  const left = { changes, plan, messages: messages.slice(), moves: /** @type {Moves | undefined} */ (undefined) };
  const get = (change) => {
    left.moves ??= movesOf(plan, "drop", "insert", "message");
    return contentAt(change, left);
  };
  for (const change of changes) Object.defineProperty(change, "newContent", { get: () => get(change) });
}

module.exports = { withNewContent };
