"use strict";

// Handlers: what answers an LLM request. Over HTTP from the addon, or by a handler of the host.

const native = require("#native");
const { brand, brandOf, ofAnotherCopy } = require("./brand.js");
const { checked, notAllowed, readable } = require("./errors.js");
const { handlerCallback } = require("./callback-handler.js");
const { answerOf } = require("./host-call.js");
const isObject = require("./is-object.js");
const { serializeSettings, wellFormed } = require("./serialize.js");

/** A handler. What it was made of cannot be read from it: keys stay inside. */
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

  /** The addon's own object for one call; what the host throws in it is kept in `causes`. */
  static bind(handler, causes) {
    return handler.#bind(causes);
  }

  static is(value) {
    return isObject(value) && #bind in value;
  }
}

/** A handler that asks a service over HTTP. Throws at once when an option is wrong. */
function httpHandler(options) {
  if (!isObject(options)) throw notAllowed("options", options, "an object: { api, model, baseUrl?, apiKey?, headers?, maxTokens?, … }");
  const json = serializeSettings(options, "options");
  const handle = checked(() => native.NativeHandler.http(json));
  return new LlmHandler(JSON.parse(json).api, handle.model(), () => handle);
}

/**
 * A handler on top of the host's own: `createMessage(systemPrompt, messages)` is an async generator of chunks, `countTokens(blocks)` and
 * `getModel()` are used when they are there.
 */
function callbackHandler(api, options = {}) {
  if (!isObject(api)) throw notAllowed("api", api, "an object with createMessage(systemPrompt, messages)");
  const createMessage = readable("api.createMessage", () => api.createMessage);
  if (typeof createMessage !== "function")
    throw notAllowed("api.createMessage", createMessage, "a function that returns an async generator");
  if (!isObject(options)) throw notAllowed("options", options, "an object");
  const { timeoutMs, idleTimeoutMs, contextWindow, price } = JSON.parse(
    checked(() => native.NativeHandler.callbackOptions(serializeSettings(options, "options"))),
  );
  const bind = (causes) => {
    // Asked anew for each call: a host may have changed its model.
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

/** What `getModel()` says, as far as it can be used; of a host without it, or whose getModel() throws, nothing is known. */
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

/** The prices of a model's information; undefined when it names none, or one that is no amount: then nobody knows what the model costs. */
function priceOf(info) {
  const price = pricesOf(info);
  if (Object.keys(price).length === 0 || isBroken(info, PRICES)) return undefined;
  if (isObject(info.longContextPricing) && isBroken(info.longContextPricing, MULTIPLIERS)) return undefined;
  if (Array.isArray(info.tiers) && info.tiers.some((tier) => isObject(tier) && isBroken(tier, PRICES))) return undefined;
  return { ...price, longContextPricing: longContextPricingOf(info.longContextPricing), tiers: tiersOf(info.tiers) };
}

const pricesOf = (info) => amountsOf(info, PRICES);

const isAmount = (value) => Number.isFinite(value) && value >= 0;

/** Those of the named fields that hold an amount. */
function amountsOf(holder, names) {
  const amounts = {};
  for (const name of names) if (isAmount(holder[name])) amounts[name] = holder[name];
  return amounts;
}

/** Whether one of the named fields is there and holds no amount. */
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

/** Whether an option can stand for a handler: absent, or any object. Everything else is a mistake. */
const isHandlerLike = (value) => value === undefined || value === null || isObject(value);

/**
 * The handler that a value stands for: one of ours, or a handler of the host as it is. `{ invalid }` for an object that cannot answer:
 * another handler may stand in for it.
 */
function toHandler(field, value) {
  if (LlmHandler.is(value)) return value;
  if (!isObject(value)) return undefined;
  const mark = brandOf(value);
  if (mark?.kind === "handler") return ofOtherCopy(field, mark);
  const createMessage = readable(`${field}.createMessage`, () => value.createMessage);
  return typeof createMessage === "function" ? callbackHandler(value) : { invalid: field };
}

/** A handler of the host is called by this copy as well. What one over HTTP was made of, its key too, is known to its own copy alone. */
function ofOtherCopy(field, mark) {
  if (!mark.open) throw ofAnotherCopy(field, "a handler over HTTP", mark, "made by its httpHandler()");
  const { api, options } = readable(field, () => mark.open());
  return callbackHandler(api, options);
}

module.exports = { LlmHandler, callbackHandler, httpHandler, isHandlerLike, toHandler };
