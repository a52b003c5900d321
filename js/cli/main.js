#!/usr/bin/env node
"use strict";

// The program `roo-condense`.

const { EXIT, Failure } = require("./exit-codes.js");
const { run } = require("./run.js");

/** A reader that has seen enough (`| head`) is no failure. What else goes wrong with standard output is known to who writes to it. */
process.stdout.on("error", (error) => {
  if (error.code === "EPIPE") process.exit();
});
/** There is nobody left to tell, and the work goes on. */
process.stderr.on("error", () => {});

function loadLibrary() {
  try {
    return require("../api.js");
  } catch (error) {
    if (error.code !== "binary_not_found") throw error;
    throw new Failure(EXIT.failed, error.message, { code: error.code, cause: error });
  }
}

// The exit code is set and the process left to end by itself, so that all output gets out.
run(process.argv.slice(2), { loadLibrary }).then((code) => {
  process.exitCode = code;
});
