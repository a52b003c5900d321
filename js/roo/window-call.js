"use strict";

// Information that the window has and a condensation needs: how much may be left, and the profile. It is passed
// beside the parameters, because the window calls condensing through the host's own module, whose parameters are
// Roo-Code's.

const { AsyncLocalStorage } = require("node:async_hooks");

/**
 * @typedef {object} WindowCall
 * @property {number} prevContextTokens Tokens before.
 * @property {number} allowedTokens Maximum tokens in the context for the response to fit; 0 or less if it never fits.
 * @property {number} fittingTokens The same as `allowedTokens`, or half of the window if that is 0 or less.
 * @property {number} limitTokens Maximum tokens with which no further condensation is due.
 * @property {number} contextWindow Tokens.
 * @property {string} [currentProfileId]
 * @property {number} [tokensLeft] Tokens of the context after a manager's condensation; set if it succeeded.
 * @property {boolean} [keepsAll] Set if a manager of this package has shortened all messages but the first and the newest one. The other
 *   remaining messages are protected, or a log of the removed ones.
 * @property {(messages: readonly object[]) => Promise<number>} [tokensWith] Returns the tokens of the context with these messages; set if
 *   a manager was called.
 */

/** @type {AsyncLocalStorage<WindowCall>} */
const current = new AsyncLocalStorage();

/** The calls in progress. Work that the host starts during a call and leaves running does not belong to the call after its end. */
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
