"use strict";

// Shows progress on standard error while work takes long: the number of steps done, the current one, and the time. A
// terminal shows a bar; anything else, such as the log of a build, gets a line every few seconds.

const { visible, widthOf } = require("./terminal.js");

/** The delay before the bar, so that shorter work shows none. */
const DELAY_MS = 500;
const REDRAW_MS = 100;
const BAR_WIDTH = 20;
/** The time before the first line of a log, and between lines. */
const LINE_MS = 5000;

class Progress {
  #stream;
  #isBar;
  #timer;
  #begun = performance.now();
  #lastLine = this.#begun;
  /** The current history and the number of histories. */
  #prefix = "";
  /** The current step; undefined between histories, while a report is printed. */
  #step;
  #isDrawn = false;

  constructor(stream, { enabled, env }) {
    if (!enabled) return;
    this.#stream = stream;
    this.#isBar = Boolean(stream.isTTY) && env.TERM !== "dumb";
    this.#timer = setInterval(() => this.#show(), this.#isBar ? REDRAW_MS : LINE_MS / 5);
    this.#timer.unref();
  }

  /** Starts the progress of one of several histories. */
  begin(name, index, count) {
    this.#prefix = count > 1 ? `${index + 1} of ${count}, ${visible(name)}: ` : "";
  }

  /** Shows a step at once, because the work may block the timer; `isLong` says that it takes long. */
  step(label, done, total, isLong = false) {
    this.#step = { label, done, total };
    if (isLong) this.#begun -= DELAY_MS;
    this.#show();
  }

  #show() {
    if (!this.#stream || !this.#step) return;
    const now = performance.now();
    const { label, done, total } = this.#step;
    const seconds = (now - this.#begun) / 1000;
    if (this.#isBar) {
      if (now - this.#begun < DELAY_MS) return;
      const filled = Math.round((BAR_WIDTH * Math.min(done, total)) / total);
      const line = `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${this.#prefix}${label} ${seconds.toFixed(1)} s`;
      this.#stream.write(`\r${line.slice(0, widthOf(this.#stream) - 1)}\u001b[K`);
      this.#isDrawn = true;
    } else if (now - this.#lastLine >= LINE_MS) {
      this.#lastLine = now;
      this.#stream.write(
        `roo-condense: ${this.#prefix}${label}, ${Math.round((100 * Math.min(done, total)) / total)}%, ${seconds.toFixed(0)} s\n`,
      );
    }
  }

  /** Removes the bar until the next step. */
  pause() {
    if (this.#isDrawn) this.#stream?.write("\r\u001b[K");
    this.#isDrawn = false;
    this.#step = undefined;
  }

  /** Removes the bar for good. */
  stop() {
    clearInterval(this.#timer);
    this.pause();
    this.#stream = undefined;
  }
}

module.exports = { Progress };
