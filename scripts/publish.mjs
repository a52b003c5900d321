// Publishes the tarballs that `npm run pack:release` wrote to dist-packages/: the platform packages first, so that nobody installs a main package without its binaries. What is
// published already is passed over, so a run that broke off can be started again.
//
//   node scripts/publish.mjs --dry-run     says what it would do, and lets npm check every tarball
//   node scripts/publish.mjs               in the release workflow: npm knows who it is by trusted publishing, and signs the provenance

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { Failure, PLATFORMS, main, readJson, root, runNpm } from "./tools.mjs";

const folder = path.join(root, "dist-packages");

/** The tarballs of a version in the order in which they are published; fails when one is missing. */
function tarballsOf(version) {
  const names = [...PLATFORMS, "wasm"].map((platform) => `roo-condense-${platform}-${version}.tgz`).concat(`roo-condense-${version}.tgz`);
  const there = existsSync(folder) ? readdirSync(folder) : [];
  const missing = names.filter((name) => !there.includes(name));
  if (missing.length) throw new Failure(`dist-packages/ lacks ${missing.join(", ")}. \`npm run pack:release\` writes them.`);
  return names;
}

/** A release is what its tag says. */
function checkTag(version) {
  const { GITHUB_REF_TYPE: type, GITHUB_REF_NAME: name } = process.env;
  if (type === "tag" && name !== `v${version}`) throw new Failure(`The tag is ${name}, and package.json says ${version}.`);
}

function isPublished(name, version) {
  const { status, stdout } = spawnSync("npm", ["view", `${name}@${version}`, "version"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  return status === 0 && stdout.trim() === version;
}

await main(() => {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
  const { version } = readJson(path.join(root, "package.json"));
  checkTag(version);
  // What is no release yet is not what people get who name no version.
  const tag = version.includes("-") ? "next" : "latest";
  for (const tarball of tarballsOf(version)) {
    const name = tarball.slice(0, -`-${version}.tgz`.length);
    if (!values["dry-run"] && isPublished(name, version)) {
      console.log(`${name}@${version} is published already.`);
      continue;
    }
    const more = values["dry-run"] ? ["--dry-run"] : ["--provenance"];
    const code = runNpm(["publish", path.join(folder, tarball), "--access", "public", "--tag", tag, ...more]);
    if (code !== 0) throw new Failure(`${name}@${version} could not be published (exit code ${code}).`, code);
  }
});
