"use strict";

// One listener for each AbortSignal, however many calls share it: Node warns on the console from the eleventh on.

/** What to do when a signal fires. */
const waiting = new WeakMap();

/** Calls `stop` when `signal` is aborted, at once if it is already. Returns the function that forgets it. */
function onAbort(signal, stop) {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    stop();
    return () => {};
  }
  let entry = waiting.get(signal);
  if (!entry) {
    const stops = new Set();
    const listener = () => {
      waiting.delete(signal);
      for (const each of stops) each();
    };
    entry = { stops, listener };
    waiting.set(signal, entry);
    signal.addEventListener("abort", listener, { once: true });
  }
  entry.stops.add(stop);
  return () => {
    entry.stops.delete(stop);
    if (entry.stops.size === 0 && waiting.get(signal) === entry) {
      waiting.delete(signal);
      signal.removeEventListener("abort", entry.listener);
    }
  };
}

module.exports = { onAbort };
