// A registry on loopback that has this version of roo-condense and nothing else: all ten packages, published as the first release is.

import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { PLATFORMS, addonName, platformName, readJson, root } from "../../scripts/tools.mjs";

const run = promisify(execFile);
/** Which npm runs this, for scripts that run npm. */
const programOfNpm = process.env.npm_execpath ? { npm_execpath: process.env.npm_execpath } : {};

/** Where a file of one of the tools in this folder is. */
export const tool = (...names) => path.join(import.meta.dirname, "node_modules", ...names);

/**
 * An environment in which nothing of the machine's own settings, caches or registries is left: package managers take theirs from `home`. Node and what `npm
 * run` says of the package being tested stay outside, too.
 */
export function cleanEnvironment(home) {
  const foreign = /^(npm|yarn|pnpm|bun|node)_|^(roo_condense_binary|init_cwd|ci)$/i;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const folders = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, XDG_DATA_HOME: home, LOCALAPPDATA: home };
  return { ...Object.fromEntries(kept), ...folders };
}

/** npm, wherever this Node has it. */
export async function npm(args, { cwd, home }) {
  const program = process.env.npm_execpath;
  const isNpm = program !== undefined && /npm-cli\.c?js$/.test(program);
  const command = isNpm ? [process.execPath, program] : ["npm"];
  const [file, ...before] = command;
  const options = { cwd, env: cleanEnvironment(home), maxBuffer: 1e8, shell: !isNpm && process.platform === "win32" };
  return run(file, [...before, ...args], options);
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Anybody on this machine may publish; tarballs of debug builds are large. What is asked for beside roo-condense is asked of the registry npm is set to. */
const configuration = (folder, uplink) => `
storage: ${JSON.stringify(path.join(folder, "storage"))}
max_body_size: 300mb
web: { enable: false }
auth: { htpasswd: { file: ${JSON.stringify(path.join(folder, "htpasswd"))} } }
uplinks: { default: { url: ${JSON.stringify(uplink)} } }
packages:
  "roo-condense*": { access: $all, publish: $all, unpublish: $all }
  "**": { access: $all, proxy: default }
log: { type: stdout, format: json, level: http }
`;

async function startVerdaccio(folder) {
  mkdirSync(folder, { recursive: true });
  const { stdout: uplink } = await run("npm", ["config", "get", "registry"], { shell: process.platform === "win32" });
  const config = path.join(folder, "config.yaml");
  writeFileSync(config, configuration(folder, uplink.trim()));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const server = spawn(process.execPath, [tool("verdaccio", "bin", "verdaccio"), "--config", config, "--listen", `127.0.0.1:${port}`], {
    cwd: folder,
    env: cleanEnvironment(folder),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (log += text));
  const end = Date.now() + 60_000;
  for (;;) {
    const answers = await fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return { url, log: () => log, stop: () => server.kill() };
    if (server.exitCode !== null || Date.now() > end) throw new Error(`verdaccio did not start:\n${log}`);
    await sleep(100);
  }
}

/** A file for each platform: this one's addon, and a few bytes for the others, which only have to arrive where they belong. */
function binaries(folder, addon) {
  mkdirSync(folder, { recursive: true });
  for (const platform of PLATFORMS) {
    const file = path.join(folder, addonName(platform));
    if (platform === platformName()) copyFileSync(addon, file);
    else writeFileSync(file, `stands for the binary of ${platform}`);
  }
  return folder;
}

/** Where the WebAssembly package is not built, a few bytes take its place as those of the other platforms do: it only has to arrive. */
async function standInForWasm(folder, tarballs) {
  const { name, version } = readJson(path.join(root, "wasm", "package.json"));
  if (existsSync(path.join(tarballs, `${name}-${version}.tgz`))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name, version }));
  await npm(["pack", "--pack-destination", tarballs], { cwd: folder, home: folder });
}

/**
 * Packs everything and starts a registry that has none of it.
 * @param {string} folder where registry, tarballs and npm's own files may lie
 * @param {string} addon the binary for this platform
 */
export async function startRegistry(folder, addon) {
  const tarballs = path.join(folder, "tarballs");
  const packed = run(process.execPath, [
    path.join(root, "scripts", "pack.mjs"),
    ...["--all", "--binaries", binaries(path.join(folder, "binaries"), addon), "--out", tarballs],
  ]);
  const [registry] = await Promise.all([startVerdaccio(path.join(folder, "registry")), packed]);
  await standInForWasm(path.join(folder, "wasm"), tarballs);
  const home = path.join(folder, "publisher");
  mkdirSync(home);
  // Whoever publishes has to have a token, even where nobody checks it.
  writeFileSync(path.join(home, ".npmrc"), `registry=${registry.url}\n${registry.url.slice("http:".length)}:_authToken=anybody\n`);
  /** Runs scripts/publish.mjs with these tarballs. Rejects with what it wrote, as `stdout` and `stderr`. */
  const publish = (...args) =>
    run(process.execPath, [path.join(root, "scripts", "publish.mjs"), "--packages", tarballs, ...args], {
      env: { ...cleanEnvironment(home), ...programOfNpm },
      maxBuffer: 1e8,
    });
  return { ...registry, tarballs, publish };
}
