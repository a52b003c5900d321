"use strict";

// What has to be known of a configuration of the smart provider before the addon reads it: functions that select messages, which JSON
// cannot hold, and the profiles whose handlers it wants.

const { argumentError, messageOf, notAllowed, readable } = require("./errors.js");

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
const withoutFunctions = (config) => readable("config", () => withIndices(config, () => []));

/** The indices of what a function chose: some of the messages it was given, the same objects. */
function chosen(select, path, messages) {
  let selected;
  try {
    selected = select(messages.slice());
  } catch (error) {
    throw argumentError("invalid_argument", `${path} threw: ${messageOf(error)}`, error);
  }
  if (!Array.isArray(selected)) throw notAllowed(path, selected, "a function that returns an array of some of the messages");
  const wanted = new Set(selected);
  const indices = messages.flatMap((message, index) => (wanted.delete(message) ? [index] : []));
  if (wanted.size > 0) throw notAllowed(path, [...wanted][0], "a function that returns messages it was given, the same objects");
  return indices;
}

/**
 * The options of a call, with what functions choose among its messages. `configOf` gives the configuration of the provider, of which that of
 * the call replaces fields.
 */
function optionsWithSelections(configOf, context, options) {
  let whole;
  try {
    whole = { ...configOf(), ...options?.config };
    if (!selects(whole) || !Array.isArray(context?.messages)) return options;
  } catch {
    // What cannot be read is refused with its name where all options are read.
    return options;
  }
  const { passes } = withIndices(whole, (select, path) => chosen(select, path, context.messages));
  return { ...options, config: { ...options?.config, passes } };
}

/** The profiles that passes of configurations name as `apiProfile`. */
function profilesNamed(configs) {
  const named = new Set();
  const look = (value) => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === "apiProfile" && typeof inner === "string") named.add(inner);
      else look(inner);
    }
  };
  for (const config of configs) look(config?.passes);
  return named;
}

module.exports = { optionsWithSelections, profilesNamed, withoutFunctions };
