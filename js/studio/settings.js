"use strict";

// The settings of automatic condensing, as the page shows and changes them. The host stores them; settings that were
// not chosen are the manager's.

const { copyOf, handlerOf, optionsOf } = require("../manager.js");
const { failure } = require("./failure.js");

/** @typedef {InstanceType<typeof import("../manager.js").CondensationManager>} Manager */

/** The names of the settings. All but the last two are options of a manager. */
const NAMES = Object.freeze(
  /** @type {const} */ ([
    "autoCondenseContext",
    "autoCondenseContextPercent",
    "profileThresholds",
    "provider",
    "condensingApiConfigId",
    "customCondensingPrompt",
    "preset",
    "targetPercent",
  ]),
);

/** Returns the settings that were chosen, without other fields. */
const chosenOf = (settings) =>
  Object.fromEntries(NAMES.flatMap((name) => (settings?.[name] === undefined || settings[name] === null ? [] : [[name, settings[name]]])));

/**
 * Creates a manager with settings applied. Throws for invalid ones.
 * @param {Manager} manager
 * @param {any} settings
 */
function managerBy(manager, { provider, preset, autoCondenseContextPercent, targetPercent: _, ...options }) {
  const copy = copyOf(manager, { ...options, ...(provider !== undefined && { provider }) });
  if (provider !== undefined) copy.setActiveProvider(provider);
  if (preset !== undefined) copy.setPreset(preset);
  if (autoCondenseContextPercent !== undefined) copy.setThreshold(autoCondenseContextPercent);
  return copy;
}

class Settings {
  #manager;
  #store;
  /** The manager for the settings that were read last, and those settings. @type {{ json: string, manager: Manager } | undefined} */
  #made;

  /**
   * @param {Manager} manager
   * @param {any} store the host's store for settings; without one, the manager's own settings apply
   */
  constructor(manager, store) {
    this.#manager = manager;
    this.#store = store;
  }

  async #chosen() {
    return this.#store ? chosenOf(await this.#store.read()) : {};
  }

  /** Returns the manager with the settings applied. Invalid stored settings throw here. */
  async manager() {
    if (!this.#store) return this.#manager;
    const chosen = await this.#chosen();
    const json = JSON.stringify(chosen);
    if (this.#made?.json !== json) this.#made = { json, manager: managerBy(this.#manager, chosen) };
    return this.#made.manager;
  }

  /**
   * Returns the options with which a call of the host's own manager, which counts the cost, follows the settings.
   * @param {{ provider?: string, config?: object }} options
   */
  async forCall(options) {
    const { provider, preset, customCondensingPrompt, condensingApiConfigId } = await this.#chosen();
    const { handler, price } =
      (condensingApiConfigId === undefined ? undefined : optionsOf(this.#manager).profiles?.[condensingApiConfigId]) ?? {};
    const named = options.provider ?? provider;
    const isByPreset = preset !== undefined && options.config === undefined && (named ?? this.#manager.getActiveProvider().id) === "smart";
    return {
      ...(named !== undefined && { provider: named }),
      ...(isByPreset && { config: { preset } }),
      ...(customCondensingPrompt !== undefined && { customCondensingPrompt }),
      ...(handler && { condensingHandler: handler, ...(price && { price }) }),
    };
  }

  /** Returns the settings, and the possible choices. */
  async told() {
    if (!this.#store) throw failure("not_live", "this host keeps no settings");
    const chosen = await this.#chosen();
    const { autoCondenseContext, threshold, condensingApiConfigId, customCondensingPrompt } = this.#manager.getEffectiveConfig();
    const { profiles = {}, profileThresholds = {} } = optionsOf(this.#manager);
    const settings = {
      autoCondenseContext,
      autoCondenseContextPercent: threshold,
      condensingApiConfigId,
      customCondensingPrompt,
      ...chosen,
      profileThresholds: { ...profileThresholds, ...chosen.profileThresholds },
    };
    const ids = new Set([...Object.keys(profiles), ...Object.keys(settings.profileThresholds)]);
    return {
      settings,
      profiles: [...ids].map((id) => ({ id, hasModel: this.#manager.hasHandler(id) })),
      canAsk: handlerOf(this.#manager) !== undefined,
      keptIn: this.#store.keptIn,
    };
  }

  /** Stores settings, unless one of them is invalid. */
  async change(settings) {
    if (!this.#store) throw failure("not_live", "this host keeps no settings");
    const chosen = chosenOf(settings);
    managerBy(this.#manager, chosen);
    await this.#store.write(chosen);
    return this.told();
  }

  /** Returns the target in percent of the conversation; undefined if neither the settings nor the host set one. */
  async targetPercent() {
    return (await this.#chosen()).targetPercent;
  }
}

module.exports = { Settings };
