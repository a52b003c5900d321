// Every word of the studio is there in every language, and every one of them is used.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { plain } from "../../ui/src/locales/plain.ts";
import { RESOURCES } from "../../ui/src/translator.ts";

const source = path.join(root, "ui", "src");

/** The object that a file of `locales` exports. */
function wordsOf(language) {
  const file = ts.createSourceFile("x.ts", readFileSync(path.join(source, "locales", `${language}.ts`), "utf8"), ts.ScriptTarget.ES2022);
  const words = new Map();
  const visit = (node) => {
    if (ts.isPropertyAssignment(node)) words.set(node.name.text, node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return words;
}

const languages = ["en", "fr"];
const en = wordsOf("en");
const placeholders = (text) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();

/** The keys in the sources: those written out, and the beginnings of those that are put together. */
function keysInSources() {
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.endsWith("locales"),
  );
  const keys = new Set();
  const beginnings = new Set();
  for (const file of files) {
    const text = readFileSync(path.join(file.parentPath, file.name), "utf8");
    const tree = ts.createSourceFile(file.name, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TSX);
    const visit = (node) => {
      if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) keys.add(node.text);
      if (ts.isTemplateExpression(node) && /^[a-z]+\.$/.test(node.head.text)) beginnings.add(node.head.text);
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return { keys, beginnings };
}

const stem = (key) => key.replace(/_(one|other)$/, "");

describe.each(languages)("%s", (language) => {
  const words = wordsOf(language);

  test("has the same keys as English, each with words", () => {
    expect([...words.keys()].sort()).toEqual([...en.keys()].sort());
    for (const [key, text] of words) expect(text.trim(), key).not.toBe("");
  });

  test("puts the same values into them", () => {
    for (const [key, text] of words) expect(placeholders(text), key).toEqual(placeholders(en.get(key)));
  });
});

/** The words of a union of literals in the public types. */
function unionOf(file, name) {
  const tree = ts.createSourceFile("x.ts", readFileSync(path.join(root, "types", file), "utf8"), ts.ScriptTarget.ES2022);
  const alias = tree.statements.find((each) => ts.isTypeAliasDeclaration(each) && each.name.text === name);
  return alias.type.types.map(({ literal }) => literal.text);
}

describe("what the library says", () => {
  const libraryOf = (language) => JSON.parse(readFileSync(path.join(root, "src", "words", `${language}.json`), "utf8"));
  const valuesIn = (text) => [...text.matchAll(/\{\{(\w+)/g)].map(([, name]) => name).sort();
  /** Values that are names of options, or codes: plain words have none. */
  const FOR_PROGRAMS = ["option", "code", "field"];
  /** An option, a function, a flag or a variable, as programs write them. */
  const NAMES = /`|\w\(\)|\b[a-z]+[A-Z]\w*\b|--[a-z]|\b[A-Z]+_[A-Z_]+\b/;
  /** Said of a configuration or a file that somebody looks at: there the names of fields are what it is about. */
  const isOfConfiguration = (code) => /^(allowed|config|file)\./.test(code);

  test.each(languages)("is said on the page in %s, every code of it, without names of options", (language) => {
    const library = libraryOf(language);
    const page = RESOURCES[language].translation;
    expect(Object.keys(library).sort()).toEqual(Object.keys(libraryOf("en")).sort());
    for (const code of Object.keys(library)) {
      expect(page[code], code).toBeTruthy();
      if (isOfConfiguration(code)) continue;
      expect(page[code].replaceAll(/\{\{[^}]*\}\}/g, ""), code).not.toMatch(NAMES);
      for (const name of valuesIn(page[code])) expect(FOR_PROGRAMS, code).not.toContain(name);
    }
  });

  test.each(languages)("is said in plain words of %s with the same values, but for those that are names", (language) => {
    const library = libraryOf(language);
    for (const [code, text] of Object.entries(plain[language]))
      expect(valuesIn(text), code).toEqual(valuesIn(library[code]).filter((name) => !FOR_PROGRAMS.includes(name)));
  });
});

test("every code of the library and of the studio's host has words", () => {
  // Problems of messages are the command line's and the library's; the page shows none.
  const [faults] = readFileSync(path.join(root, "docs", "errors.md"), "utf8").split("\n## Problems of messages\n");
  const documented = [...faults.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code);
  const hosts = readdirSync(path.join(root, "js", "studio")).flatMap((name) =>
    [...readFileSync(path.join(root, "js", "studio", name), "utf8").matchAll(/\bfailure\(\s*"([a-z_]+)"/g)].map(([, code]) => code),
  );
  expect(documented.length).toBeGreaterThan(70);
  expect(hosts.length).toBeGreaterThan(15);
  for (const language of languages) {
    const words = wordsOf(language);
    expect([...new Set([...documented, ...hosts])].filter((code) => !words.has(`fault.${code}`))).toEqual([]);
  }
});

test("no word of the page has a code of the library", () => {
  const library = JSON.parse(readFileSync(path.join(root, "src", "words", "en.json"), "utf8"));
  expect([...en.keys()].filter((key) => key in library && !key.startsWith("priority."))).toEqual([]);
});

test("every kind of operation has a name", () => {
  const operations = unionOf("results.d.ts", "ChangeOperation");
  expect(operations).toContain("log");
  expect([...en.keys()].filter((key) => key.startsWith("operation.")).sort()).toEqual(operations.map((name) => `operation.${name}`).sort());
});

test("every key is used, and every key that is used is there", () => {
  const { keys, beginnings } = keysInSources();
  const isUsed = (key) => keys.has(stem(key)) || [...beginnings].some((beginning) => key.startsWith(beginning));
  expect([...en.keys()].filter((key) => !isUsed(key))).toEqual([]);
  const library = Object.keys(JSON.parse(readFileSync(path.join(root, "src", "words", "en.json"), "utf8")));
  const stems = new Set([...en.keys(), ...library].map(stem));
  for (const beginning of beginnings)
    expect(
      [...stems].some((key) => key.startsWith(beginning)),
      beginning,
    ).toBe(true);
});
