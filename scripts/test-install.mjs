// Publishes roo-condense to a registry on this machine and installs it with every package manager (__test__/install). With the addon in ROO_CONDENSE_BINARY, or the
// release build where there is one that is not old, or else the debug build.
//
//   node scripts/test-install.mjs      a minute or two; the first time it installs registry and managers (190 MB) beside the tests

import path from "node:path";
import process from "node:process";
import { buildDebug } from "./build.mjs";
import { Failure, commandOf, ensureDependencies, ensureFolder, isStale, main, releaseAddon, root, runNode } from "./tools.mjs";

const folder = path.join(root, "__test__", "install");

await main(async () => {
  ensureDependencies();
  ensureFolder(folder);
  const addon = process.env.ROO_CONDENSE_BINARY ?? (isStale(releaseAddon) ? await buildDebug() : releaseAddon);
  const code = runNode(commandOf("vitest", "vitest"), ["run", "--config", path.join(folder, "vitest.config.mjs")], {
    env: { ROO_CONDENSE_BINARY: path.resolve(addon) },
  });
  if (code !== 0) throw new Failure(`The tests of installing failed with exit code ${code}.`, code);
});
