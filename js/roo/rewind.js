"use strict";

// Going back in a history of 2025. A condensation by `lossless` leaves pointers in it (`[34 lines as below from "…"]`); what they lead to may be cut off.

const { notAllowed, outOfRange } = require("../errors.js");
const isObject = require("../is-object.js");
const { holdsPointers } = require("./pointed-at.js");

/** Whether a message may hold a pointer; most histories hold none, and need no addon then. */
const mayPoint = (message) => holdsPointers(message?.content);

/**
 * The first `length` messages, with the lines that pointers in them lead to behind there in the place of those pointers. So the rest reads as it did: what is
 * returned expands to what these messages expanded to before.
 */
function rewindTo(messages, length) {
  if (!Array.isArray(messages) || !messages.every(isObject)) throw notAllowed("messages", messages, "an array of messages");
  if (!Number.isInteger(length) || length < 0) throw outOfRange("length", length, "a whole number, 0 or more");
  let kept = messages.slice(0, length);
  if (length >= messages.length) return messages;
  if (!kept.some(mayPoint)) return kept;
  const { expand } = require("../expand.js");
  const whole = expand(messages).messages.slice(0, length);
  // A message with its lines in place may be what a pointer elsewhere finds now; in the end all of them have theirs.
  for (;;) {
    const read = expand(kept).messages;
    const misled = kept.map((message, index) => message !== whole[index] && !isSame(read[index], whole[index]));
    if (!misled.includes(true)) return kept;
    kept = kept.map((message, index) => (misled[index] ? whole[index] : message));
  }
}

const isSame = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

/** More tasks than this are not remembered. */
const REMEMBERED_TASKS = 100;

/** Notices by task that a history was cut off, or comes from a file, and tells of pointers in it that lead nowhere. */
class Rewinds {
  #newest = new Map();
  #tell;

  /** @param {(text: string) => void} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /** Looks through the history only where the newest message that was seen is no longer in it. */
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

/** How many pointers lead nowhere; none are known of where there is no addon. */
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
