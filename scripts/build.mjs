// Builds the addon.
//
//   node scripts/build.mjs                      release, for this machine, into the package's folder and npm/<platform>
//   node scripts/build.mjs --debug              quick to build, for the tests, into target/addon
//   node scripts/build.mjs --target TRIPLE [--cross-compile]   release for another platform (docs/release.md)

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  Failure,
  PLATFORMS,
  PLATFORM_OF_TARGET,
  addonName,
  commandOf,
  debugAddon,
  debugFolder,
  ensureDependencies,
  ensureRust,
  isProgram,
  main,
  megabytes,
  root,
  runNode,
} from "./tools.mjs";

/** Cargo.lock decides the versions where a change to it would go unnoticed. */
const locked = process.env.CI ? ["--locked"] : [];

/**
 * Level 1 for our own code in the addon and in what is linked with the same build of it: at level 0 the tests on long conversations take twice as long.
 * By variable, because unit tests, which are compiled once more, take longer to compile at level 1 than they save.
 */
export const levelOfAddon = () => ({ CARGO_PROFILE_DEV_OPT_LEVEL: process.env.CARGO_PROFILE_DEV_OPT_LEVEL ?? "1" });

/**
 * The debug build, with cargo alone: `napi build` names a target, which gives the build a folder of its own where every dependency is compiled
 * once more. The example is named because it asks for the dependencies of the tests, so that both are built with the same features, once.
 */
export function buildDebug() {
  ensureRust();
  const result = spawnSync("cargo", ["build", "--lib", "--example", "condense", "--message-format=json-render-diagnostics", ...locked], {
    cwd: root,
    env: { ...process.env, ...levelOfAddon() },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: Infinity,
  });
  if (result.error) throw result.error;
  if (result.status !== 0)
    throw new Failure(
      `The build of the addon failed with exit code ${result.status}; the compiler's message is above.`,
      result.status ?? 1,
    );
  const library = result.stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((message) => message.reason === "compiler-artifact" && message.target.kind.includes("cdylib"))
    .flatMap((message) => message.filenames)
    .findLast((file) => /\.(so|dylib|dll)$/.test(file));
  if (!library) throw new Failure("The build ended without error, but made no dynamic library.");
  mkdirSync(debugFolder, { recursive: true });
  replaceFile(library, debugAddon);
  console.log(`Built ${path.relative(root, debugAddon)} (${megabytes(debugAddon)}, for tests).`);
  return debugAddon;
}

/** Replaces rather than overwrites: a running Node has the old file mapped. */
function replaceFile(from, to) {
  rmSync(to, { force: true });
  copyFileSync(from, to);
}

/**
 * The release build, copied into the platform's package as well, so that `npm pack` finds it there.
 * @param {{ target?: string | undefined, crossCompile?: boolean | undefined }} options
 */
export function buildRelease({ target, crossCompile = false } = {}) {
  const folder = path.join(root, "target", "addon-release");
  mkdirSync(folder, { recursive: true });
  const targetArguments = target ? ["--target", target] : [];
  const platform = target ? PLATFORM_OF_TARGET[target.replace(/\.[\d.]+$/, "")] : undefined;
  if (target && !platform)
    throw new Failure(`No package is made for the target ${target}; there are: ${Object.keys(PLATFORM_OF_TARGET).join(", ")}.`);
  const built = path.join(folder, addonName(platform));
  rmSync(built, { force: true });
  ensureDependencies();
  ensureRust();
  // The loader and the type definitions of this package are written by hand: no --js, and what napi derives goes to target/, to compare with.
  const options = ["--platform", "--release", "--no-js", "--dts", "native.d.ts", "--output-dir", folder, ...targetArguments];
  if (crossCompile) options.push("--cross-compile");
  const code = runNode(commandOf("@napi-rs/cli", "napi"), ["build", ...options, "--", ...locked]);
  if (code !== 0) throw new Failure(`The build of the addon failed with exit code ${code}; the compiler's message is above.`, code);
  if (!existsSync(built)) throw new Failure(`The build ended without error, but did not write ${path.relative(root, built)}.`);
  const name = path.basename(built);
  const copies = [];
  // A binary for another platform is of no use beside the loader here.
  if (!target) copies.push(path.join(root, name));
  const builtFor = PLATFORMS.find((candidate) => addonName(candidate) === name);
  if (builtFor) copies.push(path.join(root, "npm", builtFor, name));
  for (const copy of copies) replaceFile(built, copy);
  console.log(`Built ${copies.map((copy) => path.relative(root, copy)).join(" and ")} (${megabytes(built)}).`);
  return built;
}

if (isProgram(import.meta.url)) {
  await main(() => {
    const { values } = parseArgs({
      options: { debug: { type: "boolean" }, target: { type: "string" }, "cross-compile": { type: "boolean", short: "x" } },
    });
    if (values.debug) buildDebug();
    else buildRelease({ target: values.target, crossCompile: values["cross-compile"] });
  });
}
