// roo-condense as it comes from a registry: every package manager, and what happens where no binary fits. `npm run test:install`.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PLATFORMS, addonName, debugAddon, platformName, readJson, releaseAddon, root } from "../../scripts/tools.mjs";
import { isWasmStale } from "../../scripts/build-wasm.mjs";
import { managers, runWithBun } from "./managers.mjs";
import { npm, startRegistry } from "./registry.mjs";

const addon = process.env.ROO_CONDENSE_BINARY ?? releaseAddon;
const { version } = readJson(path.join(root, "package.json"));
const history = path.join(root, "fixtures", "claude-code.json");

// The real path: on macOS the temporary folder is a link.
const base = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-install-")));
/** @type {Awaited<ReturnType<typeof startRegistry>>} */
let registry;
/** What publishing the first version said. */
let published;

beforeAll(async () => {
  registry = await startRegistry(path.join(base, "registry"), addon);
  await registry.publish("--dry-run");
  const { status } = await fetch(`${registry.url}roo-condense-${PLATFORMS[0]}`);
  if (status !== 404) throw new Error(`--dry-run has published something: HTTP ${status}`);
  published = await registry.publish("--first");
});
afterAll(() => {
  registry?.stop();
  rmSync(base, { recursive: true, force: true });
});

/** What a program does with it first: condense, look at what was done, and take it back. */
const example = `
const { messages } = JSON.parse(readFileSync("history.json", "utf8"));
const manager = new CondensationManager();
manager.condense({ messages }, { targetTokens: 20000 }).then((result) => {
  const { prevContextTokens, newContextTokens, changes } = result;
  const same = JSON.stringify(restore(result)) === JSON.stringify(messages);
  const hash = createHash("sha256").update(JSON.stringify(result.messages)).digest("hex");
  console.log(JSON.stringify({ version: version(), prevContextTokens, newContextTokens, changes: changes.length, same, hash }));
}, (error) => console.log(error));
`;
const names = "{ CondensationManager, restore, version }";
const programs = {
  "import.mjs": `import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import ${names} from "roo-condense";
import "roo-condense/roo";
${example}`,
  "require.cjs": `const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const ${names} = require("roo-condense");
require("roo-condense/roo");
${example}`,
  "failing.cjs": `try {
  require("roo-condense");
} catch ({ code, message, tried }) {
  console.log(JSON.stringify({ code, message, tried: tried.map(({ place, reason }) => ({ place, reason })) }));
}`,
};

/** A project that nothing is installed in; `home` has the caches of one manager. */
function emptyProject(name, manager = name) {
  const folder = path.join(base, name, "project");
  const home = path.join(base, manager, "home");
  for (const each of [folder, home]) mkdirSync(each, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "name": "a-host", "version": "1.0.0", "private": true }\n');
  for (const [file, text] of Object.entries(programs)) writeFileSync(path.join(folder, file), text);
  copyFileSync(history, path.join(folder, "history.json"));
  return { folder, home };
}

/** What the source says of the same history. */
async function expected() {
  const folder = path.join(base, "source");
  mkdirSync(folder, { recursive: true });
  const program = programs["require.cjs"]
    .replaceAll('"roo-condense', `"${root}`.replaceAll("\\", "/"))
    .replace('/roo")', '/js/roo/index.js")');
  writeFileSync(path.join(folder, "source.cjs"), program);
  copyFileSync(history, path.join(folder, "history.json"));
  const env = { ...process.env, ROO_CONDENSE_BINARY: addon };
  return JSON.parse(execFileSync(process.execPath, ["source.cjs"], { cwd: folder, env, encoding: "utf8" }));
}

describe("publishing", () => {
  const names = [...PLATFORMS, "wasm"].map((each) => `roo-condense-${each}`).concat("roo-condense");

  test("the first version: all ten packages, the main one last, without provenance", async () => {
    const order = [...published.stdout.matchAll(/^\+ (\S+)@(\S+)$/gm)].map(([, name, of]) => [name, of]);
    expect(order).toEqual(names.map((name) => [name, version]));
    for (const name of names) {
      const { "dist-tags": tags, versions } = await (await fetch(`${registry.url}${name}`)).json();
      expect([name, tags]).toEqual([name, { latest: version }]);
      expect(versions[version].dist.attestations).toBeUndefined();
    }
  });

  test("once more: what is there is passed over", async () => {
    const { stdout } = await registry.publish("--first");
    expect(stdout.trim().split("\n")).toEqual(names.map((name) => `${name}@${version} is published already.`));
  });

  test("with provenance outside of the release workflow: refused before anything is sent", async () => {
    await expect(registry.publish()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Provenance can be signed only in .*--first/),
    });
  });
});

describe("what is published", () => {
  const filesOf = (name) =>
    execFileSync("tar", ["-tzf", `${name}-${version}.tgz`], { cwd: registry.tarballs, encoding: "utf8" })
      .trim()
      .split(/\r?\n/)
      .map((file) => file.replace(/^package\//, ""));
  const sizeOf = (name) => statSync(path.join(registry.tarballs, `${name}-${version}.tgz`)).size;

  test("the main package: JavaScript, types, the studio, licences; nothing of the development, and small", () => {
    const files = filesOf("roo-condense");
    const top = [...new Set(files.map((file) => file.split("/")[0]))].sort();
    expect(top).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "index.d.ts", "index.js", "js", "package.json", "types", "ui"]);
    expect(files).toContain("ui/dist/THIRD-PARTY-NOTICES.txt");
    expect(files.filter((file) => /\.(node|rs|test\.\w+|map|tsx)$/.test(file) || file.startsWith("ui/src"))).toEqual([]);
    expect(sizeOf("roo-condense")).toBeLessThan(500_000);
  });

  test.each([...PLATFORMS])("%s: the binary, its licence and those of what is in it", (platform) => {
    const name = `roo-condense-${platform}`;
    expect(filesOf(name).sort()).toEqual(["LICENSE", "README.md", "THIRD-PARTY-NOTICES.txt", "package.json", addonName(platform)].sort());
    // What is not the binary.
    if (platform !== platformName()) expect(sizeOf(name)).toBeLessThan(40_000);
    else if (addon !== debugAddon && platform === "linux-x64-gnu") {
      // As large as is said, and no larger: this sees it grow.
      const [, said] = /A binary has ([\d.]+) MB now/.exec(readFileSync(path.join(root, "docs", "versions.md"), "utf8")) ?? [];
      expect(Math.abs(statSync(addon).size / 1e6 - Number(said))).toBeLessThan(0.2);
    }
  });

  test.skipIf(isWasmStale())("the WebAssembly package: at most 4 MB, with the licences of what is in it", () => {
    const files = ["LICENSE", "README.md", "dist/THIRD-PARTY-NOTICES.txt", "dist/index.cjs", "dist/index.mjs", "dist/roo-condense.wasm"];
    const page = ["components.js", "index.html", "react.js", "studio.css", "studio.js", "worker.js"];
    const studio = ["THIRD-PARTY-NOTICES.txt", ...page].map((name) => `dist/studio/${name}`);
    expect(filesOf("roo-condense-wasm").sort()).toEqual([...files, ...studio, "index.d.ts", "package.json"].sort());
    expect(sizeOf("roo-condense-wasm")).toBeLessThan(4e6);
  });

  test("the registry says for whom each package is", async () => {
    for (const platform of PLATFORMS) {
      const { versions } = await (await fetch(`${registry.url}roo-condense-${platform}`)).json();
      const [os, cpu, abi] = platform.split("-");
      expect(versions[version]).toMatchObject({ os: [os], cpu: [cpu], license: "Apache-2.0" });
      expect(versions[version].libc).toEqual(os === "linux" ? [abi === "gnu" ? "glibc" : "musl"] : undefined);
    }
    const { versions } = await (await fetch(`${registry.url}roo-condense`)).json();
    expect(versions[version].optionalDependencies).toEqual(
      Object.fromEntries(PLATFORMS.map((platform) => [`roo-condense-${platform}`, version])),
    );
    expect(versions[version].peerDependenciesMeta["roo-condense-wasm"]).toEqual({ optional: true });
    expect(versions[version]).not.toHaveProperty("dependencies");
    expect(versions[version]).not.toHaveProperty("scripts");
  });
});

describe("installed with", () => {
  test.each(Object.entries(managers))("%s: imported, required and as a command", async (name, manager) => {
    const place = emptyProject(name.replaceAll(/\W+/g, "-"));
    await manager.install(place, registry.url, `roo-condense@${version}`);
    const wanted = await expected();
    expect(wanted).toMatchObject({ version, same: true });
    expect(wanted.newContextTokens).toBeLessThanOrEqual(20_000);
    expect(JSON.parse(await manager.node(place, "import.mjs"))).toEqual(wanted);
    expect(JSON.parse(await manager.node(place, "require.cjs"))).toEqual(wanted);
    expect(await manager.command(place, "validate", "history.json")).toMatch(/\S/);
    // Of the platforms this one's alone.
    const modules = path.join(place.folder, "node_modules");
    if (name === "npm" || name === "bun" || name.endsWith("node_modules"))
      expect(readdirSync(modules).filter((each) => each.startsWith("roo-condense-"))).toEqual([`roo-condense-${platformName()}`]);
    if (name === "bun") expect(JSON.parse(await runWithBun(place, "import.mjs"))).toEqual(wanted);
  });
});

describe("where no binary fits", () => {
  async function failure(name, options) {
    const place = emptyProject(name, "npm");
    await npm(["install", "--registry", registry.url, ...options, `roo-condense@${version}`], { cwd: place.folder, home: place.home });
    return { ...place, error: JSON.parse(await managers.npm.node(place, "failing.cjs")) };
  }
  /** What is said of this platform's package. */
  const missing = (error) => error.tried.find(({ place }) => place === `package roo-condense-${platformName()}`)?.reason;
  const modulesIn = (folder) => readdirSync(path.join(folder, "node_modules")).filter((each) => each.startsWith("roo-condense"));

  test("without optional dependencies: the error says how they are had", async () => {
    const { folder, error } = await failure("omit", ["--omit=optional"]);
    expect(modulesIn(folder)).toEqual(["roo-condense"]);
    expect(error.code).toBe("binary_not_found");
    expect(error.message).toContain("--omit=optional");
    expect(missing(error)).toBe("is not installed");
  });

  // Where the package is built (npm run build:wasm).
  test.skipIf(isWasmStale())("without optional dependencies, with roo-condense-wasm: the same results as with the binary", async () => {
    const place = emptyProject("wasm", "npm");
    const names = [`roo-condense@${version}`, `roo-condense-wasm@${version}`];
    await npm(["install", "--registry", registry.url, "--omit=optional", ...names], { cwd: place.folder, home: place.home });
    expect(modulesIn(place.folder)).toEqual(["roo-condense", "roo-condense-wasm"]);
    for (const file of ["import.mjs", "require.cjs"]) expect(JSON.parse(await managers.npm.node(place, file))).toEqual(await expected());
  });

  const other = process.platform === "win32" ? ["darwin", "arm64", "darwin-arm64"] : ["win32", "arm64", "win32-arm64-msvc"];
  test(`installed for ${other[2]} and run here: the error names the package that is missing`, async () => {
    const { folder, error } = await failure("foreign", [`--os=${other[0]}`, `--cpu=${other[1]}`]);
    expect(modulesIn(folder)).toEqual(["roo-condense", `roo-condense-${other[2]}`]);
    expect(error.code).toBe("binary_not_found");
    expect(error.message).toContain("on the platform\n  where the program runs");
    expect(missing(error)).toBe("is not installed");
  });

  const onLinux = test.skipIf(process.platform !== "linux");
  onLinux("installed for the other C library and run here: likewise", async () => {
    const libc = platformName().endsWith("-gnu") ? "musl" : "glibc";
    const { folder, error } = await failure("libc", [`--libc=${libc}`]);
    expect(modulesIn(folder)).toEqual(["roo-condense", `roo-condense-linux-${process.arch}-${libc === "musl" ? "musl" : "gnu"}`]);
    expect(error.code).toBe("binary_not_found");
    expect(missing(error)).toBe("is not installed");
  });

  test.skipIf(!platformName().endsWith("-gnu"))("on a glibc that is too old: the error says so, and which it would take", async () => {
    const place = emptyProject("old-glibc", "npm");
    const { folder, home } = place;
    await npm(["install", "--registry", registry.url, `roo-condense@${version}`], { cwd: folder, home });
    const file = path.join(folder, "node_modules", `roo-condense-${platformName()}`, addonName());
    // A binary that asks for a glibc which no system has yet is to this system what a plain one is to an old one.
    const bytes = readFileSync(file, "latin1");
    const [newest] = [...new Set(bytes.match(/GLIBC_2\.\d\d(?=\0)/g))].sort().slice(-1);
    writeFileSync(file, bytes.replaceAll(`${newest}\0`, "GLIBC_2.99\0"), "latin1");
    const error = JSON.parse(await managers.npm.node(place, "failing.cjs"));
    expect(error.code).toBe("binary_not_found");
    expect(missing(error)).toContain("GLIBC_2.99");
    expect(error.message).toMatch(/The C library of this system \(glibc 2\.\d+\) is older than the binary needs/);
  });
});
