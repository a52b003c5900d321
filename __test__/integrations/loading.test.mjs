// Each piece is loaded by its name, and brings nothing along: no framework, and roo-condense itself brings no piece.

import { execFileSync } from "node:child_process";
import process from "node:process";
import { expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";

const names = {
  "ai-sdk": ["condensingMiddleware", "condensingPrepareStep"],
  anthropic: ["condensing", "clientHandler"],
  "claude-agent": ["condensingHooks", "condenseSession"],
  langchain: ["condensingEdit", "condensingMiddleware"],
  mastra: ["condensingProcessor"],
  openai: ["condensing", "clientHandler"],
  telemetry: ["instrument"],
};
/** The files that are loaded with a module, and what it exports. */
const loaded = (name) =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `
        import { createRequire } from "node:module";
        const exported = Object.keys(await import(${JSON.stringify(name)}));
        console.log(JSON.stringify({ exported, files: Object.keys(createRequire(import.meta.url).cache) }));`,
      ],
      { cwd: root, encoding: "utf8" },
    ),
  );

test.each(Object.entries(names))("roo-condense/%s", (name, exports) => {
  const { exported, files } = loaded(`roo-condense/${name}`);
  expect(exported).toEqual(expect.arrayContaining(exports));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => file.includes("node_modules"))).toEqual([]);
});

test("roo-condense", () => {
  expect(loaded("roo-condense").files.filter((file) => /node_modules|integrations/.test(file))).toEqual([]);
});
