// What has a lockfile of its own installs from it, on every platform: npm stops where one of the packages for another platform is missing in it.

import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readJson, root } from "../../scripts/tools.mjs";

const folders = [".", "site", path.join("examples", "vscode-extension"), path.join("__test__", "install"), "wasm"].filter((folder) =>
  readdirSync(path.join(root, folder)).includes("package-lock.json"),
);

test("there are several", () => expect(folders.length).toBeGreaterThan(2));

test.each(folders)("%s", (folder) => {
  const { packages } = readJson(path.join(root, folder, "package-lock.json"));
  for (const own of ["", ...(packages[""].workspaces ?? [])]) {
    const { devDependencies = {}, dependencies = {} } = readJson(path.join(root, folder, own, "package.json"));
    expect({ ...packages[own].devDependencies, ...packages[own].dependencies }, own).toEqual({ ...devDependencies, ...dependencies });
  }
  const names = new Set(Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, "")));
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !names.has(name))
      .map((name) => `${place}: ${name}`),
  );
  expect(missing).toEqual([]);
});
