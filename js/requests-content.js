"use strict";

/** The option of a call by which its `requests` have their content, word for word; see js/integrations/telemetry.js. */
const keepsContent = Symbol.for("roo-condense.keepsContent");

module.exports = { keepsContent };
