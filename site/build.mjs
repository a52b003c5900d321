// Builds the site into site/dist: the API reference from the types, then all of docs/. A link that leads nowhere stops it.
//
//   npm run docs        in the root: installs what this needs (npm ci, in this folder), and builds

import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";
import { build } from "vitepress";
import config from "./.vitepress/config.mjs";
import { deadLinks } from "./links.mjs";
import { modules } from "./modules.mjs";

const site = fileURLToPath(new URL(".", import.meta.url));
const root = path.dirname(path.resolve(site));
/** The pages are copied beside what builds them, where Vue is found, and the reference is written there. */
const pages = path.join(site, "pages");

/** TypeDoc names a module by its file, without the folders that all have in common. */
const NAMES = new Map(modules.map(([name, file]) => [file.replace(/^\.\/|(?:\/index)?\.d\.ts$/g, ""), name]));

/** Writes the API reference as Markdown. */
async function writeReference() {
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: modules.map(([, file]) => path.join(root, file)),
    tsconfig: path.join(site, "tsconfig.json"),
    name: "API",
    out: path.join(pages, "api"),
    readme: "none",
    disableSources: true,
    excludeInternal: true,
    hideGenerator: true,
    skipErrorChecking: false,
    validation: { invalidLink: true, notExported: false },
    treatValidationWarningsAsErrors: true,
    // @ts-expect-error: of the plugin
    entryFileName: "index.md",
    hidePageHeader: true,
    useCodeBlocks: true,
    // Braces in prose are Vue's.
    sanitizeComments: true,
    logLevel: "Warn",
  });
  const project = await app.convert();
  if (!project) throw new Error("The types have errors.");
  for (const module of project.children ?? []) module.name = NAMES.get(module.name) ?? module.name;
  app.validate(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("The reference has faults; see above.");
  await app.generateOutputs(project);
}

rmSync(pages, { recursive: true, force: true });
cpSync(path.join(root, "docs"), pages, { recursive: true });
cpSync(path.join(root, "llms.txt"), path.join(pages, "public", "llms.txt"));
await writeReference();
await build(site);

const dead = deadLinks(path.join(site, "dist"), config.base ?? "/");
if (dead.length) {
  const shown = dead.slice(0, 20).map(({ page, link, why }) => `  ${page}: ${link} ${why}`);
  throw new Error(`${dead.length} links of the site lead nowhere:\n${shown.join("\n")}${dead.length > 20 ? "\n  ..." : ""}`);
}
