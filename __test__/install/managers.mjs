// The package managers: how each installs from a registry into an empty folder, and how programs are run there.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { cleanEnvironment, npm, tool } from "./registry.mjs";

const run = promisify(execFile);
const node = process.execPath;

const pnpm = tool("pnpm", "bin", "pnpm.cjs");
const yarn = tool("@yarnpkg", "cli-dist", "bin", "yarn.js");
/** Its installation puts the program there under this name on every system. */
export const bun = tool("bun", "bin", "bun.exe");

/** What was published a moment ago is what is tested: no manager may wait for it to ripen. `import` in a CommonJS project needs the loader to be asked for. */
const yarnSettings = (registry, linker) => `
nodeLinker: ${linker}
npmRegistryServer: ${JSON.stringify(registry)}
unsafeHttpWhitelist: ["127.0.0.1"]
enableGlobalCache: false
enableTelemetry: false
npmMinimalAgeGate: 0
pnpEnableEsmLoader: true
`;

/** Runs a program in a folder whose managers keep their own files in `home`. */
async function runIn({ folder, home }, file, args) {
  const { stdout } = await run(file, args, { cwd: folder, env: cleanEnvironment(home), maxBuffer: 1e8 });
  return stdout.trim();
}

const byNode = { node: (place, file) => runIn(place, node, [file]) };
const commandFile = (folder) => path.join(folder, "node_modules", ".bin", "roo-condense");
const byFile = { command: (place, ...args) => runIn(place, commandFile(place.folder), args) };

const yarnWith = (linker) => async (place, registry, name) => {
  writeFileSync(path.join(place.folder, ".yarnrc.yml"), yarnSettings(registry, linker));
  // A folder with a lockfile is a project of its own, whatever lies above it.
  writeFileSync(path.join(place.folder, "yarn.lock"), "");
  await runIn(place, node, [yarn, "add", name]);
};

/**
 * By name: `install` adds a package, `node` runs a file with Node, `command` the package's command line.
 * @type {Record<string, {
 *   install: (place: { folder: string, home: string }, registry: string, name: string) => Promise<unknown>,
 *   node: (place: { folder: string, home: string }, file: string) => Promise<string>,
 *   command: (place: { folder: string, home: string }, ...args: string[]) => Promise<string>,
 * }>}
 */
export const managers = {
  npm: {
    install: ({ folder, home }, registry, name) => npm(["install", "--registry", registry, name], { cwd: folder, home }),
    ...byNode,
    ...byFile,
  },
  pnpm: {
    async install(place, registry, name) {
      await runIn(place, node, [pnpm, "add", "--registry", registry, "--store-dir", path.join(place.home, "store"), name]);
    },
    ...byNode,
    command: (place, ...args) => runIn(place, node, [pnpm, "exec", "roo-condense", ...args]),
  },
  "yarn with node_modules": { install: yarnWith("node-modules"), ...byNode, ...byFile },
  "yarn with Plug'n'Play": {
    install: yarnWith("pnp"),
    node: (place, file) => runIn(place, node, [yarn, "node", file]),
    command: (place, ...args) => runIn(place, node, [yarn, "roo-condense", ...args]),
  },
  bun: {
    async install(place, registry, name) {
      await runIn(place, bun, ["add", "--registry", registry, name]);
    },
    ...byNode,
    command: (place, ...args) => runIn(place, bun, ["x", "roo-condense", ...args]),
  },
};

/** Bun as the runtime. */
export const runWithBun = (place, file) => runIn(place, bun, [file]);
