"use strict";

// What providers of the host say of themselves beyond condensing: estimates, the schema of their configuration, and whether one is right.

const { argumentError, messageOf, notAllowed } = require("./errors.js");
const { answerOf } = require("./host-call.js");
const isObject = require("./is-object.js");

/** Their functions that need not be there. */
const METHODS = ["getCapabilities", "getConfigSchema", "getConfigComponent", "validateConfig", "estimateReduction", "estimateCost"];

const isAmount = (value) => Number.isFinite(value) && value >= 0;

/** A method of a provider of the host; undefined where it has none. */
const methodOf = (provider, name) =>
  isObject(provider) && typeof provider[name] === "function" ? provider[name].bind(provider) : undefined;

/** Dollars as the provider estimates them; undefined where it cannot, or says what is no amount. */
async function costOf(provider, context, config) {
  const estimate = methodOf(provider, "estimateCost");
  try {
    const cost = await estimate?.(context, config);
    return isAmount(cost) ? cost : undefined;
  } catch {
    return undefined;
  }
}

/** What the provider expects to save, with everything that follows from what it says; undefined where it cannot say. */
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
  // More than there was would be refused as growth: then nothing is saved.
  const estimatedTokens = Math.min(originalTokens, Math.max(0, left));
  const estimatedReduction = originalTokens - estimatedTokens;
  const confidence = Number.isFinite(said.confidence) ? Math.min(1, Math.max(0, said.confidence)) : UNKNOWN_CONFIDENCE;
  const cost = isAmount(said.cost) ? said.cost : ((await costOf(provider, context, config)) ?? 0);
  const reductionPercent = originalTokens > 0 ? (100 * estimatedReduction) / originalTokens : 0;
  return { originalTokens, estimatedTokens, estimatedReduction, reductionPercent, confidence, cost };
}

/** Of an estimate that does not say how sure it is. */
const UNKNOWN_CONFIDENCE = 0.5;

/** The schema of a provider's configuration, a copy; empty where it has none or nothing that can be read. */
function schemaOf(provider) {
  try {
    const schema = JSON.parse(JSON.stringify(answerOf(() => methodOf(provider, "getConfigSchema")?.()) ?? {}));
    return isObject(schema) ? schema : {};
  } catch {
    return {};
  }
}

/** What the provider says of a configuration: `{ valid, errors }`. One that says nothing takes any object; one that throws refuses it. */
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

/** Throws when the provider does not take a configuration; `named` says where it stands. */
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
