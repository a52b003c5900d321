"use strict";

// Rewords errors and warnings of the package for the command line, which has flags and no JavaScript options.

const { FLAGS, flagNamed } = require("./flags.js");

const KEYS = "the key in ANTHROPIC_API_KEY or OPENAI_API_KEY";

/** Messages by error code, for a command. */
const BY_CODE = Object.freeze({
  handler_invalid: (command) =>
    flagNamed("llm").commands.includes(command)
      ? "this needs a language model: name it with --llm API --model MODEL"
      : `this needs a language model, which ${command} does not call`,
});

/** Advice by error code. It replaces the text after the last semicolon, which names JavaScript options that the command line lacks. */
const ADVICE = Object.freeze({
  llm_timeout: "choose a faster model",
  llm_response_too_large: "choose another model",
  llm_bad_request: "check --model and the messages",
});

/** The paths of options with their flags, the longest first. */
const PATHS = FLAGS.flatMap(({ name, options = [], answers }) => {
  const paths = answers ? [answers, `answers.${answers}`] : options;
  return paths.map((path) => ({ path, flag: `--${name}` }));
}).sort((one, other) => other.path.length - one.path.length);

/** Matches the text after a path in a message about its value. */
const IS_FAULT = /^(?:[.[]\S*)?(?:: | must be | is missing| is unknown| threw: | cannot be )/;

/** Replaces the path at the beginning of a line by its flag. */
function withFlag(line) {
  const found = PATHS.find(({ path }) => line.startsWith(path) && IS_FAULT.test(line.slice(path.length)));
  if (!found) return line.startsWith("apiKey ") ? line.replace("apiKey", KEYS) : line;
  const rest = line.slice(found.path.length);
  // `--config: mode must be ...`, `--tools["my_*"].path must be ...`.
  return `${found.flag}${rest.startsWith(".") ? `: ${rest.slice(1)}` : rest}`;
}

/** Replaces quoted options in a line by flags, and the handler by `--llm`. */
const withFlags = (line) =>
  line.replace(/\bthere is no handler\b/g, "there is no --llm").replace(/`(\w+)(?:: true)?`/g, (quoted, option) => {
    if (option === "apiKey") return KEYS;
    const found = PATHS.find(({ path }) => path === option);
    return found ? found.flag : quoted;
  });

/** Returns the message of an error or warning for a user of the command line. */
function inOwnWords({ code, errorCode = code, message }, command) {
  const own = BY_CODE[errorCode ?? ""];
  if (own) return own(command);
  const advice = ADVICE[errorCode ?? ""];
  const advised = advice ? message.replace(/; [^;]*$/, `; ${advice}`) : message;
  return advised
    .split("\n")
    .map((line) => withFlags(withFlag(line)))
    .join("\n");
}

module.exports = { inOwnWords };
