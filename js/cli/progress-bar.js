"use strict";

// A bar on standard error while work takes long: how many steps are done, what goes on now, and for how long.

const { widthOf } = require("./terminal.js");

/** Work that is done sooner shows no bar. */
const DELAY_MS = 500;
const REDRAW_MS = 100;
const BAR_WIDTH = 20;

class ProgressBar {
  #stream;
  #timer;
  #begun = performance.now();
  #step = { label: "", done: 0, total: 1 };
  #drawn = false;

  /** Draws on `stream` where that is a terminal, and nothing otherwise. */
  constructor(stream, { enabled, env }) {
    if (!enabled || !stream.isTTY || env.TERM === "dumb") return;
    this.#stream = stream;
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
  }

  /** What is done now. Drawn at once, because what follows may hold the timer up; `long` says that it will take its time. */
  step(label, done, total, long = false) {
    this.#step = { label, done, total };
    if (long) this.#begun -= DELAY_MS;
    this.#draw();
  }

  #draw() {
    const elapsed = performance.now() - this.#begun;
    if (!this.#stream || elapsed < DELAY_MS) return;
    const { label, done, total } = this.#step;
    const filled = Math.round((BAR_WIDTH * Math.min(done, total)) / total);
    const line = `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${label} ${(elapsed / 1000).toFixed(1)} s`;
    this.#stream.write(`\r${line.slice(0, widthOf(this.#stream) - 1)}\u001b[K`);
    this.#drawn = true;
  }

  /** Takes the bar away. */
  stop() {
    clearInterval(this.#timer);
    if (this.#drawn) this.#stream.write("\r\u001b[K");
    this.#drawn = false;
    this.#stream = undefined;
  }
}

module.exports = { ProgressBar };
