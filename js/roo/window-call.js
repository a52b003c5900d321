"use strict";

// Information that the window has and a condensation needs: how much may be left, and the profile. It is passed
// beside the parameters, because the window calls condensing through the host's own module, whose parameters are
// Roo-Code's.

const { AsyncLocalStorage } = require("node:async_hooks");

/**
 * @typedef {object} WindowCall
 * @property {number} prevContextTokens Tokens before.
 * @property {number} allowedTokens Tokens that may be in the context so that the answer fits; 0 or less where nothing does.
 * @property {number} fittingTokens Tokens that fit; as `allowedTokens`, or half of a window that leaves nothing.
 * @property {number} limitTokens Tokens that may be left for nothing to be due any more.
 * @property {number} contextWindow Tokens.
 * @property {string} [currentProfileId]
 * @property {number} [tokensLeft] Set by a condensation of a manager that succeeded: tokens of the context after it.
 * @property {boolean} [keepsAll] Set when a manager of this package has shortened all but the first message and the newest one: what it has left beside
 *   them is protected, or tells of all that went.
 * @property {(messages: readonly object[]) => Promise<number>} [tokensWith] Set when a manager was asked: tokens of the context with these
 *   messages instead of those that it was given.
 */

/** @type {AsyncLocalStorage<WindowCall>} */
const current = new AsyncLocalStorage();

/** The calls in progress. Work that the host starts in one and leaves running is no part of it once it is over. */
const open = new WeakSet();

/** Runs `work` as part of a call of the window. */
async function asWindowCall(call, work) {
  open.add(call);
  try {
    return await current.run(call, work);
  } finally {
    open.delete(call);
  }
}

/** Returns the call of the window that asks for the condensation, if there is one. */
function windowCall() {
  const call = current.getStore();
  return call && open.has(call) ? call : undefined;
}

module.exports = { asWindowCall, windowCall };
