"use strict";

// What has to be known of a configuration of the smart provider before the addon reads it: functions that choose among messages, which JSON
// cannot hold, and the profiles whose handlers it wants.

const { argumentError, messageOf, notAllowed } = require("./errors.js");
const { answerOf } = require("./host-call.js");
const { readAt } = require("./place.js");

/** The functions of a pass: where each stands, and what it chooses of messages, as their indices. */
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
 * `holder` with the field `messageIndices` in the place of the function `name` of what stands at `holders` in it.
 * @type {(holder: any, holders: string[], name: string, messageIndices: number[]) => any}
 */
function replaced(holder, [next, ...rest], name, messageIndices) {
  if (next !== undefined) return { ...holder, [next]: replaced(holder[next], rest, name, messageIndices) };
  const { [name]: _, ...others } = holder;
  return { ...others, messageIndices };
}

/** The configuration with what `indices(choose, function, path)` says in the place of every function. */
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

/** The configuration as it can be checked before there are messages. */
const withoutFunctions = (config) => readAt("config", config, () => withIndices(config, () => []));

/** What a function of the host answers; what it throws becomes a coded error. */
function answered(path, call) {
  return answerOf(call, (error) => {
    throw argumentError("invalid_argument", `${path} threw: ${messageOf(error)}`, { field: path, cause: error });
  });
}

/** The indices of what a function selected: some of the messages it was given, the same objects. */
function selected(select, path, messages) {
  const chosen = answered(path, () => select(messages.slice()));
  if (!Array.isArray(chosen)) throw notAllowed(path, chosen, "a function that returns an array of some of the messages");
  const wanted = new Set(chosen);
  const indices = messages.flatMap((message, index) => (wanted.delete(message) ? [index] : []));
  if (wanted.size > 0) throw notAllowed(path, [...wanted][0], "a function that returns messages it was given, the same objects");
  return indices;
}

/** The indices of the messages of which a condition holds. */
function accepted(holds, path, messages) {
  return messages.flatMap((message, messageIndex) => {
    const answer = answered(path, () => holds({ message, messageIndex, messageAge: messages.length - 1 - messageIndex }));
    if (typeof answer !== "boolean") throw notAllowed(path, answer, "a function that returns true or false");
    return answer ? [messageIndex] : [];
  });
}

/** The configuration of a call, with what its functions, or those of the provider's configuration that it adds to, choose among its messages. */
function configWithSelections(base, own, messages) {
  const whole = { ...base, ...own };
  if (!hasFunctions(whole) || !Array.isArray(messages)) return own;
  const { passes } = withIndices(whole, (choose, given, path) => choose(given, path, messages));
  return { ...own, passes };
}

/** The fields by which configurations name profiles whose handlers write summaries. */
const PROFILES = ["apiProfile", "condensingApiConfigId"];

/** The profiles that configurations name. */
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
  // Strategies have those of others inside their own.
  for (const config of configs) look(config);
  return named;
}

module.exports = { configWithSelections, profilesNamed, withoutFunctions };
