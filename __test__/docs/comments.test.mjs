// Comments in src name the thing first (CONTRIBUTING.md, "How words are written"). The numbers may only fall: lower a folder's after rewriting its comments.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";

const RIDDLE = /^\s*\/\/[/!]? (?:What|Those|Whoever|Of|Who)\b/;

/** Lines that a folder of src, or a file in it, may still have; 0 where none is named. */
const MOST = { markers: 20, providers: 237, salience: 105 };

/** The lines of a source that begin like a riddle, each with its number. */
const riddlesOf = (source) => source.split("\n").flatMap((line, at) => (RIDDLE.test(line) ? [`${at + 1}: ${line.trim()}`] : []));

/** By top folder, or file at the top: `path:line: text` of each such line. */
function riddles() {
  const found = new Map();
  const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".rs"));
  for (const file of files.map((name) => name.replaceAll("\\", "/")).sort()) {
    const [folder] = file.split("/");
    const lines = riddlesOf(readFileSync(path.join(root, "src", file), "utf8")).map((line) => `src/${file}:${line}`);
    found.set(folder, [...(found.get(folder) ?? []), ...lines]);
  }
  return found;
}

test.each([...riddles()])("comments of src/%s name the thing first", (folder, lines) => {
  const most = MOST[folder] ?? 0;
  const message = `src/${folder} may have ${most} comment lines that begin with What, Those, Whoever, Of or Who, but has ${lines.length}:\n${lines.join("\n")}`;
  expect(lines.length, message).toBeLessThanOrEqual(most);
});

test("every number is of a folder that exists", () => {
  const folders = riddles();
  expect(Object.keys(MOST).filter((name) => !folders.has(name))).toEqual([]);
});

test("riddles are told from other comments", () => {
  const source = [
    "/// What it says.",
    "    //! Of a text.",
    "// Those that wait.",
    "/// The text. What follows is cut.",
    "/// Whatever it is.",
    "/// Often enough.",
    "let what = 1; // What it was",
  ];
  expect(riddlesOf(source.join("\n"))).toEqual(["1: /// What it says.", "2: //! Of a text.", "3: // Those that wait."]);
});
