// llms.txt (https://llmstxt.org): what the project is, and a list of its pages with what each is about, for programs that read documentation.

import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./tools.mjs";

const { homepage } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
/** The pages as text. */
const RAW = `${homepage.replace(/#.*/, "").replace("https://github.com", "https://raw.githubusercontent.com")}/main`;

/** The address of a link that stands in docs/index.md. */
const addressOf = (link) => `${RAW}/${path.posix.join("docs", link)}`;

const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1] ?? "";
/** The first paragraph behind the title. */
const aboutOf = (text) => /^# .+\n\n([^\n#!|`].*)$/m.exec(text)?.[1] ?? "";

/** The text, from docs/index.md and the first lines of the pages that it links. */
export function llmsText(index) {
  const lines = [`# ${titleOf(index)}`, "", `> ${aboutOf(index)}`];
  const listed = new Set();
  for (const line of index.split("\n")) {
    if (line.startsWith("## ")) lines.push("", line, "");
    for (const [, name, link] of line.startsWith("- ") ? line.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g) : []) {
      if (listed.has(link)) continue;
      listed.add(link);
      const [first] = aboutOf(readFileSync(path.join(root, "docs", link), "utf8")).split(/(?<=\.) /);
      const about = first.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
      lines.push(`- [${name}](${addressOf(link)})${about ? `: ${about}` : ""}`);
    }
  }
  return `${lines.join("\n")}\n`;
}
