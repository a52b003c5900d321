// What is worth running before each commit: formats, lints, types, and the tests that are fast. `npm test` runs all of them.

import { buildDebug } from "./build.mjs";
import { lints, runSteps, rustTests, rustTestsOnAddon, vitest } from "./steps.mjs";
import { main } from "./tools.mjs";

/** Tests of the border: what goes in, what comes out, and what is refused. */
const FAST = [
  ...["api/arguments", "api/messages", "api/validate", "api/restore", "api/identity", "roo/contract", "roo/guards"],
  // These name what a new provider, format, option or sentence lacks.
  ...["docs/generated", "docs/lists", "formats/recognised", "studio/locales", "studio/extension"],
];

const steps = [
  ...lints,
  { name: "unit tests of the core", run: () => rustTests("--quiet", "--lib") },
  { name: "examples of the documentation", run: () => rustTestsOnAddon("--quiet", "--doc") },
  { name: "addon", run: () => buildDebug() },
  { name: "fast JavaScript tests", needs: "addon", run: () => vitest(...FAST) },
];

await main(() => runSteps(steps, "38 s on 2 cores once built (24 November 2026)."));
