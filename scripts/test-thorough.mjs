// What `npm test` leaves out because it takes long: the rest of the recorded histories and of large texts, JavaScript tests of whole programs, the studio in a
// browser, and the soak.

import { ensureBrowser } from "./browser.mjs";
import { buildDebug } from "./build.mjs";
import { LONG, compileOnce, runSteps, rustTests, rustTestsOnAddon, soak, studio, vitest } from "./steps.mjs";
import { main } from "./tools.mjs";

const steps = [
  { name: "addon", run: () => buildDebug() },
  { name: "long unit tests of the core", run: () => rustTests("--lib", ...LONG) },
  { name: "long integration tests of the core", needs: "addon", run: () => rustTestsOnAddon("--test", "all", ...LONG) },
  { name: "studio", run: () => studio() },
  { name: "a browser", run: () => ensureBrowser() },
  { name: "long JavaScript tests", needs: "addon", run: () => vitest("--project", "node", "--tags-filter", "long") },
  { name: "tests in a browser", needs: "addon", run: () => vitest("--project", "browser") },
  { name: "soak, 2,000 trials of it", needs: "addon", run: () => soak("2000") },
];

compileOnce();
await main(() => runSteps(steps));
