// What lies beside some clones: the folder `../shared` (or the one that ROO_CONDENSE_SHARED names) with real conversations, recorded calls and measures.
// Tests that need it fail without it in continuous integration; elsewhere they are skipped, and their names say why.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "vitest";
import { root } from "../scripts/tools.mjs";

const shared = process.env.ROO_CONDENSE_SHARED ?? path.join(root, "..", "shared");
const inCi = Boolean(process.env.CI) && process.env.CI !== "false";

/** Calls `register` with the folders of `../shared` that have these names; without them it registers a test that fails or is skipped. */
export function withShared(names, register) {
  const folders = [names].flat().map((name) => path.join(shared, name));
  const missing = folders.find((folder) => !existsSync(folder));
  if (!missing) return register(...folders);
  const reason = `needs ${missing}, which is not there`;
  if (!inCi) return test.skip(`skipped: ${reason}`, () => {});
  test(reason, () => {
    throw new Error(`There is no ${missing}; in continuous integration it must be there.`);
  });
}

/** The conversations of a folder: { name, messages }. */
export function conversationsIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => ({ name, messages: JSON.parse(readFileSync(path.join(folder, name), "utf8")).messages }));
}
