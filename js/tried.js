"use strict";

/**
 * The key of a manager's internal method for the studio's dry runs, which resolves to `{ preview, result? }`. An exact dry run has already
 * done all the work, so it includes the complete result with restore data. There is no result if a custom provider is registered.
 */
const tried = Symbol.for("roo-condense.tried");

module.exports = { tried };
