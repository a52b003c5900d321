// No link of the documentation leads nowhere, and every page can be found.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readJson, root } from "../../scripts/tools.mjs";
import { anchorsOf, codeOf, linksOf, pages, read } from "./support.mjs";

const isOutside = (target) => /^[a-z]+:/i.test(target);
const links = pages.flatMap(linksOf);
const inside = links.filter(({ target }) => !isOutside(target));

/** Where a link leads: a path from the root, and an anchor. */
function destination({ page, target }) {
  const [file, anchor] = target.split("#");
  return { file: file ? path.posix.normalize(path.posix.join(path.posix.dirname(page), decodeURI(file))) : page, anchor };
}

test("every link leads to a file, and to a heading in it", () => {
  expect(inside.length).toBeGreaterThan(100);
  const dead = inside.filter((link) => {
    const { file, anchor } = destination(link);
    if (!existsSync(path.join(root, file)) || file.startsWith("..")) return true;
    return anchor !== undefined && !(file.endsWith(".md") && anchorsOf(file).has(anchor));
  });
  expect(dead).toEqual([]);
});

test("links to elsewhere are addresses, over https", () => {
  const odd = links.filter(({ target }) => {
    if (!isOutside(target) || target.startsWith("mailto:")) return false;
    const { protocol, hostname } = new URL(target);
    return protocol !== "https:" || !hostname.includes(".");
  });
  expect(odd).toEqual([]);
});

test("every page of docs/ can be reached from its first", () => {
  const reached = new Set(["docs/index.md"]);
  for (const page of reached) {
    for (const link of linksOf(page)) {
      const { file } = isOutside(link.target) ? {} : destination(link);
      if (file?.startsWith("docs/") && file.endsWith(".md")) reached.add(file);
    }
  }
  expect(pages.filter((page) => page.startsWith("docs/") && !reached.has(page))).toEqual([]);
});

test("the site lists every page of docs/, and no other", async () => {
  const { english, french } = await import("../../site/.vitepress/sidebar.mjs");
  const linksIn = (items) => items.flatMap(({ link, items: below = [] }) => [...(link ? [link] : []), ...linksIn(below)]);
  const listed = linksIn([...english, ...french]).map((link) => `docs${link.endsWith("/") ? `${link}index` : link}.md`);
  expect(listed.sort()).toEqual(pages.filter((page) => page.startsWith("docs/") && page !== "docs/index.md").sort());
});

test("every picture is shown somewhere, in its language, and all together are small", () => {
  const folder = path.join(root, "docs", "guide", "images");
  const pictures = readdirSync(folder).map((name) => `docs/guide/images/${name}`);
  const shown = new Map(inside.map((link) => [destination(link).file, link.page]));
  expect(pictures.filter((picture) => !shown.has(picture))).toEqual([]);
  for (const language of ["en", "fr"]) {
    const inGuide = linksOf(language === "en" ? "docs/guide/index.md" : "docs/fr/guide/index.md")
      .map((link) => destination(link).file)
      .filter((file) => file.endsWith(".webp"));
    expect(inGuide.sort()).toEqual(pictures.filter((picture) => picture.endsWith(`.${language}.webp`)).sort());
  }
});

describe("what is named exists", () => {
  const { scripts } = readJson(path.join(root, "package.json"));

  test("scripts of npm", () => {
    const named = pages
      .filter((page) => page !== "CHANGELOG.md")
      .flatMap((page) => [...read(page).matchAll(/npm (?:run ([\w:-]+)|(test)\b)/g)].map(([, name, short]) => [page, name ?? short]));
    expect(named.length).toBeGreaterThan(20);
    // Those of a package of its own, in its folder.
    const own = new Set(
      ["examples/vscode-extension", "site"]
        .map((folder) => path.join(root, folder, "package.json"))
        .filter((file) => existsSync(file))
        .flatMap((file) => Object.keys(readJson(file).scripts ?? {})),
    );
    expect(named.filter(([, name]) => !(name in scripts || own.has(name)))).toEqual([]);
  });

  test("what continuous integration runs stands in the README", () => {
    const shell = codeOf("README.md")
      .filter(({ language }) => language === "sh")
      .map(({ code }) => code)
      .join("");
    for (const command of read(".ci/run").match(/^npm .+$/gm)) expect(shell).toMatch(new RegExp(`^${command}\\b`, "m"));
  });
});
