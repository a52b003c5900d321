"use strict";

// How the program ends. Whatever ends with another code than 0 has changed no file, but those of other histories of the same call; where only the report could
// not be printed, the message says so.

const EXIT = Object.freeze({
  /** Done, or there was nothing to gain. */
  done: 0,
  failed: 1,
  usage: 2,
  unreadable: 3,
  notJson: 4,
  notMessages: 5,
  targetNotMet: 6,
  notWritten: 7,
  misshapen: 8,
  /** 128 and the number of the signal, SIGHUP, SIGINT or SIGTERM, as shells have it. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
});

/** The lines of the help text. */
const MEANINGS = Object.freeze([
  [EXIT.done, "done, or nothing to gain (the report says which)"],
  [EXIT.failed, "the condensation failed, or the model did not answer"],
  [EXIT.usage, "wrong usage: options, or a configuration the provider refuses"],
  [EXIT.unreadable, "the file is missing or cannot be read"],
  [EXIT.notJson, "the file is not JSON in UTF-8; the message names line and column"],
  [EXIT.notMessages, "the JSON is not a history of messages"],
  [EXIT.targetNotMet, "the target is out of reach"],
  [EXIT.notWritten, "the result could not be written"],
  [EXIT.misshapen, "validate found shape problems"],
  [EXIT.hungUp, "the terminal went away"],
  [EXIT.interrupted, "interrupted"],
  [EXIT.terminated, "ended by SIGTERM"],
]);

/** The fixed word of an exit code, for `--json`. */
function codeName(code) {
  const [name] = Object.entries(EXIT).find(([, value]) => value === code) ?? ["failed"];
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A failure that the user can act on: printed without a stack. `hints` are further lines, printed as they are. */
class Failure extends Error {
  /**
   * @param {number} exitCode
   * @param {string | { message: string, said: object }} message in English, or also as what it is made of
   * @param {{ hints?: string[], code?: string, cause?: unknown }} [more] `code`: the fixed word for `--json`
   */
  constructor(exitCode, message, { hints = [], code = codeName(exitCode), cause } = {}) {
    super(typeof message === "string" ? message : message.message, cause === undefined ? undefined : { cause });
    this.said = typeof message === "string" ? undefined : message.said;
    this.exitCode = exitCode;
    this.hints = hints;
    this.code = code;
  }
}

module.exports = { EXIT, Failure, MEANINGS };
