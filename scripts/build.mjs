// Builds the addon.
//
//   node scripts/build.mjs                      release, for this machine, into the package's folder and npm/<platform>
//   node scripts/build.mjs --debug              quick to build, for the tests, into target/addon
//   node scripts/build.mjs --target TRIPLE [--cross-compile]   release for another platform (docs/release.md)

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
  ensureDependencies,
  ensureRust,
  isProgram,
  main,
  megabytes,
  releaseAddon,
  releaseFolder,
  root,
  runNode,
  work,
} from "./tools.mjs";

/** Cargo.lock decides the versions where a change to it would go unnoticed. */
const locked = process.env.CI ? ["--locked"] : [];

/**
 * Level 1 for our own code in the addon and in what is linked with the same build of it: at level 0 the tests on long conversations take twice as long.
 * By variable, because unit tests, which are compiled once more, take longer to compile at level 1 than they save.
 */
export const levelOfAddon = () => ({ CARGO_PROFILE_DEV_OPT_LEVEL: process.env.CARGO_PROFILE_DEV_OPT_LEVEL ?? "1" });

/**
 * Builds the library with cargo alone and copies it to a file: `napi build` names a target, which gives the build a folder of its own where every dependency is
 * compiled once more.
 */
async function buildWithCargo(args, env, file) {
  ensureRust();
  const all = ["build", "--lib", ...args, "--message-format=json-render-diagnostics", ...locked];
  const { code, lines } = await work("cargo", all, { env, kept: true });
  if (code !== 0) throw new Failure(`The build of the addon failed with exit code ${code}; the compiler's message is above.`, code);
  const library = lines
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((message) => message.reason === "compiler-artifact" && message.target.kind.includes("cdylib"))
    .flatMap((message) => message.filenames)
    .findLast((name) => /\.(so|dylib|dll)$/.test(name));
  if (!library) throw new Failure("The build ended without error, but made no dynamic library.");
  mkdirSync(path.dirname(file), { recursive: true });
  replaceFile(library, file);
  return file;
}

/** The debug build. The example is named because it asks for the dependencies of the tests, so that both are built with the same features, once. */
export const buildDebug = () => buildWithCargo(["--example", "condense"], levelOfAddon(), debugAddon);

/** A build for a first look, where the loader finds it: the profile `quick` of Cargo.toml. */
export const buildQuick = () => buildWithCargo(["--profile", "quick"], {}, releaseAddon);

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
  mkdirSync(releaseFolder, { recursive: true });
  const targetArguments = target ? ["--target", target] : [];
  const platform = target ? PLATFORM_OF_TARGET[target.replace(/\.[\d.]+$/, "")] : undefined;
  if (target && !platform)
    throw new Failure(`No package is made for the target ${target}; there are: ${Object.keys(PLATFORM_OF_TARGET).join(", ")}.`);
  const built = path.join(releaseFolder, addonName(platform));
  rmSync(built, { force: true });
  ensureDependencies();
  ensureRust();
  // The loader and the type definitions of this package are written by hand: no --js, and what napi derives goes to target/, to compare with.
  const options = ["--platform", "--release", "--no-js", "--dts", "native.d.ts", "--output-dir", releaseFolder, ...targetArguments];
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
  await main(async () => {
    const { values } = parseArgs({
      options: { debug: { type: "boolean" }, target: { type: "string" }, "cross-compile": { type: "boolean", short: "x" } },
    });
    if (values.debug) console.log(`Built ${path.relative(root, await buildDebug())} (${megabytes(debugAddon)}, for tests).`);
    else buildRelease({ target: values.target, crossCompile: values["cross-compile"] });
  });
}
