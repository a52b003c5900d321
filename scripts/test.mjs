// All tests. Needs Node and Rust; installs the rest. Lints are in `npm run lint`.

import { buildDebug } from "./build.mjs";
import { ensureBrowser } from "./browser.mjs";
import { allRustTests, formats, runSteps, soak, studio, vitest } from "./steps.mjs";
import { main } from "./tools.mjs";

const steps = [
  ...formats,
  { name: "Rust tests", run: () => allRustTests() },
  { name: "addon", run: () => buildDebug() },
  { name: "studio", run: () => studio() },
  { name: "a browser", run: () => ensureBrowser() },
  { name: "JavaScript tests", needs: "addon", run: () => vitest() },
  { name: "soak, 2,000 trials of it", needs: "addon", run: () => soak("2000") },
];

await main(() => runSteps(steps));
