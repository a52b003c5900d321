// The workspaces of package.json and the core import of each other what is exported, and no more (docs/architecture.md).

import path from "node:path";
import { expect, test } from "vitest";
import { crossings, crossingsIn, faultOf, importsIn, isExported, packages } from "../../scripts/borders.mjs";
import { circles } from "../../scripts/imports.mjs";
import { readJson, root } from "../../scripts/tools.mjs";

const known = packages();
const all = crossings(known);
const { workspaces, exports: entries, bin } = readJson(path.join(root, "package.json"));

/** The files that users of the published package reach. */
const published = [entries, bin].flatMap(function targets(value) {
  return typeof value === "string" ? [path.posix.join("", value)] : Object.values(value).flatMap(targets);
});

test("every import across a border is declared, in both directions", () => {
  expect(all.length).toBeGreaterThan(300);
  expect(all.map(faultOf).filter(Boolean)).toEqual([]);
});

test("no package stands on itself through another, and the core on none", () => {
  const graph = new Map(known.map(({ name }) => [name, new Set()]));
  for (const { user, owner } of all) if (owner) graph.get(user.name).add(owner.name);
  expect(circles(graph)).toEqual([]);
  expect([...graph.get("")]).toEqual([]);
});

test("nothing is exported that nobody imports", () => {
  const used = [...all.filter(({ owner }) => owner).map(({ to }) => to), ...published];
  const idle = known.flatMap((one) => one.exports.filter((file) => !used.some((each) => isExported(each, { exports: [file] }))));
  expect(idle).toEqual([]);
});

test("what the published package exports of a workspace, that exports", () => {
  const within = published.flatMap((file) => known.filter(({ folder }) => file.startsWith(`${folder}/`)).map((one) => [file, one]));
  expect(new Set(within.map(([, { folder }]) => folder))).toEqual(new Set(workspaces.filter((folder) => folder !== "js/studio")));
  expect(within.filter(([file, one]) => !isExported(file, one)).map(([file]) => file)).toEqual([]);
});

test("imports are read in every form", () => {
  const text = `
    import a from "./a.js"; export { b } from "./b.js"; import type { C } from "./c.js";
    const d = require("./d.js"); const e = () => import("./e.js");
    /** @param {import("./f.js").F} f */
    const g = () => path.join(__dirname, "..", "g", "h.js");`;
  const found = ["a", "b", "c", "d", "e", "f"].map((name) => `./${name}.js`);
  expect(importsIn(text).sort()).toEqual([...found, "./../g/h.js"].sort());
});

test.each([
  ["js/cli/main.js", 'require("../native.js");', "js/native.js is not exported by the core"],
  ["js/cli/main.js", 'require("../studio/host.js");', "js/studio/host.js is not exported by @roo-condense/studio"],
  ["js/cli/main.js", 'require("../roo/index.js");', "@roo-condense/roo is not among the dependencies of @roo-condense/cli"],
  ["js/cli/main.js", 'require("semver");', "semver is not among the dependencies of @roo-condense/cli"],
  ["js/cli/main.js", 'const sdk = path.join(__dirname, "..", "native.js");', "js/native.js is not exported by the core"],
  ["js/roo/guard.js", '/** @type {import("../manager.js").ManagerState} */', undefined],
  ["js/roo/guard.js", '/** @type {import("../call.js").Call} */', "js/call.js is not exported by the core"],
  ["js/roo/guard.js", 'require("#native");', "#native is a name of the core alone"],
  ["js/studio/host.js", 'require("../cli/exit-codes.js");', "@roo-condense/cli is not among the dependencies of @roo-condense/studio"],
  ["js/manager.js", 'require("./roo/index.js");', "@roo-condense/roo is not among the dependencies of the core"],
  ["js/manager.js", 'require("./roo/guard.js");', "js/roo/guard.js is not exported by @roo-condense/roo"],
  ["js/integrations/openai.js", 'require("../cli/run.js");', "js/cli/run.js is not exported by @roo-condense/cli"],
  ["index.js", 'require("./js/studio/kept.js");', undefined],
  ["index.js", 'require("./js/studio/proof.js");', "js/studio/proof.js is not exported by @roo-condense/studio"],
  ["ui/src/client.ts", 'import "../../js/studio/host.js";', "js/studio/host.js is not exported by @roo-condense/studio"],
  ["ui/src/client.ts", 'import type { Api } from "../../js/native.js";', "js/native.js is not exported by the core"],
  ["js/studio/host.js", 'import("../../ui/src/client.js");', "ui/src/client.ts is not exported by @roo-condense/ui"],
  ["wasm/src/index.mjs", 'import "../../js/cli/run.js";', "js/cli/run.js is not exported by @roo-condense/cli"],
])("%s with %s", (file, text, fault) => {
  const found = crossingsIn(file, text);
  expect(found).toHaveLength(1);
  expect(faultOf(found[0])).toBe(fault && `${file}: ${fault}`);
});
