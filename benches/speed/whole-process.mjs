// One call on a large history in a process of its own: its time, that of a JSON round trip, and the memory that the call takes at most.
//
//   node --expose-gc whole-process.mjs BYTES NAME

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { runNamed } from "./groups.mjs";
import { fresh, historyOf } from "./inputs.mjs";
import { timed, timedSync } from "./measure.mjs";

const [bytes, name] = process.argv.slice(2);

// Copies of one history, because making a long one takes much memory itself.
const part = historyOf("claude-code", Math.min(Number(bytes), 1_500_000));
const copies = Math.max(1, Math.round(Number(bytes) / 1_500_000));
const history = () => Array.from({ length: copies }, () => fresh(part)).flat();
const tokens = Math.round(Number(bytes) / 4);

await runNamed(name, fresh(part), tokens / copies);

/** Bytes of memory that the process had at most since {@link forgetPeak}; `undefined` where the system does not tell (all but Linux). */
function peak() {
  try {
    return 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "latin1"))[1]);
  } catch {
    return undefined;
  }
}

function forgetPeak() {
  try {
    // The kernel's word for "begin to measure the peak anew" (proc(5)).
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // As in peak().
  }
}

/** The call and the round trip, each the fastest of three; the first call also says what memory it took. */
const calls = [];
const round = [];
let memory;
for (let time = 0; time < 3; time++) {
  const messages = history();
  global.gc?.();
  round.push(timedSync(() => JSON.parse(JSON.stringify(messages))));
  global.gc?.();
  const before = process.memoryUsage.rss();
  forgetPeak();
  calls.push((await timed(() => runNamed(name, messages, tokens))).ms);
  if (time === 0 && peak() !== undefined) memory = peak() - before;
}
console.log(JSON.stringify({ ms: Math.min(...calls), json: Math.min(...round), memory }));
