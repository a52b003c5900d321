"use strict";

// Errors and warnings of the package in words of the command line: who types a command has flags, and no options of the JavaScript API.

const { flagNamed } = require("./flags.js");

/** Messages by the code of the error, for a command. */
const BY_CODE = Object.freeze({
  handler_invalid: (command) =>
    flagNamed("llm").commands.includes(command)
      ? "a language model is to be asked: --llm API --model MODEL say which"
      : `a language model is to be asked, which ${command} does not do`,
});

/** Flags by the field of the error, with which its message begins. */
const FLAGS_BY_FIELD = Object.freeze({ "options.preset": "--preset" });

/** The message of an error, or of a warning about one, for who uses a command. */
function inOwnWords({ code, errorCode = code, field, message }, command) {
  if (Object.hasOwn(BY_CODE, errorCode ?? "")) return BY_CODE[errorCode](command);
  const flag = FLAGS_BY_FIELD[field ?? ""];
  return flag && message.startsWith(field) ? `${flag}${message.slice(field.length)}` : message;
}

module.exports = { inOwnWords };
