// Random histories, configurations, providers, models and aborts, until the time is over; what does not hold is written down, to be tried again.
//
//   npm run soak -- --minutes 10        as long as this, from a seed of chance
//   npm run soak -- --trials 2000 --from 1    so many, whatever time they take: the same on every machine
//   npm run soak -- --seed 42           this trial alone, as it was

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Failure, isProgram, main, root } from "../scripts/tools.mjs";
import { planTrial } from "./plan.mjs";
import { runTrial } from "./trial.mjs";

/** Where failures are written. */
const FAILURES = path.join(root, "target", "soak");
/** More of them say nothing new. */
const MAX_FAILURES = 20;
/** Trials under way at the same time: what one leaves behind must not be seen by another. */
const SIDE_BY_SIDE = 4;

/**
 * Runs trials until `minutes` are over, or those of `seeds`.
 *
 * @param {{ minutes?: number, firstSeed?: number, seeds?: number[], report?: (line: string) => void }} options
 */
export async function soak({ minutes = 1, firstSeed = 1, seeds, report = console.log }) {
  const end = performance.now() + minutes * 60_000;
  const failures = [];
  const counts = { trials: 0, checks: 0, condensed: 0, aborted: 0, errors: 0 };
  let next = firstSeed;
  const nextSeed = () => {
    if (failures.length >= MAX_FAILURES) return undefined;
    if (seeds) return seeds.shift();
    return performance.now() < end ? next++ : undefined;
  };
  const worker = async () => {
    for (let seed = nextSeed(); seed !== undefined; seed = nextSeed()) {
      const plan = planTrial(seed);
      const outcome = await runTrial(plan);
      counts.trials += 1;
      counts.checks += outcome.checks;
      counts.condensed += Number(outcome.condensed);
      counts.aborted += Number(outcome.aborted);
      counts.errors += Number(outcome.failed);
      if (outcome.faults.length === 0) continue;
      mkdirSync(FAILURES, { recursive: true });
      const file = path.join(FAILURES, `seed-${seed}.json`);
      writeFileSync(file, JSON.stringify({ ...plan, faults: outcome.faults }, null, 1));
      failures.push({ seed, file, faults: outcome.faults });
      report(`seed ${seed}: ${outcome.faults.join("; ")}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return { ...counts, failures };
}

async function run() {
  const { values } = parseArgs({
    options: { minutes: { type: "string" }, trials: { type: "string" }, seed: { type: "string" }, from: { type: "string" } },
  });
  const number = (name, fallback, least) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (!(value >= least)) throw new Failure(`--${name} must be a number from ${least}, not ${values[name]}`, 2);
    return value;
  };
  const minutes = number("minutes", 1, 0);
  const firstSeed = number("from", Math.floor(Math.random() * 1e9), 1);
  const trialsWanted = number("trials", 0, 0);
  const range = trialsWanted > 0 ? Array.from({ length: trialsWanted }, (_, index) => firstSeed + index) : undefined;
  const seeds = values.seed === undefined ? range : [number("seed", 1, 1)];
  console.log(seeds ? `${seeds.length} trials, from seed ${seeds[0]}.` : `${minutes} minutes of trials, from seed ${firstSeed}.`);
  const { failures, ...counts } = await soak({ minutes, firstSeed, seeds });
  const { trials, checks, condensed, aborted, errors } = counts;
  console.log(
    `${trials} trials, ${checks} checks: ${condensed} condensed, ${aborted} aborted, ${errors} ended with an error of the model or a refusal.`,
  );
  if (failures.length === 0) return;
  const files = failures.map(({ seed, file }) => `  ${path.relative(root, file)}   again: npm run soak -- --seed ${seed}`);
  throw new Failure(`${failures.length} did not hold:\n${files.join("\n")}`);
}

if (isProgram(import.meta.url)) await main(run);
