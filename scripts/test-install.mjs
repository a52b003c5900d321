// Publishes roo-condense to a registry on this machine and installs it with every package manager (__test__/install). With the addon in ROO_CONDENSE_BINARY, or the
// release build where there is one that is not old, or else the debug build.
//
//   node scripts/test-install.mjs      a minute or two; the first time it installs registry and managers (190 MB) beside the tests

import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { buildDebug } from "./build.mjs";
import { Failure, commandOf, ensureDependencies, isStale, main, readJson, releaseAddon, root, runNode, runNpm } from "./tools.mjs";

const folder = path.join(root, "__test__", "install");

/** Installs the registry and the package managers unless they are there in the versions of the lockfile. */
function ensureManagers() {
  const { packages } = readJson(path.join(folder, "package-lock.json"));
  const isReady = ([name, version]) => {
    const manifest = path.join(folder, "node_modules", name, "package.json");
    return existsSync(manifest) && readJson(manifest).version === version;
  };
  if (Object.entries(packages[""].devDependencies).every(isReady)) return;
  console.log("Installing a registry and the package managers (npm ci, half a minute) ...");
  const code = runNpm(["ci", "--include=dev", "--no-audit", "--no-fund"], { cwd: folder });
  if (code !== 0) throw new Failure(`npm ci in ${path.relative(root, folder)} failed with exit code ${code}; its message is above.`, code);
}

await main(() => {
  ensureDependencies();
  ensureManagers();
  const addon = process.env.ROO_CONDENSE_BINARY ?? (isStale(releaseAddon) ? buildDebug() : releaseAddon);
  const code = runNode(commandOf("vitest", "vitest"), ["run", "--config", path.join(folder, "vitest.config.mjs")], {
    env: { ROO_CONDENSE_BINARY: path.resolve(addon) },
  });
  if (code !== 0) throw new Failure(`The tests of installing failed with exit code ${code}.`, code);
});
