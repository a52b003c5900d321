// Comments name the thing first, and functions say what they give (CONTRIBUTING.md, "How words are written").

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";

/** A comment line, or the first line of a block comment, that begins like a riddle. */
const RIDDLE = /^\s*(?:\/\/[/!]?|\/?\*{1,2}) (?:What|Those|Whoever|Of|Who)\b/;

const CALLED_OF = /\bfn of[(<]/;

/** The sources of each language: their folders, and how their files end. */
const SOURCES = { rust: { folders: ["src"], ends: /\.rs$/ }, script: { folders: ["js", "ui/src"], ends: /\.(?:[jt]sx?|mjs)$/ } };

/** The lines of a source that match, each with its number. */
const linesOf = (source, pattern) => source.split("\n").flatMap((line, at) => (pattern.test(line) ? [`${at + 1}: ${line.trim()}`] : []));

/** By folder, or file beside the folders: `path:line: text` of each line that matches. */
function found({ folders, ends }, pattern) {
  const all = new Map();
  for (const folder of folders) {
    const files = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
    for (const file of files.filter((name) => ends.test(name) && !name.includes("node_modules/")).sort()) {
      const name = `${folder}/${file.split("/")[0]}`;
      const lines = linesOf(readFileSync(path.join(root, folder, file), "utf8"), pattern).map((line) => `${folder}/${file}:${line}`);
      all.set(name, [...(all.get(name) ?? []), ...lines]);
    }
  }
  return all;
}

const riddles = new Map([...found(SOURCES.rust, RIDDLE), ...found(SOURCES.script, RIDDLE)]);
const functions = found(SOURCES.rust, CALLED_OF);

test.each([...riddles])("comments of %s name the thing first", (_, lines) => {
  expect(lines).toEqual([]);
});

test.each([...functions])("functions of %s say what they give", (_, lines) => {
  expect(lines).toEqual([]);
});

test("riddles are told from other comments", () => {
  const source = [
    "/// What it says.",
    "    //! Of a text.",
    "// Those that wait.",
    "/** Who is asked. */",
    " * Whoever asks.",
    "/// The text. What follows is cut.",
    "/// Whatever it is.",
    "/** Often enough. */",
    "let what = 1; // What it was",
  ];
  const told = ["1: /// What it says.", "2: //! Of a text.", "3: // Those that wait.", "4: /** Who is asked. */", "5: * Whoever asks."];
  expect(linesOf(source.join("\n"), RIDDLE)).toEqual(told);
});

test("functions called of are told from others", () => {
  const source = ["fn of(text: &str) {", "pub(super) fn of<'a>(", "fn of_text(text: &str) {", "self.of(text)"];
  expect(linesOf(source.join("\n"), CALLED_OF)).toEqual(["1: fn of(text: &str) {", "2: pub(super) fn of<'a>("]);
});
