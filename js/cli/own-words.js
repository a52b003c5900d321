"use strict";

// Errors and warnings of the package in the words of the command line, which has flags and no options of the JavaScript API.

const { FLAGS, flagNamed } = require("./flags.js");

const KEYS = "the key in ANTHROPIC_API_KEY or OPENAI_API_KEY";

/** Messages by error code, for a command. */
const BY_CODE = Object.freeze({
  handler_invalid: (command) =>
    flagNamed("llm").commands.includes(command)
      ? "this needs a language model: name it with --llm API --model MODEL"
      : `this needs a language model, which ${command} does not call`,
});

/** Advice by error code, which follows the last semicolon, where the API has options for it and the command line has none. */
const ADVICE = Object.freeze({
  llm_timeout: "choose a faster model",
  llm_response_too_large: "choose another model",
  llm_bad_request: "check --model and the messages",
});

/** Paths of options and their flags, the longest first. */
const PATHS = FLAGS.flatMap(({ name, options = [], answers }) => {
  const paths = answers ? [answers, `answers.${answers}`] : options;
  return paths.map((path) => ({ path, flag: `--${name}` }));
}).sort((one, other) => other.path.length - one.path.length);

/** What follows a path in a message about its value. */
const IS_FAULT = /^(?:[.[]\S*)?(?:: | must be | is missing| is unknown| threw: | cannot be )/;

/** A line with the flag in place of the path that it begins with. */
function withFlag(line) {
  const found = PATHS.find(({ path }) => line.startsWith(path) && IS_FAULT.test(line.slice(path.length)));
  if (!found) return line.startsWith("apiKey ") ? line.replace("apiKey", KEYS) : line;
  const rest = line.slice(found.path.length);
  // `--config: mode must be ...`, `--tools["my_*"].path must be ...`.
  return `${found.flag}${rest.startsWith(".") ? `: ${rest.slice(1)}` : rest}`;
}

/** A line with flags in place of the options that it quotes, and of the handler, which `--llm` is here. */
const withFlags = (line) =>
  line.replace(/\bthere is no handler\b/g, "there is no --llm").replace(/`(\w+)(?:: true)?`/g, (quoted, option) => {
    if (option === "apiKey") return KEYS;
    const found = PATHS.find(({ path }) => path === option);
    return found ? found.flag : quoted;
  });

/** The message of an error, or of a warning about one, for somebody who typed a command. */
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
