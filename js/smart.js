"use strict";

// What has to be known of a configuration of the smart provider before the addon reads it: functions that select messages, which JSON
// cannot hold, and the profiles whose handlers it wants.

const { argumentError, messageOf, notAllowed } = require("./errors.js");
const { answerOf } = require("./host-call.js");
const { readAt } = require("./place.js");

const isSelecting = (pass) => typeof pass?.selection?.customSelector === "function";

const selects = (config) => Array.isArray(config?.passes) && config.passes.some(isSelecting);

/** The configuration with `indices(function, path)` in the place of every function. */
function withIndices(config, indices) {
  if (!selects(config)) return config;
  const passes = config.passes.map((pass, index) => {
    if (!isSelecting(pass)) return pass;
    const { customSelector, ...selection } = pass.selection;
    return { ...pass, selection: { ...selection, messageIndices: indices(customSelector, `passes[${index}].selection.customSelector`) } };
  });
  return { ...config, passes };
}

/** The configuration as it can be checked before there are messages. */
const withoutFunctions = (config) => readAt("config", config, () => withIndices(config, () => []));

/** The indices of what a function chose: some of the messages it was given, the same objects. */
function chosen(select, path, messages) {
  const threw = (error) => {
    throw argumentError("invalid_argument", `${path} threw: ${messageOf(error)}`, error);
  };
  const selected = answerOf(() => select(messages.slice()), threw);
  if (!Array.isArray(selected)) throw notAllowed(path, selected, "a function that returns an array of some of the messages");
  const wanted = new Set(selected);
  const indices = messages.flatMap((message, index) => (wanted.delete(message) ? [index] : []));
  if (wanted.size > 0) throw notAllowed(path, [...wanted][0], "a function that returns messages it was given, the same objects");
  return indices;
}

/** The configuration of a call, with what its functions, or those of the provider's configuration that it adds to, choose among its messages. */
function configWithSelections(base, own, messages) {
  const whole = { ...base, ...own };
  if (!selects(whole) || !Array.isArray(messages)) return own;
  const { passes } = withIndices(whole, (select, path) => chosen(select, path, messages));
  return { ...own, passes };
}

/** The profiles that configurations name as `apiProfile`. */
function profilesNamed(configs) {
  const named = new Set();
  const seen = new Set();
  const look = (value) => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [name, inner] of Object.entries(value)) {
      if (name === "apiProfile" && typeof inner === "string") named.add(inner);
      else look(inner);
    }
  };
  // Strategies have those of others inside their own.
  for (const config of configs) look(config);
  return named;
}

module.exports = { configWithSelections, profilesNamed, withoutFunctions };
