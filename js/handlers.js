"use strict";

// Handlers: what answers an LLM request. Over HTTP from the addon, or by a handler of the host.

const native = require("./native.js");
const { checked, notAllowed } = require("./errors.js");
const { handlerCallback } = require("./callback-handler.js");
const { serializeSettings, wellFormed } = require("./serialize.js");

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A handler. What it was made of cannot be read from it: keys stay inside. */
class LlmHandler {
  #bind;

  constructor(kind, model, bind) {
    this.#bind = bind;
    this.api = kind;
    this.model = model;
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
  const handle = checked(() => native.NativeHandler.http(serializeSettings(options, "options")));
  return new LlmHandler(options.api, handle.model(), () => handle);
}

/**
 * A handler on top of the host's own: `createMessage(systemPrompt, messages)` is an async generator of chunks, `countTokens(blocks)` and
 * `getModel()` are used when they are there.
 */
function callbackHandler(api, options = {}) {
  if (!isObject(api)) throw notAllowed("api", api, "an object with createMessage(systemPrompt, messages)");
  if (typeof api.createMessage !== "function")
    throw notAllowed("api.createMessage", api.createMessage, "a function that returns an async generator");
  if (!isObject(options)) throw notAllowed("options", options, "an object");
  const { timeoutMs, idleTimeoutMs, contextWindow, price } = JSON.parse(
    checked(() => native.NativeHandler.callbackOptions(serializeSettings(options, "options"))),
  );
  const bind = (causes) => {
    // Asked anew for each call: a host may have changed its model.
    const { id, info } = modelOf(api);
    const facts = {
      model: id,
      price: priceOf(price ?? info),
      contextWindow: contextWindow ?? positive(info.contextWindow),
      maxOutputTokens: positive(info.maxTokens, 0xffff_ffff),
      countsTokens: typeof api.countTokens === "function",
      timeoutMs,
    };
    return native.NativeHandler.callback(wellFormed(JSON.stringify(facts)), handlerCallback(api, idleTimeoutMs, causes));
  };
  return new LlmHandler("callback", modelOf(api).id, bind);
}

const positive = (value, most = Number.MAX_SAFE_INTEGER) => (Number.isInteger(value) && value > 0 && value <= most ? value : undefined);

/** What `getModel()` says; a host without it, or whose getModel() throws, has a model without a name. */
function modelOf(api) {
  try {
    const model = typeof api.getModel === "function" ? api.getModel() : undefined;
    const info = isObject(model?.info) ? model.info : {};
    return { id: typeof model?.id === "string" && model.id ? model.id : "unknown", info };
  } catch {
    return { id: "unknown", info: {} };
  }
}

const PRICES = ["inputPrice", "outputPrice", "cacheWritesPrice", "cacheReadsPrice"];

/** The prices of a model's information; undefined when it names none. */
function priceOf(info) {
  const price = {};
  for (const name of PRICES) if (Number.isFinite(info[name]) && info[name] >= 0) price[name] = info[name];
  if (Object.keys(price).length === 0) return undefined;
  if (isObject(info.longContextPricing) && positive(info.longContextPricing.thresholdTokens))
    price.longContextPricing = info.longContextPricing;
  if (Array.isArray(info.tiers) && info.tiers.every(isObject)) price.tiers = info.tiers;
  return price;
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
  return typeof value.createMessage === "function" ? callbackHandler(value) : { invalid: field };
}

module.exports = { LlmHandler, callbackHandler, httpHandler, isHandlerLike, toHandler };
