// Builds the studio into ui/dist: the components as ES modules with a stylesheet and types, and the page with all that it needs.
//
//   node scripts/build-ui.mjs             builds what is missing or old
//   node scripts/build-ui.mjs --force     builds it again

import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundledNotices } from "./notices.mjs";
import { Failure, commandOf, ensureDependencies, isProgram, main, megabytes, readJson, root, runNode } from "./tools.mjs";

const source = path.join(root, "ui", "src");
const dist = path.join(root, "ui", "dist");
const page = path.join(dist, "page");
/** Written last, so that its time is that of the build. */
const done = path.join(dist, "package.json");

/** What the build is made from. */
const sources = () => [
  ...readdirSync(source, { recursive: true }).map((name) => path.join(source, String(name))),
  ...["js/studio/protocol.js", "scripts/build-ui.mjs", "package-lock.json"].map((name) => path.join(root, name)),
];

const isUiStale = () => !existsSync(done) || statSync(done).mtimeMs < Math.max(...sources().map((file) => statSync(file).mtimeMs));

/** The packages that are bundled, with the files of each, as they come up while it is built. */
const bundled = new Map();

/** Takes down whose code goes into a bundle. */
const noting = {
  name: "note-packages",
  generateBundle(_, chunks) {
    for (const chunk of Object.values(chunks)) {
      for (const id of Object.keys(chunk.modules ?? {})) {
        const [, folder] = /^\0?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/")) ?? [];
        if (folder !== undefined) bundled.set(folder, readJson(path.join(folder, "package.json")));
      }
    }
  },
};

/** The licences of what is bundled: most ask for their text to go along. */
function notices() {
  const packages = [...bundled].sort(([, one], [, other]) => one.name.localeCompare(other.name));
  return bundledNotices(
    "The studio of roo-condense",
    packages.map(([folder]) => folder),
  );
}

/** By name, because the types of the scripts are also checked where only some of the dependencies are installed. */
const plugin = async (/** @type {string} */ name) => (await import(name)).default();

const optionsOf = async () => {
  return {
    root: path.join(root, "ui"),
    configFile: /** @type {false} */ (false),
    logLevel: /** @type {"warn"} */ ("warn"),
    plugins: [await plugin("@vitejs/plugin-react"), await plugin("@tailwindcss/vite"), noting],
    define: { "process.env.NODE_ENV": '"production"' },
  };
};

/** Types of the components, from their sources. */
function buildTypes() {
  const args = ["--project", path.join(root, "ui", "tsconfig.json"), "--noEmit", "false", "--emitDeclarationOnly", "--declaration"];
  const places = ["--incremental", "false", "--rootDir", source, "--outDir", dist];
  const code = runNode(commandOf("typescript", "tsc"), [...args, ...places]);
  if (code !== 0) throw new Failure("The types of the studio could not be written; the compiler's message is above.", code);
}

async function buildUi() {
  ensureDependencies();
  process.env.NODE_ENV = "production";
  const { build } = await import("vite");
  const options = await optionsOf();
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(page, { recursive: true });
  await build({
    ...options,
    build: {
      outDir: dist,
      emptyOutDir: false,
      // The host's React: two of them in a page do not work.
      rolldownOptions: { external: [/^react($|\/)/, /^react-dom($|\/)/] },
      lib: { entry: path.join(source, "bundle.ts"), formats: ["es"], fileName: () => "index.js", cssFileName: "style" },
      target: "es2022",
    },
  });
  await build({
    ...options,
    build: {
      outDir: page,
      emptyOutDir: false,
      // One file each, because a report holds them.
      cssCodeSplit: false,
      rolldownOptions: {
        input: path.join(source, "page.tsx"),
        output: { entryFileNames: "studio.js", assetFileNames: "studio[extname]" },
      },
      modulePreload: false,
      target: "es2022",
    },
  });
  buildTypes();
  writeFileSync(path.join(dist, "THIRD-PARTY-NOTICES.txt"), notices());
  writeFileSync(done, `${JSON.stringify({ type: "module" })}\n`);
  console.log(`Built the studio: page ${megabytes(path.join(page, "studio.js"))}.`);
}

/** Builds it where that is needed, in a process of its own: React is compiled for the `NODE_ENV` that it finds, and that of tests is another. */
export function ensureUi() {
  if (!isUiStale()) return;
  const code = runNode(fileURLToPath(import.meta.url), [], { env: { NODE_ENV: "production" } });
  if (code !== 0) throw new Failure("The studio could not be built; the message is above.", code);
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { force: { type: "boolean" } } });
    if (values.force || isUiStale()) await buildUi();
  });
}
