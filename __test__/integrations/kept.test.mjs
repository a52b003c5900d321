// What is kept between requests: bounded, the same for requests at once, and only for the history it was made of.

import { expect, test } from "vitest";
import { CondensationManager, countTokens } from "../../index.js";
import { KeptCondensations } from "../../js/integrations/kept.js";
import { TASK, WINDOW, rounds } from "./day.mjs";

const format = "anthropic";
const historyOf = (task, count) => [
  { role: "user", content: task },
  ...rounds.slice(0, count).flatMap(({ said, file }) => [
    { role: "assistant", content: said },
    { role: "user", content: file },
  ]),
];
/** A provider that writes another text each time, slowly. */
const managerThatCounts = () => {
  const manager = new CondensationManager({ autoCondenseContextPercent: 75, provider: "counts" });
  let calls = 0;
  manager.registerProvider({
    id: "counts",
    async condense({ messages }) {
      const summary = { role: "user", content: `${messages[0].content} Summary ${++calls}.` };
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { messages: [summary, ...messages.slice(-4)] };
    },
  });
  return { manager, calls: () => calls };
};

test("the least recently used of 64 goes", async () => {
  const { manager, calls } = managerThatCounts();
  const kept = new KeptCondensations({ contextWindow: WINDOW, manager });
  const send = (index) => kept.messagesFor(historyOf(`${TASK} ${index}`, 20), { format });
  for (let index = 0; index < 64; index++) await send(index);
  expect(calls()).toBe(64);
  // All are kept; the first is used again, so that the second is the oldest.
  const [first] = await send(0);
  expect([calls(), first]).toEqual([64, { role: "user", content: `${TASK} 0 Summary 1.` }]);
  await send(64);
  await send(0);
  expect(calls()).toBe(65);
  expect((await send(1))[0]).toEqual({ role: "user", content: `${TASK} 1 Summary 66.` });
});

test("messages that are left out at the end stay out", async () => {
  const manager = new CondensationManager({ autoCondenseContextPercent: 75, provider: "first" });
  manager.registerProvider({ id: "first", condense: async ({ messages }) => ({ messages: messages.slice(0, 3) }) });
  const kept = new KeptCondensations({ contextWindow: WINDOW, manager });
  const history = historyOf(TASK, 20);
  const sent = await kept.messagesFor(history, { format });
  expect(sent.length).toBeLessThan(history.length);
  const more = [...history, { role: "assistant", content: "Done." }];
  expect(await kept.messagesFor(more, { format })).toEqual([...sent, more.at(-1)]);
});

test("requests at once send the same", async () => {
  const { manager } = managerThatCounts();
  const kept = new KeptCondensations({ contextWindow: WINDOW, manager });
  const all = await Promise.all(Array.from({ length: 5 }, () => kept.messagesFor(historyOf(TASK, 20), { format })));
  expect(new Set(all.map((messages) => JSON.stringify(messages))).size).toBe(1);
  expect(all[0].length).toBe(5);
});

test("a condensation that leaves the history above the threshold is not repeated with each request", async () => {
  const manager = new CondensationManager({ autoCondenseContextPercent: 30, provider: "lossless", fallback: false });
  const kept = new KeptCondensations({ contextWindow: 100_000, manager });
  let tried = 0;
  for (let count = 1; count <= 45; count++) {
    const before = manager.getMetrics().total.calls;
    const history = historyOf(TASK, count);
    expect(await kept.messagesFor(history, { format })).toEqual(history);
    tried += manager.getMetrics().total.calls - before;
  }
  // From 30,000 tokens on, every 5,000: nothing is said twice, so nothing can be removed.
  expect(tried).toBeGreaterThan(1);
  expect(tried).toBeLessThan(10);
});

test("an aborted request keeps nothing, and leaves no condensation behind", async () => {
  const { manager, calls } = managerThatCounts();
  const kept = new KeptCondensations({ contextWindow: WINDOW, manager });
  const controller = new AbortController();
  const history = historyOf(TASK, 20);
  const running = kept.messagesFor(history, { format, signal: controller.signal });
  controller.abort();
  expect(await running).toBe(history);
  expect((await kept.messagesFor(history, { format })).length).toBe(5);
  expect(calls()).toBeLessThanOrEqual(2);
});

test("a limit of the response that is none counts as absent, and histories of every odd kind go as they are", async () => {
  const kept = new KeptCondensations({ contextWindow: WINDOW });
  const history = historyOf(TASK, 20);
  for (const maxTokens of [0, -1, Number.NaN, "many", null])
    expect(await kept.messagesFor(history, { format, maxTokens })).not.toEqual(history);
  const schema = /** @type {any} */ ({ type: "object" });
  schema.properties = { next: schema };
  expect(await kept.messagesFor(historyOf("Another.", 20), { format, tools: [{ name: "walk", schema }] })).not.toEqual(
    historyOf("Another.", 20),
  );
  const cyclic = /** @type {any} */ ({ role: "user", content: [] });
  cyclic.content.push(cyclic);
  for (const odd of [[], [null], [1, "two"], [{ role: "system", content: "only this" }], [cyclic], [{ role: "user", content: 10n }]])
    expect(await kept.messagesFor(/** @type {any} */ (odd), { format })).toBe(odd);
  expect(await kept.messagesFor(/** @type {any} */ ("text"), { format })).toBe("text");
});

test("half of a small window is left to the conversation, whatever the longest response", async () => {
  const small = historyOf("Explain the two files.", 1);
  const words = countTokens(small);
  for (const contextWindow of [2 * words, 4096, 8192, 9200, 16_384])
    for (const maxTokens of [undefined, 1024, 8192, 128_000]) {
      const kept = new KeptCondensations({ contextWindow: Math.max(contextWindow, 2 * words) });
      expect(await kept.messagesFor(small, { format, maxTokens })).toBe(small);
    }
});

test("the longest response is what the request says, else what the options say", async () => {
  const history = historyOf(TASK, 20);
  // A tenth of the window stays free; 8192 tokens for the response do not fit beside the history, 100 do.
  const contextWindow = Math.ceil((countTokens(history) + 4000) / 0.9);
  const manager = new CondensationManager({ autoCondenseContextPercent: 100 });
  const sent = (maxOutputTokens, maxTokens) =>
    new KeptCondensations({ contextWindow, manager, maxOutputTokens }, "CondensingStepOptions").messagesFor(history, { format, maxTokens });
  expect(await sent(undefined, undefined)).not.toBe(history);
  expect(await sent(100, undefined)).toBe(history);
  expect(await sent(100, 8192)).not.toBe(history);
  expect(() => sent(0)).toThrow(expect.objectContaining({ code: "out_of_range", field: "options.maxOutputTokens" }));
  expect(() => new KeptCondensations({ contextWindow, maxOutputTokens: 100 })).toThrow(
    expect.objectContaining({ code: "invalid_argument", field: "options.maxOutputTokens" }),
  );
});
