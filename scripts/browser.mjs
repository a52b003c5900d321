// The browser that the tests of the studio are run in: a Chromium on the PATH, one of Playwright's own, or else Debian's package, which is installed where
// the machine allows it.
//
//   node scripts/browser.mjs      prints its path, and installs it when there is none

import { existsSync } from "node:fs";
import process from "node:process";
import { ensureProgram, onPath } from "./programs.mjs";
import { isProgram, main } from "./tools.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MISSING = "The browser tests need Chromium, and there is none: put one on the PATH, or set ROO_CONDENSE_CHROMIUM to it.";

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

/** Sees to it that there is one, as far as that is possible. In continuous integration that has to be Linux, for whose fonts the pictures are. */
export const ensureBrowser = () =>
  ensureProgram({ find: findBrowser, debian: "chromium", missing: MISSING, about: "for the browser tests (half a minute)" });

if (isProgram(import.meta.url)) {
  await main(async () => {
    const browser = await ensureBrowser();
    if (browser) console.log(browser);
  });
}
