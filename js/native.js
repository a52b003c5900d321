"use strict";

// Finds and loads the addon; `require("#native")` is the addon itself. It is searched in this order:
//
// 0. An addon already loaded: `globalThis[Symbol.for("roo-condense.addon")]`, which `load()` of roo-condense-wasm
// sets.
// 1. A given path: the environment variable ROO_CONDENSE_BINARY or, set before this module is loaded,
// `globalThis[Symbol.for("roo-condense.binary")] = "/path/to/file.node"`. If the given file does not load, that is an
// error, because running another binary would hide the mistake.
// 2. `roo-condense.<platform>.node` beside this file, which after bundling is beside the bundle.
// 3. The same file in the package's folder, where `npm run build` puts it.
// 4. The package `roo-condense-<platform>`, an optional dependency of the published package.
// 5. The package `roo-condense-wasm`, where the host has installed it: the same as WebAssembly, on one thread.
//
// In browsers, `native-given.js` replaces this file (`imports` of package.json).
//
// Files are opened with `process.dlopen`, which needs no `require`, so that bundlers have nothing to rewrite, and
// which works in worker threads. It ignores the module cache, but a module body runs once.

const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");
const { PLATFORMS, glibcVersion, platformName } = require("./platform.js");
const { version } = require("../package.json");

const PATH_VARIABLE = "ROO_CONDENSE_BINARY";
const PATH_SYMBOL = Symbol.for("roo-condense.binary");
const ADDON_SYMBOL = Symbol.for("roo-condense.addon");
const WASM_PACKAGE = "roo-condense-wasm";

/** Returns an addon if it is ours and of this version, else throws an error that describes it. */
function fitting(addon) {
  const found = typeof addon?.version === "function" ? addon.version() : undefined;
  if (found === undefined) throw new Error("loads, but is not the addon of roo-condense");
  // The JavaScript and the addon are one program: mixed versions would fail later, in places that do not reveal the
  // cause.
  if (found !== version) throw new Error(`is of version ${found}, this is roo-condense ${version}`);
  return addon;
}

/** Loads one file; throws with the reason when it is absent, not loadable, or of another version. */
function open(file) {
  if (!fs.existsSync(file)) throw new Error("no such file");
  if (file.endsWith(".wasm")) return fitting(createRequire(file)("./index.cjs").loadSync(fs.readFileSync(file)));
  const addon = { exports: {} };
  process.dlopen(addon, file);
  return fitting(addon.exports);
}

/** Returns the given path with its source; undefined if none is given. */
function givenPath() {
  const fromVariable = process.env[PATH_VARIABLE];
  if (fromVariable) return { file: path.resolve(fromVariable), source: `environment variable ${PATH_VARIABLE}` };
  const fromSymbol = globalThis[PATH_SYMBOL];
  if (fromSymbol) return { file: path.resolve(String(fromSymbol)), source: 'globalThis[Symbol.for("roo-condense.binary")]' };
  return undefined;
}

/** Returns the places 0 to 5 above, each with a function that loads from it. */
function places(platform) {
  const loaded = globalThis[ADDON_SYMBOL];
  if (loaded) return [{ name: 'globalThis[Symbol.for("roo-condense.addon")]', load: () => fitting(loaded) }];
  const given = givenPath();
  if (given) return [{ name: `${given.file} (from ${given.source})`, load: () => open(given.file) }];
  // An ES module bundle has no __dirname unless its banner defines one; without it, only a given path works.
  if (typeof __dirname === "undefined") return [];
  const fileName = `roo-condense.${platform}.node`;
  const files = [path.join(__dirname, fileName), path.join(__dirname, "..", fileName)];
  const packageName = `roo-condense-${platform}`;
  // createRequire, because a bundler would try to resolve the argument of a plain `require`.
  const { resolve } = createRequire(path.join(__dirname, "native.js"));
  return [
    ...files.map((file) => ({ name: file, load: () => open(file) })),
    { name: `package ${packageName}`, load: () => open(resolve(packageName)) },
    { name: `package ${WASM_PACKAGE}`, load: () => open(resolve(`${WASM_PACKAGE}/roo-condense.wasm`)) },
  ];
}

/** Returns the first sentence of an error, because the loader's own errors list every folder and the require stack. */
function reason(error) {
  if (error?.code === "MODULE_NOT_FOUND") return "is not installed";
  return String(error?.message ?? error).split("\n", 1)[0];
}

/** Returns the glibc version of this system for people: ` (glibc 2.17)`, or nothing if Node does not report it. */
function glibcOfSystem() {
  const found = glibcVersion();
  return found === undefined ? "" : ` (glibc ${found})`;
}

function advice(platform, given, tried) {
  if (tried.some(({ reason }) => /GLIBC_[\d.]+/.test(reason))) {
    return `The C library of this system${glibcOfSystem()} is older than the binary needs; published ones need glibc 2.28, which RHEL 8 and Debian 10 have. Use a newer system, install the WebAssembly build (\`npm install ${WASM_PACKAGE}@${version}\`), or build one with Rust: \`npm run build\` in a clone of the source.`;
  }
  if (given) return `Correct the path, or remove it so that the installed binary is used.`;
  if (!PLATFORMS.includes(platform)) {
    return `There is no prebuilt binary for ${platform} (there are: ${PLATFORMS.join(", ")}). Install the WebAssembly build (\`npm install ${WASM_PACKAGE}@${version}\`), or build one with Rust: \`npm run build\` in a clone of the source.`;
  }
  return [
    `- Installed from npm: run \`npm install\` again with optional dependencies allowed (no --omit=optional, no --no-optional) and on the platform`,
    `  where the program runs: a node_modules folder or lockfile made on another platform lacks the package for this one.`,
    `- In a bundle: copy roo-condense.${platform}.node beside the bundled file, or set ${PATH_VARIABLE} to its path.`,
    `- Where no binary can be loaded: \`npm install ${WASM_PACKAGE}@${version}\`, the same as WebAssembly.`,
    `- In a clone of the source: \`npm run build\`.`,
  ].join("\n");
}

function load() {
  const platform = platformName();
  const tried = [];
  for (const place of places(platform)) {
    try {
      return place.load();
    } catch (error) {
      tried.push({ place: place.name, reason: reason(error), error });
    }
  }
  const list =
    tried.map((attempt) => `- ${attempt.place}: ${attempt.reason}`).join("\n") || "- nothing: this module was bundled without __dirname";
  const error = new Error(
    `roo-condense could not load its native binary for ${platform} (Node ${process.version}). Tried:\n${list}\nWhat to do:\n${advice(platform, givenPath(), tried)}`,
  );
  // A program that this ends prints the message, the code and the requiring file, without the frames of `require` and
  // the full list of attempts.
  Error.captureStackTrace(error, load);
  const [, ...callers] = (String(error.stack).match(/^ +at .*$/gm) ?? []).filter((frame) => !frame.includes("node:internal"));
  error.stack = [`Error: ${error.message}`, ...callers].join("\n");
  Object.defineProperty(error, "tried", { value: tried, enumerable: false });
  // The mark from js/errors.js. The loader imports no other file, so that a bundle may contain it alone.
  Object.defineProperty(error, Symbol.for("roo-condense.error"), { value: true });
  throw Object.assign(error, { code: "binary_not_found" });
}

module.exports = load();
