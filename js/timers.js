"use strict";

// Timers, captured when the package is loaded, because a host's tests may replace the global ones later.

module.exports = require("node:timers");
