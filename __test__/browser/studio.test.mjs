// The studio as a person uses it, in a real Chromium.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { anthropicEvents, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { fixture, historyFile, isMissing, launch, newFolder, openPage, removeFolders, setUp, showMore, startStudio } from "./support.mjs";

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

/** In the page: sums up how far things move without anybody having done anything. */
function watchShift() {
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
  }).observe({ type: "layout-shift", buffered: true });
}

describe.skipIf(isMissing)("the studio", () => {
  let browser;
  let studio;
  beforeAll(async () => {
    browser = await launch();
    // Without a target, so that every kind of change is there; how far the answer goes has a test of its own.
    const settings = path.join(newFolder(), "settings.json");
    writeFileSync(settings, JSON.stringify({ targetPercent: 100 }));
    studio = await startStudio(fixture("claude-code"), fixture("roo-xml-2025"), "--window", "50k", "--settings", settings);
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
    // Half faded in, everything has too little contrast.
    await page.evaluate(() => {
      const ending = document.getAnimations().filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
      return Promise.allSettled(ending.map(({ finished }) => finished)).then(() => undefined);
    });
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  }

  test("says what fills the window, and what would go", async () => {
    const { page, complaints } = await openPage(browser, studio.address);
    await expect(page.locator("h1").textContent()).resolves.toMatch(/131% full: the conversation no longer fits\./);
    await expect(page.locator(".rc-lead").textContent()).resolves.toMatch(
      /Condensing leaves [\d,]+ tokens \(−\d+%\), which does not fit\..*Only repeated text goes, and [\d,]+ tokens that newer messages replaced/,
    );
    await expect(page.locator(".rc-window-now").textContent()).resolves.toMatch(/^Now 65,293 of 50,000 \(130\.6%\)/);
    await expect(page.locator(".rc-legend").textContent()).resolves.toMatch(/Tool results/);
    await expect(page.title()).resolves.toBe("claude-code.json · Condense studio");
    await expect(page.getByRole("slider", { name: /^Messages/ }).getAttribute("aria-valuetext")).resolves.toMatch(/^Message 0, user/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("takes a single change back, and filters the others", async () => {
    const { page } = await openPage(browser, studio.address);
    await page.getByRole("combobox", { name: "Order" }).selectOption("Largest first");
    const total = async () => Number((await page.locator(".rc-count").textContent()).match(/of ([\d,]+)/)[1].replaceAll(",", ""));
    const before = await total();
    await page.getByRole("button", { name: "Keep this as it was" }).first().click();
    await expect.poll(total).toBeLessThan(before);
    await page.getByRole("searchbox").fill("no such reason");
    await expect.poll(() => page.locator(".rc-change").count()).toBe(0);
    await expect(page.locator(".rc-list").isVisible()).resolves.toBe(false);
    await page.getByRole("button", { name: "Show all" }).click();
    await page.locator(".rc-change").first().waitFor();
    // From the search down into the rows, and from row to row to the same button.
    await page.getByRole("searchbox").press("ArrowDown");
    const place = () =>
      page.evaluate(() => [document.activeElement.className, document.activeElement.closest(".rc-change")?.dataset.index]);
    await expect.poll(place).toEqual(["rc-change-open", "0"]);
    for (let row = 1; row <= 30; row++) {
      await page.keyboard.press("ArrowDown");
      await expect.poll(place).toEqual(["rc-change-open", `${row}`]);
    }
    await page.keyboard.press("ArrowUp");
    await expect.poll(place).toEqual(["rc-change-open", "29"]);
    await page.locator(".rc-list").evaluate((list) => list.scrollTo(0, 0));
    await page.locator(".rc-change-open").first().click();
    await page.waitForSelector(".rc-diff tr");
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.waitForSelector(".rc-diff-split");
    await page.close();
  });

  test("changes stand in groups by reason, each of which can be kept, and are found by what their messages say", async () => {
    const { page } = await openPage(browser, studio.address);
    const groups = page.locator(".rc-group");
    await expect.poll(() => groups.count()).toBeGreaterThan(3);
    const saved = async (row) => Number((await row.locator(".rc-change-tokens").textContent()).replaceAll(/\D/g, ""));
    expect(await saved(groups.nth(0))).toBeGreaterThan(await saved(groups.nth(1)));
    // The first is open: its rows say what their messages are about.
    await expect(page.locator(".rc-in-group").first().textContent()).resolves.toMatch(/Read .*\d+ lines are in/);
    const of = Number(/(\d+)$/.exec(await groups.nth(0).locator(".rc-change-what").textContent())[1]);
    const counts = async () => (await page.locator(".rc-count").textContent()).match(/\d+/g).map(Number);
    const [, all] = await counts();
    await groups.nth(0).locator(".rc-group-open").click();
    await expect.poll(() => page.locator(".rc-in-group").count()).toBe(0);
    await groups.nth(0).getByRole("button", { name: "Keep all of this group" }).click();
    await expect.poll(async () => (await counts())[1]).toBeLessThanOrEqual(all - of);
    await page.getByRole("searchbox").fill("addDays");
    // Only the text of messages has it.
    await expect.poll(async () => (await counts())[0]).toBeGreaterThan(0);
    await expect.poll(async () => (await counts())[0]).toBeLessThan(all - of);
    await page.close();
  });

  test("every action is reached with at most 15 presses of Tab, or by a key that the list of commands names", async () => {
    const own = await startStudio(historyFile(cuttable()), fixture("roo-xml-2025"), "--write");
    const { page, complaints } = await openPage(browser, own.address);
    await page.locator(".rc-change").first().waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    const nameOf = () =>
      page.evaluate(() => {
        const one = document.activeElement;
        return one.getAttribute("aria-label") ?? (one.labels?.[0] ?? one).textContent.trim();
      });
    const byTab = new Set();
    for (let press = 0; press < 15; press++) {
      await page.keyboard.press("Tab");
      byTab.add(await nameOf());
    }
    await page.keyboard.press("Control+k");
    const options = page.locator(".rc-palette-row");
    const commands = (await options.locator("span").allTextContents()).map((name) => name.trim());
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("dialog").count()).toBe(0);
    // Everything of the page that can be pressed or set, but for what stands in rows, whose keys are j, k, Enter and u.
    const actions = await page.evaluate(() =>
      [...document.querySelectorAll(":is(button, select, input, a, [role=tab], [role=slider])")]
        .filter((one) => !one.closest(".rc-list, .rc-filters") && !one.disabled && one.checkVisibility())
        .map(
          (one) => one.getAttribute("aria-label") ?? (one.labels?.[0]?.querySelector("span") ?? one.labels?.[0] ?? one).textContent.trim(),
        ),
    );
    expect(actions.length).toBeGreaterThan(15);
    const isReached = (name) => [...byTab, ...commands].some((one) => name !== "" && (one.startsWith(name) || name.startsWith(one)));
    expect(actions.filter((name) => !isReached(name))).toEqual([]);
    // What is chosen in the list is done: a tab, a message by what it says, and the page's own keys.
    const doing = async (words) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(words);
      await expect.poll(() => options.count()).toBeGreaterThan(0);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.locator(".rc-palette").count()).toBe(0);
    };
    await doing("what fills");
    await expect.poll(() => page.getByRole("tab", { name: "What fills it" }).getAttribute("aria-selected")).toBe("true");
    await doing("value = 77");
    await expect.poll(() => page.locator(".rc-message h2").textContent()).toMatch(/Message \d/);
    await page.keyboard.press("Escape");
    await doing("changes");
    await page.locator(".rc-change").first().waitFor();
    const place = () => page.evaluate(() => document.activeElement.closest(".rc-change")?.dataset.index);
    // The head of the group comes before it.
    await page.keyboard.press("j");
    await expect.poll(place).toBe("1");
    await page.keyboard.press("j");
    await expect.poll(place).toBe("2");
    await page.keyboard.press("u");
    await page.getByText("One part stays as it was").waitFor();
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate(() => document.activeElement.type)).toBe("search");
    await page.keyboard.type("jk");
    await expect(page.getByRole("searchbox").inputValue()).resolves.toBe("jk");
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    const inChoices = () => page.evaluate(() => document.activeElement.closest(".rc-choices") !== null);
    await page.keyboard.press("t");
    await expect.poll(inChoices).toBe(true);
    // Who dictates switches letters off.
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("checkbox", { name: /^Single letters/ }).uncheck();
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("t");
    expect(await inChoices()).toBe(false);
    expect(complaints).toEqual([]);
    await page.close();
    await own.stop();
  });

  test("is used by keyboard alone", async () => {
    const { page } = await openPage(browser, studio.address);
    const strip = page.getByRole("slider", { name: /^Messages/ });
    await strip.focus();
    await page.keyboard.press("End");
    await expect.poll(() => strip.getAttribute("aria-valuenow")).toBe("199");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".rc-message h2");
    await expect.poll(() => page.locator(".rc-message h2").textContent()).toMatch(/, [\d,]+(?: → [\d,]+)? Message 198/);
    await page.keyboard.press("k");
    await expect.poll(() => page.locator(".rc-message h2").textContent()).toMatch(/Message 197/);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("dialog").count()).toBe(0);
    const target = page.getByRole("slider", { name: "Target size" });
    await page.getByRole("checkbox", { name: "No target" }).press("Space");
    await target.focus();
    for (const key of ["PageDown", "PageUp"]) await page.keyboard.press(key);
    await expect.poll(() => target.getAttribute("aria-valuetext")).toMatch(/^50%: [\d,]+ tokens$/);
    await expect.poll(() => page.locator(".rc-quiet").textContent()).toMatch(/[\d,]+ lost/);
    await page.getByRole("tab", { name: /Changes/ }).focus();
    for (const name of ["What fills it", "Compare providers"]) {
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => page.getByRole("tab", { name }).getAttribute("aria-selected")).toBe("true");
    }
    await page.locator(".rc-comparison tbody tr").first().waitFor();
    await page.close();
  });

  test("proposes a size that fits, says what goes, and offers four", async () => {
    const own = await startStudio(fixture("claude-code"), "--window", "42k", "--write");
    const { page } = await openPage(browser, own.address);
    await expect
      .poll(() => page.locator(".rc-lead").textContent())
      .toMatch(/Condensing leaves 20,\d\d\d tokens \(−6\d%\), which fits\.The model will no longer see [\d.]+K tokens/);
    // The numbers by kind add up to the difference.
    const lead = await page.locator(".rc-lead").textContent();
    const [, gone, added, less] = /Tokens removed: (.*?)\. Notes in their place: ([\d,]+)\. Together ([\d,]+) fewer\./.exec(lead);
    const numbersIn = (text) => text.match(/\d[\d,]*/g).map((number) => Number(number.replaceAll(",", "")));
    const [after] = numbersIn(/leaves ([\d,]+)/.exec(lead)[1]);
    const fewer = numbersIn(gone).reduce((sum, tokens) => sum + tokens, 0) - numbersIn(added)[0];
    expect([fewer, 65_293 - fewer]).toEqual([numbersIn(less)[0], after]);
    await expect(page.locator(".rc-acts .rc-primary").textContent()).resolves.toContain("Save condensed");
    const steps = page.locator(".rc-step");
    await expect.poll(() => page.locator(".rc-step[aria-pressed=true]").textContent()).toMatch(/Balanced20,\d\d\d.*lost.*Recommended$/);
    await expect(steps.first().textContent()).resolves.toMatch(/Safest42,356.*does not fit$/);
    // The slider ends at what is left without a target: a larger one would leave more.
    await expect(page.getByRole("slider", { name: "Target size" }).getAttribute("aria-valuemax")).resolves.toBe("64");
    await page.getByRole("checkbox", { name: /The model has recall/ }).check();
    await expect.poll(() => page.locator(".rc-lead").textContent()).toMatch(/leaves 4,\d\d\d tokens.*With recall, the model can look up/);
    await page.getByRole("button", { name: /^Gentler: 10,/ }).click();
    await expect.poll(() => page.locator(".rc-lead").textContent()).toMatch(/leaves 10,\d\d\d tokens/);
    await page.locator("select[aria-label='Context window']").selectOption("1000000");
    await expect.poll(() => page.locator("h1").textContent()).toMatch(/the next answer fits/);
    await expect.poll(() => page.locator(".rc-acts .rc-primary").count()).toBe(0);
    await page.close();
    await own.stop();
  });

  test("compares the providers in a table, with the answer's own way recommended, and takes one over", async () => {
    const { page } = await openPage(browser, studio.address);
    await page.getByRole("tab", { name: "Compare providers" }).click();
    const ids = library.listed().filter((id) => id !== "smart");
    const count = ids.length + 4;
    const state = page.locator(".rc-comparison-state");
    await expect.poll(() => state.textContent(), { timeout: 60_000 }).toBe(`All ${count}, as a table`);
    const flagged = page.locator(".rc-comparison tbody tr", { has: page.locator(".rc-step-flag") });
    await expect(flagged.textContent()).resolves.toMatch(/Automatic Recommended/);
    const rows = page.locator(".rc-comparison tbody tr");
    await expect(rows.count()).resolves.toBe(count);
    await page.getByRole("button", { name: "Cost", exact: true }).click();
    await expect.poll(() => page.locator("th[aria-sort=ascending]").textContent()).toBe("Cost");
    const failed = await page.locator(".rc-comparison td[colspan]").count();
    expect(failed).toBeGreaterThan(0);
    // What of the conversation's own later needs each would keep was measured after that. Of two passages no share is told.
    await expect.poll(() => page.locator(".rc-plot circle").count()).toBe(count - failed);
    const row = rows.filter({ hasText: "Lossless" }).first();
    await expect.poll(() => row.textContent()).toMatch(/100% 16 of 162 of 2/);
    await expect(page.locator(".rc-comparison").textContent()).resolves.toMatch(/before each cut \(messages 101, 151\).*in one block/);
    await page.getByRole("button", { name: "Use: Smart: Balanced" }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Provider" }).inputValue()).toBe("smart:balanced");
    await page.getByRole("button", { name: "Use: Automatic" }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Provider" }).inputValue()).toBe("");
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
    await page.getByRole("combobox", { name: "Tool results" }).selectOption("suppress");
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Tool results" }).inputValue()).toBe("truncate");
    expect(await seriousIn(page)).toEqual([]);
    await page.getByText("As JSON").click();
    const json = page.getByRole("textbox", { name: "As JSON: to read, change, copy, load" });
    await json.fill('{"passes":[{"id":"a","mode":"individual","selection":{"type":"newest"}}]}');
    await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/passes\[0\]\.selection\.type must be one of .*; got "newest"/);
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

  /** The page with passes of one's own that begin with `config`. */
  async function openPasses(config) {
    const { page, complaints } = await openPage(browser, studio.address);
    await page.getByRole("combobox", { name: "Provider" }).selectOption({ label: "Passes of your own" });
    await page.waitForSelector(".rc-pass-name");
    await page.getByText("As JSON").click();
    const json = page.getByRole("textbox", { name: /^As JSON/ });
    const set = (value) => json.fill(JSON.stringify(value, null, 2));
    const read = async () => JSON.parse(await json.inputValue());
    if (config) await set(config);
    return { page, complaints, json, set, read };
  }
  const onePass = (more = {}) => ({
    passes: [
      {
        id: "a",
        mode: "individual",
        selection: { type: "preserve_recent", keepRecentCount: 2 },
        individualConfig: { defaults: { toolResults: { operation: "suppress" } }, ...more },
      },
    ],
  });

  test("a single message is treated otherwise: added, changed and deleted by keyboard, faults at the field", async () => {
    const { page, complaints, read } = await openPasses(onePass());
    const overrides = async () => (await read()).passes[0].individualConfig.overrides;
    await page.getByLabel("Message number").fill("3");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(overrides).toEqual([{ messageIndex: 3, operations: { toolResults: { operation: "keep" } } }]);
    const list = page.locator(".rc-overrides");
    await list.locator("summary").focus();
    await page.keyboard.press("Enter");
    await list.getByRole("combobox", { name: "Tool results" }).selectOption("truncate");
    const lines = list.getByLabel("Lines");
    await lines.fill("0");
    await expect.poll(() => lines.getAttribute("aria-invalid")).toBe("true");
    const note = await lines.getAttribute("aria-describedby");
    expect(await page.evaluate((id) => document.getElementById(id).textContent, note)).toMatch(/^must be a whole number .*; got 0$/);
    expect(await seriousIn(page)).toEqual([]);
    await page.getByText("For all passes").focus();
    await page.getByRole("alert").getByRole("button", { name: /^Show/ }).click();
    await expect.poll(() => lines.evaluate((element) => element === document.activeElement)).toBe(true);
    await lines.fill("7");
    await expect.poll(() => lines.getAttribute("aria-invalid")).toBe(null);
    await expect
      .poll(async () => (await overrides())[0].operations.toolResults)
      .toEqual({ operation: "truncate", params: { truncate: { maxLines: 7 } } });
    await page.getByRole("button", { name: "Delete: Message 3" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(overrides).toBeUndefined();
    await expect.poll(() => page.evaluate(() => document.activeElement.textContent.trim())).toBe("Add an exception");
    await page.keyboard.press("Control+z");
    await expect.poll(async () => (await overrides())?.length).toBe(1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("passes go up and down by keyboard and by drag, and stay in sight", async () => {
    const { page, read } = await openPasses();
    const ids = async () => (await read()).passes.map(({ id }) => id);
    const [one, two, three] = await ids();
    await page.locator(".rc-pass-name").first().focus();
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(ids).toEqual([two, one, three]);
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(ids).toEqual([two, three, one]);
    await page.keyboard.press("Control+z");
    await expect.poll(ids).toEqual([two, one, three]);
    await page.locator(".rc-pass-list li").nth(2).dragTo(page.locator(".rc-pass-list li").nth(0));
    await expect.poll(ids).toEqual([three, two, one]);
    await page
      .getByRole("button", { name: /^Delete: / })
      .first()
      .click();
    await expect.poll(ids).toEqual([two, one]);
    await expect.poll(() => page.evaluate(() => document.activeElement.dataset.pass)).toBe("0");
    await page.close();
  });

  test("JSON of any shape is said to be wrong where it is, and never lost", async () => {
    const { page, complaints, json, set, read } = await openPasses();
    for (const passes of [
      5,
      null,
      [null],
      ["x"],
      [{ id: 1 }],
      [{ id: "a", selection: 5, mode: "individual" }],
      onePass({ overrides: 5 }).passes,
    ]) {
      await set({ passes });
      await expect.poll(() => json.getAttribute("aria-invalid"), { message: JSON.stringify(passes) }).toBe("true");
    }
    await set(onePass({ overrides: [{ messageIndex: -4 }] }));
    const line = page.locator(".rc-passes-panel details .rc-link", { hasText: /^Line \d+$/ });
    await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/messageIndex/);
    // The fault that is shown may be that of what was typed before, for a moment.
    const selected = async () => {
      await line.click();
      return json.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
    };
    await expect.poll(selected).toBe("-4");
    await json.fill('{"passes": [');
    await page.getByRole("combobox", { name: "History" }).selectOption({ index: 1 });
    await showMore(page);
    await page.getByRole("combobox", { name: "Provider" }).selectOption({ label: "Passes of your own" });
    await page.getByText("As JSON").click();
    await expect.poll(() => json.inputValue()).toBe('{"passes": [');
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect.poll(async () => (await read()).passes).toHaveLength(3);
    await set(onePass());
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as a file" }).click()]);
    expect(JSON.parse(readFileSync(await download.path(), "utf8"))).toEqual(onePass());
    await set({ passes: [] });
    await page.locator(".rc-passes-panel input[type=file]").setInputFiles(await download.path());
    await expect.poll(read).toEqual(onePass());
    await page.getByRole("combobox", { name: "Which messages" }).selectOption({ label: "these" });
    const numbers = page.getByLabel("Messages (3, 7-9)");
    await numbers.fill("3, 7-9, x");
    await expect.poll(() => numbers.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(async () => (await read()).passes[0].selection).toEqual({ type: "custom", messageIndices: [3, 7, 8, 9] });
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    await page.getByRole("combobox", { name: "Provider" }).selectOption({ label: "Passes of your own" });
    await page.getByText("As JSON").click();
    await expect.poll(async () => (await read()).passes[0].selection.messageIndices).toEqual([3, 7, 8, 9]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("passes of which nothing can be drawn leave the page as it is", async () => {
    const { page, complaints, set, json } = await openPasses(onePass());
    for (const wrong of [
      { passes: [{ ...onePass().passes[0], id: 5 }] },
      { passes: [{ mode: "individual", selection: { type: "preserve_recent", keepRecentCount: 2 } }] },
      onePass({ defaults: { toolResults: { operation: "summarize", params: { summarize: null } } } }),
      onePass({ overrides: [{ messageIndex: 1, operations: null }] }),
      { passes: [null, 7, "x", []] },
    ]) {
      await set(wrong);
      await expect.poll(() => page.getByRole("alert").first().textContent()).toMatch(/must be |is missing/);
      expect(JSON.parse(await json.inputValue())).toEqual(wrong);
    }
    await page.reload();
    await page.getByRole("combobox", { name: "Provider" }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("recommends a provider, which one click takes", async () => {
    const { page, complaints } = await openPage(browser, studio.address);
    await page.getByRole("tab", { name: "Which one?" }).click();
    await page.getByRole("combobox", { name: "What matters most" }).selectOption("zero_loss");
    await expect.poll(() => page.locator(".rc-recommend .rc-fieldset b").textContent()).toBe("Lossless");
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("button", { name: "Use it" }).click();
    await expect.poll(() => page.getByRole("combobox", { name: "Provider" }).inputValue()).toBe("lossless");
    // The target that it was measured with goes along, so that the numbers are the same.
    const measured = Number(
      /it leaves ([\d,]+) tokens/.exec(await page.locator(".rc-recommend .rc-fieldset").textContent())[1].replaceAll(",", ""),
    );
    await expect.poll(async () => Number((await page.locator(".rc-window-after strong").textContent()).replaceAll(",", ""))).toBe(measured);
    await page.getByRole("tab", { name: "Metrics" }).click();
    await expect.poll(() => page.locator(".rc-metrics").textContent()).toMatch(/Nothing was condensed yet/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("another history, another language", async () => {
    const { page } = await openPage(browser, studio.address);
    await page.getByRole("combobox", { name: "History" }).selectOption({ index: 1 });
    await expect.poll(() => page.locator(".rc-legend").textContent()).toMatch(/Environment/);
    await setUp(page, { language: "fr" });
    await expect.poll(() => page.locator(".rc-mark").textContent()).toBe("Atelier de condensation");
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe("fr");
    await page.close();
  });

  test.each([
    ["light", 1600],
    ["dark", 320],
    ["contrast", 1280],
  ])("axe finds nothing serious: %s, %i pixels wide", async (theme, width) => {
    const { page, complaints } = await openPage(browser, studio.address, { width });
    await setUp(page, { theme });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.locator(".rc-change-open").first().click();
    await page.waitForSelector(".rc-diff tr");
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("tab", { name: "What fills it" }).click();
    await page.locator(".rc-treemap-cell").first().waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("tab", { name: "Compare providers" }).click();
    await page.locator(".rc-comparison tbody tr").first().waitFor();
    await page.waitForSelector(".rc-comparison tbody tr");
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("button", { name: "Commands" }).click();
    await page.locator(".rc-palette-row").first().waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("checkbox", { name: "Condense automatically" }).waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("settings: when and how a conversation is condensed on its own, for profiles too, kept in a file, and used at once", async () => {
    const file = path.join(newFolder(), "condense.json");
    writeFileSync(file, JSON.stringify({ targetPercent: 60, profileThresholds: { cheap: 40 } }));
    const own = await startStudio(fixture("claude-code"), "--window", "100k", "--settings", file);
    const { page, complaints } = await openPage(browser, own.address);
    const stored = () => JSON.parse(readFileSync(file, "utf8"));
    const heading = async () => (await page.locator("h1").textContent()).trim();
    await expect(heading()).resolves.toBe("65% full: the next answer fits.");
    await expect(page.getByRole("slider", { name: "Target size" }).getAttribute("aria-valuetext")).resolves.toMatch(/^60%/);
    await page.getByRole("button", { name: "Settings" }).click();
    const all = page.getByRole("slider", { name: "Threshold for all profiles" });
    await all.focus();
    for (let press = 0; press < 5; press++) await page.keyboard.press("PageDown");
    await expect.poll(stored).toMatchObject({ autoCondenseContextPercent: 50 });
    await expect.poll(heading).toBe("65% full: condensing is due.");
    const inherits = page.getByRole("checkbox", { name: "As for all profiles" });
    await expect(page.getByRole("slider", { name: "Profile cheap" }).getAttribute("aria-valuetext")).resolves.toBe("40% of the window");
    await inherits.check();
    await page.getByRole("textbox", { name: "Name of a profile" }).fill("careful");
    await page.keyboard.press("Enter");
    await expect.poll(stored).toMatchObject({ profileThresholds: { cheap: -1, careful: -1 } });
    await page.getByRole("checkbox", { name: "Selective condensing" }).check();
    await expect.poll(stored).toMatchObject({ provider: "smart", preset: "selective" });
    await expect(page.locator(".rc-badges").textContent()).resolves.toMatch(/Asks a model, which costs.*Seconds.*May lose content/);
    await page.getByRole("checkbox", { name: "Selective condensing" }).uncheck();
    await expect.poll(() => stored().preset).toBeUndefined();
    await page.locator(".rc-settings").getByRole("combobox", { name: "Provider" }).selectOption("truncation");
    await expect.poll(stored).toMatchObject({ provider: "truncation" });
    await expect(page.locator(".rc-badges").textContent()).resolves.toMatch(/No cost.*Milliseconds.*May lose content/);
    await page.getByRole("checkbox", { name: "Condense automatically" }).uncheck();
    await expect.poll(stored).toMatchObject({ autoCondenseContext: false });
    await expect.poll(heading).toBe("65% full: the next answer fits.");
    await expect(page.locator(".rc-settings .rc-note").textContent()).resolves.toBe(`Kept in ${file}.`);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".rc-quiet").textContent()).toMatch(/[1-9][\d,]* lost/);
    // A page loaded again has them.
    await page.reload();
    await page.getByRole("button", { name: "Settings" }).click();
    await expect(page.locator(".rc-settings").getByRole("combobox", { name: "Provider" }).inputValue()).resolves.toBe("truncation");
    expect(complaints).toEqual([]);
    await page.close();
    await own.stop();
  });

  test.each([
    [1440, 900],
    [1024, 768],
    [390, 844],
  ])("nothing moves while the page comes up, and a message opens over it: %i pixels wide", async (width, height) => {
    const page = await browser.newPage({ viewport: { width, height }, locale: "en-US" });
    await page.addInitScript(watchShift);
    await page.goto(studio.address);
    await page.waitForSelector(".rc-change");
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => globalThis.shift)).toBeLessThan(0.05);
    const places = () =>
      page.evaluate(() => [
        scrollY,
        ...["h1", ".rc-map-frame", ".rc-tab-list"].map((one) => document.querySelector(one).getBoundingClientRect().y),
      ]);
    await page.locator(".rc-map-frame").scrollIntoViewIfNeeded();
    const before = await places();
    await page.locator(".rc-map-frame").click({ position: { x: 120, y: 90 } });
    await page.locator(".rc-drawer .rc-message h2").waitFor();
    expect(await places()).toEqual(before);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("dialog").count()).toBe(0);
    expect(await places()).toEqual(before);
    await page.close();
  });

  /** Looks like a webview of VS Code: its class on the body, its variables on the document. */
  const asEditor = (page, name, variables) =>
    page.evaluate(
      ([theme, values]) => {
        document.body.className = theme;
        for (const [variable, value] of Object.entries(values)) document.documentElement.style.setProperty(`--vscode-${variable}`, value);
      },
      [name, variables],
    );

  test.each([
    [
      "vscode-dark",
      "light",
      { "editor-background": "#1e1e1e", foreground: "#cccccc", "sideBar-background": "#252526", descriptionForeground: "#a0a0a0" },
      "dark",
    ],
    [
      "vscode-light",
      "dark",
      { "editor-background": "#ffffff", foreground: "#3b3b3b", "sideBar-background": "#f8f8f8", descriptionForeground: "#595959" },
      "light",
    ],
    [
      "vscode-high-contrast",
      "light",
      { "editor-background": "#000000", foreground: "#ffffff", contrastBorder: "#6fc3df", focusBorder: "#f38518" },
      "dark",
    ],
    [
      "vscode-high-contrast vscode-high-contrast-light",
      "dark",
      { "editor-background": "#ffffff", foreground: "#292929", contrastBorder: "#0f4a85" },
      "light",
    ],
  ])("in an editor its theme counts, not the system's: %s on a %s system", async (name, colorScheme, variables, scheme) => {
    const { page, complaints } = await openPage(browser, studio.address, { colorScheme });
    await asEditor(page, name, variables);
    const colours = await page.evaluate(() => {
      const root = document.querySelector(".rc-root");
      const style = getComputedStyle(root);
      const lead = getComputedStyle(document.querySelector(".rc-grade-inline")).color;
      return { scheme: style.colorScheme, page: getComputedStyle(document.documentElement).colorScheme, lead };
    });
    expect(colours).toMatchObject({ scheme, page: scheme });
    // Colours that no variable gives are those of the editor's kind of theme.
    const [red] = colours.lead.match(/\d+/g).map(Number);
    expect(red > 100).toBe(scheme === "dark");
    if (variables.contrastBorder) {
      const edge = await page.locator(".rc-quiet").evaluate((one) => getComputedStyle(one).borderTopColor);
      expect(edge).toBe(`rgb(${[1, 3, 5].map((at) => Number.parseInt(variables.contrastBorder.slice(at, at + 2), 16)).join(", ")})`);
    }
    expect(await seriousIn(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("every way out is reached with at most 15 presses of Tab", async () => {
    const { page, close } = await openWritable(cuttable());
    await page.reload();
    await page.locator(".rc-change").first().waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    const reached = [];
    for (let press = 0; press < 15; press++) {
      await page.keyboard.press("Tab");
      reached.push(
        await page.evaluate(() => document.activeElement?.textContent.trim() || document.activeElement?.getAttribute("aria-label")),
      );
    }
    for (const name of ["Save condensed", "What would go?", "Copy", "Report", "Save a copy…"]) expect(reached).toContain(name);
    expect(reached.indexOf("Save condensed")).toBeLessThan(8);
    // The bar's has the same name as the answer's: they do the same.
    expect(reached.filter((name) => name === "Save condensed")).toHaveLength(2);
    await close();
  });

  test("what is condensed is copied, downloaded, and sent as a report, also where nothing may be written", async () => {
    const own = await startStudio(historyFile(cuttable()));
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true });
    const page = await context.newPage();
    await page.goto(own.address);
    await showMore(page);
    await page.getByRole("combobox", { name: "Provider" }).selectOption("truncation");
    await page.locator(".rc-change", { hasText: "Cut" }).nth(2).waitFor();
    const ways = page.getByRole("region", { name: "Save, copy, undo" });
    await ways.getByRole("button", { name: "Copy", exact: true }).click();
    await ways.getByText("Copied: the condensed conversation.").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const files = [];
    page.on("download", (file) => files.push(file));
    /** The files that come of a click, by name. */
    const downloaded = async (button, ...names) => {
      await button.click();
      await expect.poll(() => files.map((file) => file.suggestedFilename()).sort()).toEqual(names.sort());
      const read = async (file) => [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
      return Object.fromEntries(await Promise.all(files.splice(0).map(read)));
    };
    // The restore data lies beside it, under the name that the command line looks for.
    const both = ["history.condensed.json", "history.condensed.restore.json"];
    const saved = await downloaded(ways.getByRole("button", { name: "Save a copy…" }), ...both);
    expect(saved["history.condensed.json"]).toBe(copied);
    await ways.getByText("history.condensed.restore.json").waitFor();
    const folder = newFolder();
    for (const name of both) writeFileSync(path.join(folder, name), saved[name]);
    const restored = spawnSync(process.execPath, [
      path.join(root, "js", "cli", "main.js"),
      "restore",
      path.join(folder, both[0]),
      "--out",
      "-",
    ]);
    expect(JSON.parse(restored.stdout)).toEqual(cuttable());
    expect(JSON.parse(copied)).toHaveLength(62);
    expect(copied).toContain("more lines");
    // The one button of the page is another word for it.
    const button = page.getByRole("button", { name: "Download condensed" });
    expect(await downloaded(button, ...both)).toEqual(saved);
    const report = await downloaded(ways.getByRole("button", { name: "Report" }), "history.report.html");
    expect(report["history.report.html"]).toContain('id="studio-data"');
    // A file that is dropped goes out the same way.
    await page.locator("input[type=file]").setInputFiles({
      name: "dropped.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify({ messages: cuttable(), id: 7 })),
    });
    await expect.poll(() => page.title()).toBe("dropped.json · Condense studio");
    await page.locator(".rc-quiet").waitFor();
    const dropped = await downloaded(button, "dropped.condensed.json", "dropped.condensed.restore.json");
    expect(JSON.parse(dropped["dropped.condensed.json"]).id).toBe(7);
    await context.close();
    await own.stop();
  });

  test("theme, language and window outlive a reload; a file over the page is seen", async () => {
    const own = await startStudio(fixture("claude-code"));
    const { page, complaints } = await openPage(browser, own.address);
    await expect.poll(() => page.locator(".rc-window").textContent()).toMatch(/Choose the model’s window/);
    await setUp(page, { theme: "dark", language: "fr" });
    await page.getByRole("combobox", { name: "Fenêtre de contexte" }).selectOption("128000");
    await page.reload();
    await expect.poll(() => page.locator("h1").textContent()).toMatch(/^ ?Plein à 51/);
    await expect(page.locator(".rc-root").getAttribute("data-theme")).resolves.toBe("dark");
    await expect(page.locator(".rc-window").textContent()).resolves.toMatch(/Messages seuls/);
    const drag = (name) =>
      page.evaluate((type) => {
        const data = new DataTransfer();
        data.items.add(new File(["[]"], "x.json"));
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
      }, name);
    await drag("dragenter");
    await page.getByText("Déposez pour ouvrir").waitFor();
    await drag("dragleave");
    await expect.poll(() => page.getByText("Déposez pour ouvrir").count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
    await own.stop();
  });

  test("a change that can be read elsewhere is proved: its lines beside where they stand, and what came of reading them back", async () => {
    const own = await startStudio(
      historyFile([
        { role: "user", content: "Look." },
        call("1", "read_file", { path: "a.ts" }),
        answer("1", file(1, 40)),
        call("2", "read_file", { path: "a.ts" }),
        answer("2", file(1, 40)),
      ]),
    );
    const { page, complaints } = await openPage(browser, own.address);
    await page.locator(".rc-change-open").first().click();
    const proof = page.locator(".rc-proof");
    await expect.poll(() => proof.locator(".rc-verdict").textContent()).toMatch(/^ ?Read back: identical\. All 39 lines match/);
    await expect(proof.locator("tbody tr").count()).resolves.toBe(9);
    await proof.getByRole("button", { name: /^Show 31 more/ }).click();
    await expect(proof.locator("tbody tr").count()).resolves.toBe(39);
    expect(await seriousIn(page)).toEqual([]);
    await proof.getByRole("button", { name: /^Message \d/ }).click();
    await page.locator(".rc-drawer .rc-message h2").waitFor();
    expect(complaints).toEqual([]);
    await page.close();
    await own.stop();
  });

  test("what fills it is seen as areas, of which each shows its changes, or opens its largest message where nothing would go", async () => {
    const { page, complaints } = await openPage(browser, studio.address);
    await page.getByRole("tab", { name: "What fills it" }).click();
    const cell = page.locator(".rc-treemap-cell").first();
    await expect(cell.locator(".rc-unseen").textContent()).resolves.toMatch(/^Read .*dates\.ts: [\d,]+ tokens, [\d,]+ would go$/);
    await page.locator(".rc-treemap-cell").filter({ hasText: ", 0 would go" }).first().click();
    await expect.poll(() => page.locator(".rc-drawer .rc-message h2").textContent()).toMatch(/Message \d+/);
    await page.keyboard.press("Escape");
    await cell.click();
    await expect.poll(() => page.getByRole("tab", { name: /^Changes/ }).getAttribute("aria-selected")).toBe("true");
    await expect(page.getByRole("searchbox").inputValue()).resolves.toMatch(/dates\.ts$/);
    await expect
      .poll(async () => (await page.locator(".rc-count").textContent()).match(/\d+/g).map(Number))
      .toSatisfy(([some, all]) => 0 < some && some < all);
    await expect.poll(() => page.locator(".rc-in-group", { hasText: "dates.ts" }).count()).toBeGreaterThan(0);
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
    expect(shown).toContain("U+202Egnp.exeU+0000␛xxx");
    await expect(page.locator(".rc-pre .rc-hidden-character", { hasText: "␛" }).first().getAttribute("title")).resolves.toBe("U+001B[31m");
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
    await expect.poll(() => slider.getAttribute("aria-valuemax")).toBe("1");
    writeFileSync(history, JSON.stringify([...messages, { role: "user", content: "And now?" }]));
    await expect.poll(() => slider.getAttribute("aria-valuemax"), { timeout: 10_000 }).toBe("2");
    await own.stop();
    await expect.poll(() => page.getByRole("alert").textContent(), { timeout: 10_000 }).toMatch(/No response/);
    await page.getByRole("combobox", { name: "Provider" }).selectOption("truncation");
    await expect.poll(() => page.locator(".rc-error").count()).toBe(1);
    await page.close();
  });

  test("who reads while the agent writes goes on reading", async () => {
    const { messages } = JSON.parse(readFileSync(fixture("claude-code"), "utf8"));
    const history = historyFile(messages);
    const own = await startStudio(history);
    const { page, complaints } = await openPage(browser, own.address);
    const search = page.getByRole("searchbox");
    await search.fill("lines");
    await page.locator(".rc-change-open").first().click();
    await page.locator(".rc-change .rc-diff").first().waitFor();
    await page.getByRole("slider", { name: /^Messages/ }).focus();
    await page.keyboard.press("Enter");
    // By keyboard one goes on in what was opened, and back from it.
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe("rc-message");
    const before = await page.locator(".rc-window-now strong").textContent();
    writeFileSync(history, JSON.stringify([...messages, { role: "user", content: "And now? ".repeat(200) }]));
    await expect.poll(() => page.locator(".rc-window-now strong").textContent(), { timeout: 10_000 }).not.toBe(before);
    await expect.poll(() => search.inputValue()).toBe("lines");
    await expect.poll(() => page.locator(".rc-change .rc-diff").count()).toBeGreaterThan(0);
    await expect.poll(() => page.locator(".rc-message").count()).toBe(1);
    await page.locator(".rc-message").focus();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".rc-message").count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("slider");
    expect(complaints).toEqual([]);
    await own.stop();
    await page.close();
  });

  test("many removed lines are folded, in the row and in the drawer, until they are asked for", async () => {
    const own = await startStudio(fixture("claude-code"), "--window", "41600");
    const { page, complaints } = await openPage(browser, own.address);
    const opens = async (place) => {
      const fold = page.locator(`${place} .rc-fold`, { hasText: /Show \d+ removed lines/ }).first();
      const hidden = Number(/\d+/.exec((await fold.textContent()) ?? "")?.[0]);
      const table = fold.locator("xpath=ancestor::table");
      const rows = table.locator("tr");
      const before = await rows.count();
      const handle = await table.elementHandle();
      await fold.click();
      // The row of the button goes, those that it stood for come.
      await expect.poll(() => handle?.evaluate((element) => element.querySelectorAll("tr").length)).toBe(before - 1 + hidden);
      expect(hidden).toBeGreaterThan(7);
    };
    await page.locator(".rc-change-open", { hasText: "src/cli.ts" }).first().click();
    await opens(".rc-change .rc-diff");
    await page
      .locator(".rc-changes")
      .getByText(/^#144$/)
      .first()
      .click();
    await opens("dialog .rc-diff");
    expect(complaints).toEqual([]);
    await page.close();
    await own.stop();
  });

  test("Compare in detail leads to the comparison; the bar says up to where an answer fits", async () => {
    const own = await startStudio(fixture("claude-code"), "--window", "41600");
    const { page } = await openPage(browser, own.address);
    await page.getByRole("button", { name: "Compare in detail" }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Compare providers");
    await expect(page.locator(".rc-marks").textContent()).resolves.toContain("next answer fits up to 29.2K");
    await page.close();
    await own.stop();
  });

  test("two windows: one saves, the other finds it out and loses nothing", async () => {
    const { messages = JSON.parse(readFileSync(fixture("claude-code"), "utf8")) } = JSON.parse(
      readFileSync(fixture("claude-code"), "utf8"),
    );
    const own = await startStudio(historyFile(messages.slice(0, 60)), "--write");
    const [one, other] = [await openPage(browser, own.address), await openPage(browser, own.address)];
    const provider = one.page.getByRole("combobox", { name: "Provider" });
    // More than the host keeps of one page alone.
    for (let step = 0; step < 10; step++) {
      await provider.selectOption(step % 2 === 0 ? "truncation" : "lossless");
      await expect.poll(() => one.page.locator(".rc-answer").getAttribute("aria-busy")).toBe("false");
    }
    await other.page.locator(".rc-change-open").first().click();
    await other.page.waitForSelector(".rc-diff tr");
    await other.page.locator(".rc-acts").getByRole("button", { name: "Save condensed" }).click();
    await expect.poll(() => other.page.locator(".rc-save").textContent()).toMatch(/Written to/);
    // The first window condenses what the second has written: lossless finds nothing more to do.
    await expect.poll(() => one.page.locator(".rc-lead").textContent()).toMatch(/nothing to gain/);
    await expect.poll(() => one.page.locator(".rc-acts").getByRole("button", { name: "Save condensed" }).isDisabled()).toBe(true);
    expect([...one.complaints, ...other.complaints]).toEqual([]);
    await one.page.close();
    await other.page.close();
    await own.stop();
  });

  /** A page about a file that may be written, with cuts to choose from. */
  async function openWritable(messages, { language = "English" } = {}) {
    const history = historyFile(messages);
    const own = await startStudio(history, "--write");
    const { page, complaints } = await openPage(browser, own.address);
    await page.getByRole("combobox", { name: "Provider" }).selectOption("truncation");
    await page.locator(".rc-change", { hasText: "Cut" }).nth(2).waitFor();
    if (language !== "English") await setUp(page, { language: { label: language } });
    const rows = { Before: "now", After: "after" };
    const tokens = async (label) => Number((await page.locator(`.rc-window-${rows[label]} strong`).textContent()).replaceAll(",", ""));
    const save = page.locator(".rc-acts").getByRole("button", { name: "Save condensed" });
    const close = async () => {
      expect(complaints).toEqual([]);
      await page.close();
      await own.stop();
    };
    return { page, history, tokens, save, close };
  }
  /** Results of different lengths, each asked for by a call of its own. */
  const cuttable = () => [
    { role: "user", content: "Mend it." },
    ...Array.from({ length: 30 }, (_, at) => [
      call(`t${at}`, "read_file", { path: `src/file-${at}.ts` }),
      answer(`t${at}`, file(at, at + 90 - at)),
    ]).flat(),
    { role: "assistant", content: "Done." },
  ];

  test("faulty passes show no numbers of others, and are not saved in their name", async () => {
    const { page, save, close } = await openWritable(cuttable());
    await expect.poll(() => save.isDisabled()).toBe(false);
    await page.getByRole("combobox", { name: "Provider" }).selectOption({ label: "Passes of your own" });
    await page.getByText("As JSON").click();
    const json = page.getByRole("textbox", { name: "As JSON" });
    await json.fill("{");
    await expect.poll(() => page.locator(".rc-passes-panel").textContent()).toContain("This is not JSON: a } is missing");
    await json.fill('{"passes":[{"id":"a","mode":"individual","selection":{"type":"newest"}}]}');
    await expect.poll(() => page.locator(".rc-lead").textContent()).toContain("The passes have errors");
    await expect.poll(() => page.locator(".rc-window-after strong").count()).toBe(0);
    await expect.poll(() => save.isDisabled()).toBe(true);
    await expect.poll(() => page.locator(".rc-save").textContent()).toContain("while the passes have errors");
    await close();
  });

  test("a file dropped beside the page is opened, and it is said why it cannot be saved", async () => {
    const { page, close } = await openWritable(cuttable());
    const text = JSON.stringify([{ role: "user", content: "Hello." }]);
    const isTaken = await page.evaluate((dropped) => {
      const data = new DataTransfer();
      data.items.add(new File([dropped], "dropped.json"));
      const over = new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: data });
      document.documentElement.dispatchEvent(over);
      document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
      return over.defaultPrevented;
    }, text);
    // What falls on the document's own element reaches only the document.
    expect(isTaken).toBe(true);
    await expect.poll(() => page.locator(".rc-save").textContent()).toContain("The file itself stays as it is");
    const histories = page.getByRole("combobox", { name: "History" });
    await expect.poll(() => histories.locator("option").count()).toBe(2);
    await page.getByRole("button", { name: "Close this history" }).click();
    await expect.poll(() => histories.locator("option").count()).toBe(1);
    await expect.poll(() => page.getByRole("button", { name: "Close this history" }).count()).toBe(0);
    await close();
  });

  test("what is kept as it was stays so while the file changes, and what cannot be kept is said", async () => {
    const messages = cuttable();
    const { page, history, tokens, close } = await openWritable(messages);
    const cut = await tokens("After");
    await page.getByRole("button", { name: "Keep this as it was" }).first().click();
    await expect.poll(() => tokens("After")).toBeGreaterThan(cut + 500);
    const kept = await tokens("After");
    const grown = async (next) => {
      const before = await tokens("Before");
      writeFileSync(history, JSON.stringify(next));
      await expect.poll(() => tokens("Before"), { timeout: 10_000 }).not.toBe(before);
    };
    await grown([...messages, { role: "user", content: "And now?" }]);
    await expect.poll(() => tokens("After")).toBeGreaterThanOrEqual(kept);
    await expect.poll(() => tokens("After")).toBeLessThan(kept + 20);
    await page.getByText("One part stays as it was, because you chose so.").waitFor();
    await page.getByRole("button", { name: "Keep this as it was" }).first().click();
    await page.getByText("2 parts stay as they were, because you chose so.").waitFor();
    const both = await tokens("After");
    // Two messages at the start: all numbers shift.
    await grown([...messages.slice(0, 1), call("new", "list_files", { path: "." }), answer("new", "src"), ...messages.slice(1)]);
    await page.getByText("2 parts stay as they were, because you chose so.").waitFor();
    await expect.poll(() => tokens("After")).toBeGreaterThan(both);
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    // What was kept is there no more.
    await grown(messages.slice(-4));
    await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/2 parts that you kept.*stands in the history no more/);
    await page.getByRole("button", { name: "Continue without" }).click();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await close();
  });

  test("what is kept can be condensed after all", async () => {
    const { page, tokens, close } = await openWritable(cuttable());
    const cut = await tokens("After");
    await page.getByRole("button", { name: "Keep this as it was" }).first().click();
    await expect.poll(() => tokens("After")).toBeGreaterThan(cut);
    await page.getByRole("combobox", { name: "Provider" }).selectOption("lossless");
    await page.getByText("One part stays as it was").waitFor();
    await page.getByRole("combobox", { name: "Provider" }).selectOption("truncation");
    await expect.poll(() => page.locator(".rc-answer").getAttribute("aria-busy")).toBe("false");
    await expect.poll(() => tokens("After")).toBeGreaterThan(cut);
    await page.getByRole("button", { name: "Condense after all" }).click();
    await expect.poll(() => tokens("After")).toBe(cut);
    await close();
  });

  test("saving is confirmed until something else is done, does not offer to cut what was kept, and is taken back", async () => {
    const messages = cuttable();
    const { page, history, tokens, save, close } = await openWritable(messages);
    const text = readFileSync(history, "utf8");
    await page.getByRole("button", { name: "Keep this as it was" }).first().click();
    await page.getByText("One part stays as it was").waitFor();
    const kept = await tokens("After");
    await save.click();
    const said = page.locator(".rc-saved");
    await expect.poll(() => said.textContent()).toMatch(/Written to .*history\.json\. Backup of the original: .*history\.json\.bak\./);
    // The page has followed its own writing.
    await expect.poll(() => tokens("Before"), { timeout: 10_000 }).toBe(kept);
    await expect.poll(() => page.locator(".rc-answer").getAttribute("aria-busy")).toBe("false");
    await expect.poll(() => said.count()).toBe(1);
    await expect.poll(() => tokens("After")).toBe(kept);
    await expect.poll(() => page.locator(".rc-save").textContent()).toMatch(/There is nothing to save/);
    await expect.poll(() => save.isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Undo save" }).click();
    await expect.poll(() => said.textContent()).toMatch(/Undone: .*history\.json is as it was.*Backup of the saved file: .*\.bak\.1/);
    expect(readFileSync(history, "utf8")).toBe(text);
    await expect.poll(() => tokens("After")).toBe(kept);
    await expect.poll(() => said.count()).toBe(1);
    // Somebody else writes.
    writeFileSync(history, JSON.stringify(messages.slice(0, 40)));
    await expect.poll(() => said.count(), { timeout: 10_000 }).toBe(0);
    await close();
  });

  test("a page loaded again knows what was chosen and saved; who saves once more has to choose first; each saving can be taken back", async () => {
    const { page, history, tokens, save, close } = await openWritable(cuttable());
    const text = readFileSync(history, "utf8");
    const isIdle = () => expect.poll(() => page.locator(".rc-answer").getAttribute("aria-busy")).toBe("false");
    await page.getByRole("button", { name: "Keep this as it was" }).first().click();
    await page.getByText("One part stays as it was").waitFor();
    const target = page.getByRole("slider", { name: "Target size" });
    await page.getByRole("checkbox", { name: "No target" }).uncheck();
    await target.focus();
    // Downwards: the slider ends where no target leaves less.
    for (let press = 0; press < 2; press++) await page.keyboard.press("PageDown");
    await expect.poll(() => target.getAttribute("aria-valuetext")).toMatch(/^30%/);
    await isIdle();
    const [provider, percent, after] = [
      await page.getByRole("combobox", { name: "Provider" }).inputValue(),
      await target.getAttribute("aria-valuenow"),
      await tokens("After"),
    ];
    await page.reload();
    await page.getByText("One part stays as it was").waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "Provider" }).inputValue()).toBe(provider);
    await expect.poll(() => target.getAttribute("aria-valuenow")).toBe(percent);
    await expect.poll(() => tokens("After")).toBe(after);
    await save.click();
    await page.locator(".rc-saved").waitFor();
    const once = readFileSync(history, "utf8");
    await expect.poll(() => tokens("Before"), { timeout: 10_000 }).toBe(after);
    await isIdle();
    await expect.poll(() => save.isDisabled()).toBe(true);
    // Another choice makes it another condensation.
    await target.focus();
    for (let press = 0; press < 3; press++) await page.keyboard.press("PageDown");
    await expect.poll(() => save.isDisabled()).toBe(false);
    await save.click();
    await expect.poll(() => readFileSync(history, "utf8") !== once).toBe(true);
    await page.locator(".rc-saved").waitFor();
    await page.reload();
    const back = page.getByRole("button", { name: "Undo save" });
    await back.click();
    await expect.poll(() => readFileSync(history, "utf8")).toBe(once);
    await back.click();
    await expect.poll(() => readFileSync(history, "utf8")).toBe(text);
    await expect.poll(() => back.count()).toBe(0);
    await close();
  });

  test("a saving can be undone after the agent went on and after a restart, and what was added stays", async () => {
    const messages = cuttable();
    const { page, history, save, close } = await openWritable(messages);
    await save.click();
    const back = page.getByRole("button", { name: "Undo save" });
    await back.waitFor();
    const added = { role: "user", content: "And now?" };
    const append = () => writeFileSync(history, JSON.stringify([...JSON.parse(readFileSync(history, "utf8")), added]));
    append();
    // The page has followed, and what was said of the saving is no news any more.
    await expect.poll(() => page.locator(".rc-saved").count(), { timeout: 10_000 }).toBe(0);
    await expect.poll(() => back.count()).toBe(1);
    await close();
    append();
    const again = await startStudio(history, "--write");
    const { page: next } = await openPage(browser, again.address);
    await next.getByRole("button", { name: "Undo save" }).click();
    await expect.poll(() => next.locator(".rc-saved").textContent()).toMatch(/^ ?Undone: .*, with the 2 messages added since\./);
    expect(JSON.parse(readFileSync(history, "utf8"))).toEqual([...messages, added, added]);
    await expect.poll(() => next.getByRole("button", { name: "Undo save" }).count()).toBe(0);
    await next.close();
    await again.stop();
  });

  test("an empty page lists the sessions of this machine beside a place for a file, and opens one", async () => {
    const home = newFolder();
    const claude = path.join(home, ".claude", "projects", "-home-mara");
    const roo = path.join(home, ".config", "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline", "tasks", "t1");
    for (const folder of [claude, roo]) mkdirSync(folder, { recursive: true });
    const { messages } = JSON.parse(readFileSync(fixture("claude-code"), "utf8"));
    writeFileSync(path.join(roo, "api_conversation_history.json"), readFileSync(fixture("roo-xml-2025")));
    const before = { ...process.env };
    Object.assign(process.env, { HOME: home });
    for (const name of ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"]) delete process.env[name];
    const records = messages.map((message, at) =>
      JSON.stringify({ type: message.role, uuid: `${at}`, parentUuid: at === 0 ? null : `${at - 1}`, message }),
    );
    writeFileSync(path.join(claude, "s1.jsonl"), `${records.join("\n")}\n`);
    const own = await startStudio("--window", "64k", "--write");
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    const page = await browser.newPage({ locale: "en-US", viewport: { width: 1280, height: 900 } });
    await page.addInitScript(watchShift);
    await page.goto(own.address);
    const rows = page.locator(".rc-session");
    await expect
      .poll(() => page.locator(".rc-start .rc-lead").textContent())
      .toBe("2 sessions found on this computer. Opening one changes nothing.");
    await expect.poll(() => rows.first().textContent()).toMatch(/Claude Code · this minute · \d+ messages10\d% of 64K/);
    await expect.poll(() => rows.nth(1).textContent()).toMatch(/Roo Code · /);
    expect(await page.evaluate(() => globalThis.shift)).toBeLessThan(0.05);
    // Without a window of the user's it is said which one is meant.
    const windows = page.getByRole("combobox", { name: "Context window" });
    await windows.selectOption({ label: "unknown" });
    await expect.poll(() => rows.first().textContent()).toMatch(/33% of 200K/);
    await expect(page.locator(".rc-start .rc-note").first().textContent()).resolves.toMatch(
      /a window of 200K\. Choose your model’s window above\./,
    );
    await windows.selectOption("64000");
    await expect(page.locator(".rc-start .rc-note").textContent()).resolves.toMatch(/^Looked in ~.\.claude/);
    expect(await seriousIn(page)).toEqual([]);
    await rows.nth(1).getByRole("button").click();
    await expect.poll(() => page.title()).toBe("api_conversation_history.json · Condense studio");
    await page.locator(".rc-acts").getByRole("button", { name: "Save condensed" }).waitFor();
    await page.getByRole("button", { name: "Sessions" }).click();
    await rows.first().getByRole("button").click();
    await expect.poll(() => page.locator("h1").textContent()).toMatch(/10\d% full/);
    // A session of Claude Code is written in its own records.
    await page.locator(".rc-acts").getByRole("button", { name: "Save condensed" }).waitFor();
    await page.close();
    await own.stop();
  });

  test("with a model: an estimate first, asked for when the button is pressed, and then saved", async () => {
    const service = await startFakeLlm(() => stream(...anthropicEvents(["## Done so far\n", "Every file was read."])));
    const history = historyFile(cuttable());
    const price = '{"inputPrice":3,"outputPrice":15}';
    const key = process.env.ANTHROPIC_API_KEY;
    process.env.ANTHROPIC_API_KEY = "k-1";
    const own = await startStudio(history, "--write", "--llm", "anthropic", "--model", "m", "--base-url", service.url, "--price", price);
    if (key === undefined) delete process.env.ANTHROPIC_API_KEY;
    else process.env.ANTHROPIC_API_KEY = key;
    const { page, complaints } = await openPage(browser, own.address);
    await page.getByRole("combobox", { name: "Provider" }).selectOption("native");
    await expect
      .poll(() => page.locator(".rc-lead").textContent())
      .toMatch(/^A model would write summaries: ≈ [\d,]+ tokens remain \(−\d+%\)\./);
    expect(service.requests).toHaveLength(0);
    await expect.poll(() => page.locator(".rc-save").textContent()).toMatch(/An estimate cannot be saved/);
    await page.getByRole("button", { name: /^Run the model \(\$0\.\d{4}\)/ }).click();
    await page.locator(".rc-acts").getByRole("button", { name: "Save condensed" }).waitFor();
    expect(service.requests.length).toBeGreaterThan(0);
    await expect.poll(() => page.locator(".rc-quiet").textContent()).toMatch(/\$0\.\d{4} for the model/);
    await page.locator(".rc-acts").getByRole("button", { name: "Save condensed" }).click();
    await page.locator(".rc-saved").waitFor();
    expect(readFileSync(history, "utf8")).toContain("Every file was read.");
    expect(complaints).toEqual([]);
    await page.close();
    await own.stop();
    await service.close();
  });

  test("with forced colours, what colours say is still there", async () => {
    const context = await browser.newContext({ forcedColors: "active", viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.goto(studio.address);
    await page.waitForSelector(".rc-lead p");
    const colours = await page.evaluate(() => {
      const canvas = document.querySelector(".rc-map-canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) seen.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
      return seen.size;
    });
    expect(colours).toBeGreaterThan(3);
    const backgrounds = (selector) =>
      page.locator(selector).evaluateAll((all) => new Set(all.map((one) => getComputedStyle(one).backgroundColor)).size);
    await expect.poll(() => backgrounds(".rc-legend .rc-swatch")).toBeGreaterThan(2);
    await expect.poll(() => backgrounds(".rc-slider-track, .rc-slider-range")).toBe(2);
    await page.getByRole("tab", { name: "What fills it" }).click();
    const cell = page.locator(".rc-treemap-cell").first();
    expect(await cell.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe("solid");
    await context.close();
  });

  test("a file that cannot be read is said, nothing is saved, and it goes on when it is whole again", async () => {
    const messages = cuttable();
    const { page, history, tokens, save, close } = await openWritable(messages);
    const before = await tokens("Before");
    writeFileSync(history, "{broken");
    const alert = page.getByRole("alert");
    await expect.poll(() => alert.textContent(), { timeout: 10_000 }).toMatch(/cannot be read now.*history\.json:1:2: not JSON/);
    await expect.poll(() => tokens("Before")).toBe(before);
    await expect.poll(() => save.isDisabled()).toBe(true);
    const note = await save.getAttribute("aria-describedby");
    expect(await page.evaluate((id) => document.getElementById(id).textContent, note)).toMatch(/cannot be read/);
    expect(readFileSync(history, "utf8")).toBe("{broken");
    writeFileSync(history, JSON.stringify(messages.slice(0, 41)));
    await expect.poll(() => alert.count(), { timeout: 10_000 }).toBe(0);
    await expect.poll(() => tokens("Before")).toBeLessThan(before);
    await expect.poll(() => save.isEnabled()).toBe(true);
    await close();
  });

  test("tables stand beside each other only where the words of the language have room", async () => {
    for (const locale of ["en-US", "fr-FR"]) {
      const page = await browser.newPage({ locale, viewport: { width: 1440, height: 900 } });
      await page.goto(studio.address);
      await page.locator("[role=tab]").nth(1).click();
      await page.waitForSelector(".rc-tables > *");
      const boxes = await page
        .locator(".rc-tables > *")
        .evaluateAll((all) =>
          all.map((one) => one.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })),
        );
      const overlap = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
      for (const [at, box] of boxes.entries()) expect(boxes.slice(at + 1).filter((other) => overlap(box, other))).toEqual([]);
      const words = await page
        .locator(".rc-tables th")
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length);
      expect(words).toBe(0);
      await page.close();
    }
  });

  test("in French, what the library says is French too", async () => {
    const { page } = await openPage(browser, studio.address);
    await setUp(page, { language: "fr" });
    const provider = page.getByRole("combobox", { name: "Fournisseur" });
    await expect.poll(() => provider.locator("option").allTextContents()).toContain("Coupe mécanique");
    await provider.selectOption("adaptive");
    await expect.poll(() => page.locator(".rc-field small").first().textContent()).toMatch(/^Demande un fournisseur/);
    await provider.selectOption({ label: "Vos propres passes" });
    await expect.poll(() => page.locator(".rc-pass-name").first().textContent()).toMatch(/Résumés d’anciens résultats/);
    await page.getByRole("tab", { name: "Lequel choisir ?" }).click();
    await page.getByRole("combobox", { name: "Ce qui compte le plus" }).selectOption("zero_loss");
    const advice = page.locator(".rc-recommend");
    await expect.poll(() => advice.textContent()).toMatch(/Sans perte, strict.* Essayé sur cette conversation/s);
    await expect.poll(() => advice.locator("[lang=en]").count()).toBe(0);
    await expect.poll(() => advice.textContent()).not.toMatch(/speaks for|of the information/);
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
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Compare providers" }).click();
    await expect.poll(() => page.locator(".rc-comparison tbody tr").count()).toBe(library.listed().length + 3);
    await expect.poll(() => page.getByRole("combobox", { name: "Provider" }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
