// Publishes the tarballs that `npm run pack:release` wrote to dist-packages/: the platform packages first, so that nobody installs a main package without its binaries. What is
// published already is passed over, so a run that broke off can be started again.
//
//   node scripts/publish.mjs --dry-run     says what it would do, and lets npm check every tarball
//   node scripts/publish.mjs               in the release workflow: npm knows who it is by trusted publishing, and signs the provenance
//   node scripts/publish.mjs --first       the first version, by hand after `npm login`: npm takes a trusted workflow only for packages that are there, and signs nothing elsewhere
//   node scripts/publish.mjs --packages DIR    with any of these: tarballs in another folder

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { Failure, PLATFORMS, checkTag, main, readJson, root, runNpm } from "./tools.mjs";

/** The tarballs of a version in the order in which they are published; fails when one is missing. */
function tarballsOf(folder, version) {
  const names = [...PLATFORMS, "wasm"].map((platform) => `roo-condense-${platform}-${version}.tgz`).concat(`roo-condense-${version}.tgz`);
  const there = existsSync(folder) ? readdirSync(folder) : [];
  const missing = names.filter((name) => !there.includes(name));
  if (missing.length)
    throw new Failure(`${path.relative(root, folder)} lacks ${missing.join(", ")}. \`npm run pack:release\` writes them to dist-packages.`);
  return names;
}

const nameOf = (tarball, version) => tarball.slice(0, -`-${version}.tgz`.length);

/** The versions of a package that the registry has. */
function versionsOf(name) {
  const { status, stdout, stderr } = spawnSync("npm", ["view", name, "versions", "--json"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    if (stdout.includes("E404") || stderr.includes("E404")) return [];
    throw new Failure(`The registry does not say which versions of ${name} it has:\n${stderr.trim() || stdout.trim()}`);
  }
  return [JSON.parse(stdout)].flat();
}

/** The registry refuses a provenance that names another repository than the package does; it would do so after the first packages are out. */
function checkProvenance(folder, tarballs) {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: identity, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  if (!identity)
    throw new Failure(
      "Provenance can be signed only in the release workflow (permission `id-token: write`). The first version is published by hand with --first: see docs/release.md.",
    );
  const wanted = `git+${server}/${repository}.git`;
  for (const name of tarballs) {
    const manifest = JSON.parse(execFileSync("tar", ["-xzOf", name, "package/package.json"], { cwd: folder, encoding: "utf8" }));
    const found = manifest.repository?.url;
    if (found !== wanted)
      throw new Failure(`${name}: repository.url is ${found}, and this workflow runs in ${wanted}: both have to be the same.`);
  }
}

await main(() => {
  const { values } = parseArgs({
    options: {
      "dry-run": { type: "boolean", default: false },
      first: { type: "boolean", default: false },
      packages: { type: "string", default: path.join(root, "dist-packages") },
    },
  });
  if (values.first && values["dry-run"])
    throw new Failure("--first and --dry-run exclude each other: --dry-run is the same for every version.", 2);
  const { version } = readJson(path.join(root, "package.json"));
  const folder = path.resolve(values.packages);
  checkTag(version);
  const tarballs = tarballsOf(folder, version);
  if (!values.first && !values["dry-run"]) checkProvenance(folder, tarballs);
  // What is no release yet is not what people get who name no version.
  const tag = version.includes("-") ? "next" : "latest";
  const published = new Map();
  if (!values["dry-run"]) for (const tarball of tarballs) published.set(tarball, versionsOf(nameOf(tarball, version)));
  const older = [...published].find(([, versions]) => versions.some((each) => each !== version));
  if (values.first && older)
    throw new Failure(
      `${nameOf(older[0], version)} has the versions ${older[1].join(", ")} already: later ones are published by the release workflow.`,
    );
  const how = values["dry-run"] ? "--dry-run" : values.first ? "--no-provenance" : "--provenance";
  for (const tarball of tarballs) {
    const name = nameOf(tarball, version);
    if (published.get(tarball)?.includes(version)) {
      console.log(`${name}@${version} is published already.`);
      continue;
    }
    const args = ["publish", path.join(folder, tarball), "--access", "public", "--tag", tag, how];
    // By hand npm may ask for a second factor.
    const code = runNpm(args, { input: values.first });
    if (code !== 0) throw new Failure(`${name}@${version} could not be published (exit code ${code}).`, code);
  }
});
