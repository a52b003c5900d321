"use strict";

// The public functions and classes, except those of the studio. `index.js` names them one by one (scripts/generate.mjs), so that
// `import { name } from "roo-condense"` finds the names in a CommonJS module.

const native = require("#native");
const { calibrateThresholds } = require("./calibrate.js");
const { RooCondenseError, isRooCondenseError } = require("./errors.js");
const { countTokens, warmUp } = require("./count.js");
const { condenseResult } = require("./condense-result.js");
const { diffMessages } = require("./diff.js");
const { expand } = require("./expand.js");
const { callbackHandler, httpHandler } = require("./handlers.js");
const { CondensationManager } = require("./manager.js");
const { inspect } = require("./inspect.js");
const { presets } = require("./presets.js");
const { factories } = require("./provider.js");
const { createRecall } = require("./recall/index.js");
const { recommend } = require("./recommend.js");
const { restore } = require("./restore.js");
const { validateMessages } = require("./validate.js");

/** Freezes a value deeply, because presets are shared by all code that loads the package. */
function deepFrozen(value) {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}

exports.CondensationManager = CondensationManager;
exports.httpHandler = httpHandler;
exports.callbackHandler = callbackHandler;
Object.assign(exports, factories);
exports.presets = deepFrozen(presets());
exports.countTokens = countTokens;
exports.warmUp = warmUp;
exports.condenseResult = condenseResult;
exports.createRecall = createRecall;
exports.recommend = recommend;
exports.calibrateThresholds = calibrateThresholds;
exports.restore = restore;
exports.expand = expand;
exports.inspect = inspect;
exports.diffMessages = diffMessages;
exports.validateMessages = validateMessages;
exports.RooCondenseError = RooCondenseError;
exports.isRooCondenseError = isRooCondenseError;
exports.version = native.version;
