"use strict";

// Threads that do the same work in parallel. The package has no dependencies, so this does not use piscina or tinypool,
// which also scale, cancel and measure, in many times the lines.

const { Worker } = require("node:worker_threads");

/** @typedef {{ message: any, transfer: any[], resolve: (answer: any) => void, reject: (error: Error) => void }} Job */

/** Threads that run `file`, which answers each message with one message. If a thread dies, only its job fails, and the thread is replaced. */
class WorkerPool {
  #file;
  #size;
  #data;
  /** @type {Set<Worker>} */
  #workers = new Set();
  /** @type {Worker[]} */
  #idle = [];
  /** @type {Job[]} */
  #waiting = [];
  #isClosed = false;

  /**
   * @param {string} file
   * @param {{ size: number, data: unknown }} options `size`: maximum threads, each started when there is work for it; `data`: the
   * `workerData` of each
   */
  constructor(file, { size, data }) {
    this.#file = file;
    this.#size = size;
    this.#data = data;
  }

  #start() {
    const worker = new Worker(this.#file, { workerData: this.#data });
    this.#workers.add(worker);
    this.#next(worker);
  }

  /** Gives a thread the next job, or makes it wait for one. */
  #next(worker) {
    const job = this.#waiting.shift();
    if (!job) return this.#idle.push(worker);
    const settle = () => {
      worker.removeAllListeners("message");
      worker.removeAllListeners("error");
      worker.removeAllListeners("exit");
    };
    const lost = (error) => {
      settle();
      // Further errors of a failed thread are ignored.
      worker.on("error", () => {});
      this.#workers.delete(worker);
      job.reject(error);
      if (!this.#isClosed && this.#waiting.length > 0) this.#start();
    };
    worker.once("message", (answer) => {
      settle();
      job.resolve(answer);
      this.#next(worker);
    });
    worker.once("error", lost);
    worker.once("exit", () => lost(new Error("the thread ended")));
    worker.postMessage(job.message, job.transfer);
  }

  /**
   * Resolves to the answer of a thread to a message. Rejects if the thread dies, for example because it needs more
   * memory than it may have.
   * @param {unknown} message
   * @param {any[]} [transfer]
   * @returns {Promise<any>}
   */
  run(message, transfer = []) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, transfer, resolve, reject });
      const worker = this.#idle.pop();
      if (worker) this.#next(worker);
      else if (this.#workers.size < this.#size) this.#start();
    });
  }

  /** Ends all threads, even those at work. */
  async close() {
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }
}

module.exports = { WorkerPool };
