"use strict";

// The built-in providers as JavaScript objects.

const native = require("./native.js");
const { condense, isObject } = require("./call.js");
const { bindHandlers } = require("./llm-options.js");
const { argumentError, checked, notAllowed } = require("./errors.js");

/** The JSON of a configuration; undefined means all defaults. */
function configJson(config) {
  if (config !== undefined && !isObject(config)) throw notAllowed("config", config, "an object");
  try {
    return JSON.stringify(config ?? {});
  } catch (error) {
    throw argumentError("not_serializable", `config cannot be written as JSON: ${error?.message ?? error}`, error);
  }
}

/** A strategy that runs in the addon. */
class NativeCondensationProvider {
  #native;

  constructor(handle) {
    const { capabilities, ...info } = JSON.parse(handle.info());
    this.#native = handle;
    this.id = info.id;
    this.name = info.name;
    this.description = info.description;
    this.version = info.version;
    Object.freeze(this);
  }

  /** The addon's own object, for the manager; undefined for anything that is not one of these. */
  static handleOf(provider) {
    return typeof provider === "object" && provider !== null && #native in provider ? provider.#native : undefined;
  }

  getCapabilities() {
    return JSON.parse(this.#native.info()).capabilities;
  }

  getConfigSchema() {
    return JSON.parse(this.#native.configSchema());
  }

  validateConfig(config) {
    try {
      return JSON.parse(this.#native.validateConfig(JSON.stringify(config) ?? "null"));
    } catch (error) {
      return { valid: false, errors: [{ path: "config", code: "not_serializable", message: `config cannot be written as JSON: ${error.message}` }] };
    }
  }

  condense(context, options) {
    return this.#run(context, options, false);
  }

  #run(context, options, preview) {
    return condense(context, options, (bytes, call, cancel, progress, prepared) =>
      this.#native.condense(bytes, call, cancel, progress, ...bindHandlers(prepared), preview),
    );
  }

  /** `options` as for `condense`: a provider that asks a model needs its handler to know the price. */
  async estimateReduction(context, config, options = {}) {
    return estimate(await this.#run(context, config === undefined ? options : { ...options, config }, true));
  }

  async estimateCost(context, config, options) {
    return (await this.estimateReduction(context, config, options)).cost;
  }
}

/** What a condensation that was only tried says about tokens. */
function estimate({ stats, cost }) {
  return {
    originalTokens: stats.originalTokens,
    estimatedTokens: stats.finalTokens,
    estimatedReduction: stats.originalTokens - stats.finalTokens,
    reductionPercent: stats.reductionPercent,
    confidence: 1,
    cost,
  };
}

const create = (id) => (config) => new NativeCondensationProvider(checked(() => new native.NativeProvider(id, configJson(config))));

module.exports = {
  NativeCondensationProvider,
  createLosslessProvider: create("lossless"),
  createNativeProvider: create("native"),
  createTruncationProvider: create("truncation"),
  estimate,
};
