"use strict";

/** The usage in one line. */
const USAGE = "roo-condense HISTORY.json [options]";

module.exports = { USAGE };
