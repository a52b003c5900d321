// The tests that find most faults in the least time. Needs Node and Rust; installs the rest. Lints are in `npm run lint`, and tests that take longer in
// `npm run test:thorough`. With `--javascript`, without the tests of Rust, which do not depend on the version of Node.

import { buildDebug } from "./build.mjs";
import { askedFor, compileOnce, formats, integrationTests, runSteps, rustTests, rustTestsOnAddon, studio, vitest } from "./steps.mjs";
import { main } from "./tools.mjs";

const steps = [
  ...formats,
  { name: "unit tests of the core", isRust: true, run: () => rustTests("--lib") },
  { name: "addon", run: () => buildDebug() },
  { name: "integration tests of the core", isRust: true, needs: "addon", run: () => integrationTests() },
  { name: "examples of the documentation", isRust: true, needs: "addon", run: () => rustTestsOnAddon("--doc") },
  { name: "studio", run: () => studio() },
  { name: "JavaScript tests", needs: "addon", run: () => vitest("--project", "node", "--tags-filter", "!long") },
];

compileOnce();
await main(() => runSteps(askedFor(steps), "340 s in a fresh clone on 2 cores (24 November 2026), most of it compiling."));
