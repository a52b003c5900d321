"use strict";

// Replaces `native.js` in browsers (`imports` of package.json), where no files can be searched: the addon is the one
// that `load()` of roo-condense-wasm has set.

const { coded } = require("./errors.js");
const { version } = require("../package.json");

const addon = globalThis[Symbol.for("roo-condense.addon")];
const found = typeof addon?.version === "function" ? addon.version() : undefined;
if (found !== version) {
  const what = found === undefined ? "is not loaded" : `is of version ${found}, this is ${version}`;
  const message = `roo-condense runs as WebAssembly here, which ${what}: \`await load(...)\` of roo-condense-wasm@${version} before roo-condense is imported.`;
  throw coded(new Error(message), { code: "binary_not_found" });
}

module.exports = addon;
