// What the tests of the documentation share: its pages, their headings, links and code.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/tools.mjs";

const IN_ROOT = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
const FOLDERS = ["docs", "fixtures", "examples", "npm"];
/** What a site of the documentation is built into or brings. */
const NOT_OURS = /(^|[\\/])(node_modules|project|api)[\\/]/;

/** Every page of the repository, as its path from the root. */
export const pages = [
  ...IN_ROOT,
  ...FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !NOT_OURS.test(name))
      .map((name) => path.posix.join(folder, ...name.split(path.sep))),
  ),
];

export const read = (page) => readFileSync(path.join(root, page), "utf8");

/** The fenced code of a page: `{ page, line, language, code }`. */
export function codeOf(page) {
  /** @type {{ page: string, line: number, language: string, code: string }[]} */
  const blocks = [];
  /** @type {{ indent: string, line: number, language: string, lines: string[] } | undefined} */
  let open;
  for (const [index, line] of read(page).split("\n").entries()) {
    const [, indent, info] = /^(\s*)```(.*)$/.exec(line) ?? [];
    if (indent === undefined) open?.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    else if (open) {
      blocks.push({ page, line: open.line, language: open.language, code: `${open.lines.join("\n")}\n` });
      open = undefined;
    } else open = { indent, line: index + 2, language: info.trim().split(/\s/)[0], lines: [] };
  }
  return blocks;
}

/** A page without its code, fenced or in a line: what is left has links and headings. */
const proseOf = (page) =>
  read(page)
    .replace(/^\s*```[\s\S]*?^\s*```$/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()#]/g, "x"));

/** The name that a heading is linked by, as GitHub and VitePress make it. */
const slugOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** The anchors of a page. */
export function anchorsOf(page) {
  const text = read(page).replace(/^\s*```[\s\S]*?^\s*```$/gm, "");
  return new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => slugOf(heading)));
}

/** The links and pictures of a page: `{ page, target }`. */
export function linksOf(page) {
  const prose = proseOf(page);
  const inline = [...prose.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map(([, target]) => target);
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)].map(([, target]) => target);
  return [...inline, ...defined].map((target) => ({ page, target }));
}
