"use strict";

// Returns line differences between two versions of a message.

const native = require("#native");
const { checked, outOfRange, refuseUnknown } = require("./errors.js");
const { serializeMessages } = require("./serialize.js");

const LIMITS = Object.freeze({ context: 2, lines: 200, characters: 400 });
const MOST = 1_000_000;

/** Returns how the texts of a message differ from its earlier version; `null` represents a missing message. */
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
