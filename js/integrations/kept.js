"use strict";

// Keeps condensations between the requests of a conversation. A framework passes its whole history with each request. The earlier
// condensation of it is applied again, so that consecutive requests begin with the same bytes and the service reads them from its prompt
// cache.

const { checked } = require("../errors.js");
const { contentsOf, fingerprintOfMessages } = require("../fingerprints.js");
const { formatOf } = require("../formats.js");
const { countTokens } = require("../count.js");
const { tell } = require("../host-call.js");
const isObject = require("../is-object.js");
const { CondensationManager } = require("../manager.js");
const { checkedOptions } = require("../options.js");
const { NewResults } = require("./new-results.js");
const { Recalls } = require("../recall/recalls.js");

/** Maximum number of kept condensations; the least recently used is removed first. Each contains its changed messages, which fit its target. */
const MOST_KEPT = 64;
/** Threshold and target in percent of the window. With recall, small prompts cost half as much, including the calls of recall (docs/economics.md). */
const IN_VIEW = { thresholdPercent: 75, targetPercent: 40 };
const WITH_RECALL = { thresholdPercent: 25, targetPercent: 10 };
/** Growth, in percent of the window, before a history is condensed again that the last condensation left above the threshold. */
const GROWTH_PERCENT = 5;

const KEPT = {
  manager: (/** @type {unknown} */ manager) => manager instanceof CondensationManager,
  onWarning: (/** @type {unknown} */ listener) => typeof listener === "function",
};

/**
 * @typedef {object} Kept
 * @property {string | undefined} format
 * @property {number} length number of the history's messages that it replaces
 * @property {string} contents content hashes of these messages
 * @property {string} original their number, and a hash of their whole content
 * @property {(number | object)[]} items the messages to send: the index of a message in the history, or a message that the condensation
 * created
 * @property {number} tokens of the request after condensing
 */

class KeptCondensations {
  #manager = /** @type {any} */ (undefined);
  #contextWindow;
  #targetPercent;
  #maxOutputTokens;
  #onWarning;
  #recalls = /** @type {Recalls | undefined} */ (undefined);
  #results = /** @type {NewResults | undefined} */ (undefined);
  /** @type {Map<string, Kept>} By the messages that they replace, the least recently used first. */
  #kept = new Map();

  /**
   * @param {unknown} given
   * @param {string} [type] the interface of the options
   */
  constructor(given, type = "CondensingOptions") {
    const options = checkedOptions(type, given, KEPT, "an object: { contextWindow, … }");
    const { contextWindow, manager, onWarning, maxOutputTokens, resultTokens, recall } = options;
    const usual = recall ? WITH_RECALL : IN_VIEW;
    if (recall) this.#recalls = new Recalls();
    this.#contextWindow = contextWindow;
    this.#targetPercent = options.targetPercent ?? usual.targetPercent;
    this.#maxOutputTokens = maxOutputTokens;
    this.#onWarning = onWarning;
    this.#manager = manager ?? new CondensationManager({ autoCondenseContextPercent: usual.thresholdPercent });
    const { encoding } = this.#manager.getEffectiveConfig();
    if (resultTokens !== undefined) this.#results = new NewResults({ budget: Math.floor(resultTokens), encoding, recall });
  }

  /**
   * Resolves to the messages to send for a history: the same array if nothing was condensed. Never rejects.
   * @template {object} M
   * @param {readonly M[]} messages
   * @param {any} request `format`, name of the `model`, `system` prompt, `tools`, `maxTokens` and `signal`, as far as they are known
   * @returns {Promise<readonly M[]>}
   */
  async messagesFor(messages, request) {
    try {
      return await this.#sent(messages, request);
    } catch (error) {
      this.#warn(error);
      return messages;
    }
  }

  /** Returns the function that answers calls of recall from the given messages; undefined if recall is not offered. */
  get recall() {
    const recalls = this.#recalls;
    return recalls && ((input, messages, format) => recalls.run(input, messages, format, this.#shown(messages, format)));
  }

  /** Returns the messages that were sent for a history, as far as its condensation is kept. */
  #shown(messages, named) {
    try {
      const history = messages.slice(systemMessages(messages));
      const format = formatOf(history, named, "messages");
      const contents = checked(() => contentsOf(history, format));
      const kept = this.#find(history, contents.join(""), format);
      const short = this.#results ? this.#results.known(history, { contents, format }) : history;
      return kept ? viewOf(kept, short) : short;
    } catch {
      // Without these messages, recall quotes all matches.
      return undefined;
    }
  }

  async #sent(messages, { format: named, model, system, tools, maxTokens, signal }) {
    // System messages do not count when a conversation is recognised, because applications put changing content there, such as the date.
    const lead = messages.slice(0, systemMessages(messages));
    const whole = messages.slice(lead.length);
    if (whole.length === 0) return messages;
    const format = formatOf(whole, named, "messages");
    const said = checked(() => contentsOf(whole, format));
    const contents = said.join("");
    const kept = this.#find(whole, contents, format);
    const history = await this.#withShortResults(whole, { contents: said, format, kept });
    const isShort = history.some((message, index) => message !== whole[index]);
    const view = kept ? viewOf(kept, history) : history;
    const sent = kept || isShort ? [...lead, ...view] : messages;
    try {
      const { encoding, scale } = this.#manager.getEffectiveConfig();
      const around = [...lead.map(textOf), ...[system, tools].map(asText)].reduce(
        (sum, text) => sum + countTokens(text, { encoding, scale }),
        0,
      );
      const tokensOf = (shown) => around + countTokens(shown, { encoding, scale, format: named });
      const usage = {
        totalTokens: tokensOf(view),
        contextWindow: this.#contextWindow,
        maxTokens: usable(maxTokens) ?? this.#maxOutputTokens,
      };
      const { due, reason, threshold, allowedTokens } = this.#manager.shouldCondense(usage);
      const grown = usage.totalTokens - (kept?.tokens ?? -Infinity);
      if (!due || (reason !== "window" && grown < (this.#contextWindow * GROWTH_PERCENT) / 100)) return sent;
      const dueAt = Math.max(0, Math.min((this.#contextWindow * threshold) / 100, allowedTokens));
      const targetTokens = Math.floor((dueAt * this.#targetPercent) / 100);
      const systemPrompt = [...lead.map(textOf), asText(system)].filter((text) => text !== "").join("\n\n");
      // The name of the model decides what happens to signed thinking after a change.
      const context = { ...usage, messages: view, systemPrompt, taskId: contents.slice(0, 16), model: nameOf(model) };
      const options = { format: named, targetTokens, recall: this.#recalls !== undefined, isAutomatic: true, signal: signal ?? undefined };
      const result = await this.#manager.condenseIfNeeded(context, options);
      result.warnings.forEach((warning) => this.#warn(warning));
      if (result.error) this.#warn(result.error);
      if (signal?.aborted) return sent;
      const items = composed(kept, history.length, view, result.messages);
      const original = fingerprintOfMessages(whole, format);
      const fresh = { format, length: history.length, contents, original, items, tokens: tokensOf(result.messages) };
      const used = this.#keep(fresh);
      const isWhole = used.items.length === history.length && used.items.every((item, index) => item === index);
      return isWhole && !isShort ? messages : [...lead, ...viewOf(used, history)];
    } catch (error) {
      this.#warn(error);
      return sent;
    }
  }

  /** Returns the history with new results shortened; the history unchanged if that fails. */
  async #withShortResults(history, { contents, format, kept }) {
    if (!this.#results) return history;
    const shown = (begun) => (kept && begun.length >= kept.length ? viewOf(kept, begun) : begun);
    try {
      return await this.#results.shorten(history, { contents, format, viewOf: shown });
    } catch (error) {
      this.#warn(error);
      return history;
    }
  }

  /** Returns the kept condensation of the longest beginning of this history. */
  #find(history, contents, format) {
    const fitting = [...this.#kept.values()].filter((kept) => kept.format === format && contents.startsWith(kept.contents));
    fitting.sort((one, other) => other.length - one.length);
    const found = fitting.find((kept) => fingerprintOfMessages(history.slice(0, kept.length), format) === kept.original);
    if (found) this.#keep(found);
    return found;
  }

  /** Stores a condensation as the most recently used one. If two concurrent requests condensed the same messages, the first result is used for both. */
  #keep(fresh) {
    const key = `${fresh.format} ${fresh.original} ${fresh.contents}`;
    const kept = this.#kept.get(key) ?? fresh;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(/** @type {string} */ (this.#kept.keys().next().value));
    return kept;
  }

  #warn(warning) {
    if (this.#onWarning) tell(() => this.#onWarning(warning));
  }
}

/** Returns a usable limit. An invalid one counts as absent here, and is sent unchanged, because the service has to judge it. */
const usable = (maxTokens) => (typeof maxTokens === "number" && maxTokens > 0 ? maxTokens : undefined);

const nameOf = (model) => (typeof model === "string" && model !== "" ? model : undefined);

/** Returns the messages to send for a history that begins with condensed messages. Unchanged messages are the objects of this request. */
const viewOf = ({ items, length }, history) => [
  ...items.map((item) => (typeof item === "number" ? history[item] : item)),
  ...history.slice(length),
];

/** Returns the items of a condensation of `view`, which consists of `kept` and the later messages. */
function composed(kept, length, view, condensed) {
  const origins = [
    ...(kept?.items ?? []),
    ...Array.from({ length: length - (kept?.length ?? 0) }, (_, index) => (kept?.length ?? 0) + index),
  ];
  const places = new Map(view.map((message, index) => [message, index]));
  return condensed.map((message) => {
    const place = places.get(message);
    return place === undefined ? withoutCacheMarks(message) : origins[place];
  });
}

const typeOf = (message) => (typeof message.getType === "function" ? message.getType() : (message.role ?? message.type));
const isSystem = (message) => isObject(message) && ["system", "developer"].includes(typeOf(message));

/** Returns the number of system messages at the beginning of a history. */
function systemMessages(messages) {
  const first = messages.findIndex((message) => !isSystem(message));
  return first === -1 ? messages.length : first;
}

/** Returns a text to count. A value without JSON, such as a tool's recursive schema, counts as empty, because it must not prevent condensing. */
function asText(value) {
  if (typeof value === "string") return value;
  try {
    return value === null ? "" : (JSON.stringify(value) ?? "");
  } catch {
    return "";
  }
}
const textOf = ({ content }) => asText(content);

const MARKS = ["cache_control", "cacheControl", "cachePoint"];

/**
 * Returns a changed message without marks of the prompt cache. Applications set such marks on the newest messages of each request. Kept
 * ones would accumulate, and services allow only a few. An instance of a class is returned unchanged.
 */
function withoutCacheMarks(value) {
  if (Array.isArray(value)) return value.map(withoutCacheMarks);
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).filter(([name]) => !MARKS.includes(name));
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      if (name === "content") return [name, withoutCacheMarks(inner)];
      if ((name === "providerOptions" || name === "providerMetadata") && isObject(inner))
        return [name, Object.fromEntries(Object.entries(inner).map(([provider, marks]) => [provider, withoutCacheMarks(marks)]))];
      return [name, inner];
    }),
  );
}

module.exports = { KeptCondensations };
