"use strict";

// Messages that are made of several records of a file, and the way back: which record each block of a condensed conversation came from.

/** On messages and blocks: the turn they came from. Copies keep it, and JSON does not have it. */
const TURN = Symbol("roo-condense.turn");
/** On blocks: what they are in the file, where that is something else. */
const ORIGINAL = Symbol("roo-condense.original");

/**
 * What one record says.
 * @typedef {object} Turn
 * @property {any} record
 * @property {string} role
 * @property {any} content a text, or blocks
 * @property {any[]} [blocks] the text as a block, where it stands in one message with others
 */

const mark = (object, turn) => Object.defineProperty(object, TURN, { value: turn, configurable: true, writable: true });
const isMarkable = (value) => typeof value === "object" && value !== null;

/** The blocks of a turn, each with a note where it came from. */
function blocksOf(turn) {
  turn.blocks ??= typeof turn.content === "string" ? [{ type: "text", text: turn.content }] : turn.content;
  for (const block of turn.blocks.filter(isMarkable)) mark(block, turn);
  return turn.blocks;
}

/** A block that is written otherwise in the file, with what it is there. */
const standsFor = (block, original) => Object.defineProperty(block, ORIGINAL, { value: original });
const originalOf = (block) => block?.[ORIGINAL];

/**
 * The messages of turns. `joins(messages, turn)` says which message a turn goes on, -1 for none; `message(turn)` makes the message of one that begins anew. A text alone stays
 * one.
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
 * What each turn says after a condensation, by turn, and what is new: messages, each with the turn behind it. A turn without an entry has nothing left to say. What is new in a
 * message of the user is a message of its own, unless it stands within a turn; in one of the assistant it goes to the turn before it. `field`: where messages have their
 * blocks; `splits`: whether what is new in a message of the user may be one of its own.
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

/** Whether a turn says what it said. */
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

/** The content of a turn as its record has it: a text, where it was one and still is. */
const contentFor = (turn, content) =>
  typeof turn.content === "string" && Array.isArray(content) && content.length === 1 && content[0].type === "text"
    ? content[0].text
    : content;

/** Whether two lists hold the same messages. */
const areSame = (one, other) => one === other || (one.length === other.length && one.every((message, index) => message === other[index]));

module.exports = { areSame, contentFor, contentsOf, isSame, messagesOfTurns, originalOf, standsFor };
