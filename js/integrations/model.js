"use strict";

// The common parts of official clients as handlers: their options, and how a request ends.

const { notAllowed, outOfRange, readable, refuseUnknown } = require("../errors.js");
const isObject = require("../is-object.js");

const OPTIONS = ["model", "maxTokens", "contextWindow", "price", "timeoutMs", "idleTimeoutMs"];

/** Checks the options of a client as a handler; `create` is the method that it must have. */
function requireModel(create, options) {
  if (typeof create !== "function") throw notAllowed("client", create, "a client of the official package");
  return readable("options", () => {
    if (!isObject(options)) throw notAllowed("options", options, "an object: { model, … }");
    refuseUnknown("options", options, OPTIONS);
    const { model, maxTokens } = options;
    if (typeof model !== "string" || model === "") throw notAllowed("options.model", model, "the name of a model");
    if (maxTokens !== undefined && typeof maxTokens !== "number") throw notAllowed("options.maxTokens", maxTokens, "a number, 1 or more");
    if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens > 0))
      throw outOfRange("options.maxTokens", maxTokens, "a whole number, 1 or more");
    return { ...options };
  });
}

/**
 * Returns the chunks of a request that ends with the iteration. `return()` of a generator alone would wait for the
 * service, which may never respond.
 * @param {(signal: AbortSignal) => AsyncGenerator<any>} chunksOf
 */
function abortable(chunksOf) {
  const controller = new AbortController();
  const chunks = chunksOf(controller.signal);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => chunks.next(),
    return() {
      controller.abort();
      return chunks.return(undefined);
    },
  };
}

module.exports = { abortable, requireModel };
