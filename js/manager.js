"use strict";

// The manager. Registry, trigger, fallback, guard and metrics are in the addon; this class holds the JavaScript
// objects.

const native = require("#native");
const { CONTEXT_FIELDS, OBJECTS, UNLIMITED, condense, prepare } = require("./call.js");
const { countTokens, warmUp } = require("./count.js");
const {
  argumentError,
  checked,
  missing,
  misspelt,
  near,
  notAllowed,
  notReadable,
  outOfRange,
  readable,
  refuseUnknown,
  shown,
  unknown,
} = require("./errors.js");
const { answerOf } = require("./host-call.js");
const { METHODS, costOf, methodOf, reductionOf, requireValid, schemaOf, validationOf } = require("./host-estimates.js");
const { hostCallback } = require("./host-provider.js");
const isObject = require("./is-object.js");
const { bindHandlers, bindProfiles, splitOptions } = require("./llm-options.js");
const { begin, trialOf, trialsOf, withoutAbsent } = require("./inspection.js");
const { KeepAlive } = require("./keep-alive.js");
const { namesIn } = require("./options.js");
const { isHollow, readAt } = require("./place.js");
const { estimateOf, previewOf } = require("./preview.js");
const { asOurs } = require("./projection.js");
const { chosenRules, hasRules, needsMessages, plainRules } = require("./protect.js");
const { NativeCondensationProvider, createSmartProvider } = require("./provider.js");
const { profilesNamed } = require("./smart.js");
const { serializeSettings, wellFormed } = require("./serialize.js");
const { tried } = require("./tried.js");

const SMART = "smart";
const DEFAULT_PRESET = "balanced";
const SPEEDS = ["fast", "medium", "slow"];

/** Requires a finite number; with `min`, one of at least that. */
function requireNumber(field, value, min) {
  const allowed = min === undefined ? "a number" : `a number, ${min} or more`;
  if (value === undefined) throw missing(field, allowed);
  if (typeof value !== "number") throw notAllowed(field, value, allowed);
  if (!Number.isFinite(value) || value < min) throw outOfRange(field, value, allowed);
}

/** Refuses an unknown field of a context whose name is like that of a missing one. */
function refuseNear(context, missed) {
  const others = namesIn(context).filter((name) => !CONTEXT_FIELDS.includes(name));
  const meant = others.find((name) => near(name, [missed]).length > 0);
  if (meant !== undefined) throw unknown("context", meant, CONTEXT_FIELDS);
}

/** Checks the fields needed to decide whether a condensation is due. */
function requireUsage(context) {
  readable("context", () => {
    if (!isObject(context)) throw notAllowed("context", context, "an object with messages");
    const totalTokens = context.totalTokens ?? context.tokenCount;
    for (const [name, value] of Object.entries({ totalTokens, contextWindow: context.contextWindow })) {
      if (value === undefined) refuseNear(context, name);
    }
    requireNumber("context.totalTokens", totalTokens, 0);
    requireNumber("context.contextWindow", context.contextWindow, 1);
  });
}

/** Returns a report's part about preparing; if it failed before anything began, the report has none. */
function preparationOf({ preparation, cost, requests, warnings, error }) {
  const nothing = { prepared: false, reason: "failed", messages: 0, tokensSaved: 0 };
  return { ...nothing, ...preparation, cost, ...(requests && { requests }), warnings, ...(error && { error }) };
}

function requireText(field, value) {
  if (typeof value !== "string" || value === "") throw notAllowed(field, value, "a string that is not empty");
}

/**
 * Creates a manager with the options and providers of another one, so that trials are not remembered by that one.
 * @type {(manager: CondensationManager, options: import("../types/options.js").ManagerOptions) => CondensationManager}
 */
let copyOf;

/**
 * Returns the handler of a manager for summaries; undefined if it has none of its own.
 * @type {(manager: CondensationManager) => any}
 */
let handlerOf;

/**
 * Returns the options with which a manager was created, and the profile thresholds set since.
 * @type {(manager: CondensationManager) => import("../types/options.js").ManagerOptions}
 */
let optionsOf;

class CondensationManager {
  static {
    copyOf = (manager, options) => manager.#copy(options);
    handlerOf = (manager) => manager.#handlers.condensingHandler ?? manager.#handlers.handler;
    optionsOf = (manager) => manager.#options;
  }

  #native;
  /** The host's handlers, of the manager and of its profiles. */
  #handlers;
  /** Its protection rules that need the messages of a call. */
  #protect;
  /** True if it protects anything. */
  #protects;
  /** Provider objects by id, ours and the host's. */
  #providers = new Map();
  /** Running calls, in which custom providers find their messages. */
  #calls = new Map();
  #nextCall = 1;
  /** The options given at creation, and the choices made since. */
  #options;
  #active;
  #threshold;

  /** @param {import("../types/options.js").ManagerOptions} options */
  constructor(options = {}) {
    const { json, handlers, store, custom, named, protect, protects } = readAt("options", options, () => {
      if (!isObject(options)) throw notAllowed("options", options, "an object");
      const { plain, ...rest } = splitOptions(options);
      const { protect } = plain;
      plain.protect = plainRules(protect);
      return {
        named: namedProviders(plain),
        json: serializeSettings(plain, "options"),
        ...rest,
        protect: needsMessages(protect) ? chosenRules(protect) : undefined,
        protects: hasRules(protect),
      };
    });
    this.#options = { ...options };
    this.#handlers = handlers;
    this.#protect = protect;
    this.#protects = protects;
    this.#native = checked(() => new native.NativeManager(json, store));
    for (const [index, provider] of custom.entries()) this.#register(provider, `providers[${index}]`);
    for (const { field, id } of named) this.#refuseMisspelt(field, id);
  }

  /** Refuses a misspelt id. Any other unknown id may belong to a provider that is registered later. */
  #refuseMisspelt(field, id) {
    if (this.#native.provider(id)) return;
    const known = this.listProviders().map((provider) => provider.id);
    const meant = misspelt(id, known).map((each) => JSON.stringify(each));
    if (meant.length === 0) return;
    const message = `${field} must be the id of a provider; got ${shown(id)}; did you mean ${meant.join(" or ")}? A custom provider with this id goes into providers.`;
    throw argumentError("unknown_provider", message, { field });
  }

  registerProvider(provider) {
    this.#register(provider, "provider");
  }

  #register(provider, field) {
    const handle = NativeCondensationProvider.handleOf(provider);
    if (handle) {
      checked(() => this.#native.register(handle));
      this.#providers.set(provider.id, provider);
      return;
    }
    const info = readable(field, () => infoOf(provider, field));
    checked(() => this.#native.registerHost(wellFormed(JSON.stringify(info)), hostCallback(provider, this.#calls)));
    this.#providers.set(info.id, provider);
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
    this.#active = id;
  }

  getActiveProvider() {
    const id = this.#native.active();
    const provider = this.getProvider(id);
    // A provider that is not registered cannot be activated either; the error lists the registered ids.
    if (!provider) checked(() => this.#native.setActive(id));
    return provider;
  }

  getEffectiveConfig(profileId) {
    if (profileId != null) requireText("profileId", profileId);
    const config = JSON.parse(checked(() => this.#native.effectiveConfig(profileId ?? undefined)));
    return { ...config, preset: this.#preset(), protects: this.#protects };
  }

  /** Returns the preset of the provider `smart`; null if it has its own passes, or is a custom provider. */
  #preset() {
    const smart = this.#providers.get(SMART);
    if (smart === undefined) return DEFAULT_PRESET;
    if (!this.#isOurs(smart)) return null;
    const config = NativeCondensationProvider.configOf(smart) ?? {};
    return config.preset ?? (config.passes === undefined ? DEFAULT_PRESET : null);
  }

  setPreset(preset) {
    requireText("preset", preset);
    this.registerProvider(createSmartProvider(preset));
  }

  effectiveThreshold(profileId) {
    return this.getEffectiveConfig(profileId).threshold;
  }

  hasHandler(profileId) {
    requireText("profileId", profileId);
    const { handler } = this.#handlers.profiles.get(profileId) ?? {};
    return Boolean(handler) && !handler.invalid;
  }

  setThreshold(percent) {
    requireNumber("percent", percent);
    if (!(percent >= 5 && percent <= 100)) throw outOfRange("percent", percent, "a number from 5 to 100");
    this.#native.setThreshold(percent);
    this.#threshold = percent;
  }

  setProfileThreshold(profileId, percent) {
    requireText("profileId", profileId);
    requireNumber("percent", percent);
    if (percent !== -1 && !(percent >= 5 && percent <= 100)) {
      throw outOfRange("percent", percent, "-1 to inherit, or a number from 5 to 100");
    }
    this.#native.setProfileThreshold(profileId, percent);
    this.#options.profileThresholds = { ...this.#options.profileThresholds, [profileId]: percent };
  }

  shouldCondense(usage) {
    const checkedUsage = readable("usage", () => {
      if (!isObject(usage)) throw notAllowed("usage", usage, "{ totalTokens, lastMessageTokens, contextWindow, maxTokens?, profileId? }");
      refuseUnknown("usage", usage, [...CONTEXT_FIELDS, ...OBJECTS, "lastMessageTokens"]);
      const { totalTokens, lastMessageTokens = 0, contextWindow, maxTokens, profileId } = usage;
      requireNumber("totalTokens", totalTokens, 0);
      requireNumber("lastMessageTokens", lastMessageTokens, 0);
      requireNumber("contextWindow", contextWindow, 1);
      if (maxTokens != null && maxTokens !== UNLIMITED) requireNumber("maxTokens", maxTokens, 0);
      if (profileId != null) requireText("profileId", profileId);
      return { totalTokens, lastMessageTokens, contextWindow, maxTokens: maxTokens === UNLIMITED ? undefined : maxTokens, profileId };
    });
    return JSON.parse(checked(() => this.#native.shouldCondense(wellFormed(JSON.stringify(checkedUsage)))));
  }

  calibrate(report) {
    const { localTokens, reportedTokens, model } = readable("report", () => {
      if (!isObject(report)) throw notAllowed("report", report, "{ localTokens, reportedTokens, model }");
      return { localTokens: report.localTokens, reportedTokens: report.reportedTokens, model: report.model };
    });
    requireNumber("localTokens", localTokens);
    requireNumber("reportedTokens", reportedTokens);
    requireText("model", model);
    checked(() => this.#native.calibrate(localTokens, reportedTokens, model));
  }

  // Methods that return a promise are `async`, so that invalid arguments reject. They still read their arguments
  // before they return.

  async condense(context, options) {
    return this.#run("always", context, options);
  }

  async condenseIfNeeded(context, options) {
    requireUsage(context);
    return this.#run("ifNeeded", context, options);
  }

  async decide(context, options) {
    requireUsage(context);
    const { decision, error, warnings } = await this.#run("decide", context, options);
    return error ? { condense: false, error, warnings } : { ...decision, warnings };
  }

  async prepare(context, options) {
    requireUsage(context);
    return preparationOf(await this.#run("prepare", context, options));
  }

  async preview(context, options) {
    return previewOf(await this.#run("preview", context, options));
  }

  async [tried](context, options) {
    const found = await this.#run("preview", context, options);
    const { preview: _, ...result } = found;
    // A custom provider may do less in a preview.
    const isWhole = [...this.#providers.values()].every((provider) => this.#isOurs(provider));
    return { preview: previewOf(found), ...(isWhole && { result }) };
  }

  async inspect(context, given = {}) {
    const { messages, settings, options, format } = begin(context, given);
    let settle = /** @type {(went: boolean, told: string) => void} */ (() => {});
    const told = new Promise((resolve, reject) => {
      settle = (wentWell, text) =>
        wentWell ? resolve(text) : reject(argumentError("internal_error", `the messages could not be inspected: ${text}`));
    });
    checked(() => this.#native.inspect(messages, settings, settle, format));
    const inspected = told.then((json) => JSON.parse(json));
    const trials = trialsOf(options.providers);
    const alive = new KeepAlive();
    const all = trials.length === 0 ? inspected : inspected.then((found) => this.#tryAll(found, context, trials, options));
    return all.finally(() => alive.stop());
  }

  /** Adds the result of each trial to an inspection, one after the other, so that the times are not mixed. */
  async #tryAll(found, context, trials, options) {
    for (const { provider } of trials) this.#known(provider);
    const alone = this.#copy({ fallback: false });
    const providers = [];
    for (const trial of trials) {
      const manager = trial.fallback ? this.#copy({ fallback: trial.fallback }) : alone;
      providers.push(await manager.#try(context, trial, options));
    }
    return { ...found, providers };
  }

  async #try(context, { id, provider, config }, { targetTokens, handler, condensingHandler, price, signal, format }) {
    const begun = performance.now();
    const options = { provider, config, targetTokens, handler, condensingHandler, price, signal, format };
    const report = await this.#run("estimate", context, withoutAbsent(options));
    return trialOf({ id, provider, config, timeMs: performance.now() - begun, targetTokens }, report);
  }

  #copy(options) {
    const copy = new CondensationManager({ ...this.#options, ...options });
    for (const provider of this.#providers.values()) copy.registerProvider(provider);
    for (const { id } of copy.listProviders()) if (!this.#native.provider(id)) copy.unregisterProvider(id);
    if (this.#active !== undefined) copy.setActiveProvider(this.#active);
    if (this.#threshold !== undefined) copy.setThreshold(this.#threshold);
    return copy;
  }

  async estimateReduction(context, options) {
    const asked = this.#askHost("estimateReduction", reductionOf, context, options);
    const said = asked && (await asked);
    return said ?? estimateOf(await this.#run("estimate", context, options));
  }

  async estimateCost(context, options) {
    const asked = this.#askHost("estimateCost", costOf, context, options);
    const said = asked && (await asked);
    return said ?? estimateOf(await this.#run("estimate", context, options)).cost;
  }

  getConfigSchema(id) {
    const provider = this.#known(id);
    return this.#isOurs(provider) ? provider.getConfigSchema() : schemaOf(provider);
  }

  validateConfig(id, config) {
    const provider = this.#known(id);
    return this.#isOurs(provider) ? provider.validateConfig(config) : validationOf(provider, config);
  }

  #known(id) {
    const provider = this.getProvider(id);
    // The addon's error lists the registered ids.
    if (!provider) checked(() => this.#native.requireProvider(id));
    return provider;
  }

  #isOurs(provider) {
    return NativeCondensationProvider.handleOf(provider) !== undefined;
  }

  /** Returns the custom provider for a call; undefined if it is one of ours. */
  #hostProvider(id) {
    const provider = this.#providers.get(id ?? this.#native.active());
    return provider === undefined || this.#isOurs(provider) ? undefined : provider;
  }

  /** Returns a custom provider's response to `ask`; undefined if it has no `method`. Invalid arguments throw at once. */
  #askHost(method, ask, context, options) {
    const provider = this.#hostProvider(readable("options", () => options?.provider));
    if (!methodOf(provider, method)) return undefined;
    const { prepared, messages, settings } = prepare(context, options ?? {}, { native: this.#native, configOf: () => undefined });
    messages.discard();
    checked(() => this.#native.checkCall(settings));
    const { config } = prepared.options;
    if (config !== undefined) requireValid(provider, config);
    const { encoding, scale } = this.getEffectiveConfig(prepared.profileId);
    const { format } = prepared;
    const count = () =>
      countTokens(prepared.given, { encoding, ...(format && { format }) }) + countTokens(prepared.systemPrompt ?? "", { encoding });
    return warmUp(encoding).then(() => {
      const tokenCount = Math.ceil(count() * scale - 1e-9);
      return ask(
        provider,
        { ...prepared.context, messages: asOurs(prepared.given, format).slice(), tokenCount, isPreview: true },
        config ?? {},
      );
    });
  }

  getMetrics() {
    return JSON.parse(this.#native.metrics());
  }

  getExperiment(id) {
    requireText("id", id);
    const { experiments } = this.getMetrics();
    return Object.hasOwn(experiments, id) ? experiments[id] : null;
  }

  resetMetrics() {
    this.#native.resetMetrics();
  }

  #run(mode, context, options) {
    const id = this.#nextCall++ >>> 0;
    const configOf = (provider) => NativeCondensationProvider.configOf(this.#providers.get(provider ?? this.#native.active()));
    const start = (prepared, call) => {
      const { provider, config } = prepared.options;
      const own = config === undefined ? undefined : this.#hostProvider(provider);
      if (own) requireValid(own, config);
      const named = [...this.#providers.values()].map((provider) => NativeCondensationProvider.configOf(provider));
      const configs = [...named, prepared.options.config];
      const profiles = bindProfiles(
        prepared,
        this.#handlers,
        readable("options.config", () => profilesNamed(configs)),
      );
      this.#native.condense({ ...call, mode, hostCall: id, ...bindHandlers(prepared, this.#handlers), profiles });
      this.#calls.set(id, Object.assign(prepared, { isPreview: mode === "preview" || mode === "estimate" }));
    };
    const owner = { native: this.#native, configOf, protect: this.#protect };
    return condense(context, options, owner, start).finally(() => this.#calls.delete(id));
  }
}

/**
 * The ids in a manager's options, each with its field. Values of another type are the addon's to refuse.
 * @param {{ provider?: unknown, fallback?: unknown }} options
 */
function namedProviders({ provider, fallback }) {
  const ids = Array.isArray(fallback) && !isHollow(fallback) ? Array.from(fallback) : [];
  const listed = ids.map((id, index) => ({ field: `fallback[${index}]`, id }));
  return [{ field: "provider", id: provider }, ...listed].filter(({ id }) => typeof id === "string");
}

/** Checks and returns the description of a custom provider. Only `id` and `condense` are required. `at` is the provider's place. */
function infoOf(provider, at) {
  if (!isObject(provider)) throw notAllowed(at, provider, "a provider: { id, condense(context, options) }");
  const { id, name, description, version } = provider;
  requireText(`${at}.id`, id);
  if (typeof provider.condense !== "function") throw notAllowed(`${at}.condense`, provider.condense, "a function");
  for (const [field, value] of Object.entries({ name, description, version })) {
    if (value != null && typeof value !== "string") throw notAllowed(`${at}.${field}`, value, "a string");
  }
  for (const method of METHODS) {
    if (provider[method] != null && typeof provider[method] !== "function")
      throw notAllowed(`${at}.${method}`, provider[method], "a function");
  }
  const info = { id, name: name || id, description: description ?? "", version: version ?? "" };
  if (provider.getCapabilities == null) return info;
  const capabilities = answerOf(
    () => provider.getCapabilities(),
    (error) => {
      throw notReadable(`${at}.getCapabilities()`, error);
    },
  );
  return { ...info, capabilities: checkedCapabilities(capabilities, `${at}.getCapabilities()`) };
}

function checkedCapabilities(capabilities, at) {
  if (!isObject(capabilities)) throw notAllowed(at, capabilities, "an object");
  const found = {};
  for (const [field, value] of Object.entries(capabilities)) {
    const path = `${at}.${field}`;
    if (field === "estimatedSpeed" && !SPEEDS.includes(value)) throw notAllowed(path, value, `one of ${SPEEDS.join(", ")}`);
    const isFlag = field.startsWith("supports") || field === "isFree";
    if (isFlag && typeof value !== "boolean") throw notAllowed(path, value, "true or false");
    if (field === "estimatedSpeed" || isFlag) found[field] = value;
  }
  return found;
}

module.exports = {
  CondensationManager,
  copyOf: (manager, options) => copyOf(manager, options),
  handlerOf: (manager) => handlerOf(manager),
  optionsOf: (manager) => optionsOf(manager),
};
