"use strict";

// Written by `npm run generate`: every name that js/api.js exports, and js/studio/index.js, which is loaded by the first call, so that
// `import { name } from "roo-condense"` finds it.
/** @type {Record<string, any>} */
const api = require("./js/api.js");
/** @type {() => Record<string, any>} */
const studio = () => require("./js/studio/index.js");

exports.CondensationManager = api.CondensationManager;
exports.httpHandler = api.httpHandler;
exports.callbackHandler = api.callbackHandler;
exports.createNativeProvider = api.createNativeProvider;
exports.createSmartProvider = api.createSmartProvider;
exports.createLosslessProvider = api.createLosslessProvider;
exports.createTruncationProvider = api.createTruncationProvider;
exports.createPipeline = api.createPipeline;
exports.createAdaptive = api.createAdaptive;
exports.createCostAware = api.createCostAware;
exports.createQualityFirst = api.createQualityFirst;
exports.createPerUser = api.createPerUser;
exports.createAbTest = api.createAbTest;
exports.createProgressive = api.createProgressive;
exports.presets = api.presets;
exports.countTokens = api.countTokens;
exports.warmUp = api.warmUp;
exports.condenseResult = api.condenseResult;
exports.createRecall = api.createRecall;
exports.recommend = api.recommend;
exports.calibrateThresholds = api.calibrateThresholds;
exports.restore = api.restore;
exports.expand = api.expand;
exports.inspect = api.inspect;
exports.diffMessages = api.diffMessages;
exports.validateMessages = api.validateMessages;
exports.RooCondenseError = api.RooCondenseError;
exports.isRooCondenseError = api.isRooCondenseError;
exports.version = api.version;
exports.createStudioHost = (...given) => studio().createStudioHost(...given);
exports.studioPage = (...given) => studio().studioPage(...given);
