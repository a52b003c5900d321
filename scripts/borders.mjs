// Borders of the workspaces in package.json. Each exports modules in its own manifest; the core, which is all else of the published package, does so in
// `exportsToWorkspaces`. All of it is published as one package, so imports across a border are relative paths, and no resolver would refuse a wrong one.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { readJson, root } from "./tools.mjs";

const { preProcessFile } = createRequire(import.meta.url)("typescript");

/** Folders and files of the product: the published package, and the code of the other one (`wasm`). */
const PRODUCT = ["index.js", "index.d.ts", "js", "types", path.join("ui", "src"), path.join("wasm", "src")];
const CODE = /\.(?:[cm]?js|tsx?)$/;
/** Types in comments, and paths to be loaded later that are put together from the folder of the module. */
const IN_COMMENTS = /\bimport\("([^"]+)"\)\./g;
const JOINED = /\bpath\.join\(__dirname, ((?:"[^"]*"(?:, )?)+)\)/g;

const posix = (file) => file.replaceAll("\\", "/");

/** Files of the product, by path from the root. What a build writes (`js/cli/mcp-sdk`) is not read. */
function files() {
  const all = PRODUCT.flatMap((place) => {
    if (CODE.test(place)) return [place];
    return readdirSync(path.join(root, place), { recursive: true, encoding: "utf8" }).map((name) => path.join(place, name));
  });
  return all.map(posix).filter((file) => CODE.test(file) && !file.startsWith("js/cli/mcp-sdk/"));
}

/** Everything that a source imports, as it is written. */
export function importsIn(text) {
  const written = preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const inComments = [...text.matchAll(IN_COMMENTS)].map(([, from]) => from);
  const joined = [...text.matchAll(JOINED)].map(([, parts]) => `./${[...parts.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join("/")}`);
  return [...new Set([...written, ...inComments, ...joined])];
}

/** The file that a relative import means: TypeScript has other endings than the JavaScript that it becomes. */
function fileOf(from, written) {
  const file = path.posix.join(path.posix.dirname(from), written);
  const stem = file.replace(/\.js$/, "");
  return [file, `${stem}.d.ts`, `${stem}.ts`, `${stem}.tsx`].find((each) => existsSync(path.join(root, each))) ?? file;
}

const targetsOf = (target) => (typeof target === "string" ? [target] : Object.values(target).flatMap(targetsOf));
const joined = (folder, file) => path.posix.join(folder, file);

/** The packages: folder, name, the modules that others may import, and the packages that it names. The core has no name and no folder. */
export function packages() {
  const manifest = readJson(path.join(root, "package.json"));
  const workspaces = manifest.workspaces.map((folder) => {
    const {
      name,
      exports,
      dependencies = {},
      devDependencies = {},
      peerDependencies = {},
    } = readJson(path.join(root, folder, "package.json"));
    const known = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
    return { folder, name, exports: targetsOf(exports).map((file) => joined(folder, file)), known };
  });
  const lent = manifest.exportsToWorkspaces.map((file) => joined("", file));
  const core = { folder: "", name: "", exports: [...lent, "package.json"], known: Object.keys(manifest.peerDependencies) };
  // The package of its own, which bundles what it imports; and the entrance that puts the parts together.
  const { devDependencies } = readJson(path.join(root, "wasm", "package.json"));
  const wasm = { folder: "wasm", name: "wasm", exports: [], known: [...Object.keys(devDependencies), "@roo-condense/cli", "index.js"] };
  const entrance = { folder: "index.js", name: "index.js", exports: ["index.js"], known: ["@roo-condense/studio"] };
  return [...workspaces, wasm, entrance, core];
}

/** Whether a package exports a file. `types/*` stands for all files there, and the folder; the types of a module go with it. */
export const isExported = (file, { exports }) =>
  exports.some((each) =>
    each.endsWith("/*") ? `${file}/`.startsWith(each.slice(0, -1)) : each === file || each.replace(/\.js$/, ".d.ts") === file,
  );

/** The package that a file belongs to. */
const ownerOf = (all, file) => all.find(({ folder }) => folder === "" || file === folder || file.startsWith(`${folder}/`));

/** The imports in a file across a border: `{ from, to }` the files, `user` and `owner` the packages. A package of others has no owner. */
export function crossingsIn(from, text, all = packages()) {
  const user = ownerOf(all, from);
  return importsIn(text).flatMap((written) => {
    if (!written.startsWith(".")) return [{ from, to: written, user, owner: undefined }];
    const to = fileOf(from, written);
    const owner = ownerOf(all, to);
    return owner === user ? [] : [{ from, to, user, owner }];
  });
}

/** Returns the imports across borders in all files of the product. */
export function crossings(all = packages()) {
  return files().flatMap((file) => crossingsIn(file, readFileSync(path.join(root, file), "utf8"), all));
}

/** The package of an import such as `@scope/name/file.js`. */
const packageIn = (written) => /^(?:@[^/]+\/)?[^/]+/.exec(written)?.[0] ?? written;

/** Says what is wrong with an import across a border; undefined if it is as declared. */
export function faultOf({ from, to, user, owner }) {
  if (owner === undefined) {
    if (isBuiltin(to)) return undefined;
    // Names in `imports` of package.json are those of the nearest manifest, which here is another than in the published package.
    if (to.startsWith("#")) return user.folder === "" ? undefined : `${from}: ${to} is a name of the core alone`;
    return user.known.includes(packageIn(to))
      ? undefined
      : `${from}: ${packageIn(to)} is not among the dependencies of ${user.name || "the core"}`;
  }
  if (!isExported(to, owner)) return `${from}: ${to} is not exported by ${owner.name || "the core"}`;
  // Every workspace stands on the core.
  if (owner.folder === "" || user.known.includes(owner.name)) return undefined;
  return `${from}: ${owner.name} is not among the dependencies of ${user.name || "the core"}`;
}
