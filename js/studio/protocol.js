"use strict";

// The requests of the studio's page and the answers of its host: one table for both ends, so that neither trusts the
// other, and from which the types of the page come (ui/src/types.ts). Both the browser and Node load it, so it uses nothing that only one of them has.

const {
  ProtocolError,
  any,
  byName,
  choice,
  count,
  flag,
  index,
  list,
  nullable,
  number,
  object,
  optional,
  record,
  shortText,
  text,
  where,
} = require("./readers.js");

/**
 * @template T
 * @typedef {import("./readers.js").Reader<T>} Reader
 */

/** A text as a code and values, from which the words of any language are made; values may be such texts themselves. @typedef {{ code: string, values: Record<string, SaidValue> }} Said */
/** A value in such a text. @typedef {string | number | Said | Said[]} SaidValue */

/** @type {Reader<Said>} */
const said = (value, path) => object({ code: shortText, values: byName(saidValue) })(value, path);
/** @type {Reader<SaidValue>} */
const saidValue = (value, path) => {
  if (typeof value === "string" || typeof value === "number") return value;
  return Array.isArray(value) ? list(said, 1000)(value, path) : said(value, path);
};

/** @type {Reader<import("../../types/data.js").TokenKind>} */
const kind = where((value) => typeof value === "string", "a text");
/** @type {Reader<import("../../types/inspect.js").TokensByKind>} */
const tokensByKind = record;
/** @type {Reader<import("../../types/data.js").TextDiff[]>} */
const diff = list(any);
const waste = object({
  tokens: number,
  count,
  items: list(object({ messageIndex: count, blockIndex: count, label: text, tokens: number })),
});
const line = object({ tokens: number, messageIndex: nullable(count) });
const fault = object({ code: text, message: text, said: optional(said) });
/** `survival` of a result, scaled like all tokens here. */
const fate = object({
  /** A pointer leads to it. */
  pointed: number,
  /** A later message replaced it. */
  superseded: number,
  /** A summary or the log tells it. */
  told: number,
  /** The model can read it nowhere. */
  lost: number,
});

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

const windowLines = object({
  contextWindow: number,
  prevContextTokens: number,
  contextPercent: number,
  threshold: number,
  due: flag,
  reason: text,
  atThreshold: line,
  atLimit: line,
  atEnd: line,
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
  largest: list(object({ messageIndex: count, blockIndex: count, kind, label: text, tokens: number })),
  repeated: waste,
  stale: waste,
  superseded: waste,
  window: nullable(windowLines),
  target: nullable(line),
});

const grade = choice("inline", "superseded", "lossy");
const change = object({
  id: text,
  messageIndex: count,
  blockIndex: index,
  operation: text,
  tokensBefore: number,
  tokensAfter: number,
  reason: text,
  /** Absent where nobody said why. */
  said: optional(said),
  grade,
});

/** How far to condense: see js/advice.js. */
const stepName = choice("safest", "balanced", "tight", "small");
const step = object({
  name: stepName,
  /** Absent for no target: only what is repeated or was replaced goes. */
  targetTokens: optional(count),
});
const steps = object({
  /** Whether the model can recall what is left out. */
  recall: flag,
  advised: stepName,
  /** The target of the advised step. */
  targetTokens: optional(count),
  steps: list(step),
});

/** A choice of content that the user wants to keep unchanged; see kept.js. */
const choiceFields = {
  messageIndex: count,
  /** -1 for a whole message. */
  blockIndex: index,
  operation: shortText,
  print: shortText,
  around: list(shortText, 3),
};
const keptChoice = object({
  ...choiceFields,
  /** Why it could not be followed this time. */
  fault: optional(fault),
});

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
  /** The choices made by undoing, in this condensation or before. */
  kept: list(keptChoice),
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
  samples: list(object({ messageIndex: count, diff })),
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
  /** Tokens that newer messages replaced: the model could read them nowhere any more. */
  superseded: number,
  /** Tokens that nothing would stand for. */
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
  reason: optional(choice("too_large", "too_short", "needs_model", "failed")),
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

const experiment = object({
  variants: byName(variant),
  comparisons: list(object({ measure: text, ahead: nullable(text), isReal: flag })),
});

const metrics = object({
  total: totals,
  providers: byName(totals),
  profiles: byName(totals),
  experiments: byName(experiment),
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

const isPercent = (value) => value >= 5 && value <= 100;
/** A percentage of a context window, or of the tokens that may stay. @type {Reader<number>} */
const percent = where((value) => Number.isFinite(value) && isPercent(value), "a number from 5 to 100");
/** A percentage for a profile; -1 for the one of all profiles. @type {Reader<number>} */
const profilePercent = where((value) => Number.isFinite(value) && (value === -1 || isPercent(value)), "a number from 5 to 100");

/** @type {Reader<import("../../types/options.js").PresetName>} */
const presetName = where((value) => typeof value === "string", "a text");

/** Settings of automatic condensing. What is absent is as the host's manager has it. @type {Reader<import("../../types/studio.js").StudioSettings>} */
const settings = object({
  autoCondenseContext: optional(flag),
  autoCondenseContextPercent: optional(percent),
  profileThresholds: optional(byName(profilePercent)),
  provider: optional(shortText),
  preset: optional(presetName),
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

/** @type {Reader<Record<string, import("../../types/smart.js").SmartConfig>>} */
const presets = byName(any);

/** @type {Reader<object>} */
const configuration = record;
const target = optional(count);
const provider = { provider: optional(shortText), config: optional(record) };
const window = optional(count);

const providerFacts = object({
  id: text,
  name: text,
  description: text,
  /** Asks no model. */
  isFree: flag,
  /** May lose content. */
  isLossy: flag,
  speed: choice("fast", "medium", "slow"),
});

const hello = object({
  version: text,
  canWrite: flag,
  histories: list(history),
  providers: list(providerFacts),
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
});

const recommendation = object({
  provider: text,
  config: record,
  reason: text,
  said: optional(said),
  alternatives: list(
    object({ provider: text, config: record, why: text, whyNot: text, said: optional(object({ why: said, whyNot: said })) }),
  ),
  warnings: list(fault),
  /** Whether the host's manager does the same by itself. */
  isDefault: flag,
  /** The target that it was measured with. */
  targetTokens: optional(count),
});

const messageTexts = object({
  role: text,
  texts: list(object({ kind: text, text, omitted: count })),
  /** The state of the message after the condensation; null without one. */
  fate: nullable(choice("same", "changed", "removed")),
  diff,
});

const proof = object({
  lines: count,
  readBack: count,
  /** Every line is there, in order; numbers before lines are set aside. */
  identical: flag,
  /** The message in which most of them stand; -1 where they stand in no message that was there before. */
  message: index,
  /** Lines that were taken out, each with its number there and where it stands now. */
  pairs: list(object({ text, from: count, to: count }), 1000),
  omitted: count,
});

const foundSession = object({
  id: text,
  agent: text,
  name: text,
  /** When it was written last, in milliseconds since 1970. */
  changed: number,
  bytes: count,
});

/** Every method with what is asked and what is answered. */
const METHODS = Object.freeze({
  /** The host, and the histories to look at. */
  hello: { request: object({}), answer: hello },
  /** Waits until a history has changed, or for a while. */
  wait: { request: object({ revisions: byName(count) }), answer: object({ histories: list(history) }) },
  /** The composition of a history. */
  inspect: {
    request: object({ history: shortText, targetTokens: target, contextWindow: window, recall: optional(flag) }),
    answer: object({ revision: count, inspection, advice: steps }),
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
    request: object({ provider: shortText, config: configuration }),
    answer: object({ faults: list(object({ path: text, message: text, said: optional(said) })) }),
  },
  /** Which provider fits the answers and a history. */
  recommend: { request: object({ history: shortText, answers: record }), answer: object({ recommendation }) },
  /** The manager's metrics so far. */
  metrics: { request: object({}), answer: object({ metrics }) },
  /** The presets of the smart provider, by name. */
  presets: { request: object({}), answer: object({ presets }) },
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
    answer: messageTexts,
  },
  /** The messages that say something, whatever of it is shown. */
  search: {
    request: object({ history: shortText, text: shortText }),
    answer: object({ revision: count, messages: list(count) }),
  },
  /** How many of a change's lines can be read back from the condensed conversation, and the message that contains most of them. */
  proof: {
    request: object({ condensation: shortText, change: shortText }),
    answer: proof,
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
    answer: object({ folders: list(text), sessions: list(foundSession, 1000) }),
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
 * @returns {{ id: number, method: string, params: Record<string, any> }}
 */
function readRequest(message) {
  const { id, method, params } = /** @type {any} */ (record(message, "request"));
  const { request } = methodOf(method);
  return { id: count(id, "request.id"), method, params: request(params ?? {}, "params") };
}

/**
 * Reads the answer to a method, with its known fields only. Throws a ProtocolError.
 * @param {string} method
 * @param {any} answer
 * @returns {any}
 */
const readAnswer = (method, answer) => methodOf(method).answer(answer, "answer");

module.exports = {
  METHODS,
  ProtocolError,
  asked,
  change,
  condensation,
  fate,
  fault,
  foundSession,
  hello,
  history,
  inspection,
  keptChoice,
  messageTexts,
  metrics,
  proof,
  providerFacts,
  readAnswer,
  readRequest,
  recall,
  recommendation,
  settingsTold,
  step,
  steps,
  trial,
  windowLines,
  written,
};
