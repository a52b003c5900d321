"use strict";

// The manager. Registry, trigger, fallback, guard and metrics are in the addon; here is what holds JavaScript objects.

const native = require("#native");
const { UNLIMITED, condense, prepare } = require("./call.js");
const { countTokens, warmUp } = require("./count.js");
const { argumentError, checked, missing, notAllowed, notReadable, outOfRange, readable } = require("./errors.js");
const { answerOf } = require("./host-call.js");
const { METHODS, costOf, methodOf, reductionOf, requireValid, schemaOf, validationOf } = require("./host-estimates.js");
const { hostCallback } = require("./host-provider.js");
const isObject = require("./is-object.js");
const { bindHandlers, bindProfiles, splitOptions } = require("./llm-options.js");
const { begin, trialOf, withoutAbsent } = require("./inspection.js");
const { KeepAlive } = require("./keep-alive.js");
const { readAt } = require("./place.js");
const { estimateOf, previewOf } = require("./preview.js");
const { chosenRules, hasRules, needsMessages, plainRules } = require("./protect.js");
const { NativeCondensationProvider, createSmartProvider } = require("./provider.js");
const { profilesNamed } = require("./smart.js");
const { serializeSettings, wellFormed } = require("./serialize.js");
const { tried } = require("./tried.js");

const SMART = "smart";
const DEFAULT_PRESET = "balanced";
const SPEEDS = ["fast", "medium", "slow"];

/** A number that is neither NaN nor infinite; with `min`, one of at least that. */
function requireNumber(field, value, min) {
  const allowed = min === undefined ? "a number" : `a number, ${min} or more`;
  if (value === undefined) throw missing(field, allowed);
  if (typeof value !== "number") throw notAllowed(field, value, allowed);
  if (!Number.isFinite(value) || value < min) throw outOfRange(field, value, allowed);
}

/** What it takes to know whether a condensation is due. */
function requireUsage(context) {
  readable("context", () => {
    if (!isObject(context)) throw notAllowed("context", context, "an object with messages");
    requireNumber("context.totalTokens", context.totalTokens, 0);
    requireNumber("context.contextWindow", context.contextWindow, 1);
  });
}

/** What a report says of preparing; where it failed before anything was begun, it says nothing. */
function preparationOf({ preparation, cost, warnings, error }) {
  const nothing = { prepared: false, reason: "failed", messages: 0, tokensSaved: 0 };
  return { ...nothing, ...preparation, cost, warnings, ...(error && { error }) };
}

function requireText(field, value) {
  if (typeof value !== "string" || value === "") throw notAllowed(field, value, "a string that is not empty");
}

/**
 * Another manager with the options and the providers of one, so that what is tried there is not remembered here.
 * @type {(manager: CondensationManager, options: import("../types/manager.js").ManagerOptions) => CondensationManager}
 */
let copyOf;

/**
 * The handler that a manager asks for summaries; undefined where it has none of its own.
 * @type {(manager: CondensationManager) => any}
 */
let handlerOf;

class CondensationManager {
  static {
    copyOf = (manager, options) => manager.#copy(options);
    handlerOf = (manager) => manager.#handlers.condensingHandler ?? manager.#handlers.handler;
  }

  #native;
  /** Handlers of the host, of the manager and of its profiles. */
  #handlers;
  /** What it protects that needs the messages of a call. */
  #protect;
  /** Whether it protects anything. */
  #protects;
  /** Provider objects by id, ours and the host's. */
  #providers = new Map();
  /** Calls that are under way, so that providers of the host find their messages. */
  #calls = new Map();
  #nextCall = 1;
  /** What it was made with, and what was chosen since. */
  #options;
  #active;
  #threshold;

  /** @param {import("../types/manager.js").ManagerOptions} options */
  constructor(options = {}) {
    const { json, handlers, store, protect, protects } = readAt("options", options, () => {
      if (!isObject(options)) throw notAllowed("options", options, "an object");
      const { plain, ...rest } = splitOptions(options);
      const { protect } = plain;
      plain.protect = plainRules(protect);
      return {
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
  }

  registerProvider(provider) {
    const handle = NativeCondensationProvider.handleOf(provider);
    if (handle) {
      checked(() => this.#native.register(handle));
      this.#providers.set(provider.id, provider);
      return;
    }
    const info = readable("provider", () => infoOf(provider));
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
    // One that is not registered cannot be made active either: the error says which there are.
    if (!provider) checked(() => this.#native.setActive(id));
    return provider;
  }

  getEffectiveConfig(profileId) {
    if (profileId != null) requireText("profileId", profileId);
    const config = JSON.parse(checked(() => this.#native.effectiveConfig(profileId ?? undefined)));
    return { ...config, preset: this.#preset(), protects: this.#protects };
  }

  /** The preset that the provider `smart` works by; null where it has passes of its own, or is one of the host. */
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
  }

  shouldCondense(usage) {
    const checkedUsage = readable("usage", () => {
      if (!isObject(usage)) throw notAllowed("usage", usage, "{ totalTokens, lastMessageTokens, contextWindow, maxTokens?, profileId? }");
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

  condense(context, options) {
    return this.#run("always", context, options);
  }

  condenseIfNeeded(context, options) {
    requireUsage(context);
    return this.#run("ifNeeded", context, options);
  }

  decide(context, options) {
    requireUsage(context);
    return this.#run("decide", context, options).then(({ decision, error, warnings }) =>
      error ? { condense: false, error, warnings } : { ...decision, warnings },
    );
  }

  prepare(context, options) {
    requireUsage(context);
    return this.#run("prepare", context, options).then(preparationOf);
  }

  preview(context, options) {
    return this.#run("preview", context, options).then(previewOf);
  }

  [tried](context, options) {
    return this.#run("preview", context, options).then((found) => {
      const { preview: _, ...result } = found;
      // A provider of the host may do less when it is only to say what it would do.
      const isWhole = [...this.#providers.values()].every((provider) => this.#isOurs(provider));
      return { preview: previewOf(found), ...(isWhole && { result }) };
    });
  }

  inspect(context, options = {}) {
    const { messages, settings, trials, format } = begin(context, options);
    for (const { provider } of trials) this.#known(provider);
    let settle = /** @type {(went: boolean, told: string) => void} */ (() => {});
    const told = new Promise((resolve, reject) => {
      settle = (wentWell, text) =>
        wentWell ? resolve(text) : reject(argumentError("internal_error", `the messages could not be inspected: ${text}`));
    });
    // Outside of the promise: what is wrong with the arguments is thrown.
    checked(() => this.#native.inspect(messages, settings, settle, format));
    const inspected = told.then((json) => JSON.parse(json));
    const alive = new KeepAlive();
    const all = trials.length === 0 ? inspected : inspected.then((found) => this.#tryAll(found, context, trials, options));
    return all.finally(() => alive.stop());
  }

  /** An inspection with what each trial would leave, one after the other, so that the times are their own. */
  async #tryAll(found, context, trials, options) {
    // Nobody stands in for a provider.
    const alone = this.#copy({ fallback: false });
    const providers = [];
    for (const trial of trials) providers.push(await alone.#try(context, trial, options));
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
    if (this.#active !== undefined) copy.setActiveProvider(this.#active);
    if (this.#threshold !== undefined) copy.setThreshold(this.#threshold);
    return copy;
  }

  estimateReduction(context, options) {
    const tried = () => this.#run("estimate", context, options).then(estimateOf);
    const asked = this.#askHost("estimateReduction", reductionOf, context, options);
    return asked ? asked.then((said) => said ?? tried()) : tried();
  }

  estimateCost(context, options) {
    const tried = () => this.#run("estimate", context, options).then(({ cost }) => cost);
    const asked = this.#askHost("estimateCost", costOf, context, options);
    return asked ? asked.then((said) => said ?? tried()) : tried();
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
    // The addon names those that there are.
    if (!provider) checked(() => this.#native.requireProvider(id));
    return provider;
  }

  #isOurs(provider) {
    return NativeCondensationProvider.handleOf(provider) !== undefined;
  }

  /** The provider of the host that a call is for; undefined where it is one of ours. */
  #hostProvider(id) {
    const provider = this.#providers.get(id ?? this.#native.active());
    return provider === undefined || this.#isOurs(provider) ? undefined : provider;
  }

  /** What a provider of the host says when it is asked by `ask`; undefined where it has no `method`. Wrong arguments throw at once. */
  #askHost(method, ask, context, options) {
    const provider = this.#hostProvider(readable("options", () => options?.provider));
    if (!methodOf(provider, method)) return undefined;
    const { prepared, messages, settings } = prepare(context, options ?? {}, () => undefined);
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
      return ask(provider, { ...prepared.context, messages: prepared.given.slice(), tokenCount, isPreview: true }, config ?? {});
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
    return condense(context, options, configOf, start, this.#protect).finally(() => this.#calls.delete(id));
  }
}

/** What a provider of the host says of itself, checked. Only `id` and `condense` have to be there. */
function infoOf(provider) {
  if (!isObject(provider)) throw notAllowed("provider", provider, "a provider: { id, condense(context, options) }");
  const { id, name, description, version } = provider;
  requireText("provider.id", id);
  if (typeof provider.condense !== "function") throw notAllowed("provider.condense", provider.condense, "a function");
  for (const [field, value] of Object.entries({ name, description, version })) {
    if (value != null && typeof value !== "string") throw notAllowed(`provider.${field}`, value, "a string");
  }
  for (const method of METHODS) {
    if (provider[method] != null && typeof provider[method] !== "function")
      throw notAllowed(`provider.${method}`, provider[method], "a function");
  }
  const info = { id, name: name || id, description: description ?? "", version: version ?? "" };
  if (provider.getCapabilities == null) return info;
  const capabilities = answerOf(
    () => provider.getCapabilities(),
    (error) => {
      throw notReadable("provider.getCapabilities()", error);
    },
  );
  return { ...info, capabilities: checkedCapabilities(capabilities) };
}

function checkedCapabilities(capabilities) {
  if (!isObject(capabilities)) throw notAllowed("provider.getCapabilities()", capabilities, "an object");
  const found = {};
  for (const [field, value] of Object.entries(capabilities)) {
    const path = `provider.getCapabilities().${field}`;
    if (field === "estimatedSpeed" && !SPEEDS.includes(value)) throw notAllowed(path, value, SPEEDS.join(", "));
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
};
