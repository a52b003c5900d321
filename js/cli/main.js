#!/usr/bin/env node
"use strict";

// The program `roo-condense`.

const { EXIT, Failure } = require("./exit-codes.js");
const { run } = require("./run.js");

/** A reader that has seen enough (`| head`) is no failure. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

function loadLibrary() {
  try {
    return require("../../index.js");
  } catch (error) {
    if (error.code !== "binary_not_found") throw error;
    throw new Failure(EXIT.failed, error.message, { code: error.code, cause: error });
  }
}

// The exit code is set and the process left to end by itself, so that all output gets out.
run(process.argv.slice(2), { loadLibrary }).then((code) => {
  process.exitCode = code;
});
