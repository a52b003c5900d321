"use strict";

// Registers one listener per AbortSignal, however many calls share it, because Node prints a warning from the
// eleventh listener on. A host may pass anything that looks like a signal, so its functions are called like all
// functions of the host.

const { tell, watch } = require("./host-call.js");

const isSignal = (signal) =>
  typeof signal?.aborted === "boolean" && typeof signal.addEventListener === "function" && typeof signal.removeEventListener === "function";

/** The functions to call when a signal fires. */
const waiting = new WeakMap();

/**
 * Calls `stop` when `signal` is aborted, at once if it is already. Returns a function that removes the listener.
 * Throws the error of the host's `addEventListener`; no listener is left then.
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
