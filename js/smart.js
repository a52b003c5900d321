"use strict";

// Prepares a configuration of the smart provider for the addon: evaluates functions that choose messages, which JSON
// cannot hold, and finds the profiles whose handlers it needs.

const { argumentError, messageOf, notAllowed } = require("./errors.js");
const { answerOf } = require("./host-call.js");
const { readAt } = require("./place.js");

/** The functions of a pass: where each one is, and how to get the indices of the messages it chooses. */
const FUNCTIONS = [
  { holders: ["selection"], name: "customSelector", choose: selected },
  { holders: ["execution", "condition"], name: "executeIf", choose: accepted },
];

const functionOf = (pass, { holders, name }) => holders.reduce((inner, holder) => inner?.[holder], pass)?.[name];
const isFunction = (pass, place) =>
  typeof functionOf(pass, place) === "function" && (place.name !== "executeIf" || pass.execution.type === "conditional");
const hasFunctions = (config) =>
  Array.isArray(config?.passes) && config.passes.some((pass) => FUNCTIONS.some((place) => isFunction(pass, place)));

/**
 * Returns `holder` with the field `messageIndices` in place of the function `name` in the object at `holders`.
 * @type {(holder: any, holders: string[], name: string, messageIndices: number[]) => any}
 */
function replaced(holder, [next, ...rest], name, messageIndices) {
  if (next !== undefined) return { ...holder, [next]: replaced(holder[next], rest, name, messageIndices) };
  const { [name]: _, ...others } = holder;
  return { ...others, messageIndices };
}

/** Returns the configuration with the result of `indices(choose, function, path)` in place of every function. */
function withIndices(config, indices) {
  if (!hasFunctions(config)) return config;
  const passes = config.passes.map((pass, index) =>
    FUNCTIONS.filter((place) => isFunction(pass, place)).reduce((whole, place) => {
      const path = [`passes[${index}]`, ...place.holders, place.name].join(".");
      return replaced(whole, place.holders, place.name, indices(place.choose, functionOf(pass, place), path));
    }, pass),
  );
  return { ...config, passes };
}

/** Returns the configuration in a form that can be checked before there are messages. */
const withoutFunctions = (config) => readAt("config", config, () => withIndices(config, () => []));

/** Returns the result of a host function; anything that it throws becomes a coded error. */
function answered(path, call) {
  return answerOf(call, (error) => {
    throw argumentError("invalid_argument", `${path} threw: ${messageOf(error)}`, { field: path, cause: error });
  });
}

/** Returns the indices of the messages that a function selected: the same objects, from those it received. */
function selected(select, path, messages) {
  const chosen = answered(path, () => select(messages.slice()));
  if (!Array.isArray(chosen)) throw notAllowed(path, chosen, "a function that returns an array of some of the messages");
  const wanted = new Set(chosen);
  const indices = messages.flatMap((message, index) => (wanted.delete(message) ? [index] : []));
  if (wanted.size > 0) throw notAllowed(path, [...wanted][0], "a function that returns messages it was given, the same objects");
  return indices;
}

/** Returns the indices of the messages for which a condition is true. */
function accepted(holds, path, messages) {
  return messages.flatMap((message, messageIndex) => {
    const answer = answered(path, () => holds({ message, messageIndex, messageAge: messages.length - 1 - messageIndex }));
    if (typeof answer !== "boolean") throw notAllowed(path, answer, "a function that returns true or false");
    return answer ? [messageIndex] : [];
  });
}

/** Returns the configuration of a call, with the messages chosen by its functions, or by those of the provider's configuration that it extends. */
function configWithSelections(base, own, messages) {
  const whole = { ...base, ...own };
  if (!hasFunctions(whole) || !Array.isArray(messages)) return own;
  const { passes } = withIndices(whole, (choose, given, path) => choose(given, path, messages));
  return { ...own, passes };
}

/** The fields with which configurations name profiles whose handlers write summaries. */
const PROFILES = ["apiProfile", "condensingApiConfigId"];

/** Returns the profiles that configurations name. */
function profilesNamed(configs) {
  const named = new Set();
  const seen = new Set();
  const look = (value) => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [name, inner] of Object.entries(value)) {
      if (PROFILES.includes(name) && typeof inner === "string") named.add(inner);
      else look(inner);
    }
  };
  // Strategies contain the configurations of other providers.
  for (const config of configs) look(config);
  return named;
}

module.exports = { configWithSelections, profilesNamed, withoutFunctions };
