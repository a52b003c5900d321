"use strict";

// Finds which message of a condensed history was which before.

const isObject = (value) => typeof value === "object" && value !== null;

/** Fields that distinguish messages and blocks. */
const MARKS = ["role", "ts", "type", "id", "tool_use_id"];
const isAlike = (before, after) => isObject(before) && isObject(after) && MARKS.every((mark) => before[mark] === after[mark]);

/** Returns, for each element of `after`, the index of the element of `before` that it is or was made from; -1 for a new one. */
function origins(before, after) {
  if (before.length === after.length && !after.some(isObject)) return after.map((_, index) => index);
  const index = new Map();
  before.forEach((element, position) => isObject(element) && index.set(element, position));
  const found = after.map((element) => (isObject(element) ? (index.get(element) ?? -1) : -1));
  // Identical objects divide both arrays into stretches; within one, order and marks decide.
  let limit = before.length;
  const limits = found.map(() => 0);
  for (let position = found.length - 1; position >= 0; position--) {
    limits[position] = limit;
    if (found[position] !== -1) limit = found[position];
  }
  let next = 0;
  found.forEach((origin, position) => {
    if (origin === -1) {
      for (let candidate = next; candidate < limits[position]; candidate++) {
        if (!isAlike(before[candidate], after[position])) continue;
        found[position] = candidate;
        break;
      }
    }
    if (found[position] !== -1) next = found[position] + 1;
  });
  return found;
}

module.exports = { origins };
