// Bundles the extension into dist/: one CommonJS file, the addon beside it, and the studio's page.
//
//   node build.mjs      with the addon in ROO_CONDENSE_BINARY, or that of this machine (in the folder of roo-condense, or its platform package)

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
/** An extension of your own takes the package from node_modules, and needs no `alias`. */
const library = path.resolve(here, "..", "..");
const dist = path.join(here, "dist");
const require = createRequire(path.join(library, "package.json"));

/** Where the addon is; the platform package of the machine has it too. */
function findAddon() {
  const { platformName } = require("./js/platform.js");
  const name = `roo-condense.${platformName()}.node`;
  const places = [
    process.env.ROO_CONDENSE_BINARY,
    path.join(library, name),
    path.join(library, "node_modules", `roo-condense-${platformName()}`, name),
  ];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error(`There is no ${name}: \`npm run build\` in ${library} makes it.`);
  return { found, name };
}

function copyPage() {
  for (const name of ["studio.js", "components.js", "react.js", "studio.css"]) {
    const file = path.join(library, "ui", "dist", "page", name);
    if (!existsSync(file)) throw new Error(`There is no ${file}: \`npm run build:ui\` in ${library} makes it.`);
    copyFileSync(file, path.join(dist, name));
  }
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await build({
  entryPoints: [path.join(here, "src", "extension.js")],
  outfile: path.join(dist, "extension.js"),
  bundle: true,
  minify: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  external: ["vscode"],
  alias: { "roo-condense": path.join(library, "index.js") },
});
const { found, name } = findAddon();
copyFileSync(found, path.join(dist, name));
copyPage();
copyFileSync(path.join(library, "LICENSE"), path.join(here, "LICENSE"));
const { version } = JSON.parse(readFileSync(path.join(library, "package.json"), "utf8"));
console.log(`Built dist/ with roo-condense ${version} and ${name}.`);
