/**
 * The example for fleets: workers on a real Redis, one of them killed, and Redis killed.
 * @module-tag long
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { ensureRedis } from "../../scripts/redis.mjs";
import { root } from "../../scripts/tools.mjs";
import { CUT, anthropicEvents, startFakeLlm, stream, wait } from "../llm/fake-llm.mjs";

const { restore } = createRequire(import.meta.url)("../../index.js");
const program = (name) => path.join(root, "examples", "redis-fleet", `${name}.mjs`);
const HISTORIES = 10;

const binary = await ensureRedis();
const cleanUp = [];
afterAll(async () => {
  for (const each of cleanUp.reverse()) await each();
});

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  return port;
}

/** A history that is longer than the target, like no other. */
const historyOf = (index) =>
  Array.from({ length: 12 }, (_, turn) => ({
    role: turn % 2 ? "assistant" : "user",
    content: `History ${index}, turn ${turn}. ${"It is told at length what was read and decided. ".repeat(40)}`,
    ts: 1000 * index + turn,
  }));

/** Redis, a model that says something else each time, and programs of the fleet that use both. */
async function startFleet() {
  const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-fleet-"));
  const data = path.join(folder, "redis");
  mkdirSync(data);
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  let redis;
  const startRedis = async () => {
    // All that it has confirmed is on the disk: it is killed, not asked to end.
    const settings = [
      "--port",
      `${port}`,
      "--bind",
      "127.0.0.1",
      "--dir",
      data,
      "--save",
      "",
      "--appendonly",
      "yes",
      "--appendfsync",
      "always",
    ];
    redis = spawn(/** @type {string} */ (binary), [...settings, "--maxmemory-policy", "noeviction"], { stdio: "ignore" });
    const client = new Redis(port, "127.0.0.1", { retryStrategy: () => 50, maxRetriesPerRequest: null });
    client.on("error", () => {});
    await client.ping();
    client.disconnect();
  };
  const killRedis = async () => {
    redis.kill("SIGKILL");
    await once(redis, "exit");
  };
  await startRedis();
  cleanUp.push(() => redis.kill("SIGKILL"));

  const model = { isDown: false };
  const llm = await startFakeLlm((_, index) =>
    model.isDown ? stream(CUT) : stream(wait(400), ...anthropicEvents([`Summary number ${index}.`])),
  );
  cleanUp.push(() => llm.close());

  const start = (name, ...args) => {
    const child = spawn(process.execPath, [program(name), ...args], {
      cwd: folder,
      env: {
        ...process.env,
        REDIS_URL: `redis://127.0.0.1:${port}`,
        BASE_URL: llm.url,
        API_KEY: "key-0123456789",
        LOCK_MS: "1500",
        TARGET: "2000",
      },
    });
    const running = { child, said: "", ended: once(child, "close").then(([code, signal]) => ({ code, signal })) };
    for (const from of [child.stdout, child.stderr]) from.on("data", (part) => (running.said += part));
    cleanUp.push(() => child.kill("SIGKILL"));
    return running;
  };
  const files = Array.from({ length: HISTORIES }, (_, index) => {
    writeFileSync(path.join(folder, `history-${index}.json`), JSON.stringify(historyOf(index)));
    return `history-${index}.json`;
  });
  return { folder, port, llm, model, start, startRedis, killRedis, files };
}

const until = async (isTime) => {
  while (!isTime()) await sleep(5);
};
const namesAfter = (word, said) => [...said.matchAll(new RegExp(`^${word} (\\S+)$`, "gm"))].map(([, name]) => name);

/** Looks at the results all the time: what is written once stays as it is. */
function watchResults(port) {
  const client = new Redis(port, "127.0.0.1", { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on("error", () => {});
  const seen = new Map();
  const changed = [];
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      for (const key of await client.keys("condense:result:*")) {
        const value = await client.get(key);
        if (value === null) continue;
        if (seen.has(key) && seen.get(key) !== value) changed.push(key);
        seen.set(key, value);
      }
      await sleep(20);
    }
    client.disconnect();
  })();
  return {
    async end() {
      isOver = true;
      await done;
      return changed;
    },
  };
}

/** What was collected: each history once, condensed, and restored to what it was. */
function expectAll(folder) {
  const results = readdirSync(folder).map((name) => JSON.parse(readFileSync(path.join(folder, name), "utf8")));
  expect(results.map(({ name }) => name).sort()).toEqual(Array.from({ length: HISTORIES }, (_, index) => `history-${index}.json`));
  for (const { name, messages, restoreData } of results) {
    expect(JSON.stringify(messages)).toMatch(/Summary number \d+\./);
    expect(restore({ messages, restoreData })).toEqual(historyOf(Number(/\d+/.exec(name)?.[0])));
  }
  return Object.fromEntries(results.map(({ name, messages }) => [name, messages]));
}

describe.skipIf(!binary)("a fleet", () => {
  let fleet;
  beforeEach(async () => {
    fleet = await startFleet();
  });

  test("goes on without a worker that is killed, and shares summaries", async () => {
    const { folder, port, llm, start, files } = fleet;
    const [one, other] = [start("worker"), start("worker")];
    const watch = watchResults(port);
    expect(await start("enqueue", ...files, files[0]).ended).toEqual({ code: 0, signal: null });
    // In the middle of two jobs, after it has finished one.
    await until(
      () => namesAfter("wrote", one.said).length > 0 && namesAfter("begins", one.said).length > namesAfter("wrote", one.said).length,
    );
    one.child.kill("SIGKILL");
    const lost = namesAfter("begins", one.said).filter((name) => !namesAfter("wrote", one.said).includes(name));
    const collect = start("collect", "out");
    expect(await collect.ended).toEqual({ code: 0, signal: null });
    expect(await watch.end()).toEqual([]);
    const results = expectAll(path.join(folder, "out"));
    expect(lost.length).toBeGreaterThan(0);
    for (const name of lost) expect(other.said).toMatch(new RegExp(`^(wrote|was written:) ${name.replace(".", "\\.")}$`, "m"));
    const written = [one, other].flatMap(({ said }) => namesAfter("wrote", said));
    expect(new Set(written).size).toBe(written.length);

    // The same histories again: another worker takes all summaries from the store.
    const asked = llm.requests.length;
    const third = start("worker");
    await start("enqueue", ...files).ended;
    expect((await start("collect", "again").ended).code).toBe(0);
    expect(expectAll(path.join(folder, "again"))).toEqual(results);
    expect(llm.requests.length).toBe(asked);
    // SIGTERM ends a worker in order.
    for (const worker of [other, third]) {
      worker.child.kill("SIGTERM");
      expect(await worker.ended).toEqual({ code: 0, signal: null });
    }
  });

  test("loses nothing while Redis is away", async () => {
    const { folder, port, start, startRedis, killRedis, files } = fleet;
    const workers = [start("worker"), start("worker")];
    const watch = watchResults(port);
    expect((await start("enqueue", ...files).ended).code).toBe(0);
    await until(() => workers.every(({ said }) => namesAfter("wrote", said).length > 0));
    await killRedis();
    // Longer than the locks.
    await sleep(2500);
    await startRedis();
    expect((await start("collect", "out").ended).code).toBe(0);
    expect(await watch.end()).toEqual([]);
    expectAll(path.join(folder, "out"));
    const written = workers.flatMap(({ said }) => namesAfter("wrote", said));
    expect(new Set(written).size).toBe(written.length);
    // Redis may have died between a write and its answer; who asks again hears that it was written.
    const known = workers.flatMap(({ said }) => namesAfter("was written:", said));
    expect([...new Set([...written, ...known])].sort()).toEqual([...files].sort());
    for (const { child, ended } of workers) {
      child.kill("SIGTERM");
      expect(await ended).toEqual({ code: 0, signal: null });
    }
  });

  test("tries again while the model does not answer, and reports what no attempt can do", async () => {
    const { folder, model, start, files } = fleet;
    model.isDown = true;
    writeFileSync(path.join(folder, "short.json"), JSON.stringify(historyOf(0).slice(0, 2)));
    const worker = start("worker");
    await start("enqueue", files[0], "short.json").ended;
    const collect = start("collect", "out");
    await until(() => /^attempt 2 of history-0\.json: llm_/m.test(worker.said));
    model.isDown = false;
    expect((await collect.ended).code).toBe(1);
    expect(collect.said).toMatch(/^short\.json failed: not_enough_messages: /m);
    expect(readdirSync(path.join(folder, "out"))).toHaveLength(1);
    expect(worker.said).toMatch(/^attempt 1 of short\.json: not_enough_messages/m);
    worker.child.kill("SIGTERM");
    expect((await worker.ended).code).toBe(0);
  });
});
