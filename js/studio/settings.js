"use strict";

// Settings of automatic condensing, as the page shows and changes them. They stand where the host keeps them; what was not chosen there is as the manager has it.

const { copyOf, handlerOf, optionsOf } = require("../manager.js");
const { failure } = require("./failure.js");

/** @typedef {InstanceType<typeof import("../manager.js").CondensationManager>} Manager */

/** The names, which are those of a manager's options but for the last two. */
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

/** What was chosen of `settings`, with nothing else in it. */
const chosenOf = (settings) =>
  Object.fromEntries(NAMES.flatMap((name) => (settings?.[name] === undefined || settings[name] === null ? [] : [[name, settings[name]]])));

/**
 * Another manager, which works by settings. Throws for what cannot be.
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
  /** The manager that works by what was read last, and what that was. @type {{ json: string, manager: Manager } | undefined} */
  #made;

  /**
   * @param {Manager} manager
   * @param {any} store what the host keeps them in; without one they are the manager's own
   */
  constructor(manager, store) {
    this.#manager = manager;
    this.#store = store;
  }

  async #chosen() {
    return this.#store ? chosenOf(await this.#store.read()) : {};
  }

  /** The manager that works by them. What was stored and cannot be is told where it is used. */
  async manager() {
    if (!this.#store) return this.#manager;
    const chosen = await this.#chosen();
    const json = JSON.stringify(chosen);
    if (this.#made?.json !== json) this.#made = { json, manager: managerBy(this.#manager, chosen) };
    return this.#made.manager;
  }

  /**
   * What a call of the manager itself is given so that it works by them: that one counts and is paid for.
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

  /** Them, and what there is to choose from. */
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

  /** Stores them, unless something in them cannot be. */
  async change(settings) {
    if (!this.#store) throw failure("not_live", "this host keeps no settings");
    const chosen = chosenOf(settings);
    managerBy(this.#manager, chosen);
    await this.#store.write(chosen);
    return this.told();
  }

  /** How much of a conversation may stay, in percent; undefined where nobody says. */
  async targetPercent() {
    return (await this.#chosen()).targetPercent;
  }
}

module.exports = { Settings };
