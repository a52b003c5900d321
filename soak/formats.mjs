// Random histories of every format, one a line in the input: each is condensed, and restored byte for byte.
//
//   ROO_CONDENSE_HISTORIES=100000 cargo test --profile quick --no-default-features --test conversation -- --ignored --nocapture histories_are_printed \
//     | node soak/formats.mjs

import { createInterface } from "node:readline";
import { Failure, isProgram, main } from "../scripts/tools.mjs";
import { api } from "./package.mjs";

/**
 * What is tried, one after the other: providers that ask no model, each with a share of the tokens to leave.
 * @type {readonly { provider: string, config?: object, share?: number }[]}
 */
const TRIALS = Object.freeze([
  { provider: "lossless" },
  { provider: "smart", share: 0.5 },
  { provider: "truncation", share: 0.3 },
  { provider: "truncation", config: { mode: "window" } },
  { provider: "smart", config: { preset: "aggressive" } },
  { provider: "truncation", config: { strategy: "salient", preserveRecentCount: 2 }, share: 0.2 },
]);
/** More say nothing new. */
const MAX_FAULTS = 10;

/** How often each problem is there. A result that stands twice has no call once the other has gone with it. */
function problemsOf(messages, format) {
  const counts = new Map();
  for (const { code, toolId = "" } of api.validateMessages(messages, { format })) {
    const name = `${code.replace("repeated_tool_result", "orphan_tool_result")} ${toolId}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/**
 * What does not hold; undefined where the history is refused because it holds parts of two formats.
 * @param {any} history
 * @param {{ provider: string, config?: object, share?: number }} trial
 */
async function faultsOf({ format, messages }, { provider, config, share }) {
  const text = JSON.stringify(messages);
  const manager = new api.CondensationManager({ provider, fallback: false, guard: false });
  let result;
  try {
    const targetTokens = share === undefined ? undefined : Math.floor(api.countTokens(messages, { format }) * share);
    result = await manager.condense({ messages }, { format, ...(config && { config }), ...(targetTokens && { targetTokens }) });
  } catch (error) {
    if (error.code === "unsupported_format") return undefined;
    throw error;
  }
  const faults = [];
  const { error, didCondense, restoreData } = result;
  if (error) faults.push(`${error.code}: ${error.message}`);
  if (JSON.stringify(messages) !== text) faults.push("the messages that came in were changed");
  const stored = JSON.parse(JSON.stringify({ messages: result.messages, restoreData }));
  if (JSON.stringify(api.restore(stored)) !== text) faults.push("restore does not give back what came in");
  const before = problemsOf(messages, format);
  for (const [name, count] of problemsOf(result.messages, format))
    if (count > (before.get(name) ?? 0)) faults.push(`${name}: ${count}, before ${before.get(name) ?? 0}`);
  return { faults, didCondense };
}

async function run() {
  const counts = new Map();
  let [condensed, refused, wrong] = [0, 0, 0];
  let at = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.startsWith('{"format":')) continue;
    const history = JSON.parse(line);
    const trial = TRIALS[at++ % TRIALS.length];
    const found = await faultsOf(history, trial);
    if (found === undefined) {
      refused++;
      continue;
    }
    counts.set(history.format, (counts.get(history.format) ?? 0) + 1);
    condensed += Number(found.didCondense);
    if (found.faults.length === 0) continue;
    wrong++;
    console.error(`${history.format} by ${JSON.stringify(trial)}: ${found.faults.join("; ")}\n  ${line.slice(0, 4000)}`);
    if (wrong >= MAX_FAULTS) break;
  }
  const each = [...counts].sort().map(([format, count]) => `${format} ${count}`);
  console.log(`${at} histories: ${condensed} condensed, ${refused} refused as of two formats. ${each.join(", ")}`);
  if (wrong > 0) throw new Failure(`${wrong} did not hold`);
}

if (isProgram(import.meta.url)) await main(run);
