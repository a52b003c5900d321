"use strict";

/**
 * The method of a manager by which the studio tries a condensation: `{ preview, result? }`. The result is whole, restore data included: an exact preview has done
 * all the work already, which would otherwise be done twice. None where a provider of the host is registered.
 */
const tried = Symbol.for("roo-condense.tried");

module.exports = { tried };
