"use strict";

// Handlers: what answers an LLM request. Over HTTP from the addon, or by a handler of the host.

const native = require("./native.js");
const { argumentError, checked, notAllowed } = require("./errors.js");
const { handlerCallback } = require("./callback-handler.js");
const { wellFormed } = require("./serialize.js");

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Milliseconds. The same as an HTTP handler has by default. */
const TIMEOUT_MS = 300_000;
const IDLE_TIMEOUT_MS = 120_000;
const DAY_MS = 86_400_000;

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
  let json;
  try {
    // NaN and Infinity would silently become null. A tier of prices without limit is Infinity in some hosts, and null means the same.
    json = JSON.stringify(options, (key, value) =>
      typeof value === "number" && !Number.isFinite(value) && key !== "contextWindow" ? `${value}` : value,
    );
  } catch (error) {
    throw argumentError("not_serializable", `options cannot be written as JSON: ${error?.message ?? error}`);
  }
  const handle = checked(() => native.NativeHandler.http(wellFormed(json)));
  return new LlmHandler(options.api, handle.model(), () => handle);
}

const CALLBACK_OPTIONS = ["timeoutMs", "idleTimeoutMs", "contextWindow", "price"];

/**
 * A handler on top of the host's own: `createMessage(systemPrompt, messages)` is an async generator of chunks, `countTokens(blocks)` and
 * `getModel()` are used when they are there.
 */
function callbackHandler(api, options = {}) {
  if (!isObject(api)) throw notAllowed("api", api, "an object with createMessage(systemPrompt, messages)");
  if (typeof api.createMessage !== "function")
    throw notAllowed("api.createMessage", api.createMessage, "a function that returns an async generator");
  if (!isObject(options)) throw notAllowed("options", options, "an object");
  for (const name of Object.keys(options)) {
    if (!CALLBACK_OPTIONS.includes(name)) throw notAllowed(`options.${name}`, options[name], `the fields ${CALLBACK_OPTIONS.join(", ")}`);
  }
  const timeoutMs = whole("timeoutMs", options.timeoutMs, DAY_MS) ?? TIMEOUT_MS;
  const idleTimeoutMs = whole("idleTimeoutMs", options.idleTimeoutMs, DAY_MS) ?? IDLE_TIMEOUT_MS;
  const contextWindow = whole("contextWindow", options.contextWindow, Number.MAX_SAFE_INTEGER);
  if (options.price !== undefined && !isObject(options.price)) throw notAllowed("options.price", options.price, "an object of prices");
  const bind = (causes) => {
    // Asked anew for each call: a host may have changed its model.
    const { id, info } = modelOf(api);
    const facts = {
      model: id,
      price: priceOf(options.price ?? info),
      contextWindow: contextWindow ?? positive(info.contextWindow),
      maxOutputTokens: positive(info.maxTokens, 0xffff_ffff),
      countsTokens: typeof api.countTokens === "function",
      timeoutMs,
    };
    return native.NativeHandler.callback(wellFormed(JSON.stringify(facts)), handlerCallback(api, idleTimeoutMs, causes));
  };
  return new LlmHandler("callback", modelOf(api).id, bind);
}

function whole(name, value, most) {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || Number.isNaN(value)) throw notAllowed(`options.${name}`, value, `a whole number from 1 to ${most}`);
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw argumentError("out_of_range", `options.${name}: ${value} is not allowed; allowed: a whole number from 1 to ${most}`);
  }
  return value;
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

/**
 * The handler that a value stands for: one of ours, or a handler of the host as it is. `{ invalid }` for an object that cannot answer:
 * another handler may stand in for it. Throws for anything that is no object.
 */
function toHandler(field, value) {
  if (value === undefined || value === null || LlmHandler.is(value)) return value ?? undefined;
  if (!isObject(value)) throw notAllowed(field, value, "a handler: httpHandler(…), callbackHandler(…), or an object with createMessage()");
  return typeof value.createMessage === "function" ? callbackHandler(value) : { invalid: field };
}

module.exports = { LlmHandler, callbackHandler, httpHandler, toHandler };
