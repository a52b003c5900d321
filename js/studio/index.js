"use strict";

// The studio, as `roo-condense` exports it.

const { createStudioHost } = require("./host.js");
const { webviewPage } = require("./html.js");

exports.createStudioHost = createStudioHost;
exports.studioPage = webviewPage;
