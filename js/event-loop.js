"use strict";

// The chunks of a generator of the host can follow each other without end and without a pause: each is one microtask after the other, and as long as
// there are microtasks no timer fires and no signal is heard. So every so many chunks everything else gets its turn.

const { setImmediate } = require("#timers");

/** A pause takes some microseconds, a chunk about as much. */
const CHUNKS_PER_TURN = 64;

/** Counts chunks. */
class Turns {
  #chunks = 0;

  /** To be waited for after each chunk; undefined when no pause is due. */
  afterChunk() {
    this.#chunks++;
    return this.#chunks % CHUNKS_PER_TURN === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
  }
}

module.exports = { Turns };
