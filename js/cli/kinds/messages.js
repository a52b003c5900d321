"use strict";

// Lists of messages without a kind of their own: those of Roo-Code and its forks, and of other programs, in any
// supported format.

const isObject = require("../../is-object.js");

/**
 * Reads the whole list: `take(message)` returns the pieces of a message. Roo-Code keeps condensed and truncated
 * messages, with tags; its summary, or the marker of a truncation, is where that happened.
 */
const whole = () => (message) => {
  if (!isObject(message)) return undefined;
  if (message.isTruncationMarker) return [{ isBoundary: true }];
  return message.isSummary ? [{ isBoundary: true }, { message, isSummary: true }] : [{ message }];
};

module.exports = { whole };
