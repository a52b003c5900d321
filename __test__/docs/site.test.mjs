// The check of the built site's links sees what leads nowhere, under the path that the site is served below.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { deadLinks } from "../../site/links.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-site-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function site(files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return deadLinks(folder, "/base/").map(({ page, link, why }) => [page, link, why]);
}

test("pages, folders, files, anchors and other origins", () => {
  const found = site({
    "index.html": `<a href="/base/">here</a> <a class="x" href="/base/one">a page</a> <a href="one#part">its part</a> <a href="/base/guide/?a=1&amp;b=2">a folder</a>
      <img src="./one.svg"> <a href="https://example.org/one">elsewhere</a> <a href="#top">up</a> <h1 id="top">Top</h1> <!-- <a href="none"> -->`,
    "one.html": '<h2 id="part">Part</h2><script type="module" src="/base/assets/app.js"></script>',
    "one.svg": "<svg/>",
    "assets/app.js": "",
    "guide/index.html": '<a href="../one">up</a> <a href="mailto:a@example.org">write</a>',
  });
  expect(found).toEqual([]);
});

test("what is not there, is not below the path, or has no such heading", () => {
  const found = site({
    "index.html":
      '<link rel="stylesheet" href="/assets/style.css"> <a href="two">none</a> <a href="one#other">no part</a> <a href="guide">a folder without a slash</a>',
    "guide/index.html": '<a href="/base/fr/guide/one">in French</a>',
  });
  expect(found.map((each) => each.join(" ")).sort()).toEqual(
    [
      `${path.join("guide", "index.html")} /base/fr/guide/one there is no such file`,
      "index.html /assets/style.css is not below /base/",
      "index.html guide there is no such file",
      "index.html one#other there is no such heading",
      "index.html two there is no such file",
    ].sort(),
  );
});
