"use strict";

// One listener for each AbortSignal, however many calls share it: Node warns on the console from the eleventh on. A host may give anything that
// looks like a signal, so its functions are called like all of the host's.

const { tell, watch } = require("./host-call.js");

const isSignal = (signal) =>
  typeof signal?.aborted === "boolean" && typeof signal.addEventListener === "function" && typeof signal.removeEventListener === "function";

/** What to do when a signal fires. */
const waiting = new WeakMap();

/**
 * Calls `stop` when `signal` is aborted, at once if it is already. Returns the function that forgets it. Throws what `addEventListener` of the host
 * throws; then nothing is left behind.
 */
function onAbort(signal, stop) {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    stop();
    return () => {};
  }
  const known = waiting.get(signal);
  const entry = known ?? { stops: new Set(), listener: () => fire(signal, entry) };
  entry.stops.add(stop);
  if (!known) listen(signal, entry);
  return () => forget(signal, entry, stop);
}

function listen(signal, entry) {
  waiting.set(signal, entry);
  try {
    watch(signal.addEventListener("abort", entry.listener, { once: true }));
  } catch (error) {
    waiting.delete(signal);
    throw error;
  }
}

function fire(signal, entry) {
  if (waiting.get(signal) === entry) waiting.delete(signal);
  for (const each of entry.stops) each();
}

function forget(signal, entry, stop) {
  entry.stops.delete(stop);
  if (entry.stops.size > 0 || waiting.get(signal) !== entry) return;
  waiting.delete(signal);
  tell(() => signal.removeEventListener("abort", entry.listener));
}

module.exports = { isSignal, onAbort };
