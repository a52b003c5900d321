#!/usr/bin/env node
"use strict";

// The program `roo-condense`.

const { EXIT, Failure } = require("./exit-codes.js");
const { run } = require("./run.js");

/** A reader that closes the pipe (`| head`) is no failure. Other errors of standard output reach the code that writes to it. */
process.stdout.on("error", (error) => {
  if (error.code === "EPIPE") process.exit();
});
/** Ignores the error, because there is no place to report it, and the work continues. */
process.stderr.on("error", () => {});

function loadLibrary() {
  try {
    return require("../api.js");
  } catch (error) {
    if (error.code !== "binary_not_found") throw error;
    throw new Failure(EXIT.failed, error.message, { code: error.code, cause: error });
  }
}

// Sets the exit code and lets the process end by itself, so that all output is written.
const endWith = (code) => {
  process.exitCode = code;
};
run(process.argv.slice(2), { loadLibrary, endWith }).then(endWith);
