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

  /** The first of the elements that went right before this one, or the element itself: what is added before any of these stands at one place. */
  gap(index) {
    let first = index;
    while (this.#dropped.has(first - 1)) first--;
    return first;
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

/** Of several things that were added at one place, the one that a change tells of; of changes that later ones undid, the last stand. */
function addedBy(change, alike, moves, index) {
  const first = moves.gap(index);
  let count = 0;
  for (let each = first; each <= index; each++) count += moves.count(each);
  const nth = alike.indexOf(change) - (alike.length - count);
  return nth < 0 ? undefined : moves.before(first) + nth;
}

/** The changes that added a message at the place before this one. */
const messagesAdded = (changes, moves, index) =>
  changes.filter((other) => isAdded(other) && other.blockIndex === null && moves.gap(other.messageIndex) === moves.gap(index));

/** The changes that added a block where this one did. */
const blocksAdded = (changes, { messageIndex, blockIndex }) =>
  changes.filter((other) => isAdded(other) && other.messageIndex === messageIndex && other.blockIndex === blockIndex);

const CONTENT = ["content"];

/** What stands in the place of a change; null where nothing does. */
function contentAt(change, { changes, plan, given, messages, moves }) {
  const { messageIndex, blockIndex } = change;
  if (blockIndex === null && isAdded(change))
    return messages[addedBy(change, messagesAdded(changes, moves, messageIndex), moves, messageIndex)] ?? null;
  const message = messages[moves.of(messageIndex)];
  // What did not change is what another change is about: one of a message that an earlier step of a strategy had added.
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

/** Gives each change `newContent`, which no JSON and no copy has. `messages` are what the plan left of those that were `given`. */
function withNewContent(changes, plan, { given, messages }) {
  const left = { changes, plan, given, messages: messages.slice(), moves: /** @type {Moves | undefined} */ (undefined) };
  const get = (change) => {
    left.moves ??= movesOf(plan, "drop", "insert", "message");
    return contentAt(change, left);
  };
  for (const change of changes) Object.defineProperty(change, "newContent", { get: () => get(change) });
}

module.exports = { withNewContent };
