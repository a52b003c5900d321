// Builds the studio into ui/dist, each part once:
//
//   index.js              `roo-condense/ui`: gives the components the host's React (host.js), and exports them
//   page/components.js    the components; they take React from react.js
//   page/react.js         the React that somebody has given
//   page/studio.js        the page: gives the components the React that is bundled here
//   page/studio.css, *.d.ts
//
//   node scripts/build-ui.mjs             builds what is missing or old
//   node scripts/build-ui.mjs --force     builds it again

import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
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
  ...["js/studio/protocol.js", "js/studio/readers.js", "js/studio/readers.d.ts", "scripts/build-ui.mjs", "package-lock.json"].map((name) =>
    path.join(root, name),
  ),
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

/** Types of the components from their sources, and beside them those of the protocol, which come from JavaScript. */
function buildTypes() {
  const written = path.join(root, "target", "ui-types");
  const args = ["--project", path.join(root, "ui", "tsconfig.json"), "--noEmit", "false", "--emitDeclarationOnly", "--declaration"];
  const places = ["--incremental", "false", "--rootDir", root, "--outDir", written];
  rmSync(written, { recursive: true, force: true });
  const code = runNode(commandOf("typescript", "tsc"), [...args, ...places]);
  if (code !== 0) throw new Failure("The types of the studio could not be written; the compiler's message is above.", code);
  cpSync(path.join(written, "ui", "src"), dist, { recursive: true });
  const types = path.join(dist, "types.d.ts");
  writeFileSync(types, readFileSync(types, "utf8").replace("../../js/studio/protocol.js", "./protocol.js"));
  const readers = "../../js/studio/readers.js";
  const protocol = readFileSync(path.join(written, "js", "studio", "protocol.d.ts"), "utf8")
    .replaceAll('import("./readers.js").', "readers.")
    .replaceAll("./readers.js", readers);
  writeFileSync(path.join(dist, "protocol.d.ts"), `import type * as readers from "${readers}";\n${protocol}`);
}

/** The React of whoever shows the components: a page has its own bundled, a host has one already, and two of them in a page do not work. */
async function writeReact() {
  const modules = await Promise.all(["react", "react-dom", "react/jsx-runtime"].map((name) => import(name)));
  const names = new Set(
    modules.flatMap((module) => Object.keys(module)).filter((name) => /^[a-zA-Z]\w*$/.test(name) && name !== "default"),
  );
  const list = [...names].sort().join(", ");
  writeFileSync(
    path.join(page, "react.js"),
    `export let ${list};\nexport function provide(...modules) {\n\t({ ${list} } = Object.assign({}, ...modules));\n}\n`,
  );
  writeFileSync(
    path.join(dist, "host.js"),
    'import * as React from "react";\nimport * as ReactDOM from "react-dom";\nimport * as jsxRuntime from "react/jsx-runtime";\nimport { provide } from "./page/react.js";\n\nprovide(React, ReactDOM, jsxRuntime);\n',
  );
  // In this order: the components need React as soon as they are loaded.
  writeFileSync(path.join(dist, "index.js"), 'import "./host.js";\nexport * from "./page/components.js";\n');
}

/** Leaves a module to the file beside the built one, whatever it is called by. */
const beside = (/** @type {RegExp} */ pattern, /** @type {string} */ file) => ({
  name: `beside ${file}`,
  enforce: /** @type {const} */ ("pre"),
  resolveId: (/** @type {string} */ id) => (pattern.test(id) ? { id: file, external: true } : undefined),
});

async function buildUi() {
  ensureDependencies();
  process.env.NODE_ENV = "production";
  const { build } = await import("vite");
  const options = await optionsOf();
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(page, { recursive: true });
  const both = { outDir: page, emptyOutDir: false, target: "es2022" };
  await build({
    ...options,
    plugins: [...options.plugins, beside(/^react($|\/)|^react-dom($|\/)/, "./react.js")],
    build: {
      ...both,
      lib: { entry: path.join(source, "components.ts"), formats: ["es"], fileName: () => "components.js", cssFileName: "studio" },
    },
  });
  await build({
    ...options,
    plugins: [...options.plugins, beside(/^\.\/react\.js$/, "./react.js")],
    build: {
      ...both,
      rolldownOptions: { input: path.join(source, "page.tsx"), output: { entryFileNames: "studio.js" } },
      modulePreload: false,
    },
  });
  await writeReact();
  buildTypes();
  writeFileSync(path.join(dist, "THIRD-PARTY-NOTICES.txt"), notices());
  writeFileSync(done, `${JSON.stringify({ type: "module" })}\n`);
  const [parts, own] = ["components.js", "studio.js"].map((name) => megabytes(path.join(page, name)));
  console.log(`Built the studio: components ${parts}, page ${own} more.`);
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
