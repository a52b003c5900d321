// The studio as a person uses it, in a real Chromium.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { fixture, historyFile, isMissing, launch, newFolder, openPage, removeFolders, startStudio } from "./support.mjs";

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const { CondensationManager } = require("../../index.js");
const library = { listed: () => new CondensationManager().listProviders().map(({ id }) => id) };

const call = (id, name, input) => ({ role: "assistant", content: [{ type: "tool_use", id, name, input }] });
const answer = (id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
const file = (from, to) => Array.from({ length: to - from }, (_, line) => `${from + line} | const value = ${from + line};`).join("\n");

/** So many messages, in which things are read again and again. */
function longHistory(count) {
  const messages = [{ role: "user", content: "Mend it." }];
  for (let at = 1; messages.length < count; at++) {
    messages.push(call(`t${at}`, "read_file", { path: `src/file-${at % 40}.ts` }), answer(`t${at}`, file(at % 7, 12)));
  }
  return messages;
}

describe.skipIf(isMissing)("the studio", () => {
  let browser;
  let studio;
  beforeAll(async () => {
    browser = await launch();
    studio = await startStudio(fixture("claude-code"), fixture("roo-xml-2025"), "--window", "50k");
  });
  afterAll(async () => {
    await browser?.close();
    await studio?.stop();
    removeFolders();
  });

  /** What axe finds that is serious. */
  async function seriousIn(page) {
    // The page's own policy lets no script in but its own: as a debugger does it.
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  }

  test("says what fills the window, and what would go", async () => {
    const { page, complaints } = await openPage(browser, studio.address);
    await expect(page.locator(".rc-window-sum").textContent()).resolves.toMatch(/[\d,]+ tokens.*of 50,000/);
    await expect(page.locator(".rc-legend").textContent()).resolves.toMatch(/Tool results/);
    expect(await page.locator(".rc-card").count()).toBe(7);
    await expect(page.getByRole("slider", { name: /^Messages/ }).getAttribute("aria-valuetext")).resolves.toMatch(/^Message 0, user/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("takes a single change back, and filters the others", async () => {
    const { page } = await openPage(browser, studio.address);
    const total = async () => Number((await page.locator(".rc-count").textContent()).match(/of ([\d,]+)/)[1].replaceAll(",", ""));
    const before = await total();
    await page.getByRole("button", { name: "Keep this as it was" }).first().click();
    await expect.poll(total).toBeLessThan(before);
    await page.getByRole("searchbox").fill("no such reason");
    await expect.poll(() => page.locator(".rc-change").count()).toBe(0);
    await page.getByRole("searchbox").fill("");
    await page.locator(".rc-change-open").first().click();
    await page.waitForSelector(".rc-diff tr");
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.waitForSelector(".rc-diff-split");
    await page.close();
  });

  test("is used by keyboard alone", async () => {
    const { page } = await openPage(browser, studio.address);
    const strip = page.getByRole("slider", { name: /^Messages/ });
    await strip.focus();
    await page.keyboard.press("End");
    expect(await strip.getAttribute("aria-valuenow")).toBe("199");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".rc-message h3");
    expect(await page.locator(".rc-message h3").textContent()).toMatch(/^Message 198/);
    const target = page.getByRole("slider", { name: "How much may be left" });
    await target.focus();
    for (let press = 0; press < 5; press++) await page.keyboard.press("PageDown");
    await expect.poll(() => target.getAttribute("aria-valuetext")).toMatch(/^50%: [\d,]+ tokens$/);
    await expect.poll(() => page.locator(".rc-cards").textContent()).toMatch(/the target is met/);
    await page.getByRole("tab", { name: /Changes/ }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector(".rc-comparison tbody tr");
    await page.close();
  });

  test("compares the providers, and takes one over", async () => {
    const { page } = await openPage(browser, studio.address);
    await page.getByRole("tab", { name: "Compare providers" }).click();
    const ids = library.listed().filter((id) => id !== "smart");
    await expect.poll(() => page.locator(".rc-comparison tbody tr").count(), { timeout: 60_000 }).toBe(ids.length + 3);
    await page.getByRole("button", { name: "Cost", exact: true }).click();
    expect(await page.locator("th[aria-sort=ascending]").textContent()).toBe("Cost");
    const failed = await page.locator(".rc-comparison td[colspan]").count();
    expect(failed).toBeGreaterThan(0);
    expect(await page.locator(".rc-plot circle").count()).toBe(ids.length + 3 - failed);
    await page.getByRole("button", { name: "Use: Smart: Balanced" }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Provider" }).inputValue()).toBe("smart:balanced");
    await page.close();
  });

  test("passes of one's own: put together, checked, taken back", async () => {
    const { page, complaints } = await openPage(browser, studio.address, { width: 1600 });
    await page.getByRole("combobox", { name: "Provider" }).selectOption({ label: "Passes of your own" });
    const names = page.locator(".rc-pass-name");
    await expect.poll(() => names.count()).toBe(3);
    const first = await names.first().textContent();
    await page
      .getByRole("button", { name: /^Down: / })
      .first()
      .click();
    await expect.poll(() => names.nth(1).textContent()).toContain(first.replace(/^\d+\. /, "").slice(0, 12));
    await page.getByRole("button", { name: "Add a pass" }).click();
    await expect.poll(() => names.count()).toBe(4);
    await page.getByRole("combobox", { name: "Answers of tools" }).selectOption("suppress");
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Answers of tools" }).inputValue()).toBe("truncate");
    expect(await seriousIn(page)).toEqual([]);
    await page.getByText("As JSON").click();
    const json = page.getByRole("textbox", { name: "As JSON, to copy or paste" });
    await json.fill('{"passes":[{"id":"a","mode":"individual","selection":{"type":"newest"}}]}');
    await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/passes\[0\]\.selection\.type: "newest" is not allowed/);
    await json.fill("{");
    await expect.poll(() => page.locator(".rc-passes-panel details .rc-error").textContent()).toMatch(/JSON/);
    await json.fill(
      JSON.stringify({
        losslessPrelude: { enabled: false },
        passes: [
          {
            id: "a",
            mode: "individual",
            selection: { type: "preserve_recent", keepRecentCount: 2 },
            individualConfig: { defaults: { toolResults: { operation: "suppress" } } },
          },
        ],
      }),
    );
    await expect.poll(() => names.first().textContent(), { timeout: 20_000 }).toMatch(/^1\. a −[\d,]+/);
    await page.getByRole("tab", { name: /Changes/ }).click();
    await expect.poll(() => page.locator(".rc-change").first().textContent()).toMatch(/Left out/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("recommends a provider, which one click takes", async () => {
    const { page, complaints } = await openPage(browser, studio.address);
    await page.getByRole("tab", { name: "Which one?" }).click();
    await page.getByRole("combobox", { name: "What matters most" }).selectOption("zero_loss");
    await expect.poll(() => page.locator(".rc-recommend .rc-fieldset b").textContent()).toBe("lossless");
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("button", { name: "Take it" }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Provider" }).inputValue()).toBe("lossless");
    await page.getByRole("tab", { name: "Metrics" }).click();
    await expect.poll(() => page.locator(".rc-metrics").textContent()).toMatch(/Nothing was condensed yet/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("another history, another language", async () => {
    const { page } = await openPage(browser, studio.address);
    await page.getByRole("combobox", { name: "History" }).selectOption({ index: 1 });
    await expect.poll(() => page.locator(".rc-legend").textContent()).toMatch(/Environment/);
    await page.getByRole("combobox", { name: "Language" }).selectOption("fr");
    await expect.poll(() => page.locator("h1").textContent()).toBe("Atelier de condensation");
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("fr");
    await page.close();
  });

  test.each([
    ["light", 1600],
    ["dark", 320],
    ["contrast", 1280],
  ])("axe finds nothing serious: %s, %i pixels wide", async (theme, width) => {
    const { page, complaints } = await openPage(browser, studio.address, { width });
    await page.getByRole("combobox", { name: /theme/i }).selectOption(theme);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.locator(".rc-change-open").first().click();
    await page.waitForSelector(".rc-diff tr");
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("tab", { name: "What fills it" }).click();
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("tab", { name: "Compare providers" }).click();
    await page.waitForSelector(".rc-comparison tbody tr");
    expect(await seriousIn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("what a history says is text, whatever it says", async () => {
    const hostile = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">\u202egnp.exe\u0000\u001b[31m${"x".repeat(300_000)}`;
    const own = await startStudio(
      historyFile([
        { role: "user", content: hostile },
        call("1", "read_file", { path: "</script><b>a\u202e.ts" }),
        answer("1", `${hostile}\n`.repeat(3)),
        call("2", "read_file", { path: "</script><b>a\u202e.ts" }),
        answer("2", `${hostile}\n`.repeat(3)),
      ]),
    );
    const { page, complaints } = await openPage(browser, own.address);
    await page.getByRole("slider", { name: /^Messages/ }).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".rc-pre");
    const shown = await page.locator(".rc-pre").first().textContent();
    expect(shown).toContain("<script>window.hacked = 1</script>");
    expect(shown).toContain("U+202Egnp.exeU+0000U+001B[31m");
    expect(await page.locator(".rc-hidden-character").count()).toBeGreaterThan(2);
    expect(await page.evaluate(() => [globalThis.hacked, document.querySelectorAll("img, b b").length])).toEqual([undefined, 0]);
    expect(await page.evaluate(() => /[\u202e\u0000]/.test(document.body.innerText))).toBe(false);
    expect(complaints).toEqual([]);
    await page.close();
    await own.stop();
  });

  test("follows the file, and says when nobody answers any more", async () => {
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello to you." },
    ];
    const history = historyFile(messages);
    const own = await startStudio(history);
    const { page } = await openPage(browser, own.address);
    const slider = page.getByRole("slider", { name: /^Messages/ });
    expect(await slider.getAttribute("aria-valuemax")).toBe("1");
    writeFileSync(history, JSON.stringify([...messages, { role: "user", content: "And now?" }]));
    await expect.poll(() => slider.getAttribute("aria-valuemax"), { timeout: 10_000 }).toBe("2");
    await own.stop();
    await expect.poll(() => page.getByRole("alert").textContent(), { timeout: 10_000 }).toMatch(/Nobody answers/);
    await page.close();
  });

  test("5,000 messages are drawn in a frame or two", async () => {
    const own = await startStudio(historyFile(longHistory(5000)));
    const { page, complaints } = await openPage(browser, own.address);
    const longest = await page.evaluate(async () => {
      const strip = document.querySelector(".rc-map-frame");
      const times = [];
      for (let step = 0; step < 40; step++) {
        const begun = performance.now();
        strip.scrollLeft = step * 200;
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        times.push(performance.now() - begun);
      }
      return times.sort((one, other) => one - other)[Math.floor(times.length * 0.9)];
    });
    expect(longest).toBeLessThan(200);
    expect(await page.locator(".rc-change").count()).toBeLessThan(60);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(2500);
    expect(complaints).toEqual([]);
    await page.close();
    await own.stop();
  });

  test("a report is the same page without anybody to ask", async () => {
    const { spawnSync } = await import("node:child_process");
    const html = path.join(newFolder(), "report.html");
    const written = spawnSync(process.execPath, [
      path.join(root, "js", "cli", "main.js"),
      "report",
      fixture("claude-code"),
      "--html",
      html,
      "--target",
      "50%",
    ]);
    expect(written.status, String(written.stderr)).toBe(0);
    const { page, complaints } = await openPage(browser, `file://${html}`);
    await page.locator(".rc-link").first().click();
    await page.waitForSelector(".rc-message .rc-diff tr, .rc-message .rc-pre");
    await page.getByRole("tab", { name: "Compare providers" }).click();
    await expect.poll(() => page.locator(".rc-comparison tbody tr").count()).toBe(library.listed().length + 2);
    expect(await page.getByRole("combobox", { name: "Provider" }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
