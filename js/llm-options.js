"use strict";

// Handles the options that are objects of the caller: custom providers, handlers (of the manager, its profiles and a
// call), and the store for summaries.

const { messageOf, shown } = require("./errors.js");
const { LlmHandler, isHandlerLike, toHandler } = require("./handlers.js");
const isObject = require("./is-object.js");
const isStore = require("./is-store.js");
const { refused } = require("./serialize.js");

/**
 * Splits a manager's options into those that the addon reads as JSON, and the objects that stay here. An unusable
 * object is left in for the addon, which reports all errors together.
 * @param {import("../types/options.js").ManagerOptions} options
 */
function splitOptions({ handler, condensingHandler, cache, profiles, providers, ...rest }) {
  const handlers = {
    handler: toHandler("handler", handler),
    condensingHandler: toHandler("condensingHandler", condensingHandler),
    condensingApiConfigId: rest.condensingApiConfigId ?? undefined,
    profiles: new Map(),
  };
  const store = isStore(cache) ? storeCallback(cache) : undefined;
  const plain = {
    ...rest,
    handler: unusableHandler(handler),
    condensingHandler: unusableHandler(condensingHandler),
    profiles: isObject(profiles) ? splitProfiles(profiles, handlers.profiles) : profiles,
    cache: store ? undefined : unusableStore(cache),
    providers: providers === undefined || Array.isArray(providers) ? undefined : refused(providers),
  };
  return { plain, handlers, store, custom: Array.from(providers ?? []) };
}

/** Returns the profiles without their handlers, which go into `handlers`. */
function splitProfiles(profiles, handlers) {
  const plain = {};
  for (const [id, profile] of Object.entries(profiles)) {
    if (!isObject(profile)) {
      plain[id] = profile;
      continue;
    }
    const { handler, ...rest } = profile;
    plain[id] = { ...rest, handler: unusableHandler(handler) };
    handlers.set(id, {
      handler: toHandler(`profiles.${id}.handler`, handler),
      condensingApiConfigId: rest.condensingApiConfigId,
    });
  }
  return plain;
}

const unusableStore = (cache) => (typeof cache === "object" && cache !== null ? refused(cache) : cache);

const unusableHandler = (handler) => (isHandlerLike(handler) ? undefined : refused(handler));

/** Returns the function that the addon calls to read and write the cache. It always resolves; a failure of the store is in the reply. */
function storeCallback(store) {
  return async (json) => {
    try {
      const request = JSON.parse(json);
      if (request.set !== undefined) {
        await store.set(request.set, request.value);
        return "{}";
      }
      const value = await store.get(request.get);
      if (value !== undefined && value !== null && typeof value !== "string")
        throw new TypeError(`get() returned ${shown(value)}; expected the text that was kept, or nothing`);
      return JSON.stringify({ value: value?.toWellFormed() ?? null });
    } catch (error) {
      return JSON.stringify({ error: messageOf(error).toWellFormed() });
    }
  };
}

/** The profile that writes summaries if none is named, identified by its role: a cheap one. */
const CONDENSING_ROLE = "condensing";

/** @type {{ handler?: any, condensingHandler?: any, condensingApiConfigId?: string, profiles: Map<string, any> }} */
const NONE = { profiles: new Map() };

/** Returns true if a handler exists and is valid; warns that an invalid one is skipped. */
function isUsable(handler, warnings) {
  const field = handler?.invalid;
  if (field) warnings.push({ code: "handler_invalid", message: `${field} has no createMessage(); it is not used`, field });
  return Boolean(handler) && !handler.invalid;
}

/**
 * Returns the addon's handlers for one call. The call's take precedence over its profile's, and those over the
 * manager's. An invalid one is skipped with a warning.
 */
function bindHandlers(prepared, defaults = NONE) {
  const { handlers, profileId, warnings, causes } = prepared;
  const profile = defaults.profiles.get(profileId);
  const otherId = profile?.condensingApiConfigId ?? defaults.condensingApiConfigId;
  const other = otherId === undefined ? undefined : defaults.profiles.get(otherId);
  if (otherId !== undefined && !other?.handler) {
    const message = `profile "${otherId}" has no handler; another one writes the summary`;
    warnings.push({ code: "handler_missing", message, field: `profiles.${otherId}.handler` });
  }
  const first = (...candidates) => {
    const usable = candidates.find((candidate) => isUsable(candidate, warnings));
    return usable && LlmHandler.bind(usable, causes);
  };
  return {
    handler: first(handlers.handler, profile?.handler, defaults.handler),
    condensingHandler: first(
      handlers.condensingHandler,
      other?.handler,
      defaults.condensingHandler,
      defaults.profiles.get(CONDENSING_ROLE)?.handler,
    ),
  };
}

/** Returns the addon's handlers of the profiles in `ids` that have one. */
function bindProfiles({ warnings, causes }, { profiles }, ids) {
  const usable = [...ids].filter((id) => isUsable(profiles.get(id)?.handler, warnings));
  return usable.map((id) => ({ id, handler: LlmHandler.bind(profiles.get(id).handler, causes) }));
}

module.exports = { bindHandlers, bindProfiles, splitOptions };
