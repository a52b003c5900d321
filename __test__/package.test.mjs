// The package as users get it: packed, installed into an empty folder, bundled, and with its binary missing or wrong.

import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNotLoaded } from "../scripts/elf.mjs";
import { PLATFORMS, addonName, cargoPackage, platformName, readJson, releaseAddon, root, runNpm } from "../scripts/tools.mjs";

const binary = process.env.ROO_CONDENSE_BINARY ?? releaseAddon;
const { version } = readJson(path.join(root, "package.json"));

/** The environment without what would lead the loader to a binary. */
const { ROO_CONDENSE_BINARY: _, NODE_OPTIONS: __, ...cleanEnvironment } = process.env;

const folders = [];
function emptyFolder() {
  // The real path: on macOS the temporary folder is a link, and module paths are resolved.
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-test-")));
  folders.push(folder);
  return folder;
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Runs a program in a new Node; it must end by itself within the time limit. */
function runProgram(file, env = {}) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: path.dirname(file),
    env: { ...cleanEnvironment, ...env },
    encoding: "utf8",
    timeout: 30_000,
  });
  return { status, signal, stdout: stdout.trim(), stderr };
}

const printsVersion = { status: 0, signal: null, stdout: version, stderr: "" };

const workerProgram = (use) => `
const { Worker, isMainThread, parentPort } = require("node:worker_threads");
if (isMainThread) {
  const workers = [1, 2].map(() => new Promise((resolve, reject) => new Worker(__filename).on("message", resolve).on("error", reject)));
  Promise.all(workers).then((found) => console.log([...new Set(found)].join()));
} else {
  parentPort.postMessage(${use}.version());
}`;

function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

describe("packed and installed", { tags: ["long"] }, () => {
  const tarballs = emptyFolder();
  const folder = emptyFolder();
  const installed = path.join(folder, "node_modules", "roo-condense");
  const platformPackage = path.join(folder, "node_modules", `roo-condense-${platformName()}`);

  beforeAll(() => {
    execFileSync(process.execPath, [path.join(root, "scripts", "pack.mjs"), "--binary", binary, "--out", tarballs], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    write(folder, { "package.json": '{ "name": "a-host", "version": "1.0.0" }' });
    const files = readdirSync(tarballs).map((name) => path.join(tarballs, name));
    expect(runNpm(["install", "--offline", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", ...files], { cwd: folder })).toBe(0);
    write(folder, {
      "import.mjs": 'import { version } from "roo-condense";\nconsole.log(version());',
      "require.cjs": 'const { version } = require("roo-condense");\nconsole.log(version());',
      "worker.cjs": workerProgram('require("roo-condense")'),
    });
  }, 120_000);

  test.each(["import.mjs", "require.cjs", "worker.cjs"])("%s prints the version and ends", (name) => {
    expect(runProgram(path.join(folder, name))).toEqual(printsVersion);
  });

  test("the main package names the platform packages packed with it, and holds nothing of the development", () => {
    const manifest = readJson(path.join(installed, "package.json"));
    expect(manifest.optionalDependencies).toEqual({ [`roo-condense-${platformName()}`]: version });
    expect(manifest).not.toHaveProperty("devDependencies");
    expect(manifest).not.toHaveProperty("scripts");
    expect(manifest).not.toHaveProperty("workspaces");
    expect(manifest).not.toHaveProperty("exportsToWorkspaces");
    expect(manifest.engines).toEqual({ node: ">=20" });
    const files = readdirSync(installed, { recursive: true });
    expect(files.filter((name) => name.endsWith(".node") || name.startsWith("src"))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "index.js", "index.d.ts", path.join("types", "messages.d.ts")]));
    // Manifests of workspaces stay at home: `imports` and `sideEffects` of the package are for all of it. That of the components makes them ES modules.
    const manifests = files.filter((name) => path.basename(name) === "package.json");
    expect(manifests.sort()).toEqual(["package.json", path.join("ui", "dist", "package.json")]);
  });

  test("the platform package holds the binary, the licence and those of the crates in it", () => {
    const files = readdirSync(platformPackage).sort();
    expect(files).toEqual(["LICENSE", "README.md", "THIRD-PARTY-NOTICES.txt", "package.json", addonName()].sort());
    const notices = readFileSync(path.join(platformPackage, "THIRD-PARTY-NOTICES.txt"), "utf8");
    expect(notices).toMatch(/^- napi \d/m);
    expect(notices).toMatch(/^- tiktoken \d/m);
    // Only the tests use it.
    expect(notices).not.toMatch(/^- proptest /m);
    // Those that come without a licence file, or with C sources of others.
    const headings = notices.split(`\n${"=".repeat(80)}\n`).filter((_, index) => index % 2 === 1);
    for (const name of ["napi ", "napi-sys ", "libmimalloc-sys ", "ring "]) expect(headings.join("\n")).toContain(name);
    for (const folder of ["(c_src/mimalloc/v2)", "(third_party/fiat)"]) expect(headings.join("\n")).toContain(folder);
    expect(notices).toContain("Microsoft Corporation, Daan Leijen");
  });

  test("both say where they come from, who wrote them and where to report", () => {
    const [main, platform] = [installed, platformPackage].map((folder) => readJson(path.join(folder, "package.json")));
    const source = "https://github.com/roo-condense/roo-condense";
    expect(main).toMatchObject({
      repository: { type: "git", url: `git+${source}.git` },
      homepage: `${source}#readme`,
      bugs: { url: `${source}/issues` },
      author: "The roo-condense authors",
      publishConfig: { access: "public", provenance: true },
    });
    const { repository, homepage, bugs, author, license, publishConfig } = main;
    expect(platform).toMatchObject({ homepage, bugs, author, license, publishConfig });
    expect(platform.repository).toEqual({ ...repository, directory: `npm/${platformName()}` });
    expect(readFileSync(path.join(installed, "LICENSE"), "utf8")).toContain("Copyright 2026 The roo-condense authors");
  });

  test("what is exported exists", () => {
    const { exports } = readJson(path.join(installed, "package.json"));
    const targets = Object.values(exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)));
    expect(targets.filter((file) => !existsSync(path.join(installed, file)))).toEqual([]);
  });

  const checkers = {
    publint: path.join(root, "node_modules", "publint", "src", "cli.js"),
    attw: path.join(root, "node_modules", "@arethetypeswrong", "cli", "dist", "index.js"),
  };
  // Where `npm ci` has not run since they came.
  const without = (name) => !existsSync(checkers[name]);
  const check = (name, ...parameters) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [checkers[name], ...parameters], {
      env: cleanEnvironment,
      encoding: "utf8",
    });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  };

  test.skipIf(without("publint"))("publint finds nothing to mend", () => {
    // It reads what `main` names as JavaScript: a few bytes stand in for the binary.
    const platform = emptyFolder();
    cpSync(platformPackage, platform, { recursive: true });
    writeFileSync(path.join(platform, addonName()), "\0");
    for (const folder of [installed, platform])
      expect(check("publint", "run", folder, "--strict", "--pack", "false")).toContain("All good!");
  });

  test.skipIf(without("attw"))("its types are right for every way of resolving modules", { tags: ["long"] }, () => {
    const tarball = path.join(tarballs, `roo-condense-${version}.tgz`);
    const attw = (...parameters) => check("attw", tarball, "--format", "ascii", "--no-emoji", ...parameters);
    // The studio's components are ES modules, as all that use them load them; stylesheets and the page have no types.
    const files = ["ui/style.css", ...["studio.js", "components.js", "react.js", "studio.css"].map((name) => `ui/page/${name}`)];
    expect(attw("--exclude-entrypoints", "ui", ...files)).toContain("No problems found");
    expect(attw("--entrypoints", "ui", "--ignore-rules", "cjs-resolves-to-esm")).toMatch(/"roo-condense\/ui"\s+node10: OK/);
  });

  test("the studio is there once, small enough, and with the licences of what is in it", () => {
    const dist = path.join(installed, "ui", "dist");
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
    const texts = new Map(files.map((name) => [name.replaceAll(path.sep, "/"), readFileSync(path.join(dist, name), "utf8")]));
    expect(gzipSync([...texts.values()].join("")).length).toBeLessThan(215_000);
    // A class of every component's surroundings stands in one file.
    expect([...texts].filter(([, text]) => text.includes("rc-map-frame")).map(([name]) => name)).toEqual(["page/components.js"]);
    // The host's own React, and never the addon.
    const importsOf = (name) => [...texts.get(name).matchAll(/^(?:import|export) [^"]*"([^"]+)";$/gm)].map(([, from]) => from);
    expect(importsOf("index.js")).toEqual(["./host.js", "./page/components.js"]);
    expect(importsOf("host.js")).toEqual(["react", "react-dom", "react/jsx-runtime", "./page/react.js"]);
    expect(new Set(importsOf("page/components.js"))).toEqual(new Set(["./react.js"]));
    for (const text of texts.values()) expect(text).not.toContain("native.js");
    const notices = readFileSync(path.join(dist, "THIRD-PARTY-NOTICES.txt"), "utf8");
    for (const name of ["react", "i18next", "lucide-react", "@radix-ui/react-tabs"]) expect(notices).toContain(`\n${name} `);
  });

  test("components in a host run on the host's React, and what is not used is left out", async () => {
    const program = (name) => `
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { ${name}, StudioProvider } from "roo-condense/ui";
const shown = createElement(StudioProvider, { client: {}, language: "en" }, createElement(${name}, {}, "a\\u200bb"));
console.log(renderToStaticMarkup(shown));`;
    const bundle = async (name, external = []) => {
      const { outputFiles, metafile } = await build({
        stdin: { contents: program(name), resolveDir: folder },
        nodePaths: [path.join(root, "node_modules")],
        bundle: true,
        minify: true,
        format: "esm",
        platform: "node",
        external,
        write: false,
        metafile: true,
        banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      });
      return { text: outputFiles[0].text, files: Object.keys(metafile.inputs) };
    };
    const { text, files } = await bundle("VisibleText");
    expect(
      files
        .filter((name) => /ui.dist/.test(name))
        .map((name) => path.basename(name))
        .sort(),
    ).toEqual(["components.js", "host.js", "index.js", "react.js"]);
    write(folder, { "host.mjs": text });
    expect(runProgram(path.join(folder, "host.mjs"))).toEqual({
      status: 0,
      signal: null,
      stdout: '<div class="rc-root" data-theme="system" lang="en">a<span class="rc-hidden-character">U+200B</span>b</div>',
      stderr: "",
    });
    const react = ["react", "react-dom", "react-dom/server", "react/jsx-runtime"];
    const [one, all] = await Promise.all([bundle("VisibleText", react), bundle("Studio", react)]);
    expect(one.text.length).toBeLessThan(0.7 * all.text.length);
  });

  test("the command line runs by its name", () => {
    const command = path.join(folder, "node_modules", ".bin", "roo-condense");
    const { status, stdout } = spawnSync(command, ["--help"], {
      env: cleanEnvironment,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    expect(status).toBe(0);
    expect(stdout).toContain("roo-condense");
  });
});

describe("the loader", () => {
  /** A copy of the loader alone, with no binary anywhere near. */
  function loaderFolder(packageVersion = version) {
    const folder = emptyFolder();
    write(folder, {
      "package.json": JSON.stringify({ name: "roo-condense", version: packageVersion }),
      "main.cjs": `
try {
  console.log(require("./js/native.js").version());
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message, tried: error.tried.map(({ place, reason }) => ({ place, reason })) }));
}`,
    });
    mkdirSync(path.join(folder, "js"));
    for (const name of ["native.js", "platform.js"]) copyFileSync(path.join(root, "js", name), path.join(folder, "js", name));
    return folder;
  }
  const failure = (folder, env) => JSON.parse(runProgram(path.join(folder, "main.cjs"), env).stdout);

  test("says what it tried and what to do when there is nothing", () => {
    const folder = loaderFolder();
    const error = failure(folder);
    expect(error.code).toBe("binary_not_found");
    expect(error.tried).toEqual([
      { place: path.join(folder, "js", addonName()), reason: "no such file" },
      { place: path.join(folder, addonName()), reason: "no such file" },
      { place: `package roo-condense-${platformName()}`, reason: "is not installed" },
      { place: "package roo-condense-wasm", reason: "is not installed" },
    ]);
    for (const { place, reason } of error.tried) expect(error.message).toContain(`- ${place}: ${reason}`);
    expect(error.message).toContain("npm install");
    expect(error.message).toContain("ROO_CONDENSE_BINARY");
  });

  test("the error reaches an importing module with its code", () => {
    const folder = loaderFolder();
    write(folder, { "main.mjs": 'await import("./js/native.js").catch((error) => console.log(error.code));' });
    expect(runProgram(path.join(folder, "main.mjs")).stdout).toBe("binary_not_found");
  });

  test("takes an explicit path from the environment, absolute or relative to the working directory", () => {
    const folder = loaderFolder();
    const main = path.join(folder, "main.cjs");
    expect(runProgram(main, { ROO_CONDENSE_BINARY: binary })).toEqual(printsVersion);
    copyFileSync(binary, path.join(folder, "mine.node"));
    expect(runProgram(main, { ROO_CONDENSE_BINARY: "mine.node" })).toEqual(printsVersion);
  });

  test("takes an explicit path from the global symbol", () => {
    const folder = loaderFolder();
    const program = `globalThis[Symbol.for("roo-condense.binary")] = ${JSON.stringify(binary)};\nrequire("./main.cjs");`;
    write(folder, { "symbol.cjs": program });
    expect(runProgram(path.join(folder, "symbol.cjs"))).toEqual(printsVersion);
  });

  test("does not run another binary than the one asked for", () => {
    const folder = loaderFolder();
    copyFileSync(binary, path.join(folder, addonName()));
    expect(runProgram(path.join(folder, "main.cjs"))).toEqual(printsVersion);
    const error = failure(folder, { ROO_CONDENSE_BINARY: path.join(folder, "absent.node") });
    expect(error.code).toBe("binary_not_found");
    expect(error.tried).toEqual([
      { place: `${path.join(folder, "absent.node")} (from environment variable ROO_CONDENSE_BINARY)`, reason: "no such file" },
    ]);
  });

  test("passes over a file that is no addon, and says why", () => {
    const folder = loaderFolder();
    write(folder, { [`js/${addonName()}`]: "not a library" });
    const error = failure(folder);
    expect(error.tried[0].place).toBe(path.join(folder, "js", addonName()));
    expect(error.tried[0].reason).not.toBe("no such file");
    copyFileSync(binary, path.join(folder, addonName()));
    expect(runProgram(path.join(folder, "main.cjs"))).toEqual(printsVersion);
  });

  test("refuses a binary of another version", () => {
    const folder = loaderFolder("99.0.0");
    copyFileSync(binary, path.join(folder, addonName()));
    const error = failure(folder);
    expect(error.tried[1].reason).toBe(`is of version ${version}, this is roo-condense 99.0.0`);
  });
});

describe("bundled with esbuild into one file, without node_modules", () => {
  async function bundle(format, entry, options = {}) {
    // One folder below, because the loader also looks in the folder above the bundle: here an empty one, not the
    // system's temporary folder, where somebody may keep a binary.
    const folder = path.join(emptyFolder(), "dist");
    mkdirSync(folder);
    const outfile = path.join(folder, format === "esm" ? "bundle.mjs" : "bundle.cjs");
    // The alias stands for a node_modules folder that has the package.
    const alias = { "roo-condense": path.join(root, "index.js") };
    const stdin = { contents: entry, resolveDir: root };
    const result = await build({
      stdin,
      alias,
      outfile,
      format,
      bundle: true,
      platform: "node",
      target: "node20",
      logLevel: "silent",
      ...options,
    });
    expect(result.warnings).toEqual([]);
    return outfile;
  }
  const printing = 'import { version } from "roo-condense";\nconsole.log(version());';
  const putBinaryBeside = (file) => copyFileSync(binary, path.join(path.dirname(file), addonName()));

  test("a CommonJS bundle finds the binary beside it", async () => {
    const file = await bundle("cjs", printing);
    expect(runProgram(file).stderr).toContain(path.join(path.dirname(file), addonName()));
    putBinaryBeside(file);
    expect(runProgram(file)).toEqual(printsVersion);
  });

  test("for a browser nothing of Node's comes in: not with the library, the studio's host, or what reads texts of histories", async () => {
    const entry = `import { createStudioHost } from "roo-condense";
import { historyIn } from "./js/cli/history-text.js";
import { pageOfWorker } from "./js/studio/html.js";
console.log(createStudioHost, historyIn, pageOfWorker);`;
    const file = await bundle("esm", entry, { platform: "browser" });
    expect(readFileSync(file, "utf8")).not.toMatch(/require\("node:|Dynamic require/);
  });

  test("also minified, in a worker thread", async () => {
    const file = await bundle("cjs", workerProgram('require("roo-condense")'), { minify: true });
    putBinaryBeside(file);
    expect(runProgram(file)).toEqual(printsVersion);
  });

  test("an ES module bundle that brings require takes an explicit path", async () => {
    const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
    const file = await bundle("esm", printing, { banner });
    expect(runProgram(file, { ROO_CONDENSE_BINARY: binary })).toEqual(printsVersion);
    expect(runProgram(file).stderr).toContain("binary_not_found");
  });

  test("an ES module bundle with the documented banner finds the binary beside it", async () => {
    const documented = /^\tjs: '(.*)',$/m.exec(readFileSync(path.join(root, "docs", "bundling.md"), "utf8"));
    const file = await bundle("esm", printing, { banner: { js: documented[1] } });
    expect(runProgram(file).stderr).toContain(path.join(path.dirname(file), addonName()));
    putBinaryBeside(file);
    expect(runProgram(file)).toEqual(printsVersion);
    const minified = await bundle("esm", printing, { banner: { js: documented[1] }, minify: true });
    putBinaryBeside(minified);
    expect(runProgram(minified)).toEqual(printsVersion);
  });
});

describe("the source", () => {
  test("has one version and one licence everywhere", () => {
    const lock = readJson(path.join(root, "package-lock.json"));
    const { license } = readJson(path.join(root, "package.json"));
    const cargo = cargoPackage();
    expect({ version: cargo.version, license: cargo.license }).toEqual({ version, license });
    expect(lock.version).toBe(version);
    for (const file of ["package.json", "package-lock.json"]) expect(readJson(path.join(root, "wasm", file)).version).toBe(version);
    for (const platform of PLATFORMS)
      expect(readJson(path.join(root, "npm", platform, "package.json"))).toMatchObject({ version, license });
    expect(readFileSync(path.join(root, "LICENSE"), "utf8")).toContain("Apache License");
  });

  test("READMEs of packages have links that work wherever they are shown, to files that exist", () => {
    const source = "https://github.com/roo-condense/roo-condense/blob/main/";
    for (const folder of [...PLATFORMS.map((platform) => `npm/${platform}`), "wasm"]) {
      const links = [...readFileSync(path.join(root, folder, "README.md"), "utf8").matchAll(/\]\(([^)]*)\)/g)].map(([, to]) => to);
      expect(links.length).toBeGreaterThan(2);
      expect(links.filter((to) => !to.startsWith("https://"))).toEqual([]);
      const files = links.filter((to) => to.startsWith(source)).map((to) => to.slice(source.length));
      expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    }
  });

  test("has a package for each platform, which npm installs on that platform only and on any Node", () => {
    expect(readdirSync(path.join(root, "npm")).sort()).toEqual([...PLATFORMS].sort());
    for (const platform of PLATFORMS) {
      const [os, cpu, abi] = platform.split("-");
      const manifest = readJson(path.join(root, "npm", platform, "package.json"));
      const file = addonName(platform);
      expect(manifest).toMatchObject({ name: `roo-condense-${platform}`, os: [os], cpu: [cpu], main: file, files: [file] });
      expect(manifest.libc).toEqual(os === "linux" ? [abi === "gnu" ? "glibc" : "musl"] : undefined);
      // npm passes over an optional dependency in silence when the running Node does not satisfy its engines.
      expect(manifest).not.toHaveProperty("engines");
    }
  });
});

test.skipIf(platformName() !== "linux-x64-gnu")("a binary for another C library than its package's is not packed", () => {
  const bytes = readFileSync(binary);
  expect(whyNotLoaded("linux-x64-musl", bytes)).toMatch(/static thread-local storage/);
  const asked = bytes.toString("latin1").replaceAll(/GLIBC_2\.\d\d(?=\0)/g, "GLIBC_2.28");
  expect(whyNotLoaded("linux-x64-gnu", Buffer.from(asked, "latin1"))).toBeUndefined();
  expect(whyNotLoaded("linux-x64-gnu", Buffer.from(asked.replaceAll("GLIBC_2.28\0", "GLIBC_2.29\0"), "latin1"))).toMatch(/glibc 2\.29/);
});
