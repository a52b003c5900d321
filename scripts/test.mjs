// Every check of the project, in the order of what fails fastest. Needs Node and Rust; installs the rest.

import { buildDebug } from "./build.mjs";
import { cargo, lints, locked, runSteps, soak, vitest, withoutNode } from "./steps.mjs";
import { main } from "./tools.mjs";

const steps = [
  ...lints,
  { name: "Rust tests", run: () => cargo("test", ...locked, ...withoutNode) },
  { name: "addon", run: () => buildDebug() },
  { name: "JavaScript tests", needs: "addon", run: () => vitest() },
  { name: "soak, a minute of it", needs: "addon", run: () => soak("1") },
];

await main(() => runSteps(steps));
