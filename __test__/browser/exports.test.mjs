// Every export of `roo-condense/ui` under the oldest React that the peer dependency allows, and under the newest: mounted in Chromium with what a host gives it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureFolder, root } from "../../scripts/tools.mjs";
import { fixture, isMissing, launch } from "./support.mjs";

const { CondensationManager, createStudioHost } = createRequire(import.meta.url)("../../index.js");
const react18 = path.join(root, "__test__", "react-18");

/** The page's program with the React in a folder; in development, where React says what it would rather have otherwise. */
async function programWith(folder) {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "every-export.mjs")],
    bundle: true,
    write: false,
    format: "esm",
    define: { "process.env.NODE_ENV": '"development"' },
    alias: {
      react: path.join(folder, "node_modules", "react"),
      "react-dom": path.join(folder, "node_modules", "react-dom"),
      "roo-condense/ui": path.join(root, "ui", "dist", "index.js"),
    },
  });
  return outputFiles[0].text;
}

describe.skipIf(isMissing)("every export of roo-condense/ui", () => {
  /** @type {import("playwright-core").Browser} */
  let browser;
  /** @type {any} */
  let settings = { autoCondenseContextPercent: 80 };
  const { messages } = JSON.parse(readFileSync(fixture("claude-code"), "utf8"));
  const host = createStudioHost(new CondensationManager(), {
    histories: [{ id: "h", read: () => ({ messages }) }],
    contextWindow: 64_000,
    settings: {
      read: () => settings,
      write: (next) => {
        settings = next;
      },
    },
  });

  beforeAll(async () => {
    ensureFolder(react18);
    browser = await launch();
  });
  afterAll(async () => {
    host.dispose();
    await browser?.close();
  });

  test.each([
    ["18.3.1", react18],
    ["19.3.1", root],
  ])("works with React %s", async (version, folder) => {
    const page = await browser.newPage();
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    await page.exposeFunction("askHost", (message) => (message.method === "wait" ? new Promise(() => {}) : host.answer(message)));
    let stored = 0;
    await page.exposeFunction("reportStored", () => {
      stored += 1;
    });
    await page.setContent("<!doctype html><html lang=en><title>Exports</title><body></body></html>");
    await page.addScriptTag({ type: "module", content: await programWith(folder) });
    await page.waitForFunction("window.exported && document.querySelector('#Studio .rc-lead p')");
    expect(await page.evaluate("window.exported")).toEqual({ version, unknown: [], missing: [] });

    // A component that asks the host first is there a moment later.
    const empty = () =>
      page.$$eval("section[id]", (places) =>
        places.filter(({ id, innerText }) => /^[A-Z]/.test(id) && innerText.trim() === "").map(({ id }) => id),
      );
    await expect.poll(empty).toEqual([]);
    expect(
      await page.$$eval("section[id]", (places) => places.map(({ innerText }) => innerText).filter((text) => text.startsWith("failed"))),
    ).toEqual([]);

    // The panel of settings stores what is changed in it.
    await page.waitForSelector("#SettingsPanel fieldset");
    await page.click("#SettingsPanel label:has-text('condense') >> nth=0");
    await expect.poll(() => stored).toBe(1);
    expect(settings.autoCondenseContext).toBe(false);
    settings = { autoCondenseContextPercent: 80 };

    expect(complaints).toEqual([]);
    await page.close();
  });
});
