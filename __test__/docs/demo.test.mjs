// `npm run demo` is the first thing that people see.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { debugAddon, root } from "../../scripts/tools.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-demo-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { ...process.env, ROO_CONDENSE_BINARY: process.env.ROO_CONDENSE_BINARY ?? debugAddon };
const demo = (...args) => promisify(execFile)(process.execPath, [path.join(root, "scripts", "demo.mjs"), ...args], { env, cwd: root });

test("shows before and after, what became of it, what it costs, and what to try next", async () => {
  const { stdout, stderr } = await demo();
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^Binary: .+ MB, named by ROO_CONDENSE_BINARY\)\.$/m);
  expect(stdout).toMatch(/before\s+█+\s+49,750 tokens\n\s+after\s+█+░+\s+24,180 tokens, in \d+ ms/);
  expect(stdout).toMatch(/13,391 {2}were replaced by newer, which stands below\n +0 {2}are lost to the model/);
  expect(stdout).toMatch(/tried, and identical/);
  expect(stdout).toMatch(/\$0\.0000 for condensing: no model was asked/);
  expect(stdout).toMatch(/after \d+ requests/);
  const next = [...stdout.matchAll(/^ {2}node js.cli.main\.js (\S+)/gm)].map(([, word]) => word);
  expect(next).toEqual(["studio", path.join("fixtures", "roo-xml-2025.json"), "HISTORY.json"]);
});

test("takes a history of one's own, and lets nothing in it steer the terminal", async () => {
  const file = path.join(folder, "own.json");
  const read = (id, content) => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: "a.ts" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ];
  const lines = Array.from({ length: 60 }, (_, line) => `\u001b[31mconst value${line} = ${line};\u0007`).join("\n");
  writeFileSync(
    file,
    JSON.stringify({ messages: [{ role: "user", content: "Mend it." }, ...read("1", lines), ...read("2", lines), ...read("3", lines)] }),
  );
  const { stdout } = await demo(file);
  expect(stdout).toMatch(/7 messages/);
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test("says what it cannot read", async () => {
  const file = path.join(folder, "none.json");
  writeFileSync(file, "{}");
  await expect(demo(file)).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/holds no array of messages/) });
});

// With programs of our own in the place of cargo and cc: what is said around a build, not the build.
describe.skipIf(process.platform === "win32")("where there is no binary", () => {
  const copy = path.join(folder, "copy");
  const programs = path.join(folder, "programs");
  beforeAll(() => {
    for (const name of ["scripts", "js", "src", "package.json", "Cargo.toml", "Cargo.lock", "build.rs"])
      cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
    mkdirSync(programs);
    const cargo = `#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "   Compiling serde v1.0.0" >&2\n/bin/sleep 11\necho "error: it cannot be" >&2\nexit 101\n`;
    writeFileSync(path.join(programs, "cargo"), cargo, { mode: 0o755 });
  });

  /** Runs the demo of the copy; rejects with what it wrote. */
  const build = (more = {}) => {
    const { ROO_CONDENSE_BINARY: _, CC: __, ...own } = process.env;
    return promisify(execFile)(process.execPath, [path.join(copy, "scripts", "demo.mjs")], {
      env: { ...own, PATH: programs, ...more },
      cwd: copy,
    });
  };

  test("no Rust, or no C compiler: how to get it", async () => {
    await expect(build({ PATH: folder })).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/no Rust to build one.*rustup/) });
    await expect(build()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/`cc` does not run.*build-essential/) });
  });

  test("time, disk and tools before the build, how far it is every ten seconds, and what failed", { tags: ["long"] }, async () => {
    const error = await build({ CC: "cc" }).catch((failure) => failure);
    expect(error).toMatchObject({ code: 101, stderr: expect.stringMatching(/error: it cannot be\n.*failed with exit code 101/s) });
    expect(error.stdout).toMatch(
      /^There is no binary.*time {4}\d+ to \d+ minutes.*disk {4}[\d.]+ GB.*tools {3}Rust [\d.]+ or newer and a C compiler/s,
    );
    expect(error.stdout).toMatch(/^ +10 s {2}1 crates begun, the newest serde$/m);
  });
});
