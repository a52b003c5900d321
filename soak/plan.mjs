// What a trial is: made from its seed alone, and plain JSON, so that it can be written down.

import { createRandom } from "../fixtures/random.mjs";
import { configurationOf, PROVIDERS, STRATEGY_IDS } from "./configurations.mjs";
import { anyHistory } from "./histories.mjs";
import { MODELS } from "./models.mjs";

const targetOf = (random) => {
  const kind = random.next();
  if (kind < 0.3) return undefined;
  if (kind < 0.9) return { share: random.pick([0.5, 0.25, 0.1, random.next(), 1.2]) };
  return { tokens: random.pick([0, 1, random.integer(1, 5000), Number.MAX_SAFE_INTEGER]) };
};

const step = (random) => {
  const provider = random.pick(random.chance(0.25) ? STRATEGY_IDS : PROVIDERS);
  return { provider, config: random.chance(0.4) ? {} : configurationOf(provider, random), target: targetOf(random) };
};

/** One to three condensations after each other, with messages added between, by providers themselves or by a manager. */
export function planTrial(seed) {
  const random = createRandom(seed);
  const history = anyHistory(random);
  const steps = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => step(random));
  return {
    seed,
    byManager: random.chance(0.4),
    model: random.chance(0.75) ? random.pick(MODELS) : undefined,
    /** Milliseconds after which the work is stopped. */
    abortAfter: random.chance(0.15) ? random.pick([0, 1, 5, 20]) : undefined,
    systemPrompt: random.chance(0.3) ? random.pick(["You are an agent.", "\ud800 half of a pair", "x ".repeat(2000)]) : undefined,
    /** How many times more the handler counts than we do. */
    counts: random.chance(0.2) ? random.pick([0.3, 1, 1.4, 3]) : undefined,
    appended: random.chance(0.5) ? random.integer(1, 6) : 0,
    steps,
    history,
  };
}
