"use strict";

// Timers, taken when the package is loaded, because tests of a host may replace the global ones later.

module.exports = require("node:timers");
