"use strict";

// Defines the requests of the studio's page and the responses of its host. Each end checks the other's messages by this table, and
// the types of the page come from it (ui/src/types.ts). Both the browser and Node load it, so it uses only what both have.

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

/** A translatable text: a code and values. Values may be such texts themselves. @typedef {{ code: string, values: Record<string, SaidValue> }} Said */
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
  /** Readable through a pointer. */
  pointed: number,
  /** Replaced by a later message. */
  superseded: number,
  /** Covered by a summary or quoted in the log. */
  told: number,
  /** Readable nowhere in the conversation. */
  lost: number,
});

const history = object({
  id: text,
  name: text,
  /** Number of different states of the history that the host has seen. */
  revision: count,
  messages: count,
  bytes: optional(count),
  canWrite: flag,
  /** True if `undoSave` can restore the content that a save replaced. */
  canUndo: optional(flag),
  /** True if saving appends to the file. */
  grows: optional(flag),
  /** True if the page opened the history, and so can close it. */
  canClose: optional(flag),
  /** The reason why the history cannot be read now. */
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
  /** The reason; absent if the provider gave none. */
  said: optional(said),
  grade,
});

/** How far to condense: see js/advice.js. */
const stepName = choice("safest", "balanced", "tight", "small");
const step = object({
  name: stepName,
  /** The target; absent to remove only repeated and replaced content. */
  targetTokens: optional(count),
});
const steps = object({
  /** True if the model can recall removed content. */
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
  /** The reason why the choice could not be followed this time. */
  fault: optional(fault),
});

const condensation = object({
  /** The id of the condensation in later requests. */
  id: text,
  revision: count,
  provider: text,
  tokensBefore: number,
  tokensAfter: number,
  reductionPercent: number,
  cost: number,
  timeMs: number,
  /** False if a model would be called: tokens and cost are then estimates, and nothing can be undone or saved. */
  exact: flag,
  didCondense: flag,
  metTarget: nullable(flag),
  fate,
  /** Tokens by kind afterwards; absent if only estimates are known. */
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
  /** Tokens of each message afterwards; -1 for a removed message. */
  after: list(index),
  /** The added messages, each with the index of the message that it precedes. */
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
  /** Tokens replaced by newer messages and no longer readable. */
  superseded: number,
  /** Tokens that are lost: neither readable, nor replaced by a newer message, a summary or the log. */
  lost: number,
  firstChangedIndex: index,
  error: optional(fault),
});

const asked = object({ kept: count, needed: count });

const recall = object({
  /** Indices at which the history was cut. The messages before a cut were condensed, and the later ones show which content was needed. */
  cuts: list(count),
  names: asked,
  edits: asked,
  /** The share of tokens saved in the part before the cuts, in percent. */
  reductionPercent: number,
  /** The reason why nothing was measured. */
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
  /** The path of the backup. */
  backup: optional(text),
  restoreData: optional(text),
  /** The revision of the history after this save; absent if another program has written since. */
  revision: optional(count),
  /** True if `undoSave` can restore the previous content. */
  canUndo: optional(flag),
  /** Number of messages added since the save, which are kept; only for an undo. */
  added: optional(count),
});

const file = object({ name: text, text });

const isPercent = (value) => value >= 5 && value <= 100;
/** A percentage of a context window, or a target in percent of the tokens. @type {Reader<number>} */
const percent = where((value) => Number.isFinite(value) && isPercent(value), "a number from 5 to 100");
/** A percentage for a profile; -1 to use the percentage of all profiles. @type {Reader<number>} */
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
  /** The known profiles, and whether each has a model. */
  profiles: list(object({ id: text, hasModel: flag })),
  /** True if a model can be called without a profile. */
  canAsk: flag,
  /** The place where settings are stored, such as a file; absent if they last only as long as the page's host. */
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
  /** True if the provider calls no model. */
  isFree: flag,
  /** True if the provider may lose content. */
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
  /** The initial target in percent; absent for the advised target. */
  targetPercent: optional(percent),
  /** True if the model can recall removed content, as far as the host knows. */
  recall: optional(flag),
  language: optional(text),
  /** True if `report` can write the page's content as one file. */
  canReport: optional(flag),
  /** True if `sessions` finds any. */
  canFind: optional(flag),
  /** True if the host has `settings`. */
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
  /** True if the host's manager does the same by default. */
  isDefault: flag,
  /** The target used for the measurement. */
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
  /** True if every line is readable, in order, ignoring line numbers. */
  identical: flag,
  /** Index of the message that contains most of the lines; -1 if no original message contains any. */
  message: index,
  /** The removed lines, each with its old line number (`from`) and its current one (`to`). */
  pairs: list(object({ text, from: count, to: count }), 1000),
  omitted: count,
});

const foundSession = object({
  id: text,
  agent: text,
  name: text,
  /** Time of the last write, in milliseconds since 1970. */
  changed: number,
  bytes: count,
});

/** Every method, with the readers of its request and its response. */
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
  /** Undoes single changes. */
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
  /** Recommends a provider for a user's answers and a history. */
  recommend: { request: object({ history: shortText, answers: record }), answer: object({ recommendation }) },
  /** The manager's metrics so far. */
  metrics: { request: object({}), answer: object({ metrics }) },
  /** The presets of the smart provider, by name. */
  presets: { request: object({}), answer: object({ presets }) },
  /** The settings of automatic condensing. */
  settings: { request: object({}), answer: settingsTold },
  changeSettings: { request: object({ settings }), answer: settingsTold },
  /** Tries a single provider, or the host's manager if no provider is given. */
  try: {
    request: object({ history: shortText, id: shortText, ...provider, targetTokens: target, contextWindow: window }),
    answer: object({ revision: count, trial }),
  },
  /** Condenses an earlier part of a history, and measures how much of the content that its later part used is still readable. */
  recall: {
    request: object({ history: shortText, ...provider, targetTokens: target }),
    answer: object({ revision: count, recall }),
  },
  /** A message before and after a condensation, with the differences. */
  message: {
    request: object({ history: shortText, index: count, condensation: optional(shortText) }),
    answer: messageTexts,
  },
  /** Searches all messages for a text, including parts that the page does not show. */
  search: {
    request: object({ history: shortText, text: shortText }),
    answer: object({ revision: count, messages: list(count) }),
  },
  /** How many of a change's lines can be read back from the condensed conversation, and the message that contains most of them. */
  proof: {
    request: object({ condensation: shortText, change: shortText }),
    answer: proof,
  },
  /** Writes a condensed history and its restore data. */
  save: {
    request: object({ condensation: shortText }),
    answer: written,
  },
  /** Undoes the newest save that fits a history. Messages added since then are kept. */
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
  /** The title and size of a session. */
  session: { request: object({ id: shortText }), answer: object({ title: text, messages: count, tokens: number }) },
  /** Opens a session. */
  openSession: { request: object({ id: shortText }), answer: object({ history }) },
  /** Opens a history that the user dropped on the page. */
  open: { request: object({ name: shortText, text }), answer: object({ history }) },
  /** Closes a history that the page opened. */
  close: { request: object({ history: shortText }), answer: object({}) },
  /** Cancels a request whose response the page no longer needs. */
  cancel: { request: object({ id: count }), answer: object({}) },
});

/** @param {string} method */
function methodOf(method) {
  if (typeof method !== "string" || !Object.hasOwn(METHODS, method))
    throw new ProtocolError(`method: one of ${Object.keys(METHODS).join(", ")} is expected`);
  return METHODS[/** @type {keyof typeof METHODS} */ (method)];
}

/**
 * Reads a request from the other end, with its known fields only. Throws a ProtocolError.
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
