// In a browser: a page, a worker of it, and the package bundled as hosts bundle it.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, wasmAddon } from "../../scripts/tools.mjs";
import { isMissing, launch } from "../browser/support.mjs";

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
