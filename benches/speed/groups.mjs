// What is measured: each function is a group of rows of the table.

import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { releaseAddon } from "../../scripts/tools.mjs";
import { DIALECTS, HOSTILE, codeText, fresh, historyOf, jsonLength, jsonText, largestConversations } from "./inputs.mjs";
import { compare, longestStall, median, timed, timedOnCore, timedSync } from "./measure.mjs";
import { recallOfSessions, recalls } from "./recalls.mjs";
import { ideal, startSummaries } from "./summaries.mjs";

const require = createRequire(import.meta.url);
const { CondensationManager, countTokens, inspect } = require("../../index.js");

const SIZE = 1_500_000;

/** Targets of the specification; those for calls are in {@link CALLS}. A fresh call has none: docs/measurements.md says why. */
const TARGETS = { inspect: 10, stall: 1.5, growth: 12, again: 1 / 50, summaries: 1.3, binary: 11, memory: 5 };

/** @typedef {{ name: string, provider?: import("roo-condense").BuiltInProviderId, share?: number, again?: number, loop?: number }} Call */

/** The calls that are measured, with their targets; a share is of the tokens that the conversation has. Each has a manager of its own, as a host has. */
const CALLS = /** @type {Call[]} */ ([
  { name: "lossless", provider: "lossless", again: 1.8, loop: 1 },
  { name: "the default to 50%", share: 50 },
  { name: "the default to 25%", share: 25, again: 3, loop: 1.5 },
  { name: "the default to 10%", share: 10 },
  { name: "smart to 25%", provider: "smart", share: 25, again: 6 },
]).map((call) => ({ ...call, manager: new CondensationManager() }));

const LOSSLESS = CALLS[0];
const QUARTER = CALLS[2];

const numberOfTokens = new WeakMap();

/** Runs a call; a measurement of one that failed would mean nothing. */
async function run(/** @type {(typeof CALLS)[number]} */ { name, manager, provider, share }, messages, tokens) {
  const target = share && { targetTokens: Math.round((tokens * share) / 100) };
  const result = await manager.condense({ messages }, { ...(provider && { provider }), ...target });
  if (result.error) throw new Error(`${name} failed: ${result.error.code}: ${result.error.message}`);
  return result;
}

function tokensOf(messages) {
  if (!numberOfTokens.has(messages)) numberOfTokens.set(messages, countTokens(messages));
  return numberOfTokens.get(messages);
}

const copyByJson = (messages) => timedSync(() => JSON.parse(JSON.stringify(messages)));
const milliseconds = (ms) => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

/** A row from what {@link compare} found. */
function row(name, found, target, { ours = milliseconds(found.ours), reference = milliseconds(found.reference) } = {}) {
  return { name, ours, reference, value: found.ratio, fastest: found.fastest, target, lowest: found.lowest, highest: found.highest };
}

async function callRows(label, histories, runs) {
  const rows = [];
  for (const call of CALLS) {
    const known = histories[0];
    const tokens = tokensOf(known);
    const again = await compare(
      runs,
      async () => (await timed(() => run(call, known, tokens))).ms,
      () => copyByJson(known),
    );
    rows.push(row(`${label}, ${call.name}, again`, again, call.again));
    let messages;
    const first = await compare(
      Math.ceil(runs / 2),
      async () => (await timed(() => run(call, messages, tokens))).ms,
      (number) => {
        messages = fresh(histories[number % histories.length]);
        return copyByJson(messages);
      },
    );
    rows.push(row(`${label}, ${call.name}, fresh`, first));
  }
  let messages;
  const counting = await compare(
    Math.ceil(runs / 2),
    () => timedSync(() => countTokens(messages)),
    () => {
      messages = fresh(histories[0]);
      return copyByJson(messages);
    },
  );
  return [...rows, row(`${label}, nothing but counting, fresh`, counting)];
}

/** From the JavaScript call to the result. */
export async function* calls({ runs, dialects }) {
  for (const dialect of dialects)
    yield await callRows(
      dialect,
      [1, 2, 3].map((seed) => historyOf(dialect, SIZE, seed)),
      runs,
    );
}

/** An agent's loop: each call has the same objects as the one before, and one new round. */
export async function* loops({ runs, dialects }) {
  for (const dialect of dialects) {
    const history = historyOf(dialect, SIZE, 7);
    const tokens = tokensOf(history);
    const rows = [];
    for (const call of CALLS.filter(({ loop }) => loop)) {
      // An odd number of messages, so that each call ends with the user's.
      let next = (history.length - 2 * (runs + 2)) | 1;
      const growing = history.slice(0, next);
      await run(call, growing, tokens);
      const found = await compare(
        runs,
        async () => {
          growing.push(...history.slice(next, next + 2));
          next += 2;
          return (await timed(() => run(call, growing, tokens))).ms;
        },
        () => copyByJson(growing),
      );
      rows.push(row(`${dialect}, ${call.name}`, found, call.loop));
    }
    yield rows;
  }
}

/** Whole processes: large histories on one core and on two, and the memory that a call takes. */
export async function* processes({ large, quick }) {
  const script = fileURLToPath(new URL("whole-process.mjs", import.meta.url));
  const hasTaskset = spawnSync("taskset", ["-c", "0", "true"]).status === 0;
  for (const size of quick ? [SIZE] : [SIZE, 5_000_000, 15_000_000, ...(large ? [50_000_000] : [])]) {
    for (const { name } of [LOSSLESS, QUARTER]) {
      for (const cores of hasTaskset ? ["one core", "all cores"] : ["all cores"]) {
        const [program, args] = cores === "one core" ? ["taskset", ["-c", "0", process.execPath]] : [process.execPath, []];
        const child = spawnSync(program, [...args, "--expose-gc", script, String(size), name], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "inherit"],
        });
        if (child.status !== 0) throw new Error(`${name} of ${size} bytes: the process ended with ${child.status ?? child.signal}`);
        const { bytes, ms, json, memory } = JSON.parse(child.stdout);
        const label = `${megabytes(bytes)}, ${name}, ${cores}`;
        yield [
          { name: `${label}: time`, ours: milliseconds(ms), reference: milliseconds(json), value: ms / json },
          ...(memory === undefined ? [] : [memoryRow(`${label}: peak memory`, memory, bytes)]),
        ];
      }
    }
  }
}

/** In small histories, most of the peak is the heap that Node gives itself, so the target is for large ones. */
const memoryRow = (name, memory, bytes) => ({
  name,
  ours: megabytes(memory),
  reference: megabytes(bytes),
  value: memory / bytes,
  target: bytes < 15_000_000 ? undefined : TARGETS.memory,
});

/** Condenses for `whole-process.mjs`, which is told the name of a call. */
export const runNamed = async (name, messages, tokens) => {
  for (const call of CALLS.filter((known) => known.name === name)) await run(call, messages, tokens);
};

/** Taking a conversation apart. 50 ms, the target, are ten times what its JSON takes there and back on the machine of the tables. */
export async function* inspections({ runs, dialects }) {
  const rows = [];
  for (const dialect of dialects) {
    const history = historyOf(dialect, SIZE, 5);
    const again = await compare(
      runs,
      async () => (await timed(() => inspect({ messages: history }))).ms,
      () => copyByJson(history),
    );
    rows.push(row(`${dialect}, again`, again, TARGETS.inspect));
    let messages;
    const first = await compare(
      Math.ceil(runs / 2),
      async () => (await timed(() => inspect({ messages }))).ms,
      () => {
        messages = fresh(history);
        return copyByJson(messages);
      },
    );
    rows.push(row(`${dialect}, fresh`, first, TARGETS.inspect));
  }
  yield rows;
}

/** The same on real conversations. */
export async function* realCalls({ runs, corpus, quick }) {
  for (const { name, messages } of largestConversations(corpus, quick ? 1 : 4)) {
    yield await callRows(`${name} (${megabytes(jsonLength(messages))})`, [messages], runs);
  }
}

/** How long the event loop stands still. A machine that is busy with other things adds waits of its own, which are left out where the system tells. */
export async function* stalls({ runs, dialects }) {
  for (const dialect of dialects) {
    const history = historyOf(dialect, SIZE, 4);
    const tokens = tokensOf(history);
    const stringify = (messages) => timedOnCore(() => JSON.stringify(messages));
    const rows = [];
    for (const call of [LOSSLESS, QUARTER]) {
      const again = await compare(
        runs,
        () => longestStall(() => run(call, history, tokens)),
        () => stringify(history),
      );
      rows.push(row(`${dialect}, ${call.name}, again`, again, TARGETS.stall));
      let messages;
      const first = await compare(
        Math.ceil(runs / 2),
        () => longestStall(() => run(call, messages, tokens)),
        () => {
          messages = fresh(history);
          return stringify(messages);
        },
      );
      rows.push(row(`${dialect}, ${call.name}, fresh`, first, TARGETS.stall));
    }
    const idle = await compare(
      runs,
      () => longestStall(() => new Promise((resolve) => setTimeout(resolve, 20))),
      () => stringify(history),
    );
    rows.push(row(`${dialect}, nothing at all for 20 ms (what the machine adds)`, idle));
    yield rows;
  }
}

/** Ten times the messages; fresh ones, because a cache of counts would hide growth. */
export async function* growth({ runs, dialects, large }) {
  const steps = [
    [150_000, SIZE],
    [SIZE, 10 * SIZE],
  ];
  if (large) steps.push([10_000_000, 100_000_000]);
  for (const dialect of dialects) {
    const rows = [];
    for (const [small, big] of steps) {
      const histories = [historyOf(dialect, small, 5), historyOf(dialect, big, 5)];
      const tokens = histories.map(tokensOf);
      for (const call of [LOSSLESS, QUARTER]) {
        const measure = async (which) => {
          const messages = fresh(histories[which]);
          return (await timed(() => run(call, messages, tokens[which]))).ms;
        };
        const found = await compare(
          big > 10 * SIZE ? 1 : Math.min(3, runs),
          () => measure(1),
          async () => median([await measure(0), await measure(0), await measure(0)]),
        );
        // The sizes are not exactly 10 to 1.
        const factor = jsonLength(histories[1]) / jsonLength(histories[0]) / 10;
        for (const value of ["ratio", "fastest", "lowest", "highest"]) found[value] /= factor;
        rows.push(row(`${dialect}, ${call.name}, ${megabytes(small)} to ${megabytes(big)}`, found, TARGETS.growth));
      }
    }
    yield rows;
  }
}

/** 100 KB to 1 MB of one hostile text. */
export async function* hostileGrowth({ runs }) {
  const script = fileURLToPath(new URL("hostile.mjs", import.meta.url));
  for (const kind of Object.keys(HOSTILE)) {
    const rows = [];
    for (const operation of ["countTokens", "lossless", "truncation"]) {
      const found = Array.from({ length: Math.min(3, runs) }, () => {
        const child = spawnSync(process.execPath, [script, kind, operation], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
        if (child.status !== 0) throw new Error(`${kind}, ${operation}: the process ended with ${child.status ?? child.signal}`);
        return JSON.parse(child.stdout);
      });
      const ratios = found.map(({ small, large }) => large / small);
      const summary = {
        ours: median(found.map(({ large }) => large)),
        reference: median(found.map(({ small }) => small)),
        ratio: median(ratios),
        fastest: Math.min(...found.map(({ large }) => large)) / Math.min(...found.map(({ small }) => small)),
        lowest: Math.min(...ratios),
        highest: Math.max(...ratios),
      };
      rows.push(row(`${kind}, ${operation}`, summary, TARGETS.growth));
    }
    yield rows;
  }
}

/** One more message after a count. */
export async function* countingAgain({ runs, dialects }) {
  for (const dialect of dialects) {
    const history = historyOf(dialect, SIZE, 6);
    let messages;
    const found = await compare(
      runs,
      (number) => {
        const longer = [...messages, { role: "user", content: `One more message, number ${number}.` }];
        return timedSync(() => countTokens(longer));
      },
      () => {
        messages = fresh(history);
        return timedSync(() => countTokens(messages));
      },
    );
    yield [row(`${dialect}, one message more`, found, TARGETS.again)];
  }
}

/** Against the packages that others count with. On hostile text those hang for minutes or throw, so it is left out here. */
export async function* counters({ runs }) {
  const { encode: gptEncode } = require("gpt-tokenizer/encoding/o200k_base");
  const tiktoken = require("tiktoken").get_encoding("o200k_base");
  // Our sources name special tokens; here they are ordinary text, as in a conversation.
  const ordinary = { disallowedSpecial: new Set() };
  const others = {
    "npm tiktoken": (text) => tiktoken.encode_ordinary(text).length,
    "npm gpt-tokenizer": (text) => gptEncode(text, ordinary).length,
  };
  const perSecond = (ms) => `${(SIZE / 1e3 / ms).toFixed(1)} MB/s`;
  for (const [kind, text] of Object.entries({ code: codeText, "JSON and logs": jsonText })) {
    const rows = [];
    for (const [name, count] of Object.entries(others)) {
      let current;
      let theirs;
      let difference = "";
      const found = await compare(
        Math.min(5, runs),
        () => {
          let tokens = 0;
          const ms = timedSync(() => {
            tokens = countTokens(current);
          });
          if (tokens !== theirs)
            difference = `, which counts ${Math.abs(theirs - tokens)} of ${tokens} tokens ${theirs > tokens ? "more" : "less"}`;
          return ms;
        },
        (number) => {
          current = text(SIZE, number * 97 + name.length);
          return timedSync(() => (theirs = count(current)));
        },
      );
      const factors = {
        ...found,
        ratio: 1 / found.ratio,
        fastest: 1 / found.fastest,
        lowest: 1 / found.highest,
        highest: 1 / found.lowest,
      };
      rows.push({
        ...row(`${kind}, times as fast as ${name}${difference}`, factors, undefined, {
          ours: perSecond(found.ours),
          reference: perSecond(found.reference),
        }),
      });
    }
    yield rows;
  }
  tiktoken.free();
}

/** Summaries by a model that takes its time. */
export async function* summaries({ runs }) {
  const { calls: each, close } = await startSummaries();
  for (const [name, measure] of each) yield [row(name, await compare(Math.min(3, runs), measure, ideal), TARGETS.summaries)];
  await close();
}

/** The addon as it is shipped. */
export async function* binary() {
  const file = process.env.ROO_CONDENSE_BINARY ?? releaseAddon;
  if (!existsSync(file)) return;
  const bytes = statSync(file).size;
  yield [{ name: "stripped .node, in MB", ours: megabytes(bytes), reference: "", value: bytes / 1e6, target: TARGETS.binary }];
}

/** @type {{ title: string, rows: (options: any) => AsyncIterable<object[]> }[]} */
export const GROUPS = [
  { title: "Call to result, against JSON.parse(JSON.stringify(messages)), 1.5 MB", rows: calls },
  { title: "The same on real conversations", rows: realCalls },
  { title: "One new round in each call, against JSON.parse(JSON.stringify(messages)), 1.5 MB", rows: loops },
  { title: "Processes of their own, fresh: time against a JSON round trip, memory against the text", rows: processes },
  { title: "inspect, against JSON.parse(JSON.stringify(messages)), 1.5 MB", rows: inspections },
  { title: "Longest stall of the event loop, against one JSON.stringify, 1.5 MB", rows: stalls },
  { title: "Ten times the messages, against one time", rows: growth },
  { title: "1 MB of hostile text, against 100 KB", rows: hostileGrowth },
  { title: "Counting again, against the first time, 1.5 MB", rows: countingAgain },
  { title: "Counting 1.5 MB, factor against other packages", rows: counters },
  { title: "Summaries, against the time that the answers take", rows: summaries },
  { title: "Size", rows: binary },
  { title: "Recall", rows: recalls },
  { title: "Recall of many sessions", rows: recallOfSessions },
];

export { DIALECTS };
