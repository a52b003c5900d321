"use strict";

// Keeps the restore data of condensations in a store of the host, for hosts that keep neither the whole messages nor
// the restore data.

const { argumentError, messageOf } = require("../errors.js");
const { stringify } = require("../deep-json.js");
const { fingerprintOfMessages, lengthIn } = require("../fingerprints.js");
const { restore } = require("../restore.js");

const failed = (message, cause) => argumentError("store_failed", message, { ...(cause && { cause }) });

/**
 * One conversation in a store. Condensations are numbered from 1, the oldest first; the key of the conversation alone
 * contains their number.
 */
class LeftOut {
  #store;
  #name;
  #last = Promise.resolve();

  constructor(store, conversation) {
    this.#store = store;
    this.#name = `roo-condense:recall:${conversation}`;
  }

  /** Adds the restore data of a condensation. Settles when the store has confirmed it; calls wait for each other. */
  keep(restoreData) {
    const kept = this.#last.then(async () => {
      const number = (await this.#number()) + 1;
      await this.#set(`${this.#name}:${number}`, stringify(restoreData));
      await this.#set(this.#name, String(number));
    });
    this.#last = kept.catch(() => {});
    return kept;
  }

  /**
   * Returns the conversation before its condensations, and how many of them could not be undone because the store no
   * longer has them, or they belong to other messages.
   * @param {readonly any[]} messages the conversation as it is now
   */
  async whole(messages) {
    let whole = messages;
    let missing = 0;
    for (let number = await this.#number(); number > 0; number--) {
      const before = undone(whole, await this.#get(`${this.#name}:${number}`));
      if (before) whole = before;
      else missing++;
    }
    return { messages: whole, missing };
  }

  async #number() {
    const number = Number((await this.#get(this.#name)) ?? 0);
    return Number.isSafeInteger(number) && number > 0 ? number : 0;
  }

  #get(key) {
    return keptText(this.#store, key);
  }

  #set(key, text) {
    return keepText(this.#store, key, text, "go on with the messages before the condensation");
  }
}

/**
 * Keeps a text in a store and reads it back, because stores report failures differently: by throwing, by false, or
 * not at all. `advice` says what to do without it.
 */
async function keepText(store, key, text, advice) {
  try {
    await store.set(key, text);
  } catch (error) {
    throw failed(`the store failed to keep ${key}: ${messageOf(error)}; ${advice}`, error);
  }
  if ((await keptText(store, key)) !== text)
    throw failed(`the store did not keep ${key}: what it returns is not what it was given; ${advice}`);
}

/** Returns the value of a key in a store. */
async function keptText(store, key) {
  try {
    return await store.get(key);
  } catch (error) {
    throw failed(`the store failed to read ${key}: ${messageOf(error)}`, error);
  }
}

/**
 * Returns the messages before a condensation, or the messages themselves if the host did not continue with its result;
 * undefined if its data does not match.
 */
function undone(messages, text) {
  if (typeof text !== "string") return undefined;
  try {
    const restoreData = JSON.parse(text);
    const { original, format } = restoreData;
    const isBefore = fingerprintOfMessages(messages.slice(0, lengthIn(original)), format) === original;
    return isBefore ? messages : restore({ messages, restoreData });
  } catch {
    return undefined;
  }
}

module.exports = { LeftOut, keepText, keptText };
