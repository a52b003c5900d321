"use strict";

// Creates handlers, which send LLM requests: over HTTP in the addon, or by a handler of the host.

const native = require("#native");
const { brand, brandOf, ofAnotherCopy } = require("./brand.js");
const { checked, notAllowed, readable } = require("./errors.js");
const { handlerCallback } = require("./callback-handler.js");
const { answerOf } = require("./host-call.js");
const isObject = require("./is-object.js");
const { serializeSettings, wellFormed } = require("./serialize.js");

/** A handler. Its options cannot be read from it, so keys stay inside. */
class LlmHandler {
  #bind;

  /** @param {(() => any)=} open what another copy of the package can make its own handler of */
  constructor(kind, model, bind, open) {
    this.#bind = bind;
    this.api = kind;
    this.model = model;
    brand(this, { kind: "handler", ...(open && { open }) });
    Object.freeze(this);
  }

  /** Returns the addon's object for one call; values that the host throws are kept in `causes`. */
  static bind(handler, causes) {
    return handler.#bind(causes);
  }

  static is(value) {
    return isObject(value) && #bind in value;
  }
}

/** Creates a handler that sends requests to a service over HTTP. Throws at once if an option is invalid. */
function httpHandler(options) {
  if (!isObject(options)) throw notAllowed("options", options, "an object: { api, model, baseUrl?, apiKey?, headers?, maxTokens?, … }");
  const json = serializeSettings(options, "options");
  const handle = checked(() => native.NativeHandler.http(json));
  return new LlmHandler(JSON.parse(json).api, handle.model(), () => handle);
}

/**
 * Creates a handler that calls the host's own: `createMessage(systemPrompt, messages)` is an async generator of
 * chunks; `countTokens(blocks)` and `getModel()` are used if they exist.
 */
function callbackHandler(api, options = {}) {
  if (!isObject(api)) throw notAllowed("api", api, "an object with createMessage(systemPrompt, messages)");
  const createMessage = readable("api.createMessage", () => api.createMessage);
  if (typeof createMessage !== "function")
    throw notAllowed("api.createMessage", createMessage, "a function that returns an async generator");
  for (const name of ["countTokens", "getModel"]) {
    const method = readable(`api.${name}`, () => api[name]);
    if (method != null && typeof method !== "function") throw notAllowed(`api.${name}`, method, "a function");
  }
  if (!isObject(options)) throw notAllowed("options", options, "an object");
  const { timeoutMs, idleTimeoutMs, contextWindow, price } = JSON.parse(
    checked(() => native.NativeHandler.callbackOptions(serializeSettings(options, "options"))),
  );
  const bind = (causes) => {
    // Read again for each call, because a host may have changed its model.
    const model = modelOf(api);
    const facts = {
      ...model,
      price: price ? priceOf(price) : model.price,
      contextWindow: contextWindow ?? model.contextWindow,
      countsTokens: answerOf(() => typeof api.countTokens === "function") ?? false,
      timeoutMs,
    };
    const info = wellFormed(JSON.stringify(facts));
    return checked(() => native.NativeHandler.callback(info, handlerCallback(api, idleTimeoutMs, causes)));
  };
  return new LlmHandler("callback", modelOf(api).model, bind, () => ({ api, options }));
}

const positive = (value, most = Number.MAX_SAFE_INTEGER) => (Number.isInteger(value) && value > 0 && value <= most ? value : undefined);

/** Returns the usable part of `getModel()`; empty if the host has none, or if it throws. */
function modelOf(api) {
  const model = answerOf(() => api.getModel?.());
  const id = answerOf(() => model?.id);
  const info = answerOf(() => model?.info) ?? {};
  return {
    model: typeof id === "string" && id !== "" ? id : "unknown",
    price: answerOf(() => priceOf(info)),
    contextWindow: answerOf(() => positive(info.contextWindow)),
    maxOutputTokens: answerOf(() => positive(info.maxTokens, 0xffff_ffff)),
  };
}

const PRICES = ["inputPrice", "outputPrice", "cacheWritesPrice", "cacheReadsPrice"];

/** Returns the prices in a model's information. Undefined if a price is invalid or there is none: the model's cost is then unknown. */
function priceOf(info) {
  const price = pricesOf(info);
  if (Object.keys(price).length === 0 || isBroken(info, PRICES)) return undefined;
  if (isObject(info.longContextPricing) && isBroken(info.longContextPricing, MULTIPLIERS)) return undefined;
  if (Array.isArray(info.tiers) && info.tiers.some((tier) => isObject(tier) && isBroken(tier, PRICES))) return undefined;
  return { ...price, longContextPricing: longContextPricingOf(info.longContextPricing), tiers: tiersOf(info.tiers) };
}

const pricesOf = (info) => amountsOf(info, PRICES);

const isAmount = (value) => Number.isFinite(value) && value >= 0;

/** Returns the named fields that contain an amount. */
function amountsOf(holder, names) {
  const amounts = {};
  for (const name of names) if (isAmount(holder[name])) amounts[name] = holder[name];
  return amounts;
}

/** Returns true if one of the named fields exists but contains no amount. */
const isBroken = (holder, names) => names.some((name) => holder[name] != null && !isAmount(holder[name]));

const MULTIPLIERS = PRICES.map((name) => `${name}Multiplier`);

function longContextPricingOf(pricing) {
  const thresholdTokens = isObject(pricing) ? positive(pricing.thresholdTokens) : undefined;
  if (thresholdTokens === undefined) return undefined;
  const serviceTiers = pricing.appliesToServiceTiers;
  return {
    thresholdTokens,
    ...amountsOf(pricing, MULTIPLIERS),
    ...(Array.isArray(serviceTiers) && { appliesToServiceTiers: serviceTiers.filter((tier) => typeof tier === "string") }),
  };
}

function tiersOf(tiers) {
  if (!Array.isArray(tiers) || !tiers.every(isObject)) return undefined;
  return tiers.map((tier) => {
    const { name, contextWindow } = tier;
    return { ...(typeof name === "string" && { name }), contextWindow: positive(contextWindow), ...pricesOf(tier) };
  });
}

/** Returns true if an option can be a handler: absent, or any object. Other values are mistakes. */
const isHandlerLike = (value) => value === undefined || value === null || isObject(value);

/**
 * Returns the handler for a value: one of ours, or the host's handler. `{ invalid }` for an object that cannot
 * respond, because another handler may replace it.
 */
function toHandler(field, value) {
  if (LlmHandler.is(value)) return value;
  if (!isObject(value)) return undefined;
  const mark = brandOf(value);
  if (mark?.kind === "handler") return ofOtherCopy(field, mark);
  const createMessage = readable(`${field}.createMessage`, () => value.createMessage);
  return typeof createMessage === "function" ? callbackHandler(value) : { invalid: field };
}

/**
 * Returns the handler of another copy of the package. This copy can call a host's handler, too. But the options and the
 * key of a handler over HTTP are known only to its own copy.
 */
function ofOtherCopy(field, mark) {
  if (!mark.open) throw ofAnotherCopy(field, "a handler over HTTP", mark, "made by its httpHandler()");
  const { api, options } = readable(field, () => mark.open());
  return callbackHandler(api, options);
}

module.exports = { LlmHandler, callbackHandler, httpHandler, isHandlerLike, toHandler };
