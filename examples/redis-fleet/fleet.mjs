// What the programs of the fleet share: the queue, and the keys in Redis.

import { createHash } from "node:crypto";
import { once } from "node:events";
import process from "node:process";
import { Redis } from "ioredis";

/** The address of Redis. It must keep its data (`appendonly yes`) and evict none (`maxmemory-policy noeviction`). */
const url = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";

export const QUEUE = "condense";
/** The key of a result: one that is there is never replaced. */
export const resultKey = (id) => `${QUEUE}:result:${id}`;

/** The same history has the same id, so that it is condensed once, however often it is enqueued. */
export const idOf = (text) => createHash("sha256").update(text).digest("hex");

/** A connection that waits for Redis to come back, however long that takes. */
export function connect(options = {}) {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 5000), ...options });
  // It connects again by itself; a listener keeps the error from ending the process.
  redis.on("error", ({ message }) => console.error(`Redis: ${message}`));
  return redis;
}

/**
 * The summaries of all workers, as the option `cache` of the manager takes them. While Redis is away, it fails at once: the summary is then requested again, and the result has the warning
 * `cache_failed`.
 */
export class SharedSummaries {
  #redis = connect({ enableOfflineQueue: false, maxRetriesPerRequest: 0 });

  /** Resolves when Redis answers. */
  async ready() {
    if (this.#redis.status !== "ready") await once(this.#redis, "ready");
  }

  get(key) {
    return this.#redis.get(`${QUEUE}:summary:${key}`);
  }

  set(key, value) {
    return this.#redis.set(`${QUEUE}:summary:${key}`, value, "EX", 30 * 24 * 3600);
  }

  close() {
    this.#redis.disconnect();
  }
}
