// Writes the pictures of the user guide (docs/guide, docs/fr/guide): the studio, as the command line serves it, in a real Chromium, in both languages.
//
//   npm run guide            writes docs/guide/images/*.webp; needs a Chromium (scripts/browser.mjs) and the addon

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fixture, launch, showMore, startStudio } from "./support.mjs";
import { toWebp } from "./webp.mjs";
import { ensureBrowser } from "../../scripts/browser.mjs";
import { Failure, isProgram, main, root } from "../../scripts/tools.mjs";

const folder = path.join(root, "docs", "guide", "images");
const WIDTH = 1200;
/** More than enough for words on a page, and a third of the size of a PNG. */
const QUALITY = 0.6;

/** What is asked for by name, in the two languages of the studio. */
const WORDS = {
  en: {
    locale: "en-US",
    provider: "Provider",
    own: "Passes of your own",
    fills: "What fills it",
    compare: "Compare providers",
    recommend: "Which one?",
    balanced: "Balanced",
    settings: "Settings",
  },
  fr: {
    locale: "fr-FR",
    provider: "Fournisseur",
    own: "Vos propres passes",
    fills: "Ce qui la remplit",
    compare: "Comparer les fournisseurs",
    recommend: "Lequel choisir ?",
    balanced: "Équilibré",
    settings: "Réglages",
  },
};

const answered = async (page) => {
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  await page.waitForTimeout(300);
};

/** Chooses a size for which something is lost, so that providers differ. */
async function chooseBalanced(page, words) {
  await page.locator(".rc-step", { hasText: words.balanced }).click();
  await answered(page);
}

/** The pictures: what is done before each, and how much of the page it shows. */
const PICTURES = [
  { name: "overview", height: 700, async prepare() {} },
  {
    name: "changes",
    height: 640,
    shows: "[role=tablist]",
    async prepare(page) {
      await page.locator(".rc-change-open").nth(3).click();
      await page.waitForSelector(".rc-diff tr");
    },
  },
  {
    name: "fills",
    height: 640,
    shows: "[role=tablist]",
    async prepare(page, words) {
      await openTab(page, words.fills);
    },
  },
  {
    name: "compare",
    height: 900,
    shows: "[role=tablist]",
    async prepare(page, words) {
      await chooseBalanced(page, words);
      await openTab(page, words.compare);
      await page.waitForFunction(
        () => document.querySelectorAll(".rc-comparison tbody tr").length > 12 && !document.querySelector(".rc-comparison .rc-waiting svg"),
        undefined,
        { timeout: 180_000 },
      );
    },
  },
  {
    name: "passes",
    height: 800,
    shows: ".rc-passes-panel",
    async prepare(page, words) {
      await showMore(page);
      await page.getByRole("combobox", { name: words.provider }).selectOption({ label: words.own });
      await page.waitForSelector(".rc-pass-name");
    },
  },
  {
    name: "recommend",
    height: 480,
    shows: "[role=tablist]",
    async prepare(page, words) {
      await chooseBalanced(page, words);
      await openTab(page, words.recommend);
      await page.waitForSelector(".rc-recommend .rc-fieldset b", { timeout: 180_000 });
    },
  },
  {
    name: "settings",
    height: 820,
    async prepare(page, words) {
      await page.getByRole("button", { name: words.settings }).click();
      await page.locator(".rc-settings fieldset").first().waitFor();
    },
  },
];

const openTab = (page, name) => page.getByRole("tab", { name }).click();

/** The page from here on. */
const scrollTo = (page, selector) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => element.scrollIntoView());

/** The page shows where a history lies, which is nobody's business but this machine's. */
const hideFolder = (page) =>
  page.evaluate(
    (folder) => {
      for (const option of document.querySelectorAll("option")) option.textContent = option.textContent.replaceAll(folder, "");
    },
    `${path.join(root, "fixtures")}${path.sep}`,
  );

/** All pictures in one language, as `[file name, bytes]`. */
async function* picturesIn(browser, address, language) {
  const words = WORDS[language];
  const painter = await browser.newPage();
  for (const { name, height, shows, prepare } of PICTURES) {
    const page = await browser.newPage({ viewport: { width: WIDTH, height }, colorScheme: "light", locale: words.locale });
    await page.goto(address);
    await page.waitForSelector(".rc-lead p");
    await answered(page);
    await prepare(page, words);
    await answered(page);
    if (shows) await scrollTo(page, shows);
    await hideFolder(page);
    yield [`${name}.${language}.webp`, await toWebp(painter, await page.screenshot(), QUALITY)];
    await page.close();
  }
  await painter.close();
}

/** Writes the pictures into a folder, and says how many bytes each has. */
export async function writePictures(into = folder, languages = Object.keys(WORDS)) {
  if (!(await ensureBrowser())) throw new Failure("The pictures of the guide need a Chromium.");
  mkdirSync(into, { recursive: true });
  const sizes = new Map();
  const browser = await launch();
  const studio = await startStudio(fixture("claude-code"), "--window", "80k");
  try {
    for (const language of languages) {
      for await (const [name, bytes] of picturesIn(browser, studio.address, language)) {
        writeFileSync(path.join(into, name), bytes);
        sizes.set(name, bytes.length);
      }
    }
  } finally {
    await browser.close();
    await studio.stop();
  }
  return sizes;
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const sizes = await writePictures();
    for (const [name, bytes] of sizes) console.log(`${(bytes / 1000).toFixed(1).padStart(7)} KB  ${name}`);
    const all = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    console.log(`${(all / 1000).toFixed(1).padStart(7)} KB in all`);
  });
}
