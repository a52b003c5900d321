// Writes the npm tarballs to dist-packages/: one for each platform, and the main package, which names exactly those
// platform packages as optional dependencies.
//
//   node scripts/pack.mjs              this machine's platform; builds the addon in release mode when it is missing or old
//   node scripts/pack.mjs --all        all platforms; their binaries must be in npm/<platform> (docs/release.md)
//   node scripts/pack.mjs --binary F   this machine's platform, with the addon F
//   node scripts/pack.mjs --all --binaries DIR   all platforms, with the files in DIR as they are: for the tests of installing
//   node scripts/pack.mjs --out DIR    another folder
//
// With --all the WebAssembly package is packed too, and built where it is missing or old; otherwise where it is built (npm run build:wasm).
//
// The optional dependencies are not in the committed package.json: until a version is published its platform packages do
// not exist, so a lockfile could not hold them, every `npm ci` would ask the registry for them in vain, and would install whatever
// somebody else published under these names.

import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildRelease } from "./build.mjs";
import { ensureMcp } from "./build-mcp.mjs";
import { ensureUi } from "./build-ui.mjs";
import { buildWasm, isWasmStale } from "./build-wasm.mjs";
import { whyNotLoaded } from "./elf.mjs";
import { thirdPartyNotices } from "./notices.mjs";
import {
  Failure,
  PLATFORMS,
  PLATFORM_OF_TARGET,
  addonName,
  isStale,
  main,
  megabytes,
  platformName,
  readJson,
  releaseAddon,
  root,
  runNpm,
} from "./tools.mjs";

const NOTICES = "THIRD-PARTY-NOTICES.txt";
const WASM = "roo-condense-wasm";

/** A plain build asks for the C library of the machine it was made on, and would fail on users' older or other ones. */
function checkLoads(platform, binary) {
  const why = whyNotLoaded(platform, readFileSync(binary));
  if (why) throw new Failure(`${path.relative(root, binary)} ${why}: build it as docs/release.md says.`);
}

/** What is said of every package, and stands in the main one. */
function sharedMetadata({ version, homepage, bugs, repository, license, author, publishConfig }) {
  return { version, homepage, bugs, repository, license, author, publishConfig };
}

/** What only serves development does not belong into the published package.json. */
function withoutDevelopment({ devDependencies, overrides, scripts, napi, workspaces, exportsToWorkspaces, "//": reasons, ...published }) {
  return published;
}

function publishedManifest(manifest, platforms) {
  const published = withoutDevelopment(manifest);
  const optionalDependencies = Object.fromEntries(platforms.map((platform) => [`${manifest.name}-${platform}`, manifest.version]));
  // Named, so that it is found under Plug'n'Play too, and nobody has it of another version; whoever needs it installs it.
  const peerDependencies = { ...published.peerDependencies, [WASM]: manifest.version };
  const peerDependenciesMeta = { ...published.peerDependenciesMeta, [WASM]: { optional: true } };
  return { ...published, optionalDependencies, peerDependencies, peerDependenciesMeta };
}

function npmPack(folder, destination) {
  const code = runNpm(["pack", "--ignore-scripts", "--pack-destination", destination, "--loglevel", "error"], { cwd: folder });
  if (code !== 0) throw new Failure(`npm pack of ${folder} failed with exit code ${code}.`, code);
}

function copyInto(folder, name) {
  const source = path.join(root, name);
  if (existsSync(source)) cpSync(source, path.join(folder, name), { recursive: true });
}

/** Packs from a copy, so that a failure half-way leaves the source folder as it was. */
function packPlatform(platform, binary, main, destination) {
  const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-pack-"));
  try {
    cpSync(path.join(root, "npm", platform), folder, { recursive: true });
    copyFileSync(binary, path.join(folder, addonName(platform)));
    copyInto(folder, "LICENSE");
    const target = /** @type {string} */ (Object.keys(PLATFORM_OF_TARGET).find((triple) => PLATFORM_OF_TARGET[triple] === platform));
    writeFileSync(path.join(folder, NOTICES), thirdPartyNotices(target));
    const manifest = readJson(path.join(folder, "package.json"));
    const shared = sharedMetadata(main);
    const repository = { ...shared.repository, directory: `npm/${platform}` };
    const published = { ...manifest, ...shared, repository, files: [...manifest.files, NOTICES] };
    writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
    npmPack(folder, destination);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function packWasm(main, destination) {
  const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-pack-"));
  const source = path.join(root, "wasm");
  try {
    const manifest = readJson(path.join(source, "package.json"));
    for (const name of [...manifest.files, "README.md"]) cpSync(path.join(source, name), path.join(folder, name), { recursive: true });
    copyInto(folder, "LICENSE");
    const shared = sharedMetadata(main);
    const repository = { ...shared.repository, directory: "wasm" };
    writeFileSync(
      path.join(folder, "package.json"),
      `${JSON.stringify({ ...withoutDevelopment(manifest), ...shared, repository }, null, 2)}\n`,
    );
    npmPack(folder, destination);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function packMain(manifest, platforms, destination) {
  const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-pack-"));
  try {
    for (const name of [...manifest.files, "README.md", "LICENSE"]) copyInto(folder, name);
    writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(publishedManifest(manifest, platforms), null, 2)}\n`);
    npmPack(folder, destination);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      all: { type: "boolean" },
      binary: { type: "string" },
      binaries: { type: "string" },
      out: { type: "string", default: path.join(root, "dist-packages") },
    },
  });
  const manifest = readJson(path.join(root, "package.json"));
  const destination = path.resolve(values.out);
  /** The file of a platform, where all are packed. */
  const given = (platform) =>
    values.binaries ? path.resolve(values.binaries, addonName(platform)) : path.join(root, "npm", platform, addonName(platform));
  let platforms;
  if (values.all) {
    platforms = PLATFORMS;
    const missing = platforms.filter((platform) => !existsSync(given(platform)));
    if (missing.length)
      throw new Failure(
        `These platforms have no binary in ${values.binaries ?? "npm/<platform>"}: ${missing.join(", ")}. See docs/release.md.`,
      );
  } else {
    platforms = [platformName()];
    if (!PLATFORMS.includes(platforms[0]))
      throw new Failure(`There is no package for ${platforms[0]}; there are: ${PLATFORMS.join(", ")}.`);
    if (!values.binary && isStale(releaseAddon)) buildRelease();
  }
  ensureUi();
  await ensureMcp();
  mkdirSync(destination, { recursive: true });
  for (const platform of platforms) {
    const binary = values.binary ? path.resolve(values.binary) : values.all ? given(platform) : releaseAddon;
    if (values.all && !values.binaries) checkLoads(platform, binary);
    packPlatform(platform, binary, manifest, destination);
    console.log(`  with ${addonName(platform)}, ${megabytes(binary)}`);
  }
  if (values.all && !values.binaries && isWasmStale()) await buildWasm();
  const withWasm = !isWasmStale();
  if (withWasm) packWasm(manifest, destination);
  packMain(manifest, platforms, destination);
  console.log(`Wrote ${platforms.length + 1 + Number(withWasm)} tarballs to ${path.relative(process.cwd(), destination) || "."}.`);
});
