// Builds the WebAssembly package into wasm/dist: the addon, and its JavaScript half with what it needs, bundled.
//
//   node scripts/build-wasm.mjs             builds what is missing or old: three minutes on two cores the first time
//   node scripts/build-wasm.mjs --force     builds it again

import { createRequire } from "node:module";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ensureUi } from "./build-ui.mjs";
import { bundledNotices, packagesIn, thirdPartyNotices } from "./notices.mjs";
import {
  Failure,
  ensureDependencies,
  ensureFolder,
  ensureRust,
  isProgram,
  isStale,
  main,
  megabytes,
  root,
  run,
  wasmAddon,
} from "./tools.mjs";

const TARGET = "wasm32-wasip1";
const folder = path.join(root, "wasm");
const dist = path.dirname(wasmAddon);
/** The page that needs no server of ours. */
const studio = path.join(dist, "studio");

/** What it may take, compressed as registries and web servers do it. */
const MAX_GZIP_BYTES = 4e6;

function ensureTarget() {
  if (run("rustup", ["target", "add", TARGET], { quiet: true }) === 0) return;
  throw new Failure(`Rust's target ${TARGET} is missing and could not be added: \`rustup target add ${TARGET}\`.`);
}

function compile() {
  const env = { EMNAPI_LINK_DIR: path.join(folder, "node_modules", "emnapi", "lib", TARGET) };
  const locked = process.env.CI ? ["--locked"] : [];
  const code = run("cargo", ["build", "--lib", "--target", TARGET, "--profile", "wasm", ...locked], { env });
  if (code !== 0) throw new Failure(`The build for WebAssembly failed with exit code ${code}; the compiler's message is above.`, code);
  return path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, "target"), TARGET, "wasm", "roo_condense.wasm");
}

const COMMON = /** @type {import("esbuild").BuildOptions & { metafile: true }} */ ({
  bundle: true,
  mainFields: ["module", "main"],
  target: "es2022",
  minify: true,
  metafile: true,
  absWorkingDir: folder,
});

/** The JavaScript half, for `require` and for `import`; the packages whose code is in it. */
async function bundle() {
  const { build } = await import("esbuild");
  const entryPoints = [path.join(folder, "src", "index.mjs")];
  const both = [
    await build({ ...COMMON, entryPoints, outfile: path.join(dist, "index.cjs"), format: "cjs", platform: "neutral" }),
    await build({ ...COMMON, entryPoints, outfile: path.join(dist, "index.mjs"), format: "esm", platform: "neutral" }),
  ];
  return both.flatMap(({ metafile }) => packagesIn(metafile, folder));
}

/** The studio as files for any web server: the page, and a worker that has the library in it; the packages whose code is in the worker. */
async function bundleStudio() {
  const { build } = await import("esbuild");
  const built = path.join(root, "ui", "dist");
  ensureUi();
  mkdirSync(studio, { recursive: true });
  const entryPoints = [path.join(folder, "src", "studio-worker.mjs")];
  const { metafile } = await build({ ...COMMON, entryPoints, outfile: path.join(studio, "worker.js"), format: "esm", platform: "browser" });
  const { pageOfWorker } = createRequire(import.meta.url)(path.join(root, "js", "studio", "html.js"));
  writeFileSync(path.join(studio, "index.html"), pageOfWorker("worker.js"));
  for (const name of readdirSync(path.join(built, "page"))) copyFileSync(path.join(built, "page", name), path.join(studio, name));
  copyFileSync(path.join(built, "THIRD-PARTY-NOTICES.txt"), path.join(studio, "THIRD-PARTY-NOTICES.txt"));
  return packagesIn(metafile, folder);
}

export async function buildWasm() {
  ensureDependencies();
  ensureRust();
  ensureFolder(folder);
  ensureTarget();
  const built = compile();
  mkdirSync(dist, { recursive: true });
  const packages = [...new Set([...(await bundle()), ...(await bundleStudio())])];
  const notices = [thirdPartyNotices(TARGET), bundledNotices("The JavaScript of roo-condense-wasm", packages)];
  writeFileSync(path.join(dist, "THIRD-PARTY-NOTICES.txt"), notices.join("\n"));
  copyFileSync(built, wasmAddon);
  const bytes = readFileSync(wasmAddon);
  const [gzip, brotli] = [gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
  console.log(
    `Built ${path.relative(root, wasmAddon)} (${megabytes(wasmAddon)}; ${(gzip / 1e6).toFixed(2)} MB with gzip, ${(brotli / 1e6).toFixed(2)} MB with brotli).`,
  );
  if (gzip > MAX_GZIP_BYTES)
    throw new Failure(`${path.relative(root, wasmAddon)} takes ${gzip} bytes with gzip; ${MAX_GZIP_BYTES} are allowed.`);
}

/** Whether the package is missing or older than what it is made from. */
export function isWasmStale() {
  const worker = path.join(studio, "worker.js");
  if (isStale(wasmAddon) || !existsSync(worker)) return true;
  // The worker has the library in it.
  const sources = [path.join(folder, "src"), path.join(root, "js"), path.join(root, "ui", "src")].flatMap((place) =>
    readdirSync(place, { recursive: true }).map((name) => path.join(place, String(name))),
  );
  return statSync(worker).mtimeMs < Math.max(...sources.map((file) => statSync(file).mtimeMs));
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { force: { type: "boolean" } } });
    if (values.force || isWasmStale()) await buildWasm();
  });
}
