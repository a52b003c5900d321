// What is made from one definition is as that says.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, test } from "vitest";
import { GENERATED } from "../../scripts/generate.mjs";
import { root } from "../../scripts/tools.mjs";

const require = createRequire(import.meta.url);

test.each(GENERATED)("$file is as `npm run generate` writes it", ({ file, write }) => {
  const text = readFileSync(path.join(root, file), "utf8");
  expect(write(text)).toBe(text);
});

test("the forms of markers that JavaScript writes are those of the addon", () => {
  const native = require("../../js/native.js");
  expect(require("../../js/markers.js")).toEqual(JSON.parse(native.markers()));
});

test("every factory has its types, and every type of a factory its provider", () => {
  const native = require("../../js/native.js");
  const factories = JSON.parse(native.builtInProviders()).map(({ factory }) => factory);
  const declared = readFileSync(path.join(root, "types/factories.d.ts"), "utf8").matchAll(/^export function (\w+)/gm);
  expect([...declared].map(([, name]) => name).filter((name) => !factories.includes(name))).toEqual([]);
  const types = readFileSync(path.join(root, "index.d.ts"), "utf8");
  const files = [...types.matchAll(/from "\.\/(types\/[\w-]+)\.js"/g)].map(([, file]) =>
    readFileSync(path.join(root, `${file}.d.ts`), "utf8"),
  );
  for (const factory of factories)
    expect(
      files.some((text) => text.includes(`export function ${factory}`)),
      `${factory} is declared in no file of types that index.d.ts exports`,
    ).toBe(true);
});
