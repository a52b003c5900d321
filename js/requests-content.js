"use strict";

/** The option of a call that adds contents, word for word, to its `requests`; see js/integrations/telemetry.js. */
const keepsContent = Symbol.for("roo-condense.keepsContent");

module.exports = { keepsContent };
