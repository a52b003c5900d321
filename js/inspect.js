"use strict";

// Inspects a conversation: its composition, and what each provider would leave of it.

const { notAllowed, readable } = require("./errors.js");
const { CondensationManager } = require("./manager.js");
const isObject = require("./is-object.js");

async function inspect(context, options = {}) {
  const { manager, ...rest } = readable("options", () => {
    if (!isObject(options)) throw notAllowed("options", options, "an object");
    return options;
  });
  // A manager of another copy of the package works too.
  if (manager !== undefined && typeof readable("options.manager", () => manager?.inspect) !== "function") {
    throw notAllowed("options.manager", manager, "a CondensationManager");
  }
  return (manager ?? new CondensationManager()).inspect(context, rest);
}

module.exports = { inspect };
