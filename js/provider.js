"use strict";

// The built-in providers as JavaScript objects.

const native = require("#native");
const { brand, brandOf, ofAnotherCopy } = require("./brand.js");
const { condense } = require("./call.js");
const { directoryCallback } = require("./directory.js");
const { checked, notAllowed, readable } = require("./errors.js");
const isObject = require("./is-object.js");
const { bindHandlers } = require("./llm-options.js");
const { presets } = require("./presets.js");
const { estimateOf, previewOf } = require("./preview.js");
const { serializeSettings } = require("./serialize.js");
const { withoutFunctions } = require("./smart.js");

/** Returns the JSON of a configuration, without its functions; undefined means all defaults. */
function configJson(config) {
  if (config !== undefined && !isObject(config)) throw notAllowed("config", config, "an object");
  return serializeSettings(withoutFunctions(config) ?? {}, "config");
}

/**
 * Returns the whole configuration: that of the smart provider may be the name of a preset, and that of per_user may
 * contain a function that looks users up.
 */
function wholeConfig(id, config) {
  if (id === "per_user" && isObject(config) && typeof config.lookUp === "function") {
    const { lookUp: _, ...plain } = config;
    return plain;
  }
  if (id !== "smart" || config === undefined || isObject(config)) return config;
  if (typeof config !== "string")
    throw notAllowed("config", config, `an object, or the name of a preset: ${Object.keys(presets()).join(", ")}`);
  return { preset: config };
}

/** A provider that runs in the addon. */
class NativeCondensationProvider {
  #native;
  /** The configuration, for the functions in it. */
  #config;

  /** @param {{ config: any }=} made the configuration at creation; absent if unknown */
  constructor(handle, made) {
    const { capabilities, ...info } = JSON.parse(handle.info());
    this.#native = handle;
    this.#config = made?.config;
    this.id = info.id;
    this.name = info.name;
    this.description = info.description;
    this.version = info.version;
    brand(this, { kind: "provider", ...(made && { open: () => ({ id: info.id, config: made.config }) }) });
    Object.freeze(this);
  }

  /** Returns the addon's own object, for the manager; undefined for anything that is not one of these, from this or another copy of the package. */
  static handleOf(provider) {
    const own = NativeCondensationProvider.#own(provider);
    return own === undefined ? undefined : own.#native;
  }

  /** Returns the configuration given at creation; undefined for anything that is not one of these. */
  static configOf(provider) {
    const own = NativeCondensationProvider.#own(provider);
    return own === undefined ? undefined : own.#config;
  }

  /** Returns the provider itself, or an equivalent one of this copy for a provider of another copy. */
  static #own(provider) {
    if (typeof provider !== "object" || provider === null) return undefined;
    if (#native in provider) return provider;
    const mark = brandOf(provider);
    if (mark?.kind !== "provider") return undefined;
    if (!adopted.has(provider)) adopted.set(provider, adopt(mark));
    return adopted.get(provider);
  }

  getCapabilities() {
    return JSON.parse(this.#native.info()).capabilities;
  }

  getConfigSchema() {
    return JSON.parse(this.#native.configSchema());
  }

  getConfigComponent() {
    return this.id === "smart" ? { module: "roo-condense/ui", name: "PassConfigurationPanel" } : null;
  }

  validateConfig(config) {
    try {
      const json = configJson(wholeConfig(this.id, config ?? undefined));
      return JSON.parse(checked(() => this.#native.validateConfig(json)));
    } catch ({ field, code, message }) {
      return { valid: false, errors: [{ path: field ?? "config", code, message }] };
    }
  }

  async condense(context, options) {
    return this.#run("always", context, options);
  }

  async preview(context, options) {
    return previewOf(await this.#run("preview", context, options));
  }

  #run(mode, context, options) {
    const start = (prepared, call) => {
      prepared.isPreview = mode !== "always";
      // No custom provider runs, so none has to find the call.
      this.#native.condense({ ...call, mode, hostCall: 0, ...bindHandlers(prepared), profiles: [] });
    };
    return condense(context, options, { native: this.#native, configOf: () => this.#config }, start);
  }

  /** `options` are those of `condense`: a provider that calls a model needs its handler to know the price. */
  async estimateReduction(context, config, options = {}) {
    return estimateOf(await this.#run("estimate", context, config === undefined ? options : { ...options, config }));
  }

  async estimateCost(context, config, options) {
    return (await this.estimateReduction(context, config, options)).cost;
  }
}

/** Providers of this copy that correspond to those of another copy. */
const adopted = new WeakMap();

function adopt(mark) {
  if (!mark.open) throw ofAnotherCopy("provider", "a provider", mark, "made by the function of that name");
  const { id, config } = mark.open();
  try {
    return id === "per_user" ? createPerUser(config) : create(id)(config);
  } catch (cause) {
    throw Object.assign(ofAnotherCopy("provider", `the provider ${JSON.stringify(id)}`, mark, "with a configuration of this version"), {
      cause,
    });
  }
}

const create = (id) => (config) => make(id, config, config);

/** @param {any} config the configuration @param {any} plain the configuration without functions of the host @param {((json: string) => any)=} lookUp */
function make(id, config, plain, lookUp) {
  const json = configJson(plain);
  return new NativeCondensationProvider(
    checked(() => new native.NativeProvider(id, json, lookUp)),
    { config },
  );
}

/** @param config preferences of users, and a function that looks up the preferences of other users */
function createPerUser(config) {
  if (!isObject(config)) return make("per_user", config, config);
  const { lookUp, ...plain } = readable("config", () => ({ ...config }));
  if (lookUp != null && typeof lookUp !== "function") throw notAllowed("config.lookUp", lookUp, "a function");
  return make("per_user", config, plain, lookUp == null ? undefined : directoryCallback(lookUp));
}

/** Factories of providers that take more than a configuration. */
const OWN = { per_user: createPerUser, smart: (config) => create("smart")(wholeConfig("smart", config)) };

/**
 * A factory for each provider of the addon, by its name: `createNativeProvider`, `createPipeline`.
 * @type {Record<string, (config?: any) => NativeCondensationProvider>}
 */
const factories = Object.fromEntries(JSON.parse(native.builtInProviders()).map(({ id, factory }) => [factory, OWN[id] ?? create(id)]));

module.exports = { NativeCondensationProvider, createSmartProvider: OWN.smart, factories };
