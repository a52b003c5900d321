// What whole trajectories cost under ways of condensing, and what of what was said is still readable when the agent needs it.
//
//   node benches/quality/economics.mjs [DIR] [options]        DIR: conversations as JSON (default: fixtures/)
//
//   --only WORD          only policies whose name contains the word
//   --every N            every Nth conversation, from the first
//   --half first|second  every other conversation
//   --no-pauses          the cache is never lost
//   --no-record          nothing is appended to benches/results/
//
// Each message of the assistant was a request: what stands before it is the prompt. A policy makes of the prompt what is sent. The longest run of messages at the
// beginning that is the same as in the request before is read from the model provider's cache, the rest is written to it; before the user's own words there
// is a pause in which the cache is lost; where a tool answers in plain text of the user, as in mini-swe, every answer counts as the user's words. A prompt that does not
// fit the window is cut to half of it by the provider `truncation`, under every policy.
//
// `names`: of the names in each message of the assistant that stood somewhere in the conversation before, the share that can be read in what is sent. `edits`: the same of the
// passages that it replaces in a file. `decision` is `manager.condenseIfNeeded` with the option `economics`, which is told whether there was a pause, and what is left;
// what is to come it is not told. Beside each other policy stands the cheapest decision that keeps at least as much of both.
//
// `with recall`: the model is offered the tool `recall`. Before each message that needs a name or a passage which it can no longer read, it asks: CALLS calls on
// average, each a request of its own, whose answers stay in the conversation. What is asked for that way counts as read, and so everything does; `calls` are per message.

import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildRelease } from "../../scripts/build.mjs";
import { ensureDependencies, Failure, isProgram, isStale, main, releaseAddon, root } from "../../scripts/tools.mjs";
import { record, table } from "../results.mjs";
import { blocksOf, readConversations, textOf } from "./conversations.mjs";
import { readables, replacedIn, stands } from "../../js/future-use/edits.js";
import { namesOf } from "../../js/future-use/names.js";

const WINDOW = 200_000;
/** What an answer may need, as in the trigger of the manager. */
const RESERVED = 8192;
/** Dollars per million tokens (cache writes for five minutes), as lists of model prices by others gave them in November 2026; the services' own pages were not read. */
export const PRICES = {
  "claude-sonnet-4-6": { inputPrice: 3, outputPrice: 15, cacheWritesPrice: 3.75, cacheReadsPrice: 0.3 },
  "gpt-5.2": { inputPrice: 1.75, outputPrice: 14, cacheWritesPrice: 1.75, cacheReadsPrice: 0.175 },
};
/** Of the window. */
const THRESHOLD = 0.25;
/** What truncation at a threshold leaves, and its share of the threshold. */
const CUTS = [
  [25_000, 0.5],
  [40_000, 0.5],
  [40_000, 0.67],
];
/** Tokens that truncation leaves, and the size at which it cuts, where recall brings back the rest. */
const CUTS_WITH_RECALL = [
  [25_000, 50_000],
  [10_000, 50_000],
  [8_000, 40_000],
  [4_000, 40_000],
  [4_000, 25_000],
];
/** Calls for what one message needs, tokens of a call and of its answer: what readers of the reading test took (docs/recall.md). */
const CALLS = 1.4;
const CALL_TOKENS = 60;
const ANSWER_TOKENS = 770;
/** What a decision leaves. */
const TARGETS = [20_000, 25_000, 30_000, 35_000, 40_000, 50_000, 70_000];
/** Newest messages whose results are not masked. */
const UNMASKED = 10;
const PAUSE_MS = 600_000;
const BETWEEN_MS = 20_000;

/** The size of messages, each counted once. */
function sizes(count) {
  const known = new WeakMap();
  const of = (message) => {
    let found = known.get(message);
    if (!found) {
      const text = JSON.stringify([message.role, message.content]);
      const tokens = count(blocksOf(message).map(textOf).join("\n")) + 4;
      found = { text, tokens, names: namesOf([message]), readables: readables([message]) };
      known.set(message, found);
    }
    return found;
  };
  return { of, total: (messages) => messages.reduce((sum, message) => sum + of(message).tokens, 0) };
}

const saysSomething = (message) => blocksOf(message).some((block) => block.type === "text" && !/^\s*[<[]/.test(block.text ?? ""));

const thousands = (tokens) => `${tokens / 1000}K`;

/** The ways: functions of the prompt and what is known of the request. */
function policiesOf(addon) {
  const with_ = (provider) => async (messages, targetTokens) => (await provider.condense({ messages }, { targetTokens })).messages;
  const lossless = with_(addon.createLosslessProvider());
  const truncation = with_(addon.createTruncationProvider());
  const masked = new WeakMap();
  const mask = (message) => {
    if (typeof message.content === "string") return message;
    if (!masked.has(message)) {
      const changed = (block) => (block.type === "tool_result" ? { ...block, content: "[output omitted]" } : block);
      masked.set(message, { ...message, content: message.content.map(changed) });
    }
    return masked.get(message);
  };
  const cutting = CUTS.map(([left, share]) => [
    `truncation of ${thousands(Math.round(left / share / 1000) * 1000)} to ${thousands(left)}`,
    async (messages, { tokens }) => (tokens > left / share ? truncation(messages, left) : messages),
  ]);
  const recalling = CUTS_WITH_RECALL.map(([left, above]) => [
    `truncation of ${thousands(above)} to ${thousands(left)}, with recall`,
    async (messages, { tokens }) => (tokens > above ? truncation(messages, left) : messages),
  ]);
  const manager = new addon.CondensationManager();
  const deciding = TARGETS.map((targetTokens) => [
    `decision, ${thousands(targetTokens)}`,
    async (messages, { tokens, last, isCold, price }) => {
      const context = { messages, totalTokens: tokens - last, contextWindow: WINDOW };
      const msSinceLastRequest = isCold ? PAUSE_MS : BETWEEN_MS;
      const result = await manager.condenseIfNeeded(context, { price, economics: { msSinceLastRequest, targetTokens } });
      if (result.error) throw new Failure(`${result.error.code}: ${result.error.message}`, 3);
      return result.messages;
    },
  ]);
  return Object.fromEntries([
    ["never", async (messages) => messages],
    ["always (lossless)", (messages) => lossless(messages)],
    ["lossless above 50K", async (messages, { tokens }) => (tokens > WINDOW * THRESHOLD ? lossless(messages) : messages)],
    ...cutting,
    ...recalling,
    [
      "masking",
      async (messages) => messages.map((message, index) => (index > 0 && index < messages.length - UNMASKED ? mask(message) : message)),
    ],
    ...deciding,
  ]);
}

const NOTHING = { read: 0, written: 0, output: 0, needed: 0, readable: 0, edits: 0, possible: 0, calls: 0, messages: 0 };

/** A call of recall and its answer, of about so many tokens: other words each time, so that nothing finds them to be repeated. */
function recalled(number) {
  const id = `recall_${number}`;
  const lines = Array.from({ length: ANSWER_TOKENS / 14 }, (_, line) => `line ${line} of answer ${number} to this call, word for word`);
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name: "recall", input: { query: `what is needed ${number}` } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: lines.join("\n") }] },
  ];
}

/** One conversation under one policy: tokens of each price, and what was needed and readable. */
async function simulate(messages, policy, { size, intoWindow, pauses, price, recalls }) {
  /** @type {any[]} */
  let context = [];
  /** @type {string[]} */
  let last = [];
  const sum = { ...NOTHING };
  const known = new Set();
  const texts = [];
  let next = 0;
  /** Calls of recall that are due, as CALLS is no whole number. */
  let due = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant" || index === 0) continue;
    const added = messages.slice(next, index);
    next = index;
    for (const one of added) {
      for (const name of size.of(one).names) known.add(name);
      texts.push(...size.of(one).readables);
    }
    context = [...context, ...added];
    const isCold =
      last.length === 0 ||
      (pauses && saysSomething(messages[index - 1]) && !blocksOf(messages[index - 1]).some(({ type }) => type === "tool_result"));
    context = await policy(context, { tokens: size.total(context), last: size.total(context.slice(-1)), isCold, price });
    if (size.total(context) > WINDOW * 0.9 - RESERVED) context = await intoWindow(context, WINDOW / 2);
    let same = 0;
    while (same < last.length && same < context.length && size.of(context[same]).text === last[same]) same++;
    const cached = isCold ? 0 : size.total(context.slice(0, same));
    sum.read += cached;
    sum.written += size.total(context) - cached;
    sum.output += size.of(message).tokens;
    last = context.map((one) => size.of(one).text);
    const there = new Set(context.flatMap((one) => [...size.of(one).names]));
    const needed = [...size.of(message).names].filter((name) => known.has(name));
    const readable = needed.filter((name) => there.has(name)).length;
    const edits = replacedIn([message]).filter((passage) => stands(texts, passage));
    const sent = context.flatMap((one) => size.of(one).readables);
    const possible = edits.filter((passage) => stands(sent, passage)).length;
    const isAsked = recalls && readable + possible < needed.length + edits.length;
    sum.needed += needed.length;
    sum.edits += edits.length;
    sum.readable += isAsked ? needed.length : readable;
    sum.possible += isAsked ? edits.length : possible;
    sum.messages++;
    if (!isAsked) continue;
    for (due += CALLS; due >= 1; due--) {
      const pair = recalled(sum.calls++);
      // The call is written by a request; the next one reads what that one was sent from the cache.
      sum.output += CALL_TOKENS;
      sum.read += size.total(context);
      sum.written += CALL_TOKENS + ANSWER_TOKENS;
      context = [...context, ...pair];
      last.push(...pair.map((one) => size.of(one).text));
    }
  }
  return sum;
}

const dollarsOf = ({ read, written, output }, price) =>
  (read * price.cacheReadsPrice + written * price.cacheWritesPrice + output * price.outputPrice) / 1e6;

/** The cheapest decision that keeps as much as a policy did. */
function cheapestLike(sum, sums, price) {
  const keepsAsMuch = (other) =>
    other.readable / other.needed >= sum.readable / sum.needed && other.possible / other.edits >= sum.possible / sum.edits;
  const cost = (other) => dollarsOf(other, price);
  return sums.filter((other) => other.name.startsWith("decision") && keepsAsMuch(other)).sort((a, b) => cost(a) - cost(b))[0];
}

async function economics() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      only: { type: "string", default: "" },
      every: { type: "string", default: "1" },
      half: { type: "string" },
      pauses: { type: "boolean", default: true },
      record: { type: "boolean", default: true },
    },
  });
  ensureDependencies();
  if (!process.env.ROO_CONDENSE_BINARY && isStale(releaseAddon)) buildRelease();
  const addon = createRequire(import.meta.url)(root);
  const folder = positionals[0] ?? path.join(root, "fixtures");
  const isWanted = (_, index) => index % Number(options.every) === 0 && (!options.half || (index % 2 === 0) === (options.half === "first"));
  const conversations = readConversations(folder).filter(isWanted);
  if (conversations.length === 0) throw new Failure(`${folder} holds no conversation.`, 3);
  const size = sizes((text) => (text ? addon.countTokens(text) : 0));
  const truncation = addon.createTruncationProvider();
  const intoWindow = async (messages, targetTokens) => (await truncation.condense({ messages }, { targetTokens })).messages;
  const wanted = Object.entries(policiesOf(addon)).filter(([name]) => name.includes(options.only));
  /** Sums over all conversations. */
  const sumOf = async (name, policy, price) => {
    const recalls = name.endsWith("with recall");
    const sum = { ...NOTHING };
    for (const { messages } of conversations) {
      const one = await simulate(messages, policy, { size, intoWindow, pauses: options.pauses, price, recalls });
      for (const field of Object.keys(sum)) sum[field] += one[field];
    }
    return sum;
  };
  const tables = [];
  for (const [model, price] of Object.entries(PRICES)) {
    const sums = [];
    for (const [name, policy] of wanted) sums.push({ name, ...(await sumOf(name, policy, price)) });
    const rows = sums.map((sum) => {
      const like = sum.name.startsWith("decision") ? undefined : cheapestLike(sum, sums, price);
      return [
        sum.name,
        dollarsOf(sum, price).toFixed(2),
        (sum.readable / sum.needed).toFixed(4),
        (sum.possible / sum.edits).toFixed(4),
        ((sum.read + sum.written) / 1e6).toFixed(1),
        sum.calls ? (sum.calls / sum.messages).toFixed(2) : "",
        like ? `${dollarsOf(like, price).toFixed(2)} (${like.name.slice(10)})` : "",
      ];
    });
    tables.push(table([[model, "dollars", "names", "edits", "million tokens", "calls", "decision that keeps as much"], ...rows]));
  }
  const requests = conversations.reduce((sum, { messages }) => sum + messages.filter(({ role }) => role === "assistant").length, 0);
  const text = [`${conversations.length} conversations, ${requests} requests${options.pauses ? "" : ", no pauses"}`, "", ...tables].join(
    "\n",
  );
  console.log(text);
  if (options.record && !options.only)
    record("economics", ["node benches/quality/economics.mjs", ...process.argv.slice(2)].join(" "), text);
}

if (isProgram(import.meta.url)) await main(economics);
