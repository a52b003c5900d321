"use strict";

// Content that the user wants to keep unchanged. A choice outlives the condensation in which it was made. So it
// identifies a place by its content and the content around it: indices shift while an agent writes, and ids belong to
// one condensation.

/**
 * @typedef {object} Choice
 * @property {number} messageIndex its last known index
 * @property {number} blockIndex -1 for a whole message
 * @property {string} operation the operation that was undone
 * @property {string} print the fingerprint of its content; empty for an addition of a condensation
 * @property {string[]} around the fingerprints of the previous message, the message itself, and the next one
 */

const { fingerprintsOf } = require("../fingerprints.js");
const isObject = require("../is-object.js");
const { restore } = require("../restore.js");

const WHOLE = -1;
/** Weights of the fingerprints in `around`. The message itself identifies a place better than its neighbours do. */
const WEIGHTS = [1, 4, 1];

/** Returns the content of a message; items of some formats have neither content nor parts. */
const contentOf = (message) => (isObject(message) ? (message.content ?? message.parts ?? message) : message);
const isAddition = ({ tokensBefore, tokensAfter }) => tokensBefore === 0 && tokensAfter > 0;
const keyOf = ({ operation, print, messageIndex, blockIndex }) => (print === "" ? operation : `${messageIndex} ${blockIndex}`);

/** Every message and block of a history, each with the fingerprint of its content, computed on demand. */
class Places {
  #all = [];
  #byNumbers = new Map();
  /** The place of each whole message. */
  #whole = [];

  constructor(messages) {
    messages.forEach((message, messageIndex) => {
      const content = contentOf(message);
      const blocks = Array.isArray(content) ? content : [content];
      [content, ...blocks].forEach((value, at) => {
        const place = { messageIndex, blockIndex: at + WHOLE, value, print: undefined };
        this.#all.push(place);
        this.#byNumbers.set(`${messageIndex} ${place.blockIndex}`, place);
        if (place.blockIndex === WHOLE) this.#whole.push(place);
      });
    });
  }

  /** Computes the fingerprints of these places in one call. */
  #print(places) {
    const left = places.filter((place) => place && place.print === undefined);
    if (left.length === 0) return;
    fingerprintsOf(left.map(({ value }) => value)).forEach((print, at) => {
      left[at].print = print;
    });
  }

  #around(index) {
    const places = [index - 1, index, index + 1].map((at) => this.#whole[at]);
    this.#print(places);
    return places.map((place) => place?.print ?? "");
  }

  /** Returns the place of a change as a choice. */
  choiceOf(change) {
    const { messageIndex, operation } = change;
    const blockIndex = change.blockIndex ?? WHOLE;
    const place = this.#byNumbers.get(`${messageIndex} ${blockIndex}`);
    if (!place || isAddition(change)) return { messageIndex, blockIndex, operation, print: "", around: [] };
    this.#print([place]);
    return { messageIndex, blockIndex, print: place.print, operation, around: this.#around(messageIndex) };
  }

  /** Returns the current place of each choice, each at another place; undefined for a choice whose content is gone. */
  find(choices) {
    this.#print(this.#all);
    const byPrint = new Map();
    for (const place of this.#all) {
      const same = byPrint.get(place.print);
      if (same) same.push(place);
      else byPrint.set(place.print, [place]);
    }
    const taken = new Set();
    return choices.map((choice) => {
      if (choice.print === "") return choice;
      const isWhole = choice.blockIndex === WHOLE;
      const free = (byPrint.get(choice.print) ?? []).filter((one) => (one.blockIndex === WHOLE) === isWhole && !taken.has(one));
      const place = this.#likeliest(free, choice);
      if (!place) return undefined;
      taken.add(place);
      const { messageIndex, blockIndex, print } = place;
      return { ...choice, messageIndex, blockIndex, print, around: this.#around(messageIndex) };
    });
  }

  #likeliest(places, { messageIndex, around }) {
    const score = (place) =>
      this.#around(place.messageIndex).reduce((sum, print, at) => sum + (print === around[at] ? (WEIGHTS[at] ?? 0) : 0), 0);
    const far = (place) => Math.abs(place.messageIndex - messageIndex);
    return places
      .map((place) => ({ place, score: score(place), far: far(place) }))
      .sort((one, other) => other.score - one.score || one.far - other.far)[0]?.place;
  }
}

/** Adds the choices made by undoing these changes; there is one choice for each place. */
function withChoices(choices, messages, changes) {
  if (changes.length === 0) return choices;
  const places = new Places(messages);
  const all = new Map(choices.map((choice) => [keyOf(choice), choice]));
  for (const change of changes) {
    const choice = places.choiceOf(change);
    all.set(keyOf(choice), choice);
  }
  return [...all.values()];
}

/** Returns true if a change is about the place of a choice. */
function concerns(change, { messageIndex, blockIndex, operation, print }) {
  if (print === "") return isAddition(change) && change.operation === operation;
  if (change.messageIndex !== messageIndex || isAddition(change)) return false;
  return blockIndex === WHOLE || change.blockIndex === null || change.blockIndex === blockIndex;
}

/**
 * Undoes, in a new condensation of `messages`, changes of content that the user wants to keep. Returns the result and
 * the choices with their current places, each with a `fault` if it could not be applied.
 * @param {readonly any[]} messages
 * @param {any} result
 * @param {Choice[]} choices
 */
function keepAgain(messages, result, choices) {
  const found = new Places(messages).find(choices);
  const wanted = found.map((choice) => (choice ? result.changes.filter((change) => concerns(change, choice)).map(({ id }) => id) : []));
  const { result: undone, refused: refusals } = takeBack(result, [...new Set(wanted.flat())]);
  const refused = new Map(refusals.map((one) => [one.id, one]));
  const faultOf = (at) => {
    if (!found[at]) return { code: "kept_gone", message: "what was to stay as it was stands in the history no more" };
    const refusal = wanted[at].map((id) => refused.get(id)).find(Boolean);
    return refusal && { code: refusal.code, message: refusal.reason };
  };
  const kept = choices.map((choice, at) => {
    const fault = faultOf(at);
    return { ...(found[at] ?? choice), ...(fault && { fault }) };
  });
  return { result: undone, kept };
}

/**
 * Undoes changes and all changes that depend on them. Returns the remaining result, the requested changes that were
 * undone, the dependent ones, and the refusals.
 * @param {any} result
 * @param {string[]} ids
 */
function takeBack(result, ids) {
  const { messages, restoreData } = result;
  const back = restore({ messages, restoreData }, { only: ids, withDependants: true });
  const of = (some) => {
    const wanted = new Set(some);
    return result.changes.filter(({ id }) => wanted.has(id));
  };
  const [undone, dependants] = [of(back.restored), of(back.dependants ?? [])];
  const gone = new Set([...undone, ...dependants]);
  const left = result.changes.filter((change) => !gone.has(change));
  return {
    result: { ...result, messages: back.messages, restoreData: back.restoreData, changes: left, didCondense: left.length > 0 },
    undone,
    dependants,
    refused: back.refused,
  };
}

module.exports = { keepAgain, takeBack, withChoices };
