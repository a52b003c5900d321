"use strict";

// Rewinds a history as of 2025. A condensation by `lossless` leaves pointers in the history (`[34 lines as below from
// "…"]`), and rewinding may cut off their targets.

const { notAllowed, outOfRange } = require("../errors.js");
const isObject = require("../is-object.js");
const { holdsPointers } = require("./pointed-at.js");

/** Returns true if a message may contain a pointer; most histories contain none and need no addon then. */
const mayPoint = (message) => holdsPointers(message?.content);

/**
 * Returns the first `length` messages. Pointers in them that resolve to cut-off lines are replaced by these lines, so
 * that the result expands to the same text as before.
 */
function rewindTo(messages, length) {
  if (!Array.isArray(messages) || !messages.every(isObject)) throw notAllowed("messages", messages, "an array of messages");
  if (!Number.isInteger(length) || length < 0) throw outOfRange("length", length, "a whole number, 0 or more");
  let kept = messages.slice(0, length);
  if (length >= messages.length) return messages;
  if (!kept.some(mayPoint)) return kept;
  const { expand } = require("../expand.js");
  const whole = expand(messages).messages.slice(0, length);
  // Restored lines can change the target of another pointer, so this repeats until all pointers are resolved.
  for (;;) {
    const read = expand(kept).messages;
    const misled = kept.map((message, index) => message !== whole[index] && !isSame(read[index], whole[index]));
    if (!misled.includes(true)) return kept;
    kept = kept.map((message, index) => (misled[index] ? whole[index] : message));
  }
}

const isSame = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

/** Maximum number of tasks that are remembered. */
const REMEMBERED_TASKS = 100;

/** Notices, for each task, that a history was cut off or comes from a file, and warns about pointers in it that do not resolve. */
class Rewinds {
  #newest = new Map();
  #tell;

  /** @param {(text: string) => void} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /** Searches the history only if the newest message seen before is no longer in it. */
  notice(taskId, messages) {
    const newest = this.#newest.get(taskId);
    this.#newest.delete(taskId);
    this.#newest.set(taskId, messages.at(-1));
    if (this.#newest.size > REMEMBERED_TASKS) this.#newest.delete(this.#newest.keys().next().value);
    if ((newest !== undefined && messages.includes(newest)) || !messages.some(mayPoint)) return;
    const count = unresolvedIn(messages);
    if (count > 0) this.#tell(toldOf(count));
  }
}

/** Returns the number of pointers that do not resolve; 0 if there is no addon. */
function unresolvedIn(messages) {
  try {
    return require("../pointers.js").pointersIn(messages).unresolved.length;
  } catch {
    return 0;
  }
}

const toldOf = (count) =>
  `${count} line${count === 1 ? "" : "s"} of the history point${count === 1 ? "s" : ""} to lines that are no longer there: messages behind were cut off. Go back with rewindTo() of createCondense(), which puts such lines in their place`;

module.exports = { Rewinds, rewindTo };
