// Which files of src know which: read from the `use` lines, and from paths written out. Re-exports are followed to the file that has the name; what a `mod.rs` only
// hands on it does not know.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "./tools.mjs";

const source = path.join(root, "src");
const PATH = /\buse\s+((?:crate|super|self)\b[^;]*);/g;
const HANDED_ON = /\bpub(?:\([^)]*\))?\s+use\s+((?:crate|super|self)\b[^;]*);/g;

/** A file as the path of its module: `providers/smart/mod.rs` is `providers::smart`. */
const moduleOf = (file) =>
  file
    .replace(/\.rs$/, "")
    .split("/")
    .filter((part, at, all) => !(at === all.length - 1 && (part === "mod" || part === "lib")))
    .join("::");

/** Files that are not part of the product. */
const isTest = (file) => /(^|\/)(tests|fuzzing)(\/|\.rs$)/.test(file);

/** The source without comments, tests, and visibilities that name a module. */
const codeOf = (text) =>
  text
    .split("#[cfg(test)]\nmod tests {")[0]
    .replace(/\/\/[^\n]*/g, "")
    .replace(/pub\(in [^)]*\)/g, "pub");

/** The paths in a tree such as `crate::{a::B, c::{D, E}}`. */
function pathsIn(tree) {
  const found = /^([^{]*)\{(.*)\}$/s.exec(tree.trim());
  if (!found) return [tree.trim().replace(/\s+as\s+\w+$/, "")];
  const [, before, inner] = found;
  const parts = [""];
  let depth = 0;
  for (const character of inner) {
    depth += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.filter((part) => part.trim() !== "").flatMap((part) => pathsIn(before + part.trim()));
}

/** A path from the root of the crate. */
function absolute(written, from) {
  const steps = written.split("::").map((step) => step.trim());
  let place = from === "" ? [] : from.split("::");
  if (steps[0] === "crate") place = [];
  if (steps[0] === "crate" || steps[0] === "self") steps.shift();
  for (; steps[0] === "super"; steps.shift()) place = place.slice(0, -1);
  return [...place, ...steps];
}

/** For each module of src the modules that it knows. */
export function imports() {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".rs") && !isTest(file));
  const codes = new Map(files.map((file) => [moduleOf(file), codeOf(readFileSync(path.join(source, file), "utf8"))]));
  const moduleAt = (steps) => {
    for (let length = steps.length; length > 0; length--) if (codes.has(steps.slice(0, length).join("::"))) return length;
    return 0;
  };
  const handedOn = new Map();
  for (const [module, code] of codes)
    for (const [, tree] of code.matchAll(HANDED_ON))
      for (const steps of pathsIn(tree).map((written) => absolute(written, module)))
        handedOn.set(`${module}::${steps.at(-1)}`, steps.slice(0, moduleAt(steps)).join("::"));
  /** The module that has what a path names. */
  const home = (steps) => {
    const length = moduleAt(steps);
    let module = steps.slice(0, length).join("::");
    for (let hops = 0; hops < 9 && handedOn.has(`${module}::${steps[length]}`); hops++)
      module = handedOn.get(`${module}::${steps[length]}`);
    return module;
  };
  const known = new Map();
  for (const [module, whole] of codes) {
    const code = whole.replace(HANDED_ON, "");
    const trees = [...code.matchAll(PATH)].flatMap(([, tree]) => pathsIn(tree));
    const written = [...code.replace(PATH, "").matchAll(/\bcrate(?:::\w+)+/g)].map(([text]) => text);
    const homes = [...trees, ...written].map((text) => home(absolute(text, module))).filter((other) => other !== module && other !== "");
    known.set(module, new Set(homes));
  }
  return known;
}

/** The folder, or the file, of src that a module is in. */
export const folderOf = (module) => module.split("::")[0];

/** For each folder of src the others that it knows. */
export function folders() {
  const known = new Map();
  for (const [module, others] of imports()) {
    if (module === "") continue;
    const folder = folderOf(module);
    const set = known.get(folder) ?? new Set();
    for (const other of others) if (folderOf(other) !== folder) set.add(folderOf(other));
    known.set(folder, set);
  }
  return known;
}

/** Groups of modules that know each other in a circle, the largest first (Tarjan). */
export function circles(known) {
  const state = new Map();
  const stack = [];
  const found = [];
  const visit = (module) => {
    const own = { at: state.size, low: state.size, isOpen: true };
    state.set(module, own);
    stack.push(module);
    for (const other of known.get(module) ?? []) {
      if (!state.has(other)) own.low = Math.min(own.low, visit(other).low);
      else if (state.get(other).isOpen) own.low = Math.min(own.low, state.get(other).at);
    }
    if (own.low === own.at) {
      const group = stack.splice(stack.indexOf(module));
      for (const each of group) state.get(each).isOpen = false;
      if (group.length > 1) found.push(group.sort());
    }
    return own;
  };
  for (const module of known.keys()) if (!state.has(module)) visit(module);
  return found.sort((one, other) => other.length - one.length);
}

/** The table of docs/architecture.md: the rows about folders of src, from bottom to top, and what all may use. */
export function layers(page) {
  const rows = [...page.matchAll(/^\| `src\/(\w+)(?:\.rs)?` \| .*? \| (.*?) \|$/gm)].map(([, name, knows]) => ({ name, knows }));
  const below = page.slice(page.indexOf("All may use"), page.indexOf("These know each other alone"));
  const shared = [...below.matchAll(/`src\/(\w+)(?:\.rs)?`/g)].map(([, name]) => name);
  const told = rows.map(({ name, knows }, at) => ({
    name,
    knows: knows === "all above" ? rows.slice(0, at).map((row) => row.name) : [...knows.matchAll(/`(\w+)`/g)].map(([, other]) => other),
    isAll: knows === "all above",
  }));
  return { rows: told, shared };
}
