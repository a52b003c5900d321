"use strict";

// Prints the program's output: reports on standard output, failures on standard error.

const { EXIT, Failure } = require("./exit-codes.js");
const { colours, widthOf, wrap } = require("./terminal.js");

/** Prints, and waits until it is written: the disk may be full. A reader that closes the pipe is no failure. */
async function print(stream, text) {
  try {
    await new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve(undefined))));
  } catch (error) {
    const { notWritten } = require("./output-file.js");
    if (error.code !== "EPIPE") throw notWritten("standard output", error);
  }
}

/** Returns a failure for a history that cannot be processed, such as one nested too deep, which is no bug of the program. */
const failureOf = (error) =>
  ["not_serializable", "unreadable"].includes(error?.code) && !(error instanceof Failure)
    ? new Failure(EXIT.failed, error.message, { code: error.code, cause: error })
    : error;

/** Prints a failure. */
function tell(error, { stderr, env, color }) {
  const { red } = colours(stderr, env, color);
  const known = error instanceof Failure;
  const message = known ? error.message : `internal error: ${error?.message ?? error}; please report it`;
  const lines = [message, ...(known ? error.hints : [])];
  if (!known) lines.push(env.ROO_CONDENSE_DEBUG ? String(error?.stack) : "ROO_CONDENSE_DEBUG=1 shows where it happened.");
  // A message may quote the history or an argument, so control characters are replaced. Colours are added afterwards.
  const width = stderr.isTTY ? widthOf(stderr) : Number.POSITIVE_INFINITY;
  // Lines of a file are kept together with the mark below them.
  const hints = lines.slice(1).flatMap((line) => (/^ |\n/.test(line) ? [line] : wrap(line, width)));
  const [first, ...others] = [...wrap(lines[0], width - "roo-condense: ".length), ...hints]
    .join("\n")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
    .split("\n");
  stderr.write(`${[`${red("roo-condense:")} ${first}`, ...others].join("\n")}\n`);
}

const failureJson = (error) => ({
  code: error instanceof Failure ? error.code : "internal_error",
  ...(error instanceof Failure && error.field !== undefined && { field: error.field }),
  message: String(error?.message ?? error),
});

module.exports = { failureJson, failureOf, print, tell };
