// What the studio looks like, as pictures of before to compare with: three themes, two languages, a page and a side bar.
//
//   npm run looks            writes __test__/browser/looks/*.webp anew; look at them before they are committed

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { ensureBrowser } from "../../scripts/browser.mjs";
import { Failure, isProgram, main, root } from "../../scripts/tools.mjs";
import { fixture, launch, setUp, startStudio } from "./support.mjs";
import { toPng, toWebp } from "./webp.mjs";

const require = createRequire(import.meta.url);
export const folder = path.join(root, "__test__", "browser", "looks");

const THEMES = ["light", "dark", "contrast"];
const LANGUAGES = ["en", "fr"];
const SIZES = { page: { width: 1100, height: 1000 }, bar: { width: 320, height: 1000 } };

/** Enough to see that something moved, was hidden or has another colour, in a quarter of the bytes. */
const SCALE = 0.5;
/** Without loss. */
const QUALITY = 1;
/** How far the colours of a pixel may be apart, 0 to 1: edges of letters differ between versions of a browser. */
const MAX_COLOUR_DISTANCE = 0.2;
/** Share of the pixels that may differ. Other settings for smoothing letters change none; cards or a column that are gone are above 0.25%. */
export const MAX_DIFFERENCE = 0.002;

/** A font of the tests' own: those of the system are others on every machine. */
const font = readFileSync(require.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2")).toString("base64");
const STYLE = `
  @font-face { font-family: Pinned; font-weight: 100 900; src: url(data:font/woff2;base64,${font}); }
  .rc-root, .rc-root * { font-family: Pinned !important; animation: none !important; transition: none !important; caret-color: transparent !important; }
`;

/** What is another on every run or machine: times, and where the history lies. */
const maskVariable = (page, place) =>
  page.evaluate((folderOfHistory) => {
    for (const option of document.querySelectorAll("option")) option.textContent = option.textContent.replaceAll(folderOfHistory, "");
    const walker = document.createTreeWalker(document.querySelector(".rc-root"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (/^[\d.,\s]+\s*m?s$/.test(text.data)) text.data = "0 ms";
    }
  }, place);

/** All pictures, as `[name, PNG]`. */
export async function* pictures({ browser, address, place }, { languages = LANGUAGES, themes = THEMES } = {}) {
  for (const language of languages) {
    for (const theme of themes) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        const context = await browser.newContext({
          viewport,
          deviceScaleFactor: SCALE,
          bypassCSP: true,
          reducedMotion: "reduce",
          locale: language,
        });
        const page = await context.newPage();
        await page.goto(address);
        await page.waitForSelector(".rc-lead p", { state: "attached" });
        await page.addStyleTag({ content: STYLE });
        await setUp(page, { theme });
        await page.evaluate(() => document.fonts.ready);
        await page.locator(".rc-change-open").first().click();
        await page.waitForSelector(".rc-diff tr");
        await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
        await page.mouse.move(0, 0);
        await page.evaluate(() => scrollTo(0, 0));
        await page.waitForTimeout(300);
        await maskVariable(page, place);
        yield [`${size}.${theme}.${language}.webp`, await page.screenshot()];
        await context.close();
      }
    }
  }
}

/** How much of a PNG differs from the picture of before, and where. Pictures of different sizes differ everywhere. */
export async function compare({ painter }, name, png) {
  const [before, after] = [PNG.sync.read(await toPng(painter, readFileSync(path.join(folder, name)))), PNG.sync.read(png)];
  const { width, height } = before;
  if (after.width !== width || after.height !== height) return { share: 1, picture: png };
  const difference = new PNG({ width, height });
  const pixels = pixelmatch(before.data, after.data, difference.data, width, height, { threshold: MAX_COLOUR_DISTANCE });
  return { share: pixels / (width * height), picture: PNG.sync.write(difference) };
}

/** A studio to take pictures of. Smoothing is that of no machine in particular. */
export async function openStudio() {
  const browser = await launch(["--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"]);
  const studio = await startStudio(fixture("claude-code"), "--window", "50k");
  const close = async () => {
    await browser.close();
    await studio.stop();
  };
  const painter = await browser.newPage();
  return { browser, painter, address: studio.address, place: `${path.join(root, "fixtures")}${path.sep}`, close };
}

async function writeAll() {
  if (!(await ensureBrowser())) throw new Failure("Without a browser there are no pictures.");
  const studio = await openStudio();
  mkdirSync(folder, { recursive: true });
  for await (const [name, bytes] of pictures(studio)) {
    const written = await toWebp(studio.painter, bytes, QUALITY);
    writeFileSync(path.join(folder, name), written);
    console.log(`${name}  ${Math.round(written.length / 1024)} KB`);
  }
  await studio.close();
}

if (isProgram(import.meta.url)) await main(writeAll);
