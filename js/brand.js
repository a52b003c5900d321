"use strict";

// Two copies of this package can be in one process, of the same or of different versions: a host bundles one, and an
// extension of it has another. Each copy recognises its own objects by their private fields, and those of the other
// by this mark. The mark contains no secret, and does not show when an object is printed.

const { version } = require("../package.json");
const { argumentError, shown } = require("./errors.js");

const BRAND = Symbol.for("roo-condense.brand");

/**
 * Marks an object as one of this package.
 * @param {object} object
 * @param {{ kind: "handler" | "provider", open?: () => any }} facts `open` returns the data from which another copy can create its own
 * object
 */
function brand(object, facts) {
  Object.defineProperty(object, BRAND, { value: Object.freeze({ version, ...facts }) });
}

/**
 * Returns the mark of an object, if it has one.
 * @returns {{ version: string, kind: string, open?: () => any } | undefined}
 */
function brandOf(value) {
  try {
    const mark = typeof value === "object" && value !== null ? value[BRAND] : undefined;
    return typeof mark?.version === "string" ? mark : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the error for an object of another copy that cannot be used here. */
function ofAnotherCopy(field, what, mark, remedy) {
  const message =
    `${field} must be one of this copy of roo-condense ("${version}"), ${remedy}; got ${what} of another copy (version ${shown(mark.version)}); ` +
    "`npm ls roo-condense` lists the copies";
  return argumentError("invalid_argument", message, { field });
}

module.exports = { brand, brandOf, ofAnotherCopy };
