// Walks the links of a built site: pages, anchors, scripts, styles and pictures.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

/** The addresses that a page names, and the ids that it has. */
function read(file) {
  const html = readFileSync(file, "utf8").replaceAll(/<!--[\s\S]*?-->/g, "");
  const tags = html.match(/<[a-z][^>]*>/gi) ?? [];
  const values = (pattern) => tags.flatMap((tag) => [...tag.matchAll(pattern)].map(([, value = ""]) => value.replaceAll("&amp;", "&")));
  return { links: values(/\s(?:href|src)="([^"]*)"/g), ids: new Set(values(/\s(?:id|name)="([^"]*)"/g)) };
}

/** The file that a web server answers a path with: itself, the page of a folder, or a page without its ending. */
function fileOf(folder, place) {
  const file = path.join(folder, place);
  const candidates = place.endsWith("/") || place === "" ? [path.join(file, "index.html")] : [file, `${file}.html`];
  return candidates.find((each) => existsSync(each) && statSync(each).isFile());
}

/**
 * The links of a site that lead nowhere, each as `{ page, link, why }`. Links to other origins are not asked for.
 * @param {string} folder the built site
 * @param {string} base the path that it is served under, with a slash at both ends
 */
export function deadLinks(folder, base) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  const pages = new Map(names.map((name) => [path.join(folder, name), read(path.join(folder, name))]));
  const dead = [];
  for (const name of names) {
    const address = new URL(name.split(path.sep).join("/"), `http://site${base}`);
    for (const link of pages.get(path.join(folder, name))?.links ?? []) {
      const target = new URL(link, address);
      if (target.origin !== address.origin) continue;
      const place = decodeURIComponent(target.pathname);
      const file = place.startsWith(base) ? fileOf(folder, place.slice(base.length)) : undefined;
      const anchor = decodeURIComponent(target.hash.slice(1));
      if (!place.startsWith(base)) dead.push({ page: name, link, why: `is not below ${base}` });
      else if (!file) dead.push({ page: name, link, why: "there is no such file" });
      else if (anchor && pages.has(file) && !pages.get(file)?.ids.has(anchor))
        dead.push({ page: name, link, why: "there is no such heading" });
    }
  }
  return dead;
}
