// One call on a large history in a process of its own: its time, that of a JSON round trip, and the memory that the call takes at most.
//
//   node --expose-gc whole-process.mjs BYTES NAME

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { runNamed } from "./groups.mjs";
import { fresh, historyOf } from "./inputs.mjs";
import { timed, timedSync } from "./measure.mjs";

const { countTokens } = createRequire(import.meta.url)("../../index.js");

const [bytes, name] = process.argv.slice(2);

// Several histories one after the other, because making a long one takes much memory itself.
const PART = 1_500_000;
const parts = Array.from({ length: Math.max(1, Math.round(Number(bytes) / PART)) }, (_, at) => historyOf("claude-code", PART, at + 1));
/** All of them, with ids of calls of their own. */
const history = () => parts.flatMap((part, at) => JSON.parse(JSON.stringify(fresh(part)).replaceAll("toolu_", `toolu_${at}_`)));
const tokens = parts.reduce((sum, part) => sum + countTokens(part), 0);

await runNamed(name, fresh(parts[0]), tokens / parts.length);

/** Bytes of memory that the process had at most since {@link forgetPeak} (Linux). */
const peak = () => 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "latin1"))?.[1]);

/** Begins to measure the peak again (proc(5)). Returns false where the system cannot. */
function forgetPeak() {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
    return true;
  } catch {
    return false;
  }
}

// The call and the round trip, each the fastest of three; the first call also says what memory it took.
const calls = [];
const round = [];
let memory;
for (let time = 0; time < 3; time++) {
  const messages = history();
  global.gc?.();
  round.push(timedSync(() => JSON.parse(JSON.stringify(messages))));
  global.gc?.();
  const before = process.memoryUsage.rss();
  const isMeasured = forgetPeak() && time === 0;
  calls.push((await timed(() => runNamed(name, messages, tokens))).ms);
  if (isMeasured) memory = peak() - before;
}
console.log(JSON.stringify({ bytes: JSON.stringify(history()).length, ms: Math.min(...calls), json: Math.min(...round), memory }));
