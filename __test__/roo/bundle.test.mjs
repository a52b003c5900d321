// An extension in the manner of Roo-Code, bundled as Roo-Code is: one CommonJS file without node_modules, the binary beside it.

import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addonName, releaseAddon, root } from "../../scripts/tools.mjs";

const binary = process.env.ROO_CONDENSE_BINARY ?? releaseAddon;
const history = path.join(root, "fixtures", "roo-native-2026.json");
const { ROO_CONDENSE_BINARY: _, NODE_OPTIONS: __, ...cleanEnvironment } = process.env;

// The real path: on macOS the temporary folder is a link, and module paths are resolved.
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-extension-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const sources = path.join(folder, "sources");
  cpSync(path.join(root, "fixtures", "roo", "extension"), sources, { recursive: true });
  mkdirSync(path.join(sources, "node_modules"));
  symlinkSync(root, path.join(sources, "node_modules", "roo-condense"), "junction");
  for (const dist of ["with-binary", "without-binary"]) {
    const options = {
      bundle: true,
      format: "cjs",
      platform: "node",
      target: "node20",
      minify: true,
      sourcemap: false,
      external: ["vscode"],
      logLevel: "silent",
    };
    const result = await build({
      ...options,
      entryPoints: [path.join(sources, "extension.js")],
      outfile: path.join(folder, dist, "extension.js"),
    });
    expect(result.warnings).toEqual([]);
  }
  copyFileSync(binary, path.join(folder, "with-binary", addonName()));
  rmSync(sources, { recursive: true, force: true });
});

/** Runs the bundle in a new Node, which must end by itself. */
function run(dist, ...parameters) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, dist, "extension.js"), history, ...parameters], {
    cwd: folder,
    env: cleanEnvironment,
    encoding: "utf8",
    timeout: 60_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("a bundled extension", () => {
  test("is one file and the binary", () => {
    expect(readdirSync(path.join(folder, "with-binary")).sort()).toEqual(["extension.js", addonName()].sort());
  });

  test("condenses in plain Node", () => {
    const report = run("with-binary");
    expect(report).toMatchObject({
      managerAtHand: true,
      due: true,
      error: null,
      restored: true,
      replacedBy: 6,
      replacedCost: 0.25,
      cost: 3,
    });
    expect(report.summary).toMatch(/by the provider "lossless"/);
    expect(report.saved).toBeGreaterThan(0.02);
    expect(report.tokens).toBeGreaterThan(10_000);
  });

  test("does the same in a worker thread", () => {
    const { ...inWorker } = run("with-binary", "--worker");
    expect(inWorker).toEqual(run("with-binary"));
  });

  test("starts without a binary, and condenses as Roo-Code does", () => {
    const report = run("without-binary");
    expect(report).toMatchObject({
      managerAtHand: false,
      due: true,
      error: null,
      restored: true,
      summary: "What was done so far.",
      replacedBy: 6,
    });
    expect(report.saved).toBeGreaterThan(0.9);
  });

  test("is a bundle that names no folder of the machine it was made on", () => {
    expect(readFileSync(path.join(folder, "with-binary", "extension.js"), "utf8")).not.toContain(root);
  });
});
