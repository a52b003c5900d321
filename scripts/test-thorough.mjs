// What `npm test` leaves out because it takes long: the rest of the recorded histories, of large texts and of the cases of properties, JavaScript tests of
// whole programs, the studio in a browser, and the soak. With `--javascript`, without the tests of Rust.

import { ensureBrowser } from "./browser.mjs";
import { buildDebug } from "./build.mjs";
import { ensureRedis } from "./redis.mjs";
import { ALL, INTEGRATION, LONG, askedFor, compileOnce, runSteps, rustTests, rustTestsOnAddon, soak, studio, vitest } from "./steps.mjs";
import { main } from "./tools.mjs";

const steps = [
  { name: "addon", run: () => buildDebug() },
  { name: "long unit tests of the core", isRust: true, run: () => rustTests("--lib", ...LONG) },
  {
    name: "integration tests of the core, all and with all cases",
    isRust: true,
    needs: "addon",
    run: () => rustTestsOnAddon(...INTEGRATION, ...ALL),
  },
  { name: "studio", run: () => studio() },
  { name: "a browser", run: () => ensureBrowser() },
  { name: "a Redis", run: () => ensureRedis() },
  { name: "long JavaScript tests", needs: "addon", run: () => vitest("--project", "node", "--tags-filter", "long") },
  { name: "tests in a browser", needs: "addon", run: () => vitest("--project", "browser") },
  { name: "soak, 2,000 trials of it", needs: "addon", run: () => soak("2000") },
];

compileOnce();
await main(() => runSteps(askedFor(steps), "414 s on 2 cores after `npm test` (24 November 2026)."));
