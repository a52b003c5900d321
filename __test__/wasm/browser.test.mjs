// In a browser: a page, a worker of it, and the package bundled as hosts bundle it.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, wasmAddon } from "../../scripts/tools.mjs";
import { isMissing, launch, showMore } from "../browser/support.mjs";

const history = readFileSync(path.join(root, "fixtures", "claude-code.json"), "utf8");

const worker = `
import { load } from "roo-condense-wasm";
addEventListener("message", async ({ data }) => {
  await load(new URL("/roo-condense.wasm", location.href));
  const { CondensationManager, callbackHandler, countTokens, restore, version } = await import("roo-condense");
  const { messages } = JSON.parse(data);
  const result = await new CondensationManager().condense({ messages }, { targetTokens: 20000 });
  const api = {
    async *createMessage() {
      // An event of the browser, which only comes when the addon does not hold up its loop.
      await fetch("/roo-condense.wasm", { method: "HEAD" });
      yield { type: "text", text: "A summary that came over the network." };
    },
    getModel: () => ({ id: "a-model", info: { contextWindow: 200000 } }),
  };
  const summarized = await new CondensationManager({ provider: "native", handler: callbackHandler(api) }).condense({ messages });
  postMessage({
    version: version(),
    tokens: countTokens(messages),
    messages: JSON.stringify(result.messages),
    restored: JSON.stringify(restore(result)) === JSON.stringify(messages),
    summary: summarized.summary,
    error: summarized.error?.message ?? summarized.warnings[0]?.message,
  });
});
`;
const page = `<!doctype html><title>a host</title><script>
window.condense = (history) => new Promise((resolve, reject) => {
  const worker = new Worker("/worker.js");
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.postMessage(history);
});
</script>`;

describe.skipIf(isMissing)("in a browser", () => {
  let browser;
  let server;
  let address;

  beforeAll(async () => {
    const alias = { "roo-condense": path.join(root, "index.js"), "roo-condense-wasm": path.join(root, "wasm", "dist", "index.mjs") };
    const stdin = { contents: worker, resolveDir: root };
    const bundled = await build({ stdin, alias, bundle: true, write: false, platform: "browser", format: "iife", logLevel: "silent" });
    expect(bundled.warnings).toEqual([]);
    const files = {
      "/": ["text/html", page],
      "/worker.js": ["text/javascript", bundled.outputFiles[0].text],
      "/roo-condense.wasm": ["application/wasm", readFileSync(wasmAddon)],
    };
    const dist = path.dirname(wasmAddon);
    for (const name of readdirSync(path.join(dist, "studio"))) {
      const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
      files[`/studio/${name}`] = [types[path.extname(name)], readFileSync(path.join(dist, "studio", name))];
    }
    server = createServer(({ url }, response) => {
      const [type, body] = files[url] ?? ["text/plain", ""];
      response.writeHead(files[url] ? 200 : 404, { "content-type": type }).end(body);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${server.address().port}/`;
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  test("a worker condenses, asks a model by fetch, and says the same as Node", async () => {
    const tab = await browser.newPage();
    await tab.goto(address);
    const found = await tab.evaluate((text) => /** @type {any} */ (window).condense(text), history);
    const { CondensationManager, countTokens, version } = await import("../../index.js");
    const { messages } = JSON.parse(history);
    const wanted = await new CondensationManager().condense({ messages }, { targetTokens: 20_000 });
    expect(found).toMatchObject({ version: version(), tokens: countTokens(messages), restored: true });
    expect([found.error, found.summary]).toEqual([undefined, expect.stringContaining("A summary that came over the network.")]);
    const hash = (text) => createHash("sha256").update(text).digest("hex");
    expect(hash(found.messages)).toBe(hash(JSON.stringify(wanted.messages)));
  });

  test("the studio needs no server of ours: what is opened is condensed, and downloaded, in the browser", async () => {
    const tab = await browser.newPage();
    const complaints = [];
    tab.on("pageerror", (error) => complaints.push(String(error)));
    tab.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await tab.goto(`${address}studio/index.html`);
    await tab
      .locator("input[type=file]")
      .first()
      .setInputFiles(path.join(root, "fixtures", "claude-code.json"));
    await showMore(tab);
    await tab.getByRole("combobox", { name: "Provider" }).selectOption("truncation");
    const { createTruncationProvider, restore } = await import("../../index.js");
    const { messages } = JSON.parse(history);
    const wanted = await createTruncationProvider().condense({ messages });
    const after = () => tab.locator(".rc-window-after strong").textContent();
    await expect.poll(after, { timeout: 60_000 }).toBe(wanted.newContextTokens.toLocaleString("en-US"));
    /** @type {import("playwright-core").Download[]} */
    const downloads = [];
    tab.on("download", (download) => downloads.push(download));
    await tab.locator(".rc-acts").getByRole("button", { name: "Save condensed" }).click();
    await expect
      .poll(() => downloads.map((download) => download.suggestedFilename()).sort())
      .toEqual(["claude-code.condensed.json", "claude-code.condensed.restore.json"]);
    downloads.sort((one, other) => one.suggestedFilename().length - other.suggestedFilename().length);
    const [condensed, restoreData] = await Promise.all(
      downloads.map(async (download) => JSON.parse(readFileSync(await download.path(), "utf8"))),
    );
    expect(JSON.stringify(condensed)).toBe(JSON.stringify(wanted.messages));
    expect(restore({ messages: condensed, restoreData })).toEqual(messages);
    expect(complaints).toEqual([]);
    await tab
      .locator("input[type=file]")
      .first()
      .setInputFiles({
        name: "session.jsonl",
        mimeType: "application/json",
        buffer: Buffer.from('{"role":"user","content":"Mend it."}\n{"role":"assistant","content":"Done."}\n'),
      });
    await expect.poll(() => tab.getByRole("combobox", { name: "History" }).textContent()).toContain("session.jsonl (2 messages)");
    await tab.close();
  });

  test("a studio whose addon is not there says so", async () => {
    const tab = await browser.newPage();
    await tab.route("**/roo-condense.wasm", (route) => route.fulfill({ status: 404, body: "" }));
    await tab.goto(`${address}studio/index.html`);
    await expect.poll(() => tab.locator(".rc-error").first().textContent(), { timeout: 20_000 }).toMatch(/./);
    await tab.close();
  });

  test("without the addon loaded, importing says what to do", async () => {
    const alias = { "roo-condense": path.join(root, "index.js") };
    const stdin = { contents: 'import("roo-condense").catch(({ code, message }) => (window.told = { code, message }));', resolveDir: root };
    const bundled = await build({ stdin, alias, bundle: true, write: false, platform: "browser", format: "iife", logLevel: "silent" });
    const tab = await browser.newPage();
    await tab.goto(address);
    await tab.addScriptTag({ content: bundled.outputFiles[0].text });
    const told = await tab.waitForFunction(() => /** @type {any} */ (window).told).then((handle) => handle.jsonValue());
    expect(told.code).toBe("binary_not_found");
    expect(told.message).toContain("roo-condense-wasm");
  });
});
