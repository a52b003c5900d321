// Clocks and statistics.

import { openSync, readSync } from "node:fs";
import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds that `run` takes, promises included, and what it returns. */
export async function timed(run) {
  const start = performance.now();
  const value = await run();
  return { ms: performance.now() - start, value };
}

/** Milliseconds of a synchronous `run`. */
export function timedSync(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * `ours` and `reference` are measured in turns, `runs` times, so that whatever else the machine does meets both; the ratio is the median of the
 * ratios of the pairs. `fastest` is the ratio of the fastest run of each, which a busy machine changes least. Both get the number of the run and return milliseconds; the first pair warms up and is thrown away.
 */
export async function compare(runs, ours, reference) {
  const pairs = [];
  for (let run = 0; run <= runs; run++) {
    const pair = { reference: await reference(run), ours: await ours(run) };
    if (run > 0) pairs.push(pair);
  }
  const ratios = pairs.map((pair) => pair.ours / pair.reference);
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    reference: median(pairs.map((pair) => pair.reference)),
    ratio: median(ratios),
    fastest: Math.min(...pairs.map((pair) => pair.ours)) / Math.min(...pairs.map((pair) => pair.reference)),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  };
}

/**
 * Milliseconds that the main thread has waited for a core so far, where the system says so (Linux). On a busy machine these are most of a stall, and no
 * fault of the code that is measured.
 */
function waitedForCore() {
  schedule ??= openSchedule();
  if (schedule === "unknown") return 0;
  const length = readSync(schedule, buffer, 0, buffer.length, 0);
  // Nanoseconds on a core, nanoseconds waiting for one, number of turns.
  return Number(buffer.toString("latin1", 0, length).split(" ")[1]) / 1e6;
}

let schedule;
const buffer = Buffer.alloc(128);

function openSchedule() {
  try {
    return openSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, "r");
  } catch {
    return "unknown";
  }
}

/** The time without what was waited for a core. Both have to be read with no wait in between. */
function onCore() {
  for (;;) {
    const waited = waitedForCore();
    const now = performance.now();
    if (waitedForCore() === waited) return now - waited;
  }
}

/** Milliseconds of a synchronous `run`, without waiting for a core. */
export function timedOnCore(run) {
  const start = onCore();
  run();
  return onCore() - start;
}

/**
 * The longest time in milliseconds between two turns of the event loop while `run` is at work, its synchronous beginning and what follows its promise
 * included; waiting for a core is not. The probe never sleeps: timers, and `monitorEventLoopDelay`, which uses one, cannot see what is shorter than a millisecond.
 */
export async function longestStall(run) {
  let last = onCore();
  let longest = 0;
  let running = true;
  const turn = () => {
    const now = onCore();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  for (let settled = 0; settled < 20; settled++) await nextTurn();
  longest = 0;
  await run();
  running = false;
  await nextTurn();
  return longest;
}
