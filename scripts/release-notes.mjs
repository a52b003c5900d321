// Makes the notes of a release from the section of its version in CHANGELOG.md.
//
//   node scripts/release-notes.mjs              prints them; fails where tag, version and changelog do not fit together
//   node scripts/release-notes.mjs --release    in the release workflow: makes the release on GitHub, or gives it these notes when it is there
//
// In the workflow GITHUB_REF_TYPE, GITHUB_REF_NAME, GITHUB_REPOSITORY and GITHUB_TOKEN say which tag and release that is.

import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { Failure, checkTag, isProgram, main, readJson, root } from "./tools.mjs";

const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * The notes of a version, with links that lead to its tag.
 * @param {string} changelog the text of CHANGELOG.md
 * @param {{ version: string, source: string, isTag: boolean }} release `source` is the address of the repository; a release of a tag needs a date
 */
export function notesOf(changelog, { version, source, isTag }) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (!section) throw new Failure(`CHANGELOG.md has no section "## ${version} (DATE)".`);
  const [heading = "", ...lines] = section.split("\n");
  const said = /\((.*)\)\s*$/.exec(heading)?.[1] ?? "";
  if (isTag && !DATE.test(said))
    throw new Failure(`CHANGELOG.md calls ${version} "${said}"; a release needs the date there: "## ${version} (2026-12-31)".`);
  const notes = lines.join("\n").trim();
  if (!notes) throw new Failure(`CHANGELOG.md says nothing about ${version}.`);
  const linked = notes.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, target) => `](${source}/blob/v${version}/${target})`);
  // GitHub ends a line of a release where the text does: lines that go on are put together, but in code.
  const parts = linked.split(/(^```[\s\S]*?^```$)/m);
  return parts.map((part, index) => (index % 2 ? part : part.replaceAll(/(\S)\n[ \t]*(?=[^\s\-*#|>`])/g, "$1 "))).join("");
}

/** Makes the release of a tag, or changes the notes of the one that is there. */
async function publishNotes({ version, notes }) {
  const { GITHUB_TOKEN: token, GITHUB_REPOSITORY: repository, GITHUB_API_URL: api = "https://api.github.com" } = process.env;
  if (!token || !repository) throw new Failure("GITHUB_TOKEN and GITHUB_REPOSITORY are needed.", 2);
  const tag = `v${version}`;
  const ask = (method, where, body) =>
    fetch(`${api}/repos/${repository}/releases${where}`, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json", "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const there = await ask("GET", `/tags/${tag}`);
  if (!there.ok && there.status !== 404) throw new Failure(`The release ${tag} cannot be looked up: HTTP ${there.status}.`);
  const { id } = /** @type {{ id?: number }} */ (there.ok ? await there.json() : {});
  const body = { tag_name: tag, name: tag, body: notes, prerelease: version.includes("-") };
  const written = await (id === undefined ? ask("POST", "", body) : ask("PATCH", `/${id}`, body));
  if (!written.ok) throw new Failure(`The release ${tag} cannot be written: HTTP ${written.status}.`);
  console.log(`${id === undefined ? "Made" : "Changed"} the release ${tag}.`);
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { release: { type: "boolean", default: false } } });
    const { version, homepage } = readJson(path.join(root, "package.json"));
    const isTag = checkTag(version);
    if (values.release && !isTag) throw new Failure("Only a tag has a release: GITHUB_REF_TYPE is not `tag`.", 2);
    const changelog = readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
    const notes = notesOf(changelog, { version, source: homepage.split("#")[0], isTag });
    if (values.release) await publishNotes({ version, notes });
    else console.log(notes);
  });
}
