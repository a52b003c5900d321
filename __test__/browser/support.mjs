// What the browser tests share: a Chromium, the studio as the command line serves it, and histories.

import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { chromium } from "playwright-core";
import { findBrowser } from "../../scripts/browser.mjs";
import { isRequired } from "../../scripts/programs.mjs";
import { root } from "../../scripts/tools.mjs";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const fixture = (name) => path.join(root, "fixtures", `${name}.json`);

/** The path of a Chromium. Without one, tests fail where it is required and are skipped elsewhere. */
const browserPath = await findBrowser();
export const isMissing = !browserPath && !isRequired;
if (isMissing) console.log("The browser tests are skipped: there is no Chromium (`node scripts/browser.mjs` says how to get one).");

export const launch = (flags = []) => chromium.launch({ ...(browserPath && { executablePath: browserPath }), args: [...FLAGS, ...flags] });

const folders = [];
/** A folder of the test's own; one that `stays` is for people to look into. */
export function newFolder({ stays = false } = {}) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-browser-")));
  if (!stays) folders.push(folder);
  return folder;
}

/** A file with messages in a folder of its own. */
export function historyFile(messages) {
  const file = path.join(newFolder(), "history.json");
  writeFileSync(file, JSON.stringify(messages));
  return file;
}

export const removeFolders = () => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true }));

/** Starts `roo-condense studio`. Resolves to its address and to what ends it. */
export async function startStudio(...args) {
  const child = spawn(process.execPath, [path.join(root, "js", "cli", "main.js"), "studio", ...args, "--no-open"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  const address = await new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the studio ended with ${code}`)));
    child.stdout.on("data", (text) => {
      told += text;
      const [found] = /^http:\S+$/m.exec(told) ?? [];
      if (found && told.includes("Ctrl+C")) resolve(found);
    });
  });
  const stop = () => new Promise((resolve) => child.on("close", resolve).kill("SIGINT"));
  return { address, stop };
}

/** A page that takes down what it complains of: exceptions, refused scripts and styles, requests to elsewhere. */
export async function openPage(browser, address, { width = 1280, height = 900, colorScheme = "light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, locale: "en-US" });
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "file:"].includes(url.protocol) && url.hostname !== "127.0.0.1") complaints.push(`asked ${url}`);
  });
  await page.goto(address);
  await page.waitForSelector(".rc-lead p");
  // A report has nothing to choose.
  if (await page.locator(".rc-more").count()) await showMore(page);
  return { page, complaints };
}

/** Opens what provider and exact size stand behind. */
export const showMore = (page) => page.locator(".rc-more").evaluate((more) => more.setAttribute("open", ""));

/** Chooses language or theme, which stand behind a button. */
export async function setUp(page, { theme, language }) {
  await page.locator("header button[aria-haspopup=dialog]").click();
  const selects = page.locator(".rc-settings-row").first().locator("select");
  if (theme !== undefined) await selects.first().selectOption(theme);
  if (language !== undefined) await selects.last().selectOption(language);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
}
