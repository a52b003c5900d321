// The browser that the tests of the studio are run in: a Chromium on the PATH, one of Playwright's own, or else Debian's package, which is installed where
// the machine allows it.
//
//   node scripts/browser.mjs      prints its path, and installs it when there is none

import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Failure, isProgram, main, run } from "./tools.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MISSING = "The browser tests need Chromium, and there is none: put one on the PATH, or set ROO_CONDENSE_CHROMIUM to it.";

function isRunnable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find(isRunnable);

async function ofPlaywright() {
  try {
    const { chromium } = await import(/** @type {string} */ ("playwright-core"));
    const file = chromium.executablePath();
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** The path of a Chromium; undefined where there is none. */
export async function findBrowser() {
  const given = process.env.ROO_CONDENSE_CHROMIUM;
  return given || NAMES.map(onPath).find(Boolean) || (await ofPlaywright());
}

/** Whether the browser tests have to run: in continuous integration on Linux, for whose fonts the pictures are. Elsewhere they run where there is a Chromium. */
export const isRequired = Boolean(process.env.CI) && process.env.CI !== "false" && process.platform === "linux";

/** Sees to it that there is one, as far as that is possible. */
export async function ensureBrowser() {
  const known = await findBrowser();
  if (known) return known;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && onPath("apt-get")) {
    console.log("Installing Debian's chromium for the browser tests (half a minute) ...");
    run("apt-get", ["update", "-qq"]);
    run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], { env: { DEBIAN_FRONTEND: "noninteractive" } });
    const installed = await findBrowser();
    if (installed) return installed;
  }
  if (isRequired) throw new Failure(MISSING);
  console.log(`skipped: ${MISSING}`);
  return undefined;
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const browser = await ensureBrowser();
    if (browser) console.log(browser);
  });
}
