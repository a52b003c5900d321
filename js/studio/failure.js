"use strict";

/** A failure that the page shows to its user. */
class StudioFailure extends Error {
  constructor(code, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const failure = (code, message, cause) => new StudioFailure(code, message, cause);

module.exports = { StudioFailure, failure };
