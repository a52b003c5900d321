"use strict";

// Assigned one by one so that `import { name } from "roo-condense"` finds the names in this CommonJS module.

const native = require("./js/native.js");
const { checked } = require("./js/errors.js");
const { countTokens, warmUp } = require("./js/count.js");
const { expand } = require("./js/expand.js");
const { callbackHandler, httpHandler } = require("./js/handlers.js");
const { CondensationManager } = require("./js/manager.js");
const { createLosslessProvider, createNativeProvider, createSmartProvider, createTruncationProvider } = require("./js/provider.js");
const { restore } = require("./js/restore.js");
const { serializeMessages } = require("./js/serialize.js");

exports.CondensationManager = CondensationManager;
exports.httpHandler = httpHandler;
exports.callbackHandler = callbackHandler;
exports.createNativeProvider = createNativeProvider;
exports.createLosslessProvider = createLosslessProvider;
exports.createTruncationProvider = createTruncationProvider;
exports.createSmartProvider = createSmartProvider;
exports.presets = JSON.parse(native.smartPresets());
exports.countTokens = countTokens;
exports.warmUp = warmUp;
exports.restore = restore;
exports.expand = expand;
exports.validateMessages = (messages) => JSON.parse(checked(() => native.findProblems(serializeMessages(messages, "messages"))));
exports.version = native.version;
