"use strict";

// The host's half of the studio: answers the requests of the page about the histories that the host gives it, by a
// manager. It knows no transport; see js/cli/studio-server.js and `connect`.

const { advise } = require("../advice.js");
const { CondensationManager, copyOf, handlerOf } = require("../manager.js");
const { tried } = require("../tried.js");
const { countTokens, warmUp } = require("../count.js");
const { stringify } = require("../deep-json.js");
const { diffMessages } = require("../diff.js");
const { messageOf, notAllowed, refuseUnknown } = require("../errors.js");
const { tell } = require("../host-call.js");
const { recommend } = require("../recommend.js");
const { seenIn } = require("../formats.js");
const isObject = require("../is-object.js");
const { withoutAbsent } = require("../inspection.js");
const { origins } = require("../origins.js");
const { OpenHistory, asText } = require("./open-history.js");
const { presets } = require("../presets.js");
const { ProtocolError, readAnswer, readRequest } = require("./protocol.js");
const { eachAsOurs } = require("../projection.js");
const { answersOf } = require("../future-use/index.js");
const { StudioFailure, failure } = require("./failure.js");
const { fateOf, undoneSums } = require("./fate.js");
const { keepAgain, takeBack, withChoices } = require("./kept.js");
const { placesOf, textsOf } = require("./message-texts.js");
const { proofOf } = require("./proof.js");
const { Settings } = require("./settings.js");
const { snapshot } = require("./snapshot.js");
const { version } = require("../../package.json");

/** The number of condensations kept for undoing and saving. A page shows one at a time, and several pages may be open. */
const MAX_KEPT = 24;
/** How long a page waits for news before it asks again. Shorter than the time after which proxies and webviews end a request. */
const WAIT_MS = 20_000;
/** The number of dropped files that may be open at the same time. */
const MAX_OPENED = 20;
const HOST_OPTIONS = Object.freeze([
  "histories",
  "contextWindow",
  "recall",
  "systemPrompt",
  "tools",
  "language",
  "canOpen",
  "readText",
  "saveOpened",
  "report",
  "sessions",
  "settings",
]);
const DIFF = Object.freeze({ context: 3, lines: 400, characters: 600 });

class StudioHost {
  /** The host's own manager: its metrics include condensations that ask a model. Trials use a copy with the settings applied. */
  #manager;
  #options;
  #settings;
  /** @type {Map<string, OpenHistory>} */
  #histories = new Map();
  /** @type {Map<string, any>} */
  #condensations = new Map();
  /**
   * Condensations in progress that cannot be cancelled, by their request; a second request for the same one waits for
   * it. @type {Map<string, Promise<any>>}
   */
  #onTheirWay = new Map();
  #waiting = new Set();
  #stops = [];
  /** The ids of the sessions found by the last search. */
  #found = new Set();
  #nextId = 1;
  #opened = 0;

  constructor(manager, options) {
    this.#manager = manager;
    this.#options = options;
    this.#settings = new Settings(manager, options.settings);
    for (const source of options.histories) this.#open(new OpenHistory(source));
    // Starts while the page loads. Errors show up on first use.
    warmUp(manager.getEffectiveConfig().encoding).catch(() => {});
  }

  #open(history) {
    this.#histories.set(history.id, history);
    this.#stops.push(history.watch(() => this.#wake()));
  }

  /** Returns the sessions that the host finds now; a page may ask for these only. */
  async #sessionsFound() {
    const { sessions } = this.#options;
    if (!sessions) throw failure("not_live", "this host finds no sessions");
    const found = await sessions.find();
    this.#found = new Set(found.sessions.map(({ id }) => id));
    return found;
  }

  #sessionNamed(id) {
    if (!this.#found.has(id)) throw failure("unknown_history", "there is no such session any more");
    return this.#options.sessions.open(id);
  }

  #wake() {
    for (const wake of this.#waiting) wake();
  }

  /** Ends the host: stops watching, and answers waiting requests. A source that throws on stopping does not keep the others from stopping. */
  dispose() {
    for (const stop of this.#stops.splice(0)) tell(stop);
    this.#wake();
    this.#condensations.clear();
  }

  /**
   * Answers a request, which may be any value. Returns the message for the other end: `{ id, answer }`, or `{ id,
   * error }`.
   * @param {any} message
   * @param {{ signal?: AbortSignal }} [options]
   */
  async answer(message, { signal } = {}) {
    const id = isObject(message) && Number.isSafeInteger(message.id) ? message.id : 0;
    try {
      const { method, params } = readRequest(message);
      const answer = await this.#methods[method](params, signal);
      // Our own answer is checked as well, so that fields the page does not know are not sent.
      return { id, answer: readAnswer(method, answer) };
    } catch (error) {
      const code = error instanceof ProtocolError || error instanceof StudioFailure ? error.code : (error?.code ?? "internal_error");
      return { id, error: { code: String(code), message: messageOf(error) } };
    }
  }

  /**
   * Answers messages that come through a port, such as the webview of an extension. Returns a function that ends
   * this.
   * @param {{ postMessage(message: unknown): unknown, onMessage(listener: (message: any) => void): unknown }} port
   */
  connect(port) {
    /** @type {Map<number, AbortController>} */
    const running = new Map();
    let isOver = false;
    const ended = port.onMessage(async (message) => {
      if (!isObject(message) || message.studio !== 1) return;
      if (message.method === "cancel") {
        running.get(message.params?.id)?.abort();
        return;
      }
      const controller = new AbortController();
      running.set(message.id, controller);
      const answer = await this.answer(message, { signal: controller.signal });
      running.delete(message.id);
      // A closed panel accepts no messages and rejects its promise. Nothing waits for the answer then.
      if (!isOver) tell(() => port.postMessage({ studio: 1, ...answer }));
    });
    const stop = () => {
      isOver = true;
      for (const controller of running.values()) controller.abort();
      const end = /** @type {any} */ (ended);
      tell(() => (typeof end === "function" ? end() : end?.dispose?.()));
    };
    this.#stops.push(stop);
    return stop;
  }

  #history(id) {
    const history = this.#histories.get(id);
    if (!history) throw failure("unknown_history", "there is no such history any more");
    return history;
  }

  #told() {
    return [...this.#histories.values()].map((history) => history.told());
  }

  #context(messages, contextWindow = this.#options.contextWindow) {
    const { systemPrompt, tools } = this.#options;
    return {
      messages,
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(tools !== undefined && { tools }),
      ...(contextWindow !== undefined && { contextWindow }),
    };
  }

  #methods = {
    hello: async () => {
      await Promise.all([...this.#histories.values()].map((history) => history.loaded().catch(() => {})));
      const histories = this.#told();
      return {
        version,
        canWrite: this.#options.saveOpened !== undefined || histories.some(({ canWrite }) => canWrite),
        histories,
        providers: this.#manager.listProviders().map(({ id, name, description, capabilities }) => ({
          id,
          name,
          description,
          isFree: capabilities.isFree,
          isLossy: capabilities.supportsLossy,
          speed: capabilities.estimatedSpeed,
        })),
        presets: Object.keys(presets()),
        activeProvider: this.#manager.getActiveProvider().id,
        contextWindow: this.#options.contextWindow ?? null,
        targetPercent: await this.#settings.targetPercent(),
        language: this.#options.language,
        ...(this.#options.recall && { recall: true }),
        ...(this.#options.report && { canReport: true }),
        ...(this.#options.sessions && { canFind: true }),
        ...(this.#options.settings && { canSet: true }),
      };
    },

    wait: async ({ revisions }, signal) => {
      const isNew = () => this.#told().some(({ id, revision }) => revisions[id] !== revision);
      if (!isNew() && !signal?.aborted) {
        await new Promise((resolve) => {
          const wake = () => {
            clearTimeout(timer);
            this.#waiting.delete(wake);
            resolve(undefined);
          };
          const timer = setTimeout(wake, WAIT_MS);
          timer.unref?.();
          this.#waiting.add(wake);
          signal?.addEventListener("abort", wake, { once: true });
        });
      }
      return { histories: this.#told() };
    },

    inspect: async ({ history: id, targetTokens, contextWindow = this.#options.contextWindow, recall = this.#options.recall }) => {
      const history = this.#history(id);
      const messages = await history.loaded();
      const { revision, format } = history;
      const manager = await this.#settings.manager();
      const context = this.#context(messages, contextWindow);
      const inspection = await manager.inspect(context, { targetTokens, format });
      return { revision, inspection, advice: await advise(manager, context, { inspection, recall, format }) };
    },

    try: async ({ history: id, id: name, provider, config, targetTokens, contextWindow }, signal) => {
      const history = this.#history(id);
      const messages = await history.loaded();
      const { revision, format } = history;
      if (provider === undefined) {
        const told = await this.#condense({ history: id, targetTokens, contextWindow }, signal);
        return { revision: told.revision, trial: trialOf(name, told) };
      }
      const manager = await this.#settings.manager();
      const trials = [{ id: name, provider, config }];
      const found = await manager.inspect(this.#context(messages), { largest: 0, targetTokens, providers: trials, signal, format });
      const [trial] = found.providers ?? [];
      const { scale } = this.#manager.getEffectiveConfig();
      const scaled = (tokens) => Math.round(tokens * scale);
      return { revision, trial: trial && { ...trial, superseded: scaled(trial.superseded), lost: scaled(trial.lost) } };
    },

    recall: async (params, signal) => this.#recall(params, signal),

    validate: async ({ provider, config }) => {
      const { errors = [] } = this.#manager.validateConfig(provider, config);
      return { faults: errors.map(({ path, message, said }) => ({ path, message, said })) };
    },

    recommend: async ({ history: id, answers }, signal) => {
      const history = this.#history(id);
      const messages = await history.loaded();
      const { systemPrompt } = this.#options;
      // The page may not set these, which are for programs.
      const { messages: _, handler: __, price: ___, signal: ____, ...plain } = answers;
      const handler = handlerOf(this.#manager);
      const given = {
        recall: this.#options.recall,
        ...plain,
        handler,
        messages,
        format: history.format,
        ...(systemPrompt !== undefined && { systemPrompt }),
        ...(signal && { signal }),
      };
      return { recommendation: await recommend(given) };
    },

    metrics: async () => ({ metrics: this.#manager.getMetrics() }),

    presets: async () => ({ presets: presets() }),

    settings: async () => this.#settings.told(),

    changeSettings: async ({ settings }) => this.#settings.change(settings),

    condense: async (params, signal) => this.#condense(params, signal),

    undo: async ({ condensation: id, changes }) => {
      const kept = this.#condensation(id);
      if (!kept.result) throw failure("not_exact", "nothing was condensed yet: this is only an estimate");
      const { result, undone, dependants, refused } = takeBack(kept.result, changes);
      const condensation = await this.#keep({ ...kept, key: undefined, result, choices: withChoices(kept.choices, kept.given, undone) });
      return { condensation, refused, dependants: dependants.map(({ id }) => id) };
    },

    message: async ({ history: id, index, condensation: of }) => {
      const history = this.#history(id);
      const kept = of === undefined ? undefined : this.#condensation(of);
      const messages = kept?.given ?? (await history.loaded());
      const { format } = history;
      const message = messages[index];
      if (index >= messages.length) throw failure("no_such_message", `there is no message ${index}`);
      const shown = textsOf(eachAsOurs([message], format)[0]);
      if (!kept?.result) return { ...shown, fate: null, diff: [] };
      const place = kept.places[index];
      const after = place === -1 ? null : kept.result.messages[place];
      if (isSame(after, message)) return { ...shown, fate: "same", diff: [] };
      return { ...shown, fate: after === null ? "removed" : "changed", diff: diffMessages(message, after, DIFF, format) };
    },

    search: async ({ history: id, text }) => {
      const history = this.#history(id);
      const messages = await history.loaded();
      return { revision: history.revision, messages: placesOf(messages, text) };
    },

    proof: async ({ condensation: id, change: name }) => {
      const kept = this.#condensation(id);
      if (!kept.result) throw failure("not_exact", "nothing was condensed yet: this is only an estimate");
      const change = kept.result.changes.find((each) => each.id === name);
      if (!change) throw failure("unknown_change", "there is no such change any more");
      return proofOf(kept, change);
    },

    save: async ({ condensation: id }) => {
      const kept = this.#condensation(id);
      const { history, result, revision } = kept;
      if (!history.canWrite) throw failure("read_only", "this page may only look; start it with --write to save");
      if (!result?.didCondense) throw failure("nothing_to_save", "nothing was condensed");
      return history.save(result, revision).finally(() => this.#wake());
    },

    undoSave: async ({ history: id }) => {
      const history = this.#history(id);
      return history.undoSave().finally(() => this.#wake());
    },

    export: async ({ condensation: id }) => {
      const { history, result, textWith, restoreWith } = this.#condensation(id);
      if (!result) throw failure("not_exact", "nothing was condensed yet: this is only an estimate");
      const file = exported(history.name, textWith(result.messages));
      if (!result.didCondense) return file;
      // Named like the restore data of the command line, so that `roo-condense restore` finds it beside the file.
      const name = `${file.name.replace(/\.json$/i, "")}.restore.json`;
      return { ...file, restore: { name, text: restoreWith(result.messages, result.restoreData) } };
    },

    report: async ({ condensation: id, redact = false }, signal) => {
      const { history, told, targetTokens } = this.#condensation(id);
      const { report } = this.#options;
      if (!report) throw failure("not_live", "this host writes no reports");
      const data = await snapshot(this, { history: history.id, condense: told, targetTokens, redact, signal });
      const name = redact ? "history" : baseName(history.name);
      return { name: `${name.replace(/\.jsonl?$/i, "")}.report.html`, text: await report(data, { title: `${name}: roo-condense` }) };
    },

    sessions: async () => this.#sessionsFound(),

    session: async ({ id }) => {
      const { messages } = await this.#sessionNamed(id).read();
      const { encoding, scale } = this.#manager.getEffectiveConfig();
      await warmUp(encoding);
      return {
        title: titleOf(eachAsOurs(messages, seenIn(messages).format)),
        messages: messages.length,
        tokens: Math.round(countTokens(messages, { encoding }) * scale),
      };
    },

    openSession: async ({ id }) => {
      const known = this.#histories.get(id);
      if (known) return { history: known.told() };
      const source = this.#sessionNamed(id);
      const history = new OpenHistory(source);
      // A history that cannot be read is not opened.
      await history.loaded();
      this.#open(history);
      return { history: history.told() };
    },

    open: async ({ name, text }) => {
      if (this.#options.canOpen === false) throw failure("read_only", "no other histories can be opened here");
      if (this.#opened >= MAX_OPENED) throw failure("too_many", `no more than ${MAX_OPENED} files can be opened`);
      const { readText, saveOpened } = this.#options;
      const { messages, textWith, restoreWith } = foundIn(readText ? readText(name, text) : parsed(text));
      const bytes = new TextEncoder().encode(text).length;
      const save = saveOpened && ((condensed, restoreData) => saveOpened(name, condensed, restoreData));
      const source = {
        id: `opened-${this.#nextId++}`,
        name,
        read: () => ({ messages, bytes, textWith, restoreWith }),
        ...(save && { save }),
      };
      const history = new OpenHistory(source, true);
      await history.loaded();
      this.#opened++;
      this.#histories.set(source.id, history);
      return { history: history.told() };
    },

    close: async ({ history: id }) => {
      const history = this.#history(id);
      if (!history.canClose) throw failure("read_only", "only what was opened here can be closed");
      this.#histories.delete(id);
      for (const [condensation, kept] of this.#condensations) if (kept.history === history) this.#condensations.delete(condensation);
      this.#opened--;
      this.#wake();
      return {};
    },

    cancel: async () => ({}),
  };

  /** Condenses the earlier part of a history, and counts how much of what its rest used could still be read. */
  async #recall({ history: id, provider, config, targetTokens }, signal) {
    const history = this.#history(id);
    const messages = await history.loaded();
    const { revision } = history;
    const { encoding } = this.#manager.getEffectiveConfig();
    const count = (counted) => countTokens(counted, { encoding });
    const nothing = { kept: 0, needed: 0 };
    const none = (reason) => ({ revision, recall: { cuts: [], names: nothing, edits: nothing, reductionPercent: 0, reason } });
    const { cuts, reason } = history.questions(messages);
    if (cuts.length === 0) return none(reason);
    await warmUp(encoding);
    const share = targetTokens === undefined ? undefined : targetTokens / Math.max(1, count(messages));
    const sum = { names: { ...nothing }, edits: { ...nothing }, before: 0, after: 0 };
    const copy = copyOf(await this.#settings.manager(), provider === undefined ? {} : { fallback: false });
    for (const cut of cuts) {
      const before = count(cut.prefix);
      const { contextWindow: _, ...context } = this.#context(cut.prefix);
      const target = share === undefined ? {} : { targetTokens: Math.floor(before * share) };
      const options = { ...(provider !== undefined && { provider }), ...(config && { config }), ...target, ...(signal && { signal }) };
      const { preview, result: wouldBe } = /** @type {any} */ (await copy[tried](context, options));
      if (preview.error) return none("failed");
      if (!preview.exact) return none("needs_model");
      const result = wouldBe ?? /** @type {any} */ (await copy.condense(context, options));
      const found = answersOf(result.messages, cut);
      for (const kind of ["names", "edits"]) {
        sum[kind].kept += found[kind].kept;
        sum[kind].needed += found[kind].needed;
      }
      sum.before += before;
      sum.after += count(result.messages);
    }
    const reductionPercent = sum.before === 0 ? 0 : (100 * (sum.before - sum.after)) / sum.before;
    return { revision, recall: { cuts: cuts.map(({ at }) => at), names: sum.names, edits: sum.edits, reductionPercent } };
  }

  #condensation(id) {
    const kept = this.#condensations.get(id);
    if (!kept) throw failure("unknown_condensation", "this condensation is not kept any more; condense again");
    // Moves the condensation to the end, because the least recently used one is dropped first.
    this.#condensations.delete(id);
    this.#condensations.set(id, kept);
    return kept;
  }

  /** Condenses, or returns the result of an earlier equal request, for example when a page is reloaded or returns to earlier options. */
  async #condense(params, signal) {
    const history = this.#history(params.history);
    await history.loaded();
    const manager = await this.#settings.manager();
    const key = JSON.stringify([params, history.revision, manager.getEffectiveConfig()]);
    const known = [...this.#condensations].find(([, kept]) => kept.key === key && !kept.told.error);
    if (known) return this.#condensation(known[0]).told;
    const onItsWay = this.#onTheirWay.get(key);
    if (onItsWay) return onItsWay;
    const made = this.#condenseAnew(params, key, signal);
    if (!signal) this.#onTheirWay.set(key, made);
    return made.finally(() => this.#onTheirWay.delete(key));
  }

  async #condenseAnew({ history: id, provider, config, targetTokens, contextWindow, ask, kept: choices = [] }, key, signal) {
    const history = this.#history(id);
    const messages = await history.loaded();
    const { revision, format } = history;
    const begun = performance.now();
    const context = this.#context(messages, contextWindow);
    const options = { provider, config, targetTokens, signal, format };
    for (const name of Object.keys(options)) if (options[name] === undefined) delete options[name];
    // Trials must not appear in the manager's metrics, and a caller who names a provider wants the result of that
    // one, not of a fallback.
    const copy = copyOf(await this.#settings.manager(), provider === undefined ? {} : { fallback: false });
    const { preview, result: wouldBe } = /** @type {any} */ (await copy[tried](context, options));
    const exact = preview.exact && !preview.error;
    const result = exact
      ? (wouldBe ?? (await copy.condense(context, options)))
      : ask && !preview.error
        ? await this.#manager.condense(context, { ...options, ...(await this.#settings.forCall(options)) })
        : undefined;
    await warmUp();
    const isDone = result !== undefined && !result.error;
    const followed = isDone && choices.length > 0 ? keepAgain(messages, result, choices) : { result, kept: choices };
    return this.#keep({
      history,
      revision,
      given: messages,
      result: isDone ? followed.result : undefined,
      choices: followed.kept,
      said: result ?? preview,
      samples: preview.samples,
      exact: exact || result !== undefined,
      provider: provider ?? "",
      textWith: history.textWith,
      restoreWith: history.restoreWith,
      targetTokens,
      timeMs: performance.now() - begun,
      key,
    });
  }

  /** Keeps a condensation under a new id, and returns its description for the page. */
  async #keep(made) {
    const { format } = made.history;
    const condensedOnly = made.result && { ...this.#context(made.result.messages), contextWindow: undefined };
    const kinds = condensedOnly && (await this.#manager.inspect(withoutAbsent(condensedOnly), { largest: 0, format })).kinds;
    const id = `condensation-${this.#nextId++}`;
    const { encoding, scale } = this.#manager.getEffectiveConfig();
    const count = (message) => Math.round(countTokens([message], { encoding, format }) * scale);
    const { given, result, said } = made;
    const condensed = result?.messages ?? given;
    // Counts all at once, so that the counts of single messages below are cached.
    countTokens(condensed, { encoding, format });
    // A message that replaces removed messages is a new one, even if it equals one of them.
    const gone = new Set((result?.changes ?? []).filter(isOfWholeMessage).map(({ messageIndex }) => messageIndex));
    const from = condensed === given ? undefined : origins(given, condensed).map((origin) => (gone.has(origin) ? -1 : origin));
    const places = given.map((_, index) => (from ? -1 : index));
    const added = [];
    let next = 0;
    from?.forEach((origin, place) => {
      if (origin === -1) added.push({ before: next, tokens: count(condensed[place]) });
      else {
        places[origin] = place;
        next = origin + 1;
      }
    });
    const kept = { ...made, places, told: undefined };
    this.#condensations.set(id, kept);
    for (const old of this.#condensations.keys()) {
      if (this.#condensations.size <= MAX_KEPT) break;
      this.#condensations.delete(old);
    }
    const after = places.map((place) => (place === -1 ? -1 : count(condensed[place])));
    const wasUndone = result !== undefined && result.changes.length < said.changes.length;
    const sums = wasUndone ? undoneSums(made, scale) : { tokensAfter: said.newContextTokens, fate: fateOf(said, scale) };
    const tokensBefore = said.prevContextTokens;
    const firstChangedIndex = wasUndone
      ? places.findIndex((place, index) => !isSame(condensed[place], given[index]))
      : said.firstChangedIndex;
    kept.told = {
      id,
      revision: made.revision,
      provider: said.metrics.providerId || made.provider,
      tokensBefore,
      ...sums,
      reductionPercent: tokensBefore === 0 ? 0 : (100 * (tokensBefore - sums.tokensAfter)) / tokensBefore,
      // The cost of a preview without a price is unknown, and nothing is shown.
      cost: said.cost ?? 0,
      timeMs: made.timeMs,
      exact: made.exact,
      didCondense: result ? result.didCondense : said.wouldCondense === true,
      metTarget: made.targetTokens === undefined ? null : sums.tokensAfter <= made.targetTokens,
      ...(kinds && { kinds }),
      kept: made.choices,
      changes: (result ?? said).changes.map((change) => ({
        ...change,
        blockIndex: change.blockIndex ?? -1,
        grade: change.grade ?? "lossy",
      })),
      firstChangedIndex,
      promptCache: wasUndone ? promptCacheOf(said, firstChangedIndex, sums.tokensAfter, (index) => count(given[index])) : said.promptCache,
      passes: said.passes,
      after,
      added,
      // Known changes say more than samples.
      samples: made.exact ? [] : (made.samples ?? []).map(({ messageIndex, diff }) => ({ messageIndex, diff })),
      warnings: said.warnings,
      error: said.error && { code: said.error.code, message: said.error.message, said: said.error.said },
    };
    return kept.told;
  }
}

/** Returns a condensation as a row beside the rows of single providers. @type {(id: string, told: any) => object} */
const trialOf = (id, { fate, tokensAfter, changes, ...told }) => ({
  ...told,
  id,
  tokens: tokensAfter,
  changes: changes.length,
  superseded: fate.superseded,
  lost: fate.lost,
});

/** Returns true if two messages have the same content. A restored message is another object. */
const isSame = (one, other) => one === other || (isObject(one) && isObject(other) && stringify(one) === stringify(other));

/**
 * Returns the state of the prompt cache if the first change is a later one: everything before it is read from the
 * cache. Its cost is unknown here.
 */
function promptCacheOf({ promptCache, firstChangedIndex }, first, tokensAfter, count) {
  if (!promptCache || first === -1) return undefined;
  let { keptTokens } = promptCache;
  for (let index = Math.max(0, firstChangedIndex); index < first; index++) keptTokens += count(index);
  return { keptTokens, rewrittenTokens: Math.max(0, tokensAfter - keptTokens) };
}

const isOfWholeMessage = ({ blockIndex, tokensBefore, tokensAfter }) => blockIndex === null && tokensBefore > 0 && tokensAfter === 0;

/** Finds the messages in a JSON value as the command line does; returns a function that writes the text with other messages. */
function foundIn(value) {
  const isArray = Array.isArray(value);
  const messages = isArray ? value : value?.messages;
  const isMessage = (message) => isObject(message) && typeof message.role === "string";
  if (!Array.isArray(messages) || !(messages.every(isMessage) || seenIn(messages).format))
    throw failure("not_messages", 'an array of messages is expected, or an object with an array "messages"');
  if (typeof value.textWith === "function") return value;
  return { messages, textWith: (changed) => asText(isArray ? changed : { ...value, messages: changed }) };
}

/** Matches text that a program inserted into a user message, in tags of its own or under the heading of its instructions. */
const INJECTED =
  /<(system-reminder|environment_(?:details|context)|user_instructions|INSTRUCTIONS)\b[^>]*>.*?(?:<\/\1>|(?![\s\S]))|^# AGENTS\.md instructions for [^\n]*/gms;

/** Returns a title for a conversation: the first line that the user wrote, without the tags that agents put around it. */
function titleOf(messages) {
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    const texts = typeof content === "string" ? [content] : Array.isArray(content) ? content.map((block) => block?.text) : [];
    for (const text of texts) {
      if (typeof text !== "string") continue;
      const lines = text
        .slice(0, 100_000)
        .replace(INJECTED, "")
        .replace(/<\/?[\w-]+>/g, "")
        .split("\n");
      const line = lines.map((each) => each.trim()).find((each) => each !== "");
      if (line) return line.slice(0, 200);
    }
  }
  return "";
}

/** Returns the last part of a path of any system. */
const baseName = (path) => path.split(/[\\/]/).at(-1) || path;

/** Returns a condensed history as a file with a new name: `history.json` gives `history.condensed.json`. */
function exported(name, text) {
  const [, stem, ending = ".json"] = /^(.*?)(\.jsonl?)?$/is.exec(baseName(name)) ?? [];
  // A history read from JSON Lines may be written as an array of messages.
  return { name: `${stem}.condensed${text.trimStart().startsWith("[") ? ".json" : ending}`, text };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failure("not_messages", `this is no JSON: ${error.message}`, error);
  }
}

/**
 * Creates the host's half of the studio.
 * @param {CondensationManager} manager
 * @param {any} options
 */
function createStudioHost(manager, options) {
  if (!(manager instanceof CondensationManager)) throw notAllowed("manager", manager, "a CondensationManager");
  if (!isObject(options) || !Array.isArray(options.histories))
    throw notAllowed(
      "options.histories",
      options?.histories,
      "an array of { id, name?, read(), save?(messages, restoreData), watch?(changed) }",
    );
  refuseUnknown("options", options, HOST_OPTIONS);
  for (const name of ["readText", "saveOpened", "report"])
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw notAllowed(`options.${name}`, options[name], "a function");
  if (options.recall !== undefined && typeof options.recall !== "boolean")
    throw notAllowed("options.recall", options.recall, "true or false");
  const { sessions } = options;
  if (sessions !== undefined && (typeof sessions?.find !== "function" || typeof sessions.open !== "function"))
    throw notAllowed("options.sessions", sessions, "{ find(), open(id) }");
  const { settings } = options;
  if (settings !== undefined && (typeof settings?.read !== "function" || typeof settings.write !== "function"))
    throw notAllowed("options.settings", settings, "{ read(), write(settings), keptIn? }");
  for (const [index, source] of options.histories.entries()) {
    const field = `options.histories[${index}]`;
    if (!isObject(source) || typeof source.id !== "string" || source.id === "") throw notAllowed(`${field}.id`, source?.id, "a text");
    if (typeof source.read !== "function") throw notAllowed(`${field}.read`, source.read, "a function");
  }
  return new StudioHost(manager, options);
}

module.exports = { createStudioHost };
