// The licences of the crates that are linked into the addon: most ask for their text to go along with the binary.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { Failure, readJson, root } from "./tools.mjs";

const LICENCE_FILE = /^(licen[cs]e|copying|notice|copyright|unlicense)/i;

/** Crates that come without the text of their licence, and where it stands: the command line of napi-rs is from the same repository and has the same. */
const TEXT_ELSEWHERE = {
  napi: path.join(root, "node_modules", "@napi-rs", "cli"),
  "napi-sys": path.join(root, "node_modules", "@napi-rs", "cli"),
};

function cargoMetadata(target) {
  const { status, stdout, stderr } = spawnSync("cargo", ["metadata", "--format-version", "1", "--filter-platform", target], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: Infinity,
  });
  if (status !== 0) throw new Failure(`cargo metadata failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/** The crates the addon is linked with on a target, without itself, sorted by name. */
function linkedCrates(target) {
  const { packages, resolve } = cargoMetadata(target);
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const crates = new Map(packages.map((crate) => [crate.id, crate]));
  const isMacro = (id) => crates.get(id).targets.some((built) => built.kind.includes("proc-macro"));
  const reached = new Set([resolve.root]);
  // A set visits what is added while it is walked.
  for (const id of reached) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      // Build scripts, macros and what the tests use leave nothing in the binary but generated code.
      if (kinds.some(({ kind }) => kind === null) && !isMacro(pkg)) reached.add(pkg);
    }
  }
  reached.delete(resolve.root);
  return [...reached].map((id) => crates.get(id)).sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));
}

/** The licence files of a crate, those of foreign code within it too, such as the C sources of an allocator: `{ where, text }`. */
function licenceTexts({ name, manifest_path: manifest }) {
  const folder = TEXT_ELSEWHERE[name] ?? path.dirname(manifest);
  return readdirSync(folder, { withFileTypes: true, recursive: TEXT_ELSEWHERE[name] === undefined })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map(({ parentPath, name: file }) => ({
      where: path.relative(folder, parentPath).replaceAll(path.sep, "/"),
      text: readFileSync(path.join(parentPath, file), "utf8").replaceAll("\r\n", "\n").trim(),
    }))
    .sort((one, other) => one.where.localeCompare(other.where));
}

/**
 * The text of the notices for a Rust target triple; each distinct licence text once, under the crates it is for.
 * @param {string} target
 * @returns {string}
 */
export function thirdPartyNotices(target) {
  const cratesOfText = new Map();
  const crates = linkedCrates(target);
  const withoutText = [];
  for (const crate of crates) {
    const texts = licenceTexts(crate);
    if (texts.length === 0) withoutText.push(`${crate.name} ${crate.version}`);
    for (const { where, text } of texts) {
      const name = `${crate.name} ${crate.version}${where && ` (${where})`}`;
      cratesOfText.set(text, [...(cratesOfText.get(text) ?? []), name]);
    }
  }
  if (withoutText.length > 0) {
    throw new Failure(
      `These crates come without the text of their licence: ${withoutText.join(", ")}. Say in scripts/notices.mjs where it stands.`,
    );
  }
  const list = crates.map(
    ({ name, version, license, repository }) => `- ${name} ${version}: ${license ?? "see below"}${repository ? `, ${repository}` : ""}`,
  );
  // Linked into every Rust program, and no crate of the lockfile.
  list.push("- the standard library of Rust: MIT OR Apache-2.0 (whose text is in LICENSE), https://github.com/rust-lang/rust");
  const texts = [...cratesOfText].map(([text, names]) => `${"=".repeat(80)}\n${names.join(", ")}\n${"=".repeat(80)}\n\n${text}`);
  return `The binary of roo-condense contains these Rust crates, under the licences named, whose texts follow.\n\n${list.join("\n")}\n\n${texts.join("\n\n")}\n`;
}

/**
 * The same for packages of npm whose code is bundled; `folders` are theirs.
 * @param {string} what
 * @param {string[]} folders
 */
export function bundledNotices(what, folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = readJson(path.join(folder, "package.json"));
    const file = readdirSync(folder).find((each) => LICENCE_FILE.test(each));
    const text = file ? readFileSync(path.join(folder, file), "utf8").trim() : `Licence: ${license}`;
    return `${"=".repeat(80)}\n${name} ${version} (${license})\n${"=".repeat(80)}\n\n${text}`;
  });
  return `${what} contains these packages, under the licences that follow.\n\n${texts.join("\n\n")}\n`;
}

/** The folders of the packages whose code is in a bundle that esbuild made in a folder. */
export function packagesIn({ inputs }, folder) {
  const found = Object.keys(inputs).flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(found)].sort().map((name) => path.resolve(folder, name));
}
