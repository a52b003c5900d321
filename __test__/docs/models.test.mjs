// Samples name models that exist, and that will exist for a while.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { MODELS, OWN_MODELS } from "./models.mjs";
import { codeOf, pages, read } from "./support.mjs";

const NOTICE_DAYS = 60;
const DAY_MS = 86_400_000;

/** Everything with samples: pages, examples, and types with their comments. */
const sources = [
  ...pages,
  "index.d.ts",
  ...["types", "js", "examples"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(d\.ts|[cm]?js)$/.test(name) && !/(^|[\\/])(node_modules|dist)[\\/]/.test(name))
      .map((name) => path.posix.join(folder, ...name.split(path.sep))),
  ),
];

/** Names of models as the services write them, in `text`. */
const modelsIn = (text) => [...text.matchAll(/\b(?:claude-[a-z]+-\d|gpt-\d)[\w.-]*/g)].map(([name]) => name.replace(/\.+$/, ""));
/** The models that code names, without the name of their service. */
const givenIn = (code) =>
  [...code.matchAll(/\bmodel["']?\s*[:=]\s*["']([^"'{}$]+)["']|--model\s+(\S+)/gi)].map(([, literal, word]) =>
    (literal ?? word).replace(/^\w+[/:]/, ""),
  );

const known = [...MODELS.map(({ id }) => id), ...OWN_MODELS];

test("samples name the models of models.mjs alone", () => {
  // Codex knows models by these names, each with its own limit: it is no sample.
  const isSample = (source) => source !== "js/cli/kinds/codex-outputs.js";
  const found = sources.filter(isSample).flatMap((source) => modelsIn(read(source)).map((name) => `${source}: ${name}`));
  expect(found.length).toBeGreaterThan(25);
  expect(found.filter((entry) => !known.includes(entry.split(": ")[1]))).toEqual([]);
});

test("what a sample gives as `model` is one of them", () => {
  const code = pages.filter((page) => page !== "CHANGELOG.md").flatMap(codeOf);
  const found = code.flatMap((block) => givenIn(block.code).map((name) => `${block.page}: ${name}`));
  expect(found.length).toBeGreaterThan(10);
  // A capital or an upper-case word stands for a name: MODEL.
  expect(found.filter((entry) => !known.includes(entry.split(": ")[1]) && !/: [A-Z_]+$/.test(entry))).toEqual([]);
});

/** Anthropic's own table of ends, which its client warns by: `{ "claude-sonnet-4-5": Date }`. */
function endsByClient() {
  const file = path.join(root, "node_modules", "@anthropic-ai", "sdk", "resources", "messages", "messages.js");
  const [, table] = /const DEPRECATED_MODELS = \{([\s\S]*?)\};/.exec(readFileSync(file, "utf8"));
  const rows = [...table.matchAll(/'([^']+)': '(\w+ \d+)\w*, (\d{4})'/g)];
  return new Map(rows.map(([, id, day, year]) => [id, new Date(`${day}, ${year} UTC`)]));
}

/** The models that a client's types name. */
const TYPES = { anthropic: "@anthropic-ai/sdk/resources/messages/messages.d.ts", openai: "openai/resources/shared.d.ts" };

describe.each(MODELS)("$id", ({ id, service, ends, lookedUp }) => {
  test("is known to the service's client", () => {
    expect(readFileSync(path.join(root, "node_modules", TYPES[service]), "utf8")).toContain(`'${id}'`);
  });

  test(`does not end within ${NOTICE_DAYS} days`, () => {
    const table = endsByClient();
    expect(table.size).toBeGreaterThan(0);
    const end = table.get(id) ?? (ends === null ? undefined : new Date(ends));
    const days = end && Math.floor((end.getTime() - Date.now()) / DAY_MS);
    const said = `samples name ${id}, which ends on ${end?.toISOString().slice(0, 10)}, in ${days} days: name another in __test__/docs/models.mjs and in the samples (looked up on ${lookedUp})`;
    expect(days ?? Number.POSITIVE_INFINITY, said).toBeGreaterThan(NOTICE_DAYS);
  });
});
