// Condensing ahead of need over real HTTP: applied at once, paid once, once at a time, ended by its signal, in workers too.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import { CondensationManager, httpHandler, restore, validateMessages } from "../../index.js";
import { anthropicEvents, HANG, startFakeLlm, stream, wait } from "./fake-llm.mjs";
import { talk } from "./histories.mjs";

/** Dollars for one answer. */
const EACH = (1000 * 3 + 50 * 15) / 1e6;

const servers = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function managerWith(script, options) {
  const server = await startFakeLlm(script);
  servers.push(server);
  const price = { inputPrice: 3, outputPrice: 15 };
  const handler = httpHandler({ api: "anthropic", model: "claude-test", baseUrl: server.url, apiKey: "sk-test-0123456789", price });
  return { server, manager: new CondensationManager({ handler, autoCondenseContextPercent: 80, fallback: false, ...options }) };
}

const saying = (text) => () => stream(...anthropicEvents([text]));
const at = (messages, totalTokens) => ({ messages, totalTokens, contextWindow: 100_000, taskId: "t" });

test("what was prepared is applied at once, to the caller's own objects", async () => {
  const { server, manager } = await managerWith(saying("In short."));
  const messages = talk(45);
  const prepared = await manager.prepare(at(messages.slice(0, 41), 70_000));
  expect(prepared).toMatchObject({ prepared: true, reason: "done", messages: 41, warnings: [] });
  expect(prepared.cost).toBeCloseTo(EACH, 12);
  expect(prepared.tokensSaved).toBeGreaterThan(30_000);
  const result = await manager.condenseIfNeeded(at(messages, 80_000));
  expect(server.requests).toHaveLength(1);
  expect(result).toMatchObject({ didCondense: true, summary: "In short.", cost: 0, appliedPreparation: { messages: 41 } });
  expect(result.messages.slice(-4).every((message, index) => message === messages[41 + index])).toBe(true);
  expect(validateMessages(result.messages)).toEqual([]);
  expect(restore(result)).toEqual(messages);
  expect(manager.getMetrics().total).toMatchObject({ calls: 1, cost: prepared.cost });
});

test("far from being due nothing is done, and an edited history is condensed as ever", async () => {
  const { server, manager } = await managerWith(saying("In short."));
  const messages = talk(45);
  expect(await manager.prepare(at(messages, 30_000))).toMatchObject({ prepared: false, reason: "early", cost: 0 });
  await manager.prepare(at(messages.slice(0, 41), 70_000));
  const edited = messages.with(5, { ...messages[5], content: "something else" });
  const result = await manager.condenseIfNeeded(at(edited, 80_000));
  expect(server.requests).toHaveLength(2);
  expect(result).not.toHaveProperty("appliedPreparation");
  expect(result.warnings.map(({ code }) => code)).toContain("preparation_stale");
  expect(restore(result)).toEqual(edited);
});

test("two at once are one, and a condensation that is due waits for it", async () => {
  const { server, manager } = await managerWith(() => stream(wait(500), ...anthropicEvents(["In short."])));
  const messages = talk(45);
  const earlier = manager.prepare(at(messages.slice(0, 41), 70_000));
  // Whoever comes first is waited for; a shorter conversation would not be served by what is prepared for a longer one.
  await vi.waitUntil(() => server.requests.length > 0, { timeout: 10_000, interval: 5 });
  const later = [manager.prepare(at(messages.slice(0, 43), 71_000)), manager.condenseIfNeeded(at(messages, 80_000))];
  const [first, second, result] = await Promise.all([earlier, ...later]);
  expect(new Set([first.reason, second.reason])).toEqual(new Set(["done", "joined"]));
  expect(server.requests).toHaveLength(1);
  expect([first.cost + second.cost, result.cost]).toEqual([expect.closeTo(EACH, 12), 0]);
  expect(result.appliedPreparation).toBeDefined();
});

test("its signal ends it, and nothing is kept", async () => {
  const { server, manager } = await managerWith((_, index) => (index === 0 ? stream(HANG) : stream(...anthropicEvents(["In short."]))));
  const messages = talk(41);
  const abort = new AbortController();
  const under_way = manager.prepare(at(messages, 70_000), { signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  expect(await under_way).toMatchObject({ prepared: false, reason: "failed", error: { code: "aborted" } });
  const result = await manager.condenseIfNeeded(at(messages, 80_000));
  expect(server.requests).toHaveLength(2);
  expect(result).toMatchObject({ didCondense: true, summary: "In short." });
  expect(result).not.toHaveProperty("appliedPreparation");
});

test("wrong arguments reject", async () => {
  const { manager } = await managerWith(saying("x"), { prepareFromPercent: 50 });
  await expect(manager.prepare({ messages: [] })).rejects.toMatchObject({ field: "context.totalTokens" });
  await expect(manager.prepare(at([], 1), { targetTokns: 5 })).rejects.toMatchObject({ field: "options.targetTokns" });
  expect(() => new CondensationManager({ prepareFromPercent: 101 })).toThrow("prepareFromPercent");
});

test("providers of the host prepare too; of their objects what they say is kept", async () => {
  const { manager } = await managerWith(saying("x"));
  const marker = { role: "assistant", content: "My own summary.", isSummary: true };
  const condense = async ({ messages }) => ({ messages: [messages[0], marker, ...messages.slice(-2)], summary: "mine", cost: 0.25 });
  manager.registerProvider({ id: "mine", condense });
  const messages = talk(44);
  const prepared = await manager.prepare(at(messages.slice(0, 40), 70_000), { provider: "mine" });
  expect(prepared).toMatchObject({ prepared: true, cost: 0.25 });
  const result = await manager.condenseIfNeeded(at(messages, 80_000), { provider: "mine" });
  expect(result).toMatchObject({ cost: 0, appliedPreparation: { messages: 40, cost: 0.25 } });
  expect(result.messages[1]).toEqual(marker);
  expect(restore(result)).toEqual(messages);
});

const WORKER = `
const { workerData, parentPort } = require("node:worker_threads");
const { CondensationManager, httpHandler } = require(workerData.library);
const handler = httpHandler({ api: "anthropic", model: "claude-test", baseUrl: workerData.url, apiKey: "sk-test-0123456789" });
const manager = new CondensationManager({ handler, autoCondenseContextPercent: 80, fallback: false });
const usage = { contextWindow: 100000, taskId: "t" };
const background = manager.prepare({ ...usage, messages: workerData.messages.slice(0, 41), totalTokens: 70000 });
if (workerData.leave) setTimeout(() => process.exit(0), 30);
else background.then(() => manager.condenseIfNeeded({ ...usage, messages: workerData.messages, totalTokens: 80000 }))
  .then(({ appliedPreparation }) => parentPort.postMessage(appliedPreparation));
`;

test("workers prepare for themselves, and may end while they do", async () => {
  const { server } = await managerWith((_, index) => (index < 3 ? stream(...anthropicEvents(["In short."])) : stream(HANG)));
  const library = new URL("../../index.js", import.meta.url).pathname;
  const start = (leave) => new Worker(WORKER, { eval: true, workerData: { library, url: server.url, messages: talk(45), leave } });
  const told = await Promise.all([1, 2, 3].map(async () => (await once(start(false), "message"))[0]));
  expect(told.map(({ messages }) => messages)).toEqual([41, 41, 41]);
  const codes = await Promise.all([1, 2, 3].map(async () => (await once(start(true), "exit"))[0]));
  expect(codes).toEqual([0, 0, 0]);
});
