"use strict";

// The requests of the studio's page and the answers of its host: one table for both ends, so that neither trusts the
// other. Both the browser and Node load it, so it uses nothing that only one of them has.

/**
 * @typedef {(value: any, path: string) => any} Reader takes a value over, with nothing that it does not know, or throws.
 */

/** The error for a message that does not follow the protocol. `code` is for programs. */
class ProtocolError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "ProtocolError";
    this.code = "invalid_message";
  }
}

/**
 * @param {string} path
 * @param {string} expected
 * @returns {never}
 */
function refuse(path, expected) {
  throw new ProtocolError(`${path}: ${expected} is expected`);
}

const MAX_TEXT = 10_000;

const is = (/** @type {string} */ type, /** @type {string} */ expected) => (/** @type {unknown} */ value, /** @type {string} */ path) =>
  typeof value === type ? value : refuse(path, expected);

/** @type {Reader} */
const text = (value, path) => (typeof value === "string" ? value : refuse(path, "a text"));
/** @type {Reader} */
const shortText = (value, path) =>
  typeof value === "string" && value.length <= MAX_TEXT ? value : refuse(path, `a text of at most ${MAX_TEXT} characters`);
/** @type {Reader} */
const flag = is("boolean", "true or false");
/** @type {Reader} */
const number = (value, path) => (typeof value === "number" && Number.isFinite(value) ? value : refuse(path, "a number"));
/** @type {Reader} */
const count = (value, path) => (Number.isSafeInteger(value) && value >= 0 ? value : refuse(path, "a whole number, 0 or more"));
/** @type {Reader} */
const index = (value, path) => (Number.isSafeInteger(value) && value >= -1 ? value : refuse(path, "a whole number, -1 or more"));
/** Any JSON value, checked by the library itself or not relied on. @type {Reader} */
const any = (value) => value;

/** @type {(inner: Reader) => Reader} */
const optional = (inner) => (value, path) => (value === undefined || value === null ? undefined : inner(value, path));
/** @type {(inner: Reader) => Reader} */
const nullable = (inner) => (value, path) => (value === undefined || value === null ? null : inner(value, path));

/** @type {(inner: Reader, most?: number) => Reader} */
const list =
  (inner, most = 1_000_000) =>
  (value, path) => {
    if (!Array.isArray(value) || value.length > most) return refuse(path, "a list");
    return value.map((item, at) => inner(item, `${path}[${at}]`));
  };

/** @type {(fields: Record<string, Reader>) => Reader} */
const object = (fields) => (value, path) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(path, "an object");
  /** @type {Record<string, unknown>} */
  const read = {};
  for (const [name, inner] of Object.entries(fields)) {
    const found = inner(Object.hasOwn(value, name) ? value[name] : undefined, `${path}.${name}`);
    if (found !== undefined) read[name] = found;
  }
  return read;
};

/** @type {Reader} */
const record = (value, path) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : refuse(path, "an object"));

/** @type {(words: readonly string[]) => Reader} */
const choice = (words) => (value, path) => (words.includes(value) ? value : refuse(path, `one of ${words.join(", ")}`));

/** A text as a code and values; values may be such texts themselves. @type {Reader} */
const said = (value, path) => object({ code: shortText, values: saidValues })(value, path);
/** @type {Reader} */
const saidValues = (value, path) =>
  Object.fromEntries(Object.entries(record(value, path)).map(([name, each]) => [name, saidValue(each, `${path}.${name}`)]));
/** @type {Reader} */
const saidValue = (value, path) => {
  if (typeof value === "string" || typeof value === "number") return value;
  return Array.isArray(value) ? list(said, 1000)(value, path) : said(value, path);
};

const tokensByKind = record;
const waste = object({
  tokens: number,
  count,
  items: list(object({ messageIndex: count, blockIndex: count, label: text, tokens: number })),
});
const line = object({ tokens: number, messageIndex: nullable(count) });
const fault = object({ code: text, message: text, said: optional(said) });
/** Tokens of content that would not stand word for word any more: `survival` of a result, scaled like all tokens here. */
const fate = object({ pointed: number, superseded: number, told: number, lost: number });

const history = object({
  id: text,
  name: text,
  /** Counts the states that were seen of it. */
  revision: count,
  messages: count,
  bytes: optional(count),
  canWrite: flag,
  /** Whether `undoSave` can put back what a saving replaced. */
  canUndo: optional(flag),
  /** Whether saving adds to its file. */
  grows: optional(flag),
  /** Whether it was opened by the page, which can close it. */
  canClose: optional(flag),
  /** Why it cannot be read now. */
  problem: optional(object({ message: text, said: optional(said) })),
});

const inspection = object({
  encoding: text,
  scale: number,
  approximate: flag,
  tokens: object({ total: number, system: number, tools: number, messages: number }),
  kinds: tokensByKind,
  messages: list(object({ role: text, tokens: number, kinds: tokensByKind, label: text })),
  byTool: list(object({ tool: text, calls: count, failed: count, callTokens: number, resultTokens: number })),
  byFile: list(object({ path: text, reads: count, changes: count, tokens: number, wastedTokens: number })),
  largest: list(object({ messageIndex: count, blockIndex: count, kind: text, label: text, tokens: number })),
  repeated: waste,
  stale: waste,
  superseded: waste,
  window: nullable(
    object({
      contextWindow: number,
      prevContextTokens: number,
      contextPercent: number,
      threshold: number,
      due: flag,
      reason: text,
      atThreshold: line,
      atLimit: line,
      atEnd: line,
    }),
  ),
  target: nullable(line),
});

const change = object({
  id: text,
  messageIndex: count,
  blockIndex: index,
  operation: text,
  tokensBefore: number,
  tokensAfter: number,
  reason: text,
  said: optional(said),
  grade: choice(["inline", "superseded", "lossy"]),
});

/** How far to condense: see js/advice.js. */
const STEP = choice(["safest", "balanced", "tight", "small"]);
const advice = object({
  recall: flag,
  advised: STEP,
  targetTokens: optional(count),
  steps: list(object({ name: STEP, targetTokens: optional(count) })),
});

/** A choice of content that the user wants to keep unchanged; see kept.js. */
const choiceFields = { messageIndex: count, blockIndex: index, operation: shortText, print: shortText, around: list(shortText, 3) };

const condensation = object({
  /** Names it in later requests. */
  id: text,
  revision: count,
  provider: text,
  tokensBefore: number,
  tokensAfter: number,
  reductionPercent: number,
  cost: number,
  timeMs: number,
  /** False where a model would have to be asked: then tokens and cost are estimates, and nothing can be undone or saved. */
  exact: flag,
  didCondense: flag,
  metTarget: nullable(flag),
  fate,
  /** Tokens by kind afterwards; absent where only estimates are known. */
  kinds: optional(tokensByKind),
  /** The choices made by undoing, in this condensation or before; `fault` says why one could not be applied this time. */
  kept: list(object({ ...choiceFields, fault: optional(fault) })),
  changes: list(change),
  firstChangedIndex: index,
  promptCache: optional(
    object({ keptTokens: number, rewrittenTokens: number, rewriteCost: optional(number), extraCost: optional(number) }),
  ),
  passes: optional(
    list(
      object({ id: text, name: text, ran: flag, skipped: optional(text), said: optional(said), tokensBefore: number, tokensAfter: number }),
    ),
  ),
  /** For each message its tokens afterwards; -1 where it is gone. */
  after: list(index),
  /** Messages that were added, each with the index before which it stands. */
  added: list(object({ before: count, tokens: count })),
  samples: list(object({ messageIndex: count, diff: list(any) })),
  warnings: list(fault),
  error: optional(fault),
});

const trial = object({
  id: text,
  provider: text,
  tokens: number,
  tokensBefore: number,
  reductionPercent: number,
  cost: number,
  timeMs: number,
  exact: flag,
  metTarget: nullable(flag),
  changes: count,
  superseded: number,
  lost: number,
  firstChangedIndex: index,
  error: optional(fault),
});

const asked = object({ kept: count, needed: count });

const recall = object({
  /** Where it was cut: the messages before were condensed, those from there on say what was needed. */
  cuts: list(count),
  names: asked,
  edits: asked,
  /** The share of the part before the cuts that was saved. */
  reductionPercent: number,
  /** Why nothing was measured. */
  reason: optional(choice(["too_large", "too_short", "needs_model", "failed"])),
});

const totals = object({
  calls: count,
  successes: count,
  errors: count,
  cost: number,
  tokensSaved: number,
  averageReductionPercent: number,
  p50LatencyMs: number,
  p95LatencyMs: number,
  summaryQualityScore: optional(number),
  informationPreservation: optional(number),
});

/** @type {Reader} */
const totalsByName = (value, path) =>
  Object.fromEntries(Object.entries(record(value, path)).map(([name, each]) => [name, totals(each, `${path}.${name}`)]));

const estimate = nullable(object({ mean: number, low: nullable(number), high: nullable(number) }));
const variant = object({
  calls: count,
  errors: count,
  tokensSaved: estimate,
  reductionPercent: estimate,
  cost: estimate,
  latencyMs: estimate,
  lostPercent: estimate,
  summaryQuality: estimate,
});

/** @type {Reader} */
const variantsByName = (value, path) =>
  Object.fromEntries(Object.entries(record(value, path)).map(([name, each]) => [name, variant(each, `${path}.${name}`)]));

/** @type {Reader} */
const experiments = (value, path) =>
  Object.fromEntries(Object.entries(record(value, path)).map(([name, each]) => [name, experiment(each, `${path}.${name}`)]));
const experiment = object({
  variants: variantsByName,
  comparisons: list(object({ measure: text, ahead: nullable(text), isReal: flag })),
});

const metrics = object({
  total: totals,
  providers: totalsByName,
  profiles: totalsByName,
  experiments,
  records: list(
    object({
      timestamp: number,
      providerId: text,
      profileId: optional(text),
      error: optional(text),
      cost: number,
      originalTokens: number,
      finalTokens: number,
      latencyMs: number,
    }),
  ),
  alerts: list(fault),
});

const written = object({
  file: text,
  /** Where it stands as it was before. */
  backup: optional(text),
  restoreData: optional(text),
  /** The revision of the history that this made; absent where somebody else has written since. */
  revision: optional(count),
  /** Whether `undoSave` can put back what was there. */
  canUndo: optional(flag),
  /** The number of messages added since the saving, which stay; only for an undo. */
  added: optional(count),
});

const file = object({ name: text, text });

/** A percentage of a context window, or of the tokens that may stay. @type {Reader} */
const percent = (value, path) => (number(value, path) >= 5 && value <= 100 ? value : refuse(path, "a number from 5 to 100"));
/** A percentage for a profile; -1 for the one of all profiles. @type {Reader} */
const profilePercent = (value, path) => (value === -1 ? value : percent(value, path));
/** @type {Reader} */
const percentsByProfile = (value, path) =>
  Object.fromEntries(Object.entries(record(value, path)).map(([name, each]) => [name, profilePercent(each, `${path}.${name}`)]));

/** Settings of automatic condensing. What is absent is as the host's manager has it. */
const settings = object({
  autoCondenseContext: optional(flag),
  autoCondenseContextPercent: optional(percent),
  profileThresholds: optional(percentsByProfile),
  provider: optional(shortText),
  preset: optional(shortText),
  condensingApiConfigId: optional(shortText),
  customCondensingPrompt: optional(text),
  targetPercent: optional(percent),
});
const settingsTold = object({
  settings,
  /** Profiles that are known here, and whether a model can be asked under them. */
  profiles: list(object({ id: text, hasModel: flag })),
  /** Whether a model can be asked without a profile. */
  canAsk: flag,
  /** Where they stand, such as a file; absent where they last as long as the page's host. */
  keptIn: optional(text),
});

const target = optional(count);
const provider = { provider: optional(shortText), config: optional(record) };
const window = optional(count);

/** Every method with what is asked and what is answered. */
const METHODS = Object.freeze({
  /** The host, and the histories to look at. */
  hello: {
    request: object({}),
    answer: object({
      version: text,
      canWrite: flag,
      histories: list(history),
      providers: list(
        object({ id: text, name: text, description: text, isFree: flag, isLossy: flag, speed: choice(["fast", "medium", "slow"]) }),
      ),
      presets: list(text),
      activeProvider: text,
      contextWindow: nullable(number),
      /** How much may stay at first, in percent; absent for as much as is advised. */
      targetPercent: optional(percent),
      /** Whether the model can recall what is left out, as far as the host knows. */
      recall: optional(flag),
      language: optional(text),
      /** Whether `report` can make one file of what is shown. */
      canReport: optional(flag),
      /** Whether `sessions` finds some. */
      canFind: optional(flag),
      /** Whether there are `settings`. */
      canSet: optional(flag),
    }),
  },
  /** Waits until a history has changed, or for a while. */
  wait: { request: object({ revisions: record }), answer: object({ histories: list(history) }) },
  /** The composition of a history. */
  inspect: {
    request: object({ history: shortText, targetTokens: target, contextWindow: window, recall: optional(flag) }),
    answer: object({ revision: count, inspection, advice }),
  },
  /**
   * Condenses in memory. If this needs a model, only estimates the result unless `ask` is set. Changes of content
   * that is to be `kept` are undone.
   */
  condense: {
    request: object({
      history: shortText,
      ...provider,
      targetTokens: target,
      contextWindow: window,
      ask: optional(flag),
      kept: optional(list(object(choiceFields), 100_000)),
    }),
    answer: condensation,
  },
  /** Takes single changes back. */
  undo: {
    request: object({ condensation: shortText, changes: list(shortText, 100_000) }),
    answer: object({
      condensation,
      refused: list(object({ id: text, code: text, reason: text })),
      /** The changes undone as well, because they depended on them. */
      dependants: list(text),
    }),
  },
  /** The errors in a configuration, and a configuration to start from. */
  validate: {
    request: object({ provider: shortText, config: record }),
    answer: object({ faults: list(object({ path: text, message: text, said: optional(said) })) }),
  },
  /** Which provider fits the answers and a history. */
  recommend: {
    request: object({ history: shortText, answers: record }),
    answer: object({
      recommendation: object({
        provider: text,
        config: record,
        reason: text,
        said: optional(said),
        alternatives: list(
          object({ provider: text, config: record, why: text, whyNot: text, said: optional(object({ why: said, whyNot: said })) }),
        ),
        warnings: list(fault),
        isDefault: flag,
        targetTokens: optional(count),
      }),
    }),
  },
  /** The manager's metrics so far. */
  metrics: { request: object({}), answer: object({ metrics }) },
  presets: { request: object({}), answer: object({ presets: record }) },
  /** When and how a conversation is condensed on its own. */
  settings: { request: object({}), answer: settingsTold },
  changeSettings: { request: object({ settings }), answer: settingsTold },
  /** The result of a single provider; without one, of the host's manager. */
  try: {
    request: object({ history: shortText, id: shortText, ...provider, targetTokens: target, contextWindow: window }),
    answer: object({ revision: count, trial }),
  },
  /** How much of what the history itself used later could still be read, had its earlier part been condensed. */
  recall: {
    request: object({ history: shortText, ...provider, targetTokens: target }),
    answer: object({ revision: count, recall }),
  },
  /** A message as it is and as it would be, with what differs. */
  message: {
    request: object({ history: shortText, index: count, condensation: optional(shortText) }),
    answer: object({
      role: text,
      texts: list(object({ kind: text, text, omitted: count })),
      /** The state of the message after the condensation; null without one. */
      fate: nullable(choice(["same", "changed", "removed"])),
      diff: list(any),
    }),
  },
  /** The messages that say something, whatever of it is shown. */
  search: {
    request: object({ history: shortText, text: shortText }),
    answer: object({ revision: count, messages: list(count) }),
  },
  /** How many of a change's lines can be read back from the condensed conversation, and the message that contains most of them. */
  proof: {
    request: object({ condensation: shortText, change: shortText }),
    answer: object({
      lines: count,
      readBack: count,
      /** Every line is there, in order; numbers before lines are set aside. */
      identical: flag,
      /** -1 where they stand in no message that was there before. */
      message: index,
      pairs: list(object({ text, from: count, to: count }), 1000),
      omitted: count,
    }),
  },
  /** Writes a condensed history and what leads back. */
  save: {
    request: object({ condensation: shortText }),
    answer: written,
  },
  /** Puts back what the newest saving that fits a history replaced; messages that were added since stay. */
  undoSave: { request: object({ history: shortText }), answer: written },
  /** The condensed history as a file of its own, to be copied or downloaded, and the file that undoes it. */
  export: { request: object({ condensation: shortText }), answer: object({ name: text, text, restore: optional(file) }) },
  /** The page as one file that shows this condensation. */
  report: { request: object({ condensation: shortText, redact: optional(flag) }), answer: file },
  /** Sessions of agents that the host finds, the newest first, and where it looked. */
  sessions: {
    request: object({}),
    answer: object({
      folders: list(text),
      sessions: list(object({ id: text, agent: text, name: text, changed: number, bytes: count }), 1000),
    }),
  },
  /** The title and size of one of them. */
  session: { request: object({ id: shortText }), answer: object({ title: text, messages: count, tokens: number }) },
  /** Opens one of them. */
  openSession: { request: object({ id: shortText }), answer: object({ history }) },
  /** A history that somebody dropped on the page. */
  open: { request: object({ name: shortText, text }), answer: object({ history }) },
  /** Such a history is not looked at any more. */
  close: { request: object({ history: shortText }), answer: object({}) },
  /** Nobody waits for the answer of this request any more. */
  cancel: { request: object({ id: count }), answer: object({}) },
});

/** @param {string} method */
function methodOf(method) {
  if (typeof method !== "string" || !Object.hasOwn(METHODS, method))
    throw new ProtocolError(`method: one of ${Object.keys(METHODS).join(", ")} is expected`);
  return METHODS[/** @type {keyof typeof METHODS} */ (method)];
}

/**
 * A request that came from the other end, as far as it is known. Throws a ProtocolError.
 * @param {any} message
 */
function readRequest(message) {
  const { id, method, params } = record(message, "request");
  const { request } = methodOf(method);
  return { id: count(id, "request.id"), method, params: request(params ?? {}, "params") };
}

/**
 * Reads the answer to a method, with its known fields only. Throws a ProtocolError.
 * @param {string} method
 * @param {any} answer
 */
const readAnswer = (method, answer) => methodOf(method).answer(answer, "answer");

module.exports = { METHODS, ProtocolError, readAnswer, readRequest };
