// What lies beside some clones: the folder `../shared` with real conversations, recorded calls and measures. Tests that need it are skipped where it is missing,
// and say so. ROO_CONDENSE_SHARED names the folder and requires it: without what is needed in it, they fail.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "vitest";
import { root } from "../scripts/tools.mjs";

const required = process.env.ROO_CONDENSE_SHARED;
const shared = required || path.join(root, "..", "shared");

/** Calls `register` with the folders of `../shared` that have these names; without them it registers a test that fails or is skipped. */
export function withShared(names, register) {
  const folders = [names].flat().map((name) => path.resolve(root, shared, name));
  const missing = folders.find((folder) => !existsSync(folder));
  if (!missing) return register(...folders);
  if (!required) return test.skip(`skipped: there is no ${missing}`, () => {});
  test(`needs ${missing}`, () => {
    throw new Error(`There is no ${missing}, and ROO_CONDENSE_SHARED=${required} requires it.`);
  });
}

/** The conversations of a folder: { name, messages }. */
export function conversationsIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => ({ name, messages: JSON.parse(readFileSync(path.join(folder, name), "utf8")).messages }));
}
