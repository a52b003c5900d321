// What whole trajectories cost under ways of condensing, and what of what was said is still readable when the agent needs it.
//
//   node benches/quality/economics.mjs [DIR] [--only WORD] [--every N] [--no-pauses] [--no-record]      DIR: conversations as JSON (default: fixtures/)
//
// Each message of the assistant was a request: what stands before it is the prompt. A policy makes of the prompt what is sent. The longest run of messages at the
// beginning that is the same as in the request before is read from the model provider's cache, the rest is written to it; before the user's own words there
// is a pause in which the cache is lost (none with --no-pauses). Recall is the share of the names in the assistant's message that stood somewhere in the
// conversation before and can be read in what is sent; where a tool answers in plain text of the user, as in mini-swe, every answer counts as the user's words. A prompt that does not fit the window is cut to half of it by the provider `truncation`, under every policy.

import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildRelease } from "../../scripts/build.mjs";
import { ensureDependencies, Failure, isProgram, isStale, main, releaseAddon, root } from "../../scripts/tools.mjs";
import { record, table } from "../results.mjs";
import { blocksOf, readConversations, textOf } from "./conversations.mjs";
import { namesOf } from "../../js/recall/names.js";

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
/** Newest messages whose results are not masked. */
const UNMASKED = 10;

/** The size of messages, each counted once. */
function sizes(count) {
  const known = new WeakMap();
  const of = (message) => {
    let found = known.get(message);
    if (!found) {
      const text = JSON.stringify([message.role, message.content]);
      found = { text, tokens: count(blocksOf(message).map(textOf).join("\n")) + 4, names: namesOf([message]) };
      known.set(message, found);
    }
    return found;
  };
  return { of, total: (messages) => messages.reduce((sum, message) => sum + of(message).tokens, 0) };
}

const saysSomething = (message) => blocksOf(message).some((block) => block.type === "text" && !/^\s*[<[]/.test(block.text ?? ""));

/** The ways: functions of the prompt and its tokens. */
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
  return {
    never: async (messages) => messages,
    "always (lossless)": (messages) => lossless(messages),
    "threshold (lossless)": async (messages, tokens) => (tokens > WINDOW * THRESHOLD ? lossless(messages) : messages),
    "threshold (truncation)": async (messages, tokens) =>
      tokens > WINDOW * THRESHOLD ? truncation(messages, (WINDOW * THRESHOLD) / 2) : messages,
    masking: async (messages) =>
      messages.map((message, index) => (index > 0 && index < messages.length - UNMASKED ? mask(message) : message)),
  };
}

/** One conversation under one policy: dollars, and names that were needed and readable. */
async function simulate(messages, policy, { size, intoWindow, pauses }) {
  /** @type {any[]} */
  let context = [];
  /** @type {string[]} */
  let last = [];
  const sum = { read: 0, written: 0, output: 0, needed: 0, readable: 0 };
  const known = new Set();
  let next = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant" || index === 0) continue;
    const added = messages.slice(next, index);
    next = index;
    for (const one of added) for (const name of size.of(one).names) known.add(name);
    context = [...context, ...added];
    const cold =
      last.length === 0 ||
      (pauses && saysSomething(messages[index - 1]) && !blocksOf(messages[index - 1]).some(({ type }) => type === "tool_result"));
    context = await policy(context, size.total(context));
    if (size.total(context) > WINDOW * 0.9 - RESERVED) context = await intoWindow(context, WINDOW / 2);
    let same = 0;
    while (same < last.length && same < context.length && size.of(context[same]).text === last[same]) same++;
    const cached = cold ? 0 : size.total(context.slice(0, same));
    const total = size.total(context);
    const output = size.of(message).tokens;
    sum.read += cached;
    sum.written += total - cached;
    sum.output += output;
    last = context.map((one) => size.of(one).text);
    const there = new Set(context.flatMap((one) => [...size.of(one).names]));
    for (const name of size.of(message).names) {
      if (!known.has(name)) continue;
      sum.needed++;
      if (there.has(name)) sum.readable++;
    }
  }
  return sum;
}

async function economics() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      only: { type: "string", default: "" },
      every: { type: "string", default: "1" },
      pauses: { type: "boolean", default: true },
      record: { type: "boolean", default: true },
    },
  });
  ensureDependencies();
  if (!process.env.ROO_CONDENSE_BINARY && isStale(releaseAddon)) buildRelease();
  const addon = createRequire(import.meta.url)(root);
  const folder = positionals[0] ?? path.join(root, "fixtures");
  const conversations = readConversations(folder).filter((_, index) => index % Number(options.every) === 0);
  if (conversations.length === 0) throw new Failure(`${folder} holds no conversation.`, 3);
  const size = sizes((text) => (text ? addon.countTokens(text) : 0));
  const truncation = addon.createTruncationProvider();
  const intoWindow = async (messages, targetTokens) => (await truncation.condense({ messages }, { targetTokens })).messages;
  const wanted = Object.entries(policiesOf(addon)).filter(([name]) => name.includes(options.only));
  /** Sums over all conversations. */
  const sumOf = async (policy) => {
    const sum = { read: 0, written: 0, output: 0, needed: 0, readable: 0 };
    for (const { messages } of conversations) {
      const one = await simulate(messages, policy, { size, intoWindow, pauses: options.pauses });
      for (const field of Object.keys(sum)) sum[field] += one[field];
    }
    return sum;
  };
  const sums = [];
  for (const [name, policy] of wanted) sums.push({ name, ...(await sumOf(policy)) });
  const tables = Object.entries(PRICES).map(([model, price]) => {
    const rows = sums.map(({ name, read, written, output, needed, readable }) => {
      const dollars = (read * price.cacheReadsPrice + written * price.cacheWritesPrice + output * price.outputPrice) / 1e6;
      return [name, dollars.toFixed(2), (readable / needed).toFixed(4), ((read + written) / 1e6).toFixed(1)];
    });
    return table([[model, "dollars", "recall", "million tokens sent"], ...rows]);
  });
  const requests = conversations.reduce((sum, { messages }) => sum + messages.filter(({ role }) => role === "assistant").length, 0);
  const text = [`${conversations.length} conversations, ${requests} requests${options.pauses ? "" : ", no pauses"}`, "", ...tables].join(
    "\n",
  );
  console.log(text);
  if (options.record && !options.only)
    record("economics", `node benches/quality/economics.mjs --every ${options.every}${options.pauses ? "" : " --no-pauses"}`, text);
}

if (isProgram(import.meta.url)) await main(economics);
