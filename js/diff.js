"use strict";

// What differs between two versions of a message, line by line.

const native = require("#native");
const { checked, outOfRange, refuseUnknown } = require("./errors.js");
const { serializeMessages } = require("./serialize.js");

const LIMITS = Object.freeze({ context: 2, lines: 200, characters: 400 });
const MOST = 1_000_000;

/** How the texts of a message differ from those it had; `null` stands for a message that is not there. */
function diffMessages(before, after, limits = {}, format = undefined) {
  refuseUnknown("limits", limits, Object.keys(LIMITS));
  const { context, lines, characters } = { ...LIMITS, ...limits };
  for (const [name, value] of Object.entries({ context, lines, characters })) {
    if (!Number.isInteger(value) || value < 0 || value > MOST)
      throw outOfRange(`limits.${name}`, value, `a whole number from 0 to ${MOST.toLocaleString("en-US")}`);
  }
  const pair = serializeMessages([before ?? null, after ?? null], "messages");
  return JSON.parse(checked(() => native.messageDiff(pair, context, lines, characters, format)));
}

module.exports = { diffMessages };
