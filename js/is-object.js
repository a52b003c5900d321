"use strict";

/** Whether the value is an object, no array and no proxy that was revoked, of which nothing can be read. */
module.exports = (value) => {
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};
