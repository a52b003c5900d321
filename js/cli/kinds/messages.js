"use strict";

// Lists of messages that are no kind of their own: Roo-Code's and its forks', and those of other programs, in any format that is read.

const isObject = require("../../is-object.js");

/**
 * The whole list: `take(message)` gives the pieces of a message. Roo-Code keeps what was condensed or truncated, with tags; its summary, or the marker of a truncation, stands where
 * that happened.
 */
const whole = () => (message) => {
  if (!isObject(message)) return undefined;
  if (message.isTruncationMarker) return [{ isBoundary: true }];
  return message.isSummary ? [{ isBoundary: true }, { message, isSummary: true }] : [{ message }];
};

module.exports = { whole };
