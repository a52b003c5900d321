// Programs that some tests need and that are not of npm: one on the PATH, or else Debian's package, which is installed where the machine allows it.

import { accessSync, constants } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Failure, run } from "./tools.mjs";

function isRunnable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The path of a program on the PATH, if it is there.
 * @param {string} name
 */
export const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find(isRunnable);

/** Whether tests that need a program have to run: in continuous integration on Linux. Elsewhere they run where the program is. */
export const isRequired = Boolean(process.env.CI) && process.env.CI !== "false" && process.platform === "linux";

/**
 * Sees to it that there is a program, as far as that is possible; `find()` gives its path. Where it is required, its absence is a failure, and otherwise a line that begins with `skipped`.
 * @param {{ find: () => string | undefined | Promise<string | undefined>, debian: string, missing: string, about: string }} program `debian`: the package; `about`: what it is installed for
 * @returns {Promise<string | undefined>}
 */
export async function ensureProgram({ find, debian, missing, about }) {
  const known = await find();
  if (known) return known;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && onPath("apt-get")) {
    console.log(`Installing Debian's ${debian} ${about} ...`);
    run("apt-get", ["update", "-qq"]);
    run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", debian], { env: { DEBIAN_FRONTEND: "noninteractive" } });
    const installed = await find();
    if (installed) return installed;
  }
  if (isRequired) throw new Failure(missing);
  console.log(`skipped: ${missing}`);
  return undefined;
}
