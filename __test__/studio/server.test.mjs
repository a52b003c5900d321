// Who may ask the studio's server, and what for.

import { request } from "node:http";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const require = createRequire(import.meta.url);
const { serveStudio } = require("../../js/cli/studio-server.js");

const host = { answer: async (message, { signal }) => ({ id: message?.id ?? 0, answer: { echo: message, isAborted: signal.aborted } }) };
let server;
let url;
beforeAll(async () => {
  server = await serveStudio(host);
  url = new URL(server.address);
});
afterAll(() => server.close());

function get(path, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: url.port, path, method, headers: { host: url.host, ...headers } }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const call = (options = {}) =>
  get(`${url.pathname}call`, {
    method: "POST",
    body: '{"id":1}',
    ...options,
    headers: { "content-type": "application/json", ...options.headers },
  });

describe("the studio's server", () => {
  test("listens on this machine alone, at an address that nobody can guess", () => {
    expect(url.hostname).toBe("127.0.0.1");
    expect(url.pathname).toMatch(/^\/[\w-]{32}\/$/);
  });

  test("serves the page and its files, under a strict policy", async () => {
    for (const [name, type] of [
      ["", "text/html"],
      ["studio.js", "text/javascript"],
      ["components.js", "text/javascript"],
      ["react.js", "text/javascript"],
      ["studio.css", "text/css"],
    ]) {
      const { status, headers, text } = await get(`${url.pathname}${name}`);
      expect([status, headers["content-type"]]).toEqual([200, `${type}; charset=utf-8`]);
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/);
      expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store" });
      if (name === "") expect(text).not.toMatch(/<script>|<style| on\w+=/);
    }
  });

  test("answers calls", async () => {
    const { status, text } = await call();
    expect([status, JSON.parse(text)]).toEqual([200, { id: 1, answer: { echo: { id: 1 }, isAborted: false } }]);
    expect((await call({ headers: { origin: url.origin, "sec-fetch-site": "same-origin" } })).status).toBe(200);
  });

  test.each([
    ["without the token", () => get("/"), 404],
    ["with another token", () => get(`/${"x".repeat(32)}/`), 404],
    ["with a token of another length", () => get("/x/"), 404],
    ["for a path beyond", () => get(`${url.pathname}../../etc/passwd`), 404],
    ["for another file", () => get(`${url.pathname}package.json`), 404],
    ["for something inherited", () => get(`${url.pathname}constructor`), 404],
    ["by another name (DNS rebinding)", () => get(url.pathname, { headers: { host: "evil.example" } }), 421],
    ["by another name, with our port", () => get(url.pathname, { headers: { host: `evil.example:${url.port}` } }), 421],
    ["from another page", () => call({ headers: { origin: "https://evil.example" } }), 403],
    ["from a page without origin", () => call({ headers: { origin: "null" } }), 403],
    ["from another port of this machine", () => call({ headers: { origin: "http://127.0.0.1:1" } }), 403],
    ["that browsers call cross-site", () => get(url.pathname, { headers: { "sec-fetch-site": "cross-site" } }), 403],
    ["that are forms", () => call({ headers: { "content-type": "text/plain" } }), 415],
    ["that are not JSON", () => call({ body: "{" }), 400],
    ["by another method", () => get(url.pathname, { method: "PUT" }), 405],
  ])("refuses requests %s", async (_, ask, expected) => {
    const { status, headers, text } = await ask();
    expect(status).toBe(expected);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(text).not.toContain(url.pathname.slice(1, -1));
  });
});
