// Speed of the studio as somebody sees it, in a real Chromium: until the page can be used, until a change of the target is there, how far things move
// meanwhile, and how much script is loaded. Prints a table with the targets; asserts nothing.
//
//   npm run bench:studio                 histories of 1.5 MB and 5 MB, in two dialects, on the release build; about a minute
//   npm run bench:studio -- --runs 9     more runs (default: 5)
//
// "usable": from the request for the page until its answer stands there and can be saved, the first change is shown, and the page answers. The server is new
// each time, as after the command. "target": from a key on the slider until the numbers for the new target are shown. Numbers are medians; beside them stands the
// fastest run, which other work on the machine changes least.

import { writeFileSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { launch, newFolder, removeFolders, startStudio } from "../__test__/browser/support.mjs";
import { buildRelease } from "../scripts/build.mjs";
import { ensureUi } from "../scripts/build-ui.mjs";
import { isStale, main, releaseAddon, root } from "../scripts/tools.mjs";
import { machineLine } from "./results.mjs";
import { historyOf } from "./speed/inputs.mjs";
import { median } from "./speed/measure.mjs";

const SIZES = [
  { megabytes: 1.5, usable: 1000, target: 300 },
  { megabytes: 5, usable: 2000 },
];
const MOST_SHIFT = 0.05;
const MOST_SCRIPT = 250_000;

/** In the page: sums up how far things move without anybody having done anything. */
function watchShift() {
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
  }).observe({ type: "layout-shift", buffered: true });
}

/** In the page: when it can be used, in milliseconds since it was asked for. */
const usable = () =>
  new Promise((resolve) => {
    const look = () => {
      const button = document.querySelector(".rc-acts .rc-primary");
      if (button && !button.disabled && document.querySelector(".rc-change")) setTimeout(() => resolve(performance.now()));
      else requestAnimationFrame(look);
    };
    look();
  });

/** In the page: from a key on the slider until what it chose stands there, in milliseconds. */
const changed = () =>
  new Promise((resolve) => {
    const slider = document.querySelector(".rc-choices [role=slider]");
    slider.focus();
    const quiet = () => document.querySelector(".rc-quiet")?.textContent;
    const before = quiet();
    const begun = performance.now();
    slider.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", bubbles: true }));
    const look = () => {
      if (quiet() !== before && !document.querySelector(".rc-answer[aria-busy=true]")) resolve(performance.now() - begun);
      else requestAnimationFrame(look);
    };
    look();
  });

async function measured(browser, file) {
  const studio = await startStudio(file, "--window", "200k");
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: "en-US" });
    await page.addInitScript(watchShift);
    await page.goto(studio.address, { waitUntil: "commit" });
    const ready = await page.evaluate(usable);
    await page.waitForTimeout(300);
    const shift = await page.evaluate(() => globalThis.shift);
    const targets = [];
    for (let press = 0; press < 3; press++) targets.push(await page.evaluate(changed));
    await page.close();
    return { ready, shift, target: median(targets) };
  } finally {
    await studio.stop();
  }
}

await main(async () => {
  const { values } = parseArgs({ options: { runs: { type: "string", default: "5" } } });
  if (!process.env.ROO_CONDENSE_BINARY) {
    if (isStale(releaseAddon)) buildRelease();
    process.env.ROO_CONDENSE_BINARY = releaseAddon;
  }
  ensureUi();
  const row = (what, value, most, unit, fastest) => {
    const target = most === undefined ? "" : `   at most ${most}${unit}: ${value <= most ? "yes" : "no"}`;
    const best = fastest === undefined ? "" : `   fastest ${fastest}${unit}`;
    console.log(`${what.padEnd(36)} ${`${value}${unit}`.padStart(10)}${best.padEnd(20)}${target}`);
  };
  console.log(`${machineLine()}\n`);
  const browser = await launch();
  const folder = newFolder();
  try {
    for (const { megabytes, usable: mostReady, target } of SIZES) {
      for (const dialect of ["claude-code", "roo-native"]) {
        const file = path.join(folder, `${dialect}-${megabytes}.json`);
        writeFileSync(file, JSON.stringify(historyOf(dialect, megabytes * 1_000_000)));
        const runs = [];
        for (let run = 0; run < Number(values.runs); run++) runs.push(await measured(browser, file));
        const of = (name) => median(runs.map((run) => run[name]));
        const best = (name) => Math.round(Math.min(...runs.map((run) => run[name])));
        const what = `${megabytes} MB, ${dialect}`;
        row(`${what}: usable`, Math.round(of("ready")), mostReady, " ms", best("ready"));
        row(`${what}: target`, Math.round(of("target")), target, " ms", best("target"));
        row(`${what}: shift`, Number(of("shift").toFixed(3)), MOST_SHIFT, "");
      }
    }
    const script = ["studio.js", "components.js", "react.js"].map(
      (name) => gzipSync(readFileSync(path.join(root, "ui/dist/page", name))).length,
    );
    row(
      "script at start, compressed",
      script.reduce((sum, bytes) => sum + bytes, 0),
      MOST_SCRIPT,
      " B",
    );
  } finally {
    await browser.close();
    removeFolders();
  }
});
