"use strict";

/** Returns true if the value is an object, but not an array, and not a revoked proxy, which cannot be read. */
module.exports = (value) => {
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};
