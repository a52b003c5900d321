"use strict";

/**
 * The method of a manager with which the studio tries a condensation: `{ preview, result? }`. The result is complete,
 * with restore data: an exact preview has already done all the work, which would otherwise be done twice. There is no
 * result if a custom provider is registered.
 */
const tried = Symbol.for("roo-condense.tried");

module.exports = { tried };
