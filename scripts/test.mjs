// All tests. Needs Node and Rust; installs the rest. Lints are in `npm run lint`.

import { buildDebug } from "./build.mjs";
import { formats, runSteps, rustTests, soak, vitest } from "./steps.mjs";
import { main } from "./tools.mjs";

const steps = [
  ...formats,
  { name: "Rust tests", run: () => rustTests() },
  { name: "addon", run: () => buildDebug() },
  { name: "JavaScript tests", needs: "addon", run: () => vitest() },
  { name: "soak, 2,000 trials of it", needs: "addon", run: () => soak("2000") },
];

await main(() => runSteps(steps));
