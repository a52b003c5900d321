"use strict";

// Asks custom providers for more than condensing: estimates, their configuration's schema, and validation.

const { argumentError, messageOf, notAllowed } = require("./errors.js");
const { answerOf } = require("./host-call.js");
const isObject = require("./is-object.js");

/** Their optional functions. */
const METHODS = ["getCapabilities", "getConfigSchema", "getConfigComponent", "validateConfig", "estimateReduction", "estimateCost"];

const isAmount = (value) => Number.isFinite(value) && value >= 0;

/** Returns a method of a custom provider; undefined if it has none. */
const methodOf = (provider, name) =>
  isObject(provider) && typeof provider[name] === "function" ? provider[name].bind(provider) : undefined;

/** Returns the provider's estimate in dollars; undefined if it has none, or returns no amount. */
async function costOf(provider, context, config) {
  const estimate = methodOf(provider, "estimateCost");
  try {
    const cost = await estimate?.(context, config);
    return isAmount(cost) ? cost : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the saving that the provider expects, with all figures that follow from it; undefined if it has no estimate. */
async function reductionOf(provider, context, config) {
  const estimate = methodOf(provider, "estimateReduction");
  if (!estimate) return undefined;
  let said;
  try {
    said = { ...(await estimate(context, config)) };
  } catch {
    return undefined;
  }
  const originalTokens = isAmount(said.originalTokens) ? said.originalTokens : context.tokenCount;
  const removed = isAmount(said.estimatedReduction) ? originalTokens - said.estimatedReduction : undefined;
  const left = isAmount(said.estimatedTokens) ? said.estimatedTokens : removed;
  if (left === undefined) return undefined;
  // A result larger than before is refused as growth, so nothing would be saved.
  const estimatedTokens = Math.min(originalTokens, Math.max(0, left));
  const estimatedReduction = originalTokens - estimatedTokens;
  const confidence = Number.isFinite(said.confidence) ? Math.min(1, Math.max(0, said.confidence)) : UNKNOWN_CONFIDENCE;
  const cost = isAmount(said.cost) ? said.cost : ((await costOf(provider, context, config)) ?? 0);
  const reductionPercent = originalTokens > 0 ? (100 * estimatedReduction) / originalTokens : 0;
  return { originalTokens, estimatedTokens, estimatedReduction, reductionPercent, confidence, cost };
}

/** The confidence of an estimate that does not state one. */
const UNKNOWN_CONFIDENCE = 0.5;

/** Returns a copy of the schema of a provider's configuration; empty if it has none, or none that can be read. */
function schemaOf(provider) {
  try {
    const schema = JSON.parse(JSON.stringify(answerOf(() => methodOf(provider, "getConfigSchema")?.()) ?? {}));
    return isObject(schema) ? schema : {};
  } catch {
    return {};
  }
}

/** Returns the provider's validation of a configuration: `{ valid, errors }`. Without a validation any object is accepted; if it throws, none is. */
function validationOf(provider, config) {
  const fault = (message, path = "config") => ({ path, code: "invalid_config", message });
  if (config !== undefined && !isObject(config)) {
    return { valid: false, errors: [fault(notAllowed("config", config, "an object").message)] };
  }
  const validate = methodOf(provider, "validateConfig");
  if (!validate) return { valid: true, errors: [] };
  const threw = [];
  const said = answerOf(
    () => validate(config ?? {}),
    (error) => threw.push(error),
  );
  if (threw.length > 0) return { valid: false, errors: [fault(messageOf(threw[0]))] };
  const faults = Array.isArray(said?.errors) ? said.errors : [];
  const errors = faults.map((error) => {
    if (typeof error === "string") return fault(error);
    const { path, field, message } = isObject(error) ? error : { message: messageOf(error) };
    return fault(messageOf({ message }), typeof path === "string" ? path : typeof field === "string" ? field : undefined);
  });
  const valid = said === undefined || said === true || (said !== false && said?.valid !== false && errors.length === 0);
  return { valid, errors: valid ? [] : errors.length > 0 ? errors : [fault("is not valid, says the provider")] };
}

/** Throws if the provider rejects a configuration; `named` is the configuration's place. */
function requireValid(provider, config, named = "options.config") {
  const { valid, errors } = validationOf(provider, config);
  if (valid) return;
  const faults = errors.map(({ path, message }) => {
    const field = path === "config" ? named : `${named}.${path}`;
    return { field, line: field + (message.startsWith(path) ? message.slice(path.length) : `: ${message}`) };
  });
  const told = faults.map(({ line }) => line).join("\n");
  throw argumentError("invalid_config", told, { field: faults[0].field });
}

module.exports = { METHODS, costOf, methodOf, reductionOf, requireValid, schemaOf, validationOf };
