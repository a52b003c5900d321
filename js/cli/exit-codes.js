"use strict";

// The exit codes of the program. With any code but 0, the history that failed was not changed; if only the report
// could not be printed, the message says so.

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
  /** 128 and the number of the signal (SIGHUP, SIGINT or SIGTERM), as in shells. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
});

/** The lines of the help text. */
const MEANINGS = Object.freeze([
  [EXIT.done, "done, or there was nothing to gain; the report says which"],
  [EXIT.failed, "the condensation failed, or the model did not respond"],
  [EXIT.usage, "wrong usage: arguments, or an invalid configuration"],
  [EXIT.unreadable, "the file does not exist or cannot be read"],
  [EXIT.notJson, "the file is not JSON in UTF-8; the message names line and column"],
  [EXIT.notMessages, "the JSON is not a history of messages"],
  [EXIT.targetNotMet, "the target cannot be reached"],
  [EXIT.notWritten, "the result could not be written"],
  [EXIT.misshapen, "validate found shape problems"],
  [EXIT.hungUp, "the terminal was closed"],
  [EXIT.interrupted, "interrupted"],
  [EXIT.terminated, "terminated (SIGTERM)"],
]);

/** Returns the fixed word of an exit code, for `--json`. */
function codeName(code) {
  const [name] = Object.entries(EXIT).find(([, value]) => value === code) ?? ["failed"];
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A failure that the user can act on, printed without a stack. */
class Failure extends Error {
  /**
   * @param {number} exitCode
   * @param {string | { message: string, said: object }} message in English; also as a code and values, if it is translatable
   * @param {{ hints?: string[], code?: string, field?: string, cause?: unknown }} [more] `hints`: further lines; for `--json`, `code`: the fixed word, and `field`: the
   *   flag that the failure is about
   */
  constructor(exitCode, message, { hints = [], code = codeName(exitCode), field, cause } = {}) {
    super(typeof message === "string" ? message : message.message, cause === undefined ? undefined : { cause });
    this.said = typeof message === "string" ? undefined : message.said;
    this.exitCode = exitCode;
    this.hints = hints;
    this.field = field;
    this.code = code;
  }
}

module.exports = { EXIT, Failure, MEANINGS, codeName };
