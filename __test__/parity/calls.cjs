"use strict";

// The calls that every build of the addon answers with the same bytes: each provider and each function on each fixture.

const { readdirSync } = require("node:fs");
const path = require("node:path");

const folder = path.join(__dirname, "..", "..", "fixtures");
const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort();

/** The calls on one fixture. */
function callsOf(name) {
  const to = (targetTokens, more) => ({ options: { targetTokens, ...more } });
  return [
    ...["count", "validate", "expand", "inspect"].map((kind) => ({ kind })),
    { provider: "lossless" },
    { provider: "lossless", config: { strict: true } },
    { provider: "truncation", ...to(4000) },
    { provider: "truncation", config: { mode: "window" }, ...to(3000) },
    { provider: "truncation", config: { strategy: "head_tail" }, ...to(3000) },
    { provider: "smart", ...to(4000) },
    { provider: "smart", model: true, ...to(4000) },
    { provider: "native", model: true },
    { provider: "adaptive", model: true, ...to(4000) },
    { kind: "preview", provider: "smart", model: true, ...to(4000) },
    { provider: "no such provider" },
  ].map((call) => ({ file: path.join(folder, name), ...call }));
}

const callsOfAll = () => fixtures.flatMap(callsOf);

module.exports = { callsOf, callsOfAll, fixtures };
