"use strict";

// Learns thresholds of the smart provider from a host's own conversations. Each conversation is cut, its earlier part
// is condensed under various thresholds, and the content that the conversation used later shows which thresholds lose
// least for the same size. The addon condenses; future-use/ measures.

const { countTokens, warmUp } = require("./count.js");
const { isSignal } = require("./abort.js");
const { abortError, argumentError, notAllowed, readable } = require("./errors.js");
const { formatOf, requireFormat } = require("./formats.js");
const { checkedOptions } = require("./options.js");
const { presets } = require("./presets.js");
const { asOurs } = require("./projection.js");
const { createSmartProvider } = require("./provider.js");
const { answersOf, questionsOf } = require("./future-use/index.js");
const { readables, stands } = require("./future-use/edits.js");
const { namesOf } = require("./future-use/names.js");
const { blocksOf, textOf } = require("./future-use/texts.js");
const { requireMessages, serializeMessages } = require("./serialize.js");

/** Values of a threshold, in tokens of a kind in a message. With the last one, no text of that kind is cut. */
const NEVER = 1_000_000;
const GRID = [0, 100, 200, 300, 500, 1000, 2000, NEVER];
const KINDS = ["toolParameters", "toolResults"];
/** Lower bounds of the sizes in the evidence, in tokens. */
const SIZES = [0, 100, 300, 1000, 3000];
/** Earlier parts with fewer tokens are ignored, because no application condenses them. */
const MIN_TOKENS = 8000;
/** Number of the most promising combinations that are tried. */
const WHOLE = 10;
/** Number of concurrent condensations. */
const AT_ONCE = 2;

/** Checks of the options whose value remains in JavaScript or is an object. */
const KEPT = { goal: {}, format: () => true, signal: isSignal, onProgress: (listener) => typeof listener === "function" };

const mean = (values) => (values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length);
const tokensOf = (messages) => countTokens(messages);
const replaced = (list, at, value) => list.map((old, index) => (index === at ? value : old));

/** Operations that call no model. */
const MECHANICAL = ["suppress", "truncate"];
/** Operations that apply from a threshold on. Without a model, as here, salient truncation replaces summaries. */
const FROM_THRESHOLD = [...MECHANICAL, "summarize"];

/** Returns the places in a preset where one of these operations processes texts of one kind separately, so that its threshold can be learned. */
function learnable(preset, operations = FROM_THRESHOLD) {
  return preset.passes.flatMap((pass, index) =>
    pass.mode !== "individual"
      ? []
      : KINDS.filter((kind) => operations.includes(pass.individualConfig.defaults[kind]?.operation)).map((kind) => ({
          pass: index,
          id: pass.id,
          kind,
        })),
  );
}

/** Returns a configuration with other thresholds. */
function configured(preset, places, thresholds) {
  const config = structuredClone(preset);
  for (const [at, { pass, kind }] of places.entries()) {
    const { individualConfig } = config.passes[pass];
    individualConfig.messageTokenThresholds = { ...individualConfig.messageTokenThresholds, [kind]: thresholds[at] };
  }
  return config;
}

const thresholdsOf = (preset, places) =>
  places.map(({ pass, kind }) => preset.passes[pass].individualConfig.messageTokenThresholds?.[kind] ?? 0);

/** Returns the earlier parts to condense, evenly selected from all. */
function cutsOf(histories, maxCuts) {
  const cuts = histories.flatMap((messages) => questionsOf(messages).cuts).map((cut) => ({ ...cut, tokens: tokensOf(cut.prefix) }));
  const large = cuts.filter(({ tokens }) => tokens >= MIN_TOKENS);
  const step = Math.max(1, large.length / maxCuts);
  return Array.from({ length: Math.min(large.length, maxCuts) }, (_, index) => large[Math.floor(index * step)]);
}

function throwIfAborted(signal) {
  if (signal?.aborted) throw abortError("the calibration was aborted");
}

/** Applies `work` to a list with limited concurrency, and returns the results in order. */
async function inParallel(list, work) {
  const results = new Array(list.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < list.length; index = next++) results[index] = await work(list[index]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Returns how much of the cuts a configuration leaves, and how much of the content used later it keeps. */
async function measured(config, cuts, signal) {
  const provider = createSmartProvider(config);
  const results = await inParallel(cuts, async (cut) => {
    throwIfAborted(signal);
    const { messages, error } = await provider.condense({ messages: cut.prefix }, signal ? { signal } : {});
    throwIfAborted(signal);
    if (error) throw argumentError("invalid_argument", `a history could not be condensed: ${error.message}`);
    return { left: tokensOf(messages) / cut.tokens, ...answersOf(messages, cut) };
  });
  const share = (kinds) => {
    const asked = results.map((result) =>
      kinds.reduce((sum, kind) => ({ kept: sum.kept + result[kind].kept, needed: sum.needed + result[kind].needed }), {
        kept: 0,
        needed: 0,
      }),
    );
    return mean(asked.filter(({ needed }) => needed > 0).map(({ kept, needed }) => kept / needed));
  };
  return { left: mean(results.map(({ left }) => left)), kept: share(["names", "edits"]), names: share(["names"]), edits: share(["edits"]) };
}

/** Returns all combinations with one element of each list. */
function* combinations(lists, taken = []) {
  if (taken.length === lists.length) yield taken;
  else for (const one of lists[taken.length]) yield* combinations(lists, [...taken, one]);
}

/**
 * Finds thresholds that keep most of the content used later while at most `limit` is left, or as much as the current
 * thresholds leave. It tries each threshold alone at every place of the grid, then the combinations whose separate
 * gains add up to most, and then the neighbours of the best one.
 */
async function search(preset, places, cuts, { limit, signal, onProgress }) {
  const known = new Map();
  const own = thresholdsOf(preset, places);
  // Each threshold at every place of the grid, then at its two neighbours; after both, the best combinations.
  const most = 1 + places.length * (GRID.length + 2) + 2 * WHOLE;
  const evaluate = async (thresholds) => {
    const key = thresholds.join();
    if (!known.has(key)) {
      known.set(key, { thresholds, ...(await measured(configured(preset, places, thresholds), cuts, signal)) });
      onProgress?.({ tried: known.size, most });
    }
    return known.get(key);
  };
  const fixed = await evaluate(own);
  const room = limit ?? fixed.left;
  // Beyond the limit, the excess outweighs the kept share.
  const worth = ({ left, kept }) => kept - 10 * Math.max(0, left - room);
  const better = (one, other) => worth(other) - worth(one);
  const scan = async (from, valuesAt) => {
    const lists = [];
    for (const at of places.keys()) {
      const list = [{ value: from.thresholds[at], left: 0, kept: 0 }];
      for (const value of valuesAt(at)) {
        if (value === from.thresholds[at]) continue;
        const found = await evaluate(replaced(from.thresholds, at, value));
        list.push({ value, left: found.left - from.left, kept: found.kept - from.kept });
      }
      lists.push(list);
    }
    const whole = [];
    for (const taken of combinations(lists)) {
      const left = taken.reduce((sum, one) => sum + one.left, from.left);
      const kept = taken.reduce((sum, one) => sum + one.kept, from.kept);
      whole.push({ thresholds: taken.map(({ value }) => value), left, kept });
    }
    whole.sort(better);
    for (const { thresholds } of whole.slice(0, WHOLE)) await evaluate(thresholds);
    return [...known.values()].sort(better)[0];
  };
  const best = await scan(fixed, () => GRID);
  const next = (at) => {
    const place = GRID.indexOf(best.thresholds[at]);
    return place < 0 ? [] : GRID.slice(Math.max(0, place - 1), place + 2);
  };
  return { best: await scan(best, next), fixed, most: room, tried: known.size };
}

/** Returns how much of the content used later was in calls and results of each size. */
function evidenceOf(cuts) {
  const rows = KINDS.flatMap((kind) => SIZES.map((from, index) => ({ kind, from, to: SIZES[index + 1], texts: 0, tokens: 0, used: 0 })));
  for (const { older, names, edits } of cuts) {
    const needed = new Set(names);
    for (const block of older.flatMap(blocksOf)) {
      const kind = { tool_use: KINDS[0], tool_result: KINDS[1] }[block.type];
      if (kind === undefined) continue;
      const message = { role: "user", content: [block] };
      const tokens = countTokens(textOf(block));
      const row = rows.find((one) => one.kind === kind && tokens >= one.from && tokens < (one.to ?? Infinity));
      if (!row) continue;
      row.texts++;
      row.tokens += tokens;
      for (const name of namesOf([message])) if (needed.has(name)) row.used++;
      row.used += edits.filter((passage) => stands(readables([message]), passage)).length;
    }
  }
  return rows.map(({ to, ...row }) => ({
    ...row,
    ...(to !== undefined && { to }),
    usedPer1000Tokens: row.tokens === 0 ? 0 : (1000 * row.used) / row.tokens,
  }));
}

/** Checks and returns the arguments. */
function read(histories, options) {
  const { preset, goal, maxCuts, format, signal, onProgress } = checkedOptions("CalibrateOptions", options, KEPT);
  const known = presets();
  const able = Object.keys(known).filter((name) => learnable(known[name], MECHANICAL).length > 0);
  if (!able.includes(preset)) throw notAllowed("options.preset", preset, `a preset with passes that ask no model: ${able.join(", ")}`);
  requireFormat(format);
  if (!Array.isArray(histories)) throw notAllowed("histories", histories, "an array of conversations");
  const read = histories.map((history, index) => {
    const messages = Array.isArray(history) ? history : history?.messages;
    if (!Array.isArray(messages)) throw notAllowed(`histories[${index}]`, history, "an array of messages, or an object with one");
    const field = `histories[${index}]`;
    requireMessages(messages, field);
    const ours = readable(field, () => asOurs(messages, formatOf(messages, format, field)));
    serializeMessages(ours, field);
    return ours;
  });
  return {
    histories: read,
    preset,
    config: known[preset],
    reductionPercent: goal?.reductionPercent,
    maxCuts,
    signal,
    onProgress,
  };
}

/** Converts measurements to the form in results; null represents a share of nothing. */
const told = ({ left, kept, names, edits }) => ({ reductionPercent: 100 * (1 - left), kept, names: names ?? null, edits: edits ?? null });

async function calibrate({ histories, preset, config, reductionPercent, maxCuts, signal, onProgress }) {
  await warmUp();
  const cuts = cutsOf(histories, maxCuts);
  if (cuts.length === 0)
    throw notAllowed(
      "histories",
      histories,
      `conversations of which an earlier part has ${MIN_TOKENS} tokens and more, and names what comes later`,
    );
  const places = learnable(config);
  const limit = reductionPercent === undefined ? undefined : 1 - reductionPercent / 100;
  const { best, fixed, most, tried } = await search(config, places, cuts, { limit, signal, onProgress });
  return {
    preset,
    goalPercent: 100 * (1 - most),
    reached: best.left <= most,
    thresholds: places.map(({ id, kind }, at) => ({ pass: id, kind, tokens: best.thresholds[at] })),
    config: { preset, ...configured(config, places, best.thresholds) },
    fixed: told(fixed),
    learned: told(best),
    cuts: cuts.length,
    tried,
    evidence: evidenceOf(cuts),
  };
}

/** Learns thresholds. Rejects for invalid arguments. */
async function calibrateThresholds(histories, options = {}) {
  return calibrate(read(histories, options));
}

module.exports = { MIN_TOKENS, calibrateThresholds };
