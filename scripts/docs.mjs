// Builds the documentation as a site, into site/dist. What builds it has a lockfile of its own, in site/, and is installed there when it is missing or old.

import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { Failure, main, root, runNode, runNpm } from "./tools.mjs";

const site = path.join(root, "site");
const installed = path.join(site, "node_modules", ".package-lock.json");

/** Installs what builds the site, unless it is there. */
function ensureSite() {
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(path.join(site, "package-lock.json")).mtimeMs) return;
  console.log("Installing what builds the documentation (npm ci in site/, half a minute) ...");
  const code = runNpm(["ci", "--no-audit", "--no-fund"], { cwd: site });
  if (code !== 0) throw new Failure(`npm ci failed in site/ with exit code ${code}; its message is above.`, code);
}

/** Builds the types of the studio's components, which the reference lists, unless they are there. */
function ensureTypesOfUi() {
  if (existsSync(path.join(root, "ui", "dist", "index.d.ts"))) return;
  const code = runNode(path.join(root, "scripts", "build-ui.mjs"), [], { cwd: root });
  if (code !== 0) throw new Failure(`The studio could not be built (exit code ${code}).`, code);
}

await main(() => {
  ensureSite();
  ensureTypesOfUi();
  const code = runNode(path.join(site, "build.mjs"), [], { cwd: site });
  if (code !== 0) throw new Failure(`The documentation could not be built (exit code ${code}).`, code);
  console.log(`The site is in ${path.join("site", "dist")}; \`npm run preview\` in site/ serves it.`);
});
