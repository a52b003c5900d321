// The studio looks as it did: three themes, two languages, a page and a side bar.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_DIFFERENCE, compare, folder, openStudio, pictures } from "./looks.mjs";
import { isMissing, newFolder, removeFolders } from "./support.mjs";

describe.skipIf(isMissing)("the studio looks as it did", () => {
  let studio;
  const seen = [];
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(async () => {
    await studio?.close();
    removeFolders();
  });

  test.each(["en", "fr"])("%s", async (language) => {
    const others = [];
    for await (const [name, bytes] of pictures(studio, { languages: [language] })) {
      seen.push(name);
      const { share, picture } = await compare(studio, name, bytes);
      if (share <= MAX_DIFFERENCE) continue;
      // They stay when the test has failed.
      const left = newFolder({ stays: true });
      writeFileSync(path.join(left, `${name}.png`), bytes);
      writeFileSync(path.join(left, `${name}.difference.png`), picture);
      others.push(`${name}: ${(100 * share).toFixed(2)}% of the pixels differ, see ${left}; npm run looks renews what is meant to be so`);
    }
    expect(others).toEqual([]);
  });

  test("every picture is compared, and small", () => {
    expect(readdirSync(folder).sort()).toEqual(seen.sort());
    for (const name of seen) expect(readFileSync(path.join(folder, name)).length, name).toBeLessThan(80_000);
  });

  test("what is missing, moved or of another colour is seen", async () => {
    const change = async (style) => {
      const only = { languages: ["en"], themes: ["light"] };
      const browser = { newContext: async (options) => withStyle(await studio.browser.newContext(options), style) };
      for await (const [name, bytes] of pictures({ ...studio, browser }, only)) {
        if (name.startsWith("page.")) return (await compare(studio, name, bytes)).share;
      }
    };
    expect(await change("")).toBe(0);
    expect(await change(".rc-window { visibility: hidden }")).toBeGreaterThan(MAX_DIFFERENCE);
    expect(await change(".rc-map-frame { filter: hue-rotate(120deg) }")).toBeGreaterThan(MAX_DIFFERENCE);
    expect(await change(".rc-main { margin-left: 12px }")).toBeGreaterThan(MAX_DIFFERENCE);
  });
});

/** Pages of a context that have a style more. */
async function withStyle(context, style) {
  await context.addInitScript((content) => {
    addEventListener("DOMContentLoaded", () => {
      document.head.append(Object.assign(document.createElement("style"), { textContent: content }));
    });
  }, style);
  return context;
}
