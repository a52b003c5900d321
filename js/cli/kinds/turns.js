"use strict";

// Builds messages from several records of a file, and finds the record from which each block of a condensed
// conversation came.

/** The turn of a message or block. Copies of objects keep it, and JSON leaves it out. */
const TURN = Symbol("roo-condense.turn");
/** The original form of a block that has another form in the file. */
const ORIGINAL = Symbol("roo-condense.original");

/**
 * The content of one record.
 * @typedef {object} Turn
 * @property {any} record
 * @property {string} role
 * @property {any} content a text, or blocks
 * @property {any[]} [blocks] the text as a block, if its message contains several turns
 */

const mark = (object, turn) => Object.defineProperty(object, TURN, { value: turn, configurable: true, writable: true });
const isMarkable = (value) => typeof value === "object" && value !== null;

/** Returns the blocks of a turn, each marked with the turn. */
function blocksOf(turn) {
  turn.blocks ??= typeof turn.content === "string" ? [{ type: "text", text: turn.content }] : turn.content;
  for (const block of turn.blocks.filter(isMarkable)) mark(block, turn);
  return turn.blocks;
}

/** Marks a block with its original form in the file. */
const standsFor = (block, original) => Object.defineProperty(block, ORIGINAL, { value: original });
const originalOf = (block) => block?.[ORIGINAL];

/**
 * Returns the messages for turns. `joins(messages, turn)` returns the index of the message that a turn is added to,
 * or -1; `message(turn)` creates a message for a turn that begins one. A single text stays a text.
 * @param {Turn[]} turns
 * @param {{ joins: (messages: any[], turn: Turn) => number, message: (turn: Turn) => any }} how
 */
function messagesOfTurns(turns, { joins, message }) {
  const messages = [];
  for (const turn of turns) {
    const at = joins(messages, turn);
    if (at < 0) {
      if (typeof turn.content !== "string") blocksOf(turn);
      messages.push(mark({ ...message(turn) }, turn));
      continue;
    }
    const before = messages[at];
    const content = typeof before.content === "string" ? blocksOf(before[TURN]) : before.content;
    messages[at] = mark({ ...before, content: [...content, ...blocksOf(turn)] }, before[TURN]);
  }
  return messages;
}

/**
 * Returns the content of each turn after a condensation, and the new messages, each with the turn after it. A turn
 * without an entry has no content left. New content in a user message becomes a message of its own, unless it is
 * within a turn; new content in an assistant message is added to the turn before it. `field`: the field of messages
 * with their blocks; `splits`: whether new content in a user message may become a message of its own.
 * @returns {{ contents: Map<Turn, any>, fresh: { message: any, before: Turn | undefined }[] }}
 */
function contentsOf(messages, { field = "content", splits = true } = {}) {
  const contents = new Map();
  const fresh = [];
  const waiting = [];
  const add = (turn, block) => {
    for (const message of waiting.splice(0)) fresh.push({ message, before: turn });
    if (contents.has(turn)) contents.get(turn).push(block);
    else contents.set(turn, [block]);
  };
  for (const message of messages) {
    const content = message[field];
    const own = message[TURN];
    if (!Array.isArray(content)) {
      if (own === undefined || contents.has(own)) waiting.push(message);
      else {
        add(own);
        contents.set(own, content);
      }
      continue;
    }
    const turns = content.map((block) => block?.[TURN]);
    if (turns.every((turn) => turn === undefined)) {
      waiting.push(message);
      continue;
    }
    let last;
    for (const [index, block] of content.entries()) {
      const next = turns.slice(index).find((turn) => turn !== undefined);
      const turn = turns[index] ?? (next === last || message.role !== "user" || !splits ? (last ?? next) : undefined);
      if (turn === undefined) waiting.push({ role: message.role, [field]: [block] });
      else add(turn, block);
      last = turn ?? last;
    }
  }
  for (const message of waiting) fresh.push({ message, before: undefined });
  return { contents, fresh };
}

/** Returns true if the content of a turn is unchanged. */
function isSame(turn, content) {
  const { content: own, blocks = own } = turn;
  if (content === own) return true;
  return (
    Array.isArray(content) &&
    Array.isArray(blocks) &&
    content.length === blocks.length &&
    content.every((block, index) => block === blocks[index])
  );
}

/** Returns the content of a turn in the form of its record: a text if it was one and still is. */
const contentFor = (turn, content) =>
  typeof turn.content === "string" && Array.isArray(content) && content.length === 1 && content[0].type === "text"
    ? content[0].text
    : content;

/** Returns true if two lists contain the same messages. */
const areSame = (one, other) => one === other || (one.length === other.length && one.every((message, index) => message === other[index]));

module.exports = { areSame, contentFor, contentsOf, isSame, messagesOfTurns, originalOf, standsFor };
