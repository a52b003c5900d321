// The folders of src know what the table of docs/architecture.md says, and no more.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { circles, folders, imports, layers } from "../../scripts/imports.mjs";
import { root } from "../../scripts/tools.mjs";

const { rows, shared } = layers(readFileSync(path.join(root, "docs", "architecture.md"), "utf8"));
const known = folders();

test("every folder has its row, or is for all", () => {
  expect([...rows.map(({ name }) => name), ...shared].sort()).toEqual([...known.keys()].sort());
});

test.each(rows.filter(({ isAll }) => !isAll))("$name knows what its row says", ({ name, knows }) => {
  expect([...known.get(name)].filter((other) => !shared.includes(other)).sort()).toEqual([...knows].sort());
});

test("nothing knows what stands above it", () => {
  const order = rows.map(({ name }) => name);
  const up = rows.flatMap(({ name, knows }) =>
    knows.filter((other) => order.indexOf(other) >= order.indexOf(name)).map((other) => `${name} -> ${other}`),
  );
  expect(up).toEqual([]);
  for (const name of shared)
    expect(
      [...known.get(name)].filter((other) => !shared.includes(other)),
      name,
    ).toEqual([]);
});

test("no folders know each other in a circle, and within one no more than three files", () => {
  expect(circles(known)).toEqual([]);
  expect(circles(imports()).filter((circle) => circle.length > 3)).toEqual([]);
});
