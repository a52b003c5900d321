"use strict";

// Serves the studio to browsers on this machine: on loopback only, on a port chosen by the system, and with a token
// in the address that every request must have. The Host header must be ours, which excludes foreign names that resolve to 127.0.0.1.
// Requests from other pages are refused.

const { randomBytes, timingSafeEqual } = require("node:crypto");
const { createServer } = require("node:http");
const { gzipSync } = require("node:zlib");
const { FILES, SERVED_POLICY, readBuilt, servedPage } = require("./studio-page.js");

/** The largest body of a request: a dropped history comes in one request. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

const HEADERS = Object.freeze({
  "Content-Security-Policy": SERVED_POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Cache-Control": "no-store",
});

const isSame = (one, other) => one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

function send(response, status, type, text, more = {}) {
  response.writeHead(status, { ...HEADERS, "Content-Type": `${type}; charset=utf-8`, ...more });
  response.end(text);
}

const takesGzip = ({ headers }) => /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers["accept-encoding"] ?? "");

const refuse = (response, status, why) => send(response, status, "text/plain", `${why}\n`);

async function bodyOf(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw Object.assign(new Error("too large"), { status: 413 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function answerCall(host, request, response) {
  if (request.headers["content-type"]?.split(";", 1)[0].trim() !== "application/json") return refuse(response, 415, "JSON is expected");
  let message;
  try {
    message = JSON.parse(await bodyOf(request));
  } catch (error) {
    if (!response.writableEnded) refuse(response, error.status ?? 400, error.status ? "too large" : "not JSON");
    return;
  }
  // A page that was closed, or sends another request, no longer waits.
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  const answer = await host.answer(message, { signal: controller.signal });
  if (!response.destroyed) send(response, 200, "application/json", JSON.stringify(answer));
}

/**
 * Starts serving. Resolves to the address to open, and a function that ends the server.
 * @param {{ answer(message: unknown, options?: { signal?: AbortSignal }): Promise<object> }} host
 * @returns {Promise<{ address: string, close(): Promise<void> }>}
 */
async function serveStudio(host) {
  const token = randomBytes(24).toString("base64url");
  const files = Object.fromEntries(Object.keys(FILES).map((name) => [name, readBuilt(name)]));
  /** The same files, compressed on first use. @type {Record<string, Buffer>} */
  const compressed = {};
  /** @type {string[]} */
  let names = [];
  const server = createServer((request, response) => {
    const { method, headers } = request;
    if (!names.includes(headers.host ?? "")) return refuse(response, 421, "this server has another name");
    const [, given = "", name, ...rest] = (request.url ?? "").split("?", 1)[0].split("/");
    if (!isSame(given, token) || name === undefined || rest.length > 0) return refuse(response, 404, "there is nothing here");
    const { origin, "sec-fetch-site": site } = headers;
    if ((origin !== undefined && !names.some((own) => origin === `http://${own}`)) || site === "cross-site" || site === "same-site")
      return refuse(response, 403, "another page may not ask");
    if (method === "POST" && name === "call") {
      answerCall(host, request, response).catch(() => response.destroy());
      return;
    }
    if (method !== "GET") return refuse(response, 405, "not allowed");
    if (name === "") return send(response, 200, "text/html", servedPage());
    if (Object.hasOwn(files, name)) {
      const vary = { Vary: "Accept-Encoding" };
      if (!takesGzip(request)) return send(response, 200, FILES[name], files[name], vary);
      compressed[name] ??= gzipSync(files[name]);
      return send(response, 200, FILES[name], compressed[name], { ...vary, "Content-Encoding": "gzip" });
    }
    refuse(response, 404, "there is nothing here");
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => resolve(undefined));
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  names = [`127.0.0.1:${port}`, `localhost:${port}`];
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve(undefined));
      server.closeAllConnections();
    });
  return { address: `http://127.0.0.1:${port}/${token}/`, close: /** @type {() => Promise<void>} */ (close) };
}

module.exports = { serveStudio };
