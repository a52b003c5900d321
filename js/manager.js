"use strict";

// The manager. Registry, trigger, fallback, guard and metrics are in the addon; here is what holds JavaScript objects.

const native = require("./native.js");
const { condense, isObject } = require("./call.js");
const { argumentError, checked, notAllowed } = require("./errors.js");
const { hostCallback } = require("./host-provider.js");
const { bindHandlers, splitOptions } = require("./llm-options.js");
const { NativeCondensationProvider, estimate } = require("./provider.js");

function requireNumber(field, value) {
  if (typeof value !== "number" || Number.isNaN(value)) throw notAllowed(field, value, "a number");
}

function requireText(field, value) {
  if (typeof value !== "string" || value === "") throw notAllowed(field, value, "a string that is not empty");
}

class CondensationManager {
  #native;
  /** Handlers of the host, of the manager and of its profiles. */
  #handlers;
  /** Provider objects by id, ours and the host's. */
  #providers = new Map();
  /** Calls that are under way, so that providers of the host find their messages. */
  #calls = new Map();
  #nextCall = 1;

  constructor(options = {}) {
    if (!isObject(options)) throw notAllowed("options", options, "an object");
    const { plain, handlers, store } = splitOptions(options);
    let json;
    try {
      json = JSON.stringify(plain);
    } catch (error) {
      throw argumentError("not_serializable", `options cannot be written as JSON: ${error?.message ?? error}`, error);
    }
    this.#handlers = handlers;
    this.#native = checked(() => new native.NativeManager(json, store));
  }

  registerProvider(provider) {
    const handle = NativeCondensationProvider.handleOf(provider);
    if (handle) {
      this.#native.register(handle);
    } else {
      if (!isObject(provider)) throw notAllowed("provider", provider, "a provider: { id, condense(context, options) }");
      requireText("provider.id", provider.id);
      if (typeof provider.condense !== "function") throw notAllowed("provider.condense", provider.condense, "a function");
      checked(() => this.#native.registerHost(JSON.stringify(infoOf(provider)), hostCallback(provider, this.#calls)));
    }
    this.#providers.set(provider.id, provider);
  }

  unregisterProvider(id) {
    requireText("id", id);
    this.#providers.delete(id);
    return this.#native.unregister(id);
  }

  getProvider(id) {
    requireText("id", id);
    const known = this.#providers.get(id);
    if (known) return known;
    const handle = this.#native.provider(id);
    if (!handle) return null;
    const provider = new NativeCondensationProvider(handle);
    this.#providers.set(id, provider);
    return provider;
  }

  listProviders() {
    return JSON.parse(this.#native.list());
  }

  setActiveProvider(id) {
    requireText("id", id);
    checked(() => this.#native.setActive(id));
  }

  getActiveProvider() {
    const id = this.#native.active();
    const provider = this.getProvider(id);
    if (!provider) throw argumentError("unknown_provider", `provider: "${id}" is active, but not registered`);
    return provider;
  }

  getEffectiveConfig(profileId) {
    if (profileId !== undefined) requireText("profileId", profileId);
    return JSON.parse(this.#native.effectiveConfig(profileId));
  }

  effectiveThreshold(profileId) {
    return this.getEffectiveConfig(profileId).threshold;
  }

  setProfileThreshold(profileId, percent) {
    requireText("profileId", profileId);
    requireNumber("percent", percent);
    if (percent !== -1 && !(percent >= 5 && percent <= 100)) {
      throw argumentError("out_of_range", `percent: ${percent} is not allowed; allowed: -1 to inherit, or a number from 5 to 100`);
    }
    this.#native.setProfileThreshold(profileId, percent);
  }

  shouldCondense(usage) {
    if (!isObject(usage)) throw notAllowed("usage", usage, "{ totalTokens, lastMessageTokens, contextWindow, maxTokens?, profileId? }");
    const { totalTokens, lastMessageTokens = 0, contextWindow, maxTokens, profileId } = usage;
    requireNumber("totalTokens", totalTokens);
    requireNumber("lastMessageTokens", lastMessageTokens);
    requireNumber("contextWindow", contextWindow);
    if (!(contextWindow > 0)) throw argumentError("out_of_range", `contextWindow: ${contextWindow} is not allowed; allowed: a number above 0`);
    if (maxTokens != null) requireNumber("maxTokens", maxTokens);
    if (profileId !== undefined) requireText("profileId", profileId);
    return JSON.parse(checked(() => this.#native.shouldCondense(JSON.stringify({ totalTokens, lastMessageTokens, contextWindow, maxTokens, profileId }))));
  }

  calibrate({ localTokens, reportedTokens, model } = {}) {
    requireNumber("localTokens", localTokens);
    requireNumber("reportedTokens", reportedTokens);
    requireText("model", model);
    checked(() => this.#native.calibrate(localTokens, reportedTokens, model));
  }

  condense(context, options) {
    return this.#run("always", context, options);
  }

  condenseIfNeeded(context, options) {
    if (isObject(context)) {
      requireNumber("context.totalTokens", context.totalTokens);
      requireNumber("context.contextWindow", context.contextWindow);
    }
    return this.#run("ifNeeded", context, options);
  }

  async preview(context, options) {
    const { messages, restoreData, summary, didCondense, ...rest } = await this.#run("preview", context, options);
    return { wouldCondense: didCondense, ...rest };
  }

  async estimateReduction(context, options) {
    return estimate(await this.#run("preview", context, options));
  }

  async estimateCost(context, options) {
    return (await this.#run("preview", context, options)).cost;
  }

  getMetrics() {
    return JSON.parse(this.#native.metrics());
  }

  resetMetrics() {
    this.#native.resetMetrics();
  }

  #run(mode, context, options) {
    const id = this.#nextCall++ >>> 0;
    const promise = condense(context, options, (bytes, call, cancel, progress, prepared) => {
      const report = this.#native.condense(mode, bytes, call, id, cancel, progress, ...bindHandlers(prepared, this.#handlers));
      this.#calls.set(id, prepared);
      return report;
    });
    return promise.finally(() => this.#calls.delete(id));
  }
}

function infoOf(provider) {
  const text = (value) => (typeof value === "string" ? value : "");
  const info = { id: provider.id, name: text(provider.name) || provider.id, description: text(provider.description), version: text(provider.version) };
  const capabilities = typeof provider.getCapabilities === "function" ? provider.getCapabilities() : undefined;
  return isObject(capabilities) ? { ...info, capabilities } : info;
}

module.exports = { CondensationManager };
