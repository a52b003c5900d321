"use strict";

// Timers, and pauses for other work. The chunks of a host's generator can follow one another without a pause. Each is a microtask, and as
// long as there are microtasks, no timer fires and no signal arrives. So after a number of chunks, other work can run.

const { clearTimeout, setImmediate, setTimeout } = require("#timers");

/** A pause takes some microseconds, about as long as a chunk. */
const CHUNKS_PER_TURN = 64;

/** Counts chunks. */
class Turns {
  #chunks = 0;

  /** Returns a promise to await after a chunk, or undefined if no pause is due. */
  afterChunk() {
    this.#chunks++;
    return this.#chunks % CHUNKS_PER_TURN === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
  }
}

module.exports = { Turns, clearTimeout, setTimeout };
