"use strict";

// `roo-condense/roo`: Roo-Code's own modules for condensing and for the window, with the host's services as
// parameters. Only counting, old tool results and a manager need the native binary: the rest loads and works without
// it.
// Assigned one by one so that `import { name } from "roo-condense/roo"` finds the names in this CommonJS module.

exports.createSlidingWindow = require("./sliding-window.js").createSlidingWindow;
exports.createCondense = require("./condense.js").createCondense;
exports.createContextManagement = require("./context-management.js").createContextManagement;
exports.createTaggedCondense = require("./tagged-condense.js").createTaggedCondense;
exports.calculateApiCostAnthropic = require("./cost.js").calculateApiCostAnthropic;
exports.calculateApiCostOpenAI = require("./cost.js").calculateApiCostOpenAI;
exports.countTokens = require("./tokens.js").countTokens;
exports.compressOldToolResults = require("./old-tool-results.js").compressOldToolResults;
exports.restoreDataOf = require("./old-tool-results.js").restoreDataOf;
exports.onToolResult = require("./on-tool-result.js").onToolResult;
