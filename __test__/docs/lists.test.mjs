// Lists of programs in pages and on the page of the studio, each compared with the registry that it speaks of.

import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { en } from "../../ui/src/locales/en.ts";
import { fr } from "../../ui/src/locales/fr.ts";
import { GENERATED } from "../../scripts/generate.mjs";
import { root } from "../../scripts/tools.mjs";
import { api } from "../api/support.mjs";
import { FORMATS } from "../formats/rounds.mjs";
import { read } from "./support.mjs";

const require = createRequire(import.meta.url);
const { OF_JSON, OF_LINES } = require("../../js/cli/kinds/index.js");
const { PROGRAM: openCode } = require("../../js/cli/kinds/opencode-storage.js");
const { commandNamed } = require("../../js/cli/flags.js");
const { FIELDS } = require("../../js/cli/history-text.js");
const { agents } = require("../../js/cli/sessions.js");
const { NAMES } = require("../../js/formats.js");
const { FORMATS: TOOL_FORMATS } = require("../../js/recall/tool.js");

const kinds = [...OF_LINES, ...OF_JSON].map(({ program }) => program.replace(/ \(\d+\)$/, ""));
/** The programs whose files are read, with OpenCode and the agents whose files are lists of messages. */
const PROGRAMS = [...new Set(kinds), openCode, "Roo Code", "Zoo Code", "Cline"];

/** The names in a list like "A, B and C". */
const listed = (text) => text.split(/, (?:and )?| and /).map((name) => name.trim());
const sorted = (names) => [...names].sort();

/** The formats whose names the modules of a folder return, each with its module. */
function modulesIn(folder) {
  const modules = [...read(`${folder}/mod.rs`).matchAll(/^mod (\w+);/gm)].map(([, module]) => module);
  const nameIn = (module) => /fn name\(&self\) -> &'static str \{\s+"([\w-]+)"/.exec(read(`${folder}/${module}.rs`))?.[1];
  return modules.flatMap((module) => (nameIn(module) ? [{ module, name: nameIn(module) }] : []));
}
const namesOf = (modules) => modules.map(({ name }) => name);
const namesIn = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name);

/** Where each format stands, beside its row in js/formats.js: the places with the names that they have. */
const FORMATS_IN = {
  "a module in src/formats/mod.rs": () => namesOf(modulesIn("src/formats")),
  "src/formats/MODULE/tests.rs": () =>
    namesOf(modulesIn("src/formats").filter(({ module }) => existsSync(path.join(root, "src/formats", module, "tests.rs")))),
  "a module in tests/conversation/formats/mod.rs": () => namesOf(modulesIn("tests/conversation/formats")),
  "tests/conversation/formats/writers.rs": () => namesIn(read("tests/conversation/formats/writers.rs"), /^ {8}"([\w-]+)" => /gm),
  "the folder __test__/formats/samples": () => FORMATS,
  "the first table of docs/formats.md": () => namesIn(read("docs/formats.md"), /^\| `"([\w-]+)"` \|/gm),
  // Anthropic's rules are those of its API.
  "the table of what is checked in docs/formats.md": () => [
    "anthropic",
    ...namesIn(read("docs/formats.md"), /^\| `(?!format`)([\w-]+)` \|/gm),
  ],
};

test.each(Object.entries(FORMATS_IN))("every format of messages has %s", (_, names) => {
  const without = (all, some) => all.filter((name) => !some.includes(name));
  const found = names();
  expect({ missing: without(NAMES, found), "without a row in js/formats.js": without(found, NAMES) }).toEqual({
    missing: [],
    "without a row in js/formats.js": [],
  });
});

/** The sources of the providers without their tests, by name. */
const PROVIDERS = readdirSync(path.join(root, "src/providers"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".rs") && !/(?:^|\/)tests/.test(name))
  .map((name) => /** @type {[string, string]} */ ([name, read(`src/providers/${name}`).split(/#\[cfg\(test\)\]\s*mod \w+ \{/)[0]]));
const inProviders = (pattern) => PROVIDERS.flatMap(([name, source]) => namesIn(source, pattern).map((found) => `${name}: ${found}`));
const nameOf = (found) => found.split(": ")[1];

test("every provider is in DESCRIPTORS of src/providers/mod.rs, and its factory has a program as an example", () => {
  const factories = inProviders(/^ {4}factory: "(\w+)"/gm);
  expect(factories.length).toBeGreaterThan(3);
  expect(factories.filter((found) => !(nameOf(found) in api))).toEqual([]);
  const declared = ["factories", "smart", "strategies"].map((name) => read(`types/${name}.d.ts`)).join("\n");
  const hasExample = (factory) => {
    const at = declared.search(new RegExp(`export function ${factory}\\b`));
    const before = declared.slice(0, Math.max(at, 0));
    return before.slice(before.lastIndexOf("/**")).includes("@example");
  };
  expect(factories.filter((found) => !hasExample(nameOf(found)))).toEqual([]);
});

test("every operation that a note names in place is in ChangeOperation of types/results.d.ts", () => {
  const [, union] = /type ChangeOperation =([^;]+);/.exec(read("types/results.d.ts")) ?? [];
  const known = namesIn(union, /"(\w+)"/g);
  const operations = inProviders(/\boperation: "(\w+)"/g);
  expect(operations.length).toBeGreaterThan(8);
  expect(operations.filter((found) => !known.includes(nameOf(found)))).toEqual([]);
});

test("every page with a table of options has it from scripts/generate.mjs", () => {
  const pages = readdirSync(path.join(root, "docs")).filter(
    (name) => name.endsWith(".md") && read(`docs/${name}`).includes("<!-- options: "),
  );
  const generated = GENERATED.map(({ file }) => file);
  expect(pages.filter((name) => !generated.includes(`docs/${name}`))).toEqual([]);
});

describe("the studio", () => {
  test.each([
    ["en", en["start.kinds"], /of (.*), or messages/],
    ["fr", fr["start.kinds"], /de (.*), ou des messages/],
  ])("the drop zone (%s) names every program whose files are read", (_, text, pattern) => {
    expect(sorted(listed(/** @type {RegExpExecArray} */ (pattern.exec(text))[1]))).toEqual(sorted(PROGRAMS));
  });

  test("every agent whose sessions are found has a name, and docs/studio.md lists them", () => {
    const camel = (id) => id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    const names = agents().map((id) => en[`agent.${camel(id)}`]);
    const [, list] = /in the folders of ([^.]+?), newest\s+first/.exec(read("docs/studio.md")) ?? [];
    expect(sorted(listed(list))).toEqual(sorted(names));
  });
});

/** Copilot's two programs are named as one where a list is read by people who have either. */
const asOne = (names) => sorted(new Set(names.map((name) => name.replace(/^(Copilot) (?:CLI|Chat)$/, "$1"))));
const ended = (list) => listed(list.replace(/ or /g, ", ")).filter((name) => name !== "");

describe("the command line", () => {
  const files = asOne([...new Set(kinds), openCode]);
  const clients = asOne(agents().map((id) => en[`agent.${id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}`]));

  test.each([
    ["help condense", () => commandNamed("condense").arguments.about, /a session of (Claude Code) or of one of its subagents, ([^.]+)\./],
    ["docs/command-line.md", () => read("docs/command-line.md"), /(Claude Code) \(without its\s+subagents' work\), ([^.]+)\./],
  ])("%s names every program whose sessions are read, and every field with messages", (_, textOf, pattern) => {
    const [, first, others] = pattern.exec(textOf()) ?? [];
    expect(sorted([first, ...ended(others)])).toEqual(files);
    const [, fields] = /an object with ([^.]+?), JSON Lines/.exec(textOf()) ?? [];
    expect(sorted(ended(fields.replace(/["`]/g, "")))).toEqual(sorted(FIELDS));
  });

  test.each([
    ["help mcp", () => commandNamed("mcp").details, /Lets the model of (.+?) search its own session/],
    ["docs/recall.md", () => read("docs/recall.md"), /Clients known by name \(([^)]+)\)/],
  ])("%s names every client whose sessions are known", (_, textOf, pattern) => {
    expect(sorted(ended(/** @type {RegExpExecArray} */ (pattern.exec(textOf()))[1]))).toEqual(clients);
  });
});

test("docs/recall.md names every format of the tool", () => {
  const page = read("docs/recall.md");
  expect(TOOL_FORMATS.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("docs/formats.md names every program", () => {
  const page = read("docs/formats.md");
  const named = (program) => new RegExp(`^\\| [^|]*${program.replace("Roo Code", "Roo-Code")}`, "m").test(page);
  expect(PROGRAMS.filter((program) => !named(program))).toEqual([]);
});

test("no page says that formats are refused which are read", () => {
  for (const page of ["README.md", "docs/quick-start.md", "docs/studio.md", "docs/faq.md", "docs/formats.md"])
    expect([page, /other APIs are refused|which the page refuses/.exec(read(page))?.[0]]).toEqual([page, undefined]);
});

test("docs/tools.md names every agent whose tools are known", () => {
  // The table of tools says whose they are in its first sentence.
  const [, known] =
    /The tools of the known agents, one row each: ([^.]+?) and the common file servers/.exec(
      read("src/transcript/tools/known.rs").replace(/\n\/\/! /g, " "),
    ) ?? [];
  const [, told] = /It knows the tools of ([^.]+)\./.exec(read("docs/tools.md").replace(/\s+/g, " ")) ?? [];
  const names = (list) => sorted(listed(list).map((name) => name.replace(/^Roo$/, "Roo-Code")));
  expect(names(told)).toEqual(names(known));
});
