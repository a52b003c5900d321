// What the scripts share: where things are, and running programs the same way on every system.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

/** The folder of the package. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The platforms that have a package, and the name of this one. */
export const { PLATFORMS, platformName } = require("../js/platform.js");

/** The platform a Rust target triple is for; a glibc version (`.2.28`) may follow the triple. */
export const PLATFORM_OF_TARGET = {
  "x86_64-unknown-linux-gnu": "linux-x64-gnu",
  "aarch64-unknown-linux-gnu": "linux-arm64-gnu",
  "x86_64-unknown-linux-musl": "linux-x64-musl",
  "aarch64-unknown-linux-musl": "linux-arm64-musl",
  "x86_64-apple-darwin": "darwin-x64",
  "aarch64-apple-darwin": "darwin-arm64",
  "x86_64-pc-windows-msvc": "win32-x64-msvc",
  "aarch64-pc-windows-msvc": "win32-arm64-msvc",
};

/** The file name of the addon for a platform. */
export const addonName = (platform = platformName()) => `roo-condense.${platform}.node`;

/** The release build, where the loader finds it. */
export const releaseAddon = path.join(root, addonName());

/** The debug build lies elsewhere, so that running the tests never swaps a fast binary for a slow one. */
export const debugAddon = path.join(root, "target", "addon", addonName());

/** Where a build for release lies besides, so that it is known from the build for a first look (scripts/demo.mjs), which the loader finds in the same place. */
export const releaseFolder = path.join(root, "target", "addon-release");

/** The addon as WebAssembly, in the package of its own. */
export const wasmAddon = path.join(root, "wasm", "dist", "roo-condense.wasm");

/** A failure the user can act on: printed without a stack. */
export class Failure extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a program with its output passed through and, unless it may ask for `input`, no standard input; returns its exit code (127: not found). */
export function run(program, args, { cwd = root, env = {}, quiet = false, shell = false, input = false } = {}) {
  const result = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: quiet ? "ignore" : [input ? "inherit" : "ignore", "inherit", "inherit"],
    shell,
  });
  if (result.error) {
    if (/** @type {NodeJS.ErrnoException} */ (result.error).code === "ENOENT") return 127;
    throw result.error;
  }
  // Ended by a signal: the shell's convention, without the signal's number.
  return result.status ?? 128;
}

/**
 * Who hears what the programs print that `work` runs. Nobody: it goes to the terminal.
 * @type {{ hear?: ((text: string) => void) | undefined }}
 */
export const listener = {};

/**
 * Runs a program without standard input, while timers go on. Resolves to its exit code (127: not found) and, where they are `kept`, not printed, to the lines of its
 * standard output.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, kept?: boolean }} [options]
 * @returns {Promise<{ code: number, lines: string[] }>}
 */
export function work(program, args, { env = {}, kept = false } = {}) {
  const { hear } = listener;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", kept || hear ? "pipe" : "inherit", hear ? "pipe" : "inherit"],
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    if (kept) output += text;
    else hear?.(text);
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => hear?.(text));
  return new Promise((resolve, reject) => {
    child.on("error", (error) => {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") resolve({ code: 127, lines: [] });
      else reject(error);
    });
    child.on("close", (code) => resolve({ code: code ?? 128, lines: output.split("\n") }));
  });
}

/** Runs a JavaScript program with this Node. */
export const runNode = (file, args = [], options = {}) => run(process.execPath, [file, ...args], options);

/** Runs npm. Under `npm run` its own program is known; otherwise it is a shell script on Windows. */
export function runNpm(args, options = {}) {
  const program = process.env.npm_execpath;
  if (program && /npm-cli\.c?js$/.test(program)) return runNode(program, args, options);
  return run("npm", args, { ...options, shell: process.platform === "win32" });
}

/** The file of a command that a development dependency brings, from its package.json. */
export function commandOf(packageName, command) {
  const manifest = path.join(root, "node_modules", packageName, "package.json");
  const { bin } = readJson(manifest);
  return path.join(path.dirname(manifest), typeof bin === "string" ? bin : bin[command]);
}

export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/** Whether the development dependencies, also those of the workspaces, are there in the versions of the lockfile. */
function dependenciesReady() {
  const { packages } = readJson(path.join(root, "package-lock.json"));
  const manifests = ["", ...packages[""].workspaces].map((folder) => packages[folder]);
  return manifests
    .flatMap(({ devDependencies = {} }) => Object.keys(devDependencies))
    .every((name) => {
      const manifest = path.join(root, "node_modules", name, "package.json");
      return existsSync(manifest) && readJson(manifest).version === packages[`node_modules/${name}`].version;
    });
}

/** Installs the development dependencies unless they are there. */
export function ensureDependencies() {
  if (dependenciesReady()) return;
  console.log("Installing the development dependencies (npm ci, under a minute) ...");
  // --include=dev: with NODE_ENV=production npm would leave out the tools that build the addon.
  const code = runNpm(["ci", "--include=dev", "--no-audit", "--no-fund"]);
  if (code !== 0) throw new Failure(`npm ci failed with exit code ${code}; its message is above.`, code);
}

/** Installs what a folder with a lockfile of its own needs, unless it is there in the versions of the lockfile. */
export function ensureFolder(folder) {
  const { packages } = readJson(path.join(folder, "package-lock.json"));
  const isReady = ([name, version]) => {
    const manifest = path.join(folder, "node_modules", name, "package.json");
    return existsSync(manifest) && readJson(manifest).version === version;
  };
  if (Object.entries(packages[""].devDependencies).every(isReady)) return;
  const name = path.relative(root, folder);
  console.log(`Installing what ${name} needs (npm ci) ...`);
  const code = runNpm(["ci", "--include=dev", "--no-audit", "--no-fund"], { cwd: folder });
  if (code !== 0) throw new Failure(`npm ci in ${name} failed with exit code ${code}; its message is above.`, code);
}

/** Says how to get Rust when it is missing. */
export function ensureRust() {
  if (run("cargo", ["--version"], { quiet: true }) === 0) return;
  const { "rust-version": minimum } = cargoPackage();
  throw new Failure(
    `Rust is needed to build the addon, and \`cargo\` does not run. Install Rust ${minimum} or newer from https://rustup.rs, open a new terminal, and try again.`,
  );
}

/** The plain `key = "value"` pairs of [package] in Cargo.toml. */
export function cargoPackage() {
  const text = readFileSync(path.join(root, "Cargo.toml"), "utf8");
  const section = /^\[package\]\r?\n([\s\S]*?)^\[/m.exec(text)?.[1] ?? "";
  return Object.fromEntries([...section.matchAll(/^([\w-]+) = "([^"]*)"/gm)].map(([, key, value]) => [key, value]));
}

/** A release is what its tag says. Whether this runs for a tag. */
export function checkTag(version) {
  const { GITHUB_REF_TYPE: type, GITHUB_REF_NAME: name } = process.env;
  if (type === "tag" && name !== `v${version}`) throw new Failure(`The tag is ${name}, and package.json says ${version}.`);
  return type === "tag";
}

function newestIn(folder) {
  return Math.max(0, ...readdirSync(folder, { recursive: true }).map((name) => statSync(path.join(folder, name)).mtimeMs));
}

/** Whether a built addon is missing or older than what it is built from. */
export function isOld(addon) {
  if (!existsSync(addon)) return true;
  const sources = ["Cargo.toml", "Cargo.lock", "build.rs"].map((name) => statSync(path.join(root, name)).mtimeMs);
  return statSync(addon).mtimeMs < Math.max(...sources, newestIn(path.join(root, "src")));
}

/** Whether the addon has to be built: it is old, or it lies where the one for release belongs and is none. */
export function isStale(addon) {
  if (isOld(addon)) return true;
  if (addon !== releaseAddon) return false;
  const built = path.join(releaseFolder, addonName());
  return !existsSync(built) || !readFileSync(built).equals(readFileSync(addon));
}

/** Megabytes of a file, for people. */
export const megabytes = (file) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;

/** Runs a script's main function; a Failure, or an option that does not exist, becomes a message and an exit code. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    const expected = error instanceof Failure || String(error.code).startsWith("ERR_PARSE_ARGS");
    if (!expected) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode ?? 1;
  }
}

/** Whether a module is the program that was started, rather than imported by one. */
export const isProgram = (moduleUrl) => realpathSync(process.argv[1]) === fileURLToPath(moduleUrl);
