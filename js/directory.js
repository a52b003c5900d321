"use strict";

// Looks up users' preferences with a function of the host.

const { messageOf, shown } = require("./errors.js");
const isObject = require("./is-object.js");
const { serializeSettings } = require("./serialize.js");

/** Returns the function that the addon calls with `{ user }`. It always resolves; errors are in the reply. */
function directoryCallback(lookUp) {
  return async (json) => {
    try {
      const found = await lookUp(JSON.parse(json).user);
      if (found != null && !isObject(found)) throw new TypeError(`lookUp() returned ${shown(found)}; expected preferences or nothing`);
      return `{"found":${serializeSettings(found ?? null, "lookUp()")}}`;
    } catch (error) {
      return JSON.stringify({ error: messageOf(error).toWellFormed() });
    }
  };
}

module.exports = { directoryCallback };
