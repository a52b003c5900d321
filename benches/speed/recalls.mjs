// Recall: building the index of a conversation, searching in it, and adding a message.

import { createRequire } from "node:module";
import { fresh, historyOf, jsonLength, largestConversations } from "./inputs.mjs";
import { compare, median, timed, timedSync } from "./measure.mjs";

const require = createRequire(import.meta.url);
const { createRecall } = require("../../index.js");
const { ConversationIndex } = require("../../js/recall/conversation-index.js");

const SIZE = 1_500_000;
const SESSIONS = 50_000_000;
/** Targets of the specification: JSON round trips for the index, milliseconds for a search, seconds for many sessions. */
const TARGETS = { index: 1.5, searchMs: 2, sessionsMs: 1000 };
/** Questions as models ask them: many words, some of them everywhere. */
const QUERIES = [
  "which file was changed last and why did the test fail",
  "export function parse config",
  "error: cannot find module",
  "the user said never to",
];

const copyByJson = (messages) => timedSync(() => JSON.parse(JSON.stringify(messages)));
const milliseconds = (ms) => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;

const row = (name, found, target) => ({
  name,
  ours: milliseconds(found.ours),
  reference: milliseconds(found.reference),
  value: found.ratio,
  fastest: found.fastest,
  target,
});

/** A row of a time in milliseconds and its target. */
const absolute = (name, ms, target) => ({ name, ours: milliseconds(ms), reference: `${target} ms`, value: ms / target, target: 1 });

/** Milliseconds until the index of these messages is there. */
async function indexed(messages) {
  const index = new ConversationIndex();
  return { index, ms: (await timed(() => index.append(index.begin(), messages))).ms };
}

async function rowsOf(label, history, runs) {
  let messages = history;
  const building = await compare(
    runs,
    async () => (await indexed(messages)).ms,
    () => {
      messages = fresh(history);
      return copyByJson(messages);
    },
  );
  const { index } = await indexed(history);
  const searches = [];
  for (let run = 0; run <= runs; run++) for (const query of QUERIES) searches.push((await timed(() => index.search(query))).ms);
  const growing = [...history];
  const recall = createRecall({ messages: () => growing });
  await recall.search("x");
  const appending = await compare(
    runs,
    async () => {
      growing.push({ role: growing.length % 2 ? "assistant" : "user", content: `One more message, number ${growing.length}.` });
      return (await timed(() => recall.search("number"))).ms;
    },
    () => copyByJson(history),
  );
  return [
    row(`${label}, index`, building, TARGETS.index),
    absolute(`${label}, search`, median(searches), TARGETS.searchMs),
    row(`${label}, one message more, and a search`, appending),
  ];
}

/** The index of one conversation. */
export async function* recalls({ runs, dialects, corpus, quick }) {
  for (const dialect of dialects) yield await rowsOf(dialect, historyOf(dialect, SIZE, 6), runs);
  for (const { name, messages } of largestConversations(corpus, quick ? 1 : 3)) yield await rowsOf(name, messages, runs);
}

/** The index of many sessions, appended one after the other. */
export async function* recallOfSessions({ runs }) {
  const sessions = Array.from({ length: 20 }, (_, seed) => fresh(historyOf("claude-code", SESSIONS / 20, seed + 1)));
  const size = sessions.reduce((sum, messages) => sum + jsonLength(messages), 0);
  const times = [];
  for (let run = 0; run < Math.min(3, runs); run++) {
    const index = new ConversationIndex();
    const { ms } = await timed(async () => {
      for (const [number, messages] of sessions.entries()) await index.append(index.begin(`session ${number}`), messages);
    });
    times.push(ms);
  }
  yield [absolute(`${(size / 1e6).toFixed(0)} MB of sessions`, median(times), TARGETS.sessionsMs)];
}
