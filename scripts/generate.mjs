// Writes what is made from one definition somewhere else: the names in index.js, and tables in the documentation.
//
//   npm run generate
//
// A test fails where a file is not as this would write it.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { codesIn } from "./codes.mjs";
import { layers } from "./imports.mjs";
import { llmsText } from "./llms.mjs";
import { debugAddon, isProgram, root } from "./tools.mjs";

const require = createRequire(import.meta.url);
// As in the tests, what was built last for them.
if (existsSync(debugAddon)) process.env.ROO_CONDENSE_BINARY ??= debugAddon;

const code = (text) => `\`${text}\``;
const rows = (...all) => all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const line = (columns) => Array.from({ length: columns }, () => "---");

/** The names that the package exports, as tools that read no programs find them in a CommonJS module. */
function index() {
  const [core, studio] = ["../js/api.js", "../js/studio/index.js"].map((file) => Object.keys(require(file)));
  return [
    '"use strict";',
    "",
    "// Written by `npm run generate`: every name that js/api.js exports, and js/studio/index.js, which is loaded by the first call, so that",
    '// `import { name } from "roo-condense"` finds it.',
    "/** @type {Record<string, any>} */",
    'const api = require("./js/api.js");',
    "/** @type {() => Record<string, any>} */",
    'const studio = () => require("./js/studio/index.js");',
    "",
    ...core.map((name) => `exports.${name} = api.${name};`),
    ...studio.map((name) => `exports.${name} = (...given) => studio().${name}(...given);`),
    "",
  ].join("\n");
}

/** The providers, from their descriptors in src/providers and src/strategies. */
function providers() {
  const { CondensationManager } = require("../js/api.js");
  const factories = Object.fromEntries(builtIn().map((known) => [known.id, known]));
  const told = new CondensationManager().listProviders().map(({ id, name, description, capabilities }) => {
    const { factory, presets } = factories[id];
    const model = capabilities.supportsLLMSummarization ? "may ask" : "never";
    return [code(id), name, description, model, code(factory), presets.map(code).join(", ") || "–"];
  });
  return rows(["id", "name", "what it does", "a model", "made by", "presets"], line(6), ...told);
}

/** The built-in providers, as the addon tells of them. */
const builtIn = () => JSON.parse(require("../js/native.js").builtInProviders());

/** Words on one line if they fit, as Biome writes them. */
const onOneLine = (line, width, broken) => (line.length <= width ? line : broken);

/** The lists that the command line offers without loading the addon. */
function names() {
  const list = (/** @type {string} */ name, /** @type {string[]} */ words) => {
    const quoted = words.map((word) => JSON.stringify(word));
    return onOneLine(`  "${name}": [${quoted.join(", ")}]`, 120, `  "${name}": [\n    ${quoted.join(",\n    ")}\n  ]`);
  };
  const all = builtIn();
  const lists = [
    list(
      "providers",
      all.map(({ id }) => id),
    ),
    list(
      "presets",
      all.flatMap(({ presets }) => presets),
    ),
  ];
  return `{\n${lists.join(",\n")}\n}\n`;
}

/** The types of options, from their definitions in src. */
function optionTypes() {
  const union = (/** @type {string} */ name, /** @type {string[]} */ words) => {
    const quoted = words.map((word) => JSON.stringify(word));
    return onOneLine(`export type ${name} = ${quoted.join(" | ")};`, 160, `export type ${name} =\n  | ${quoted.join("\n  | ")};`);
  };
  return [
    "// Options, from their definitions in src. Written by `npm run generate`.",
    "",
    'import type { ConfiguredProtect } from "./protect.js";',
    'import type { ToolMeanings } from "./tools.js";',
    "",
    "/** The id of a built-in provider. */",
    union(
      "BuiltInProviderId",
      builtIn().map(({ id }) => id),
    ),
    "",
    "/** The id of a provider: a built-in one, which editors complete, or that of a custom provider. */",
    "export type ProviderId = BuiltInProviderId | (string & {});",
    "",
    "/** The name of a configuration of the smart provider. `quality` is another name for `conservative`. */",
    union(
      "PresetName",
      builtIn().flatMap(({ presets }) => presets),
    ),
    "",
    require("../js/native.js").optionTypes(),
  ].join("\n");
}

/** The flags of the command line, from js/cli/flags.js. */
function flags() {
  const { COMMANDS, FLAGS } = require("../js/cli/flags.js");
  const { meaningOf } = require("../js/cli/help.js");
  // The flags that a text names, as code.
  const cell = (text) => text.replace(/(?<![\w`-])--[a-z-]+/g, code).replaceAll("|", "\\|");
  const nameOf = (/** @type {any} */ { name, short, value }) =>
    `${short ? `${code(`-${short}`)}, ` : ""}${code(`--${name}${value ? ` ${value}` : ""}`)}`;
  const commandsOf = ({ commands }) => (commands.length === COMMANDS.length ? "all" : commands.join(", "));
  const told = FLAGS.map((flag) => [nameOf(flag), cell(meaningOf(flag)), commandsOf(flag)]);
  return rows(["flag", "what it does", "commands"], line(3), ...told);
}

/** The exit codes of the command line, from js/cli/exit-codes.js. */
function exitCodes() {
  const { MEANINGS } = require("../js/cli/exit-codes.js");
  return rows(["code", "meaning"], line(2), ...MEANINGS);
}

/** The layers of src as a drawing, from the table below it. What follows from other arrows is not drawn. */
function drawing(page) {
  const { rows } = layers(page);
  const below = new Map();
  for (const { name, knows } of rows) below.set(name, new Set(knows.flatMap((other) => [other, ...(below.get(other) ?? [])])));
  const arrows = rows.flatMap(({ name, knows }) =>
    knows.filter((other) => !knows.some((between) => below.get(between)?.has(other))).map((other) => `  ${other} --> ${name}`),
  );
  return ["```mermaid", "flowchart BT", ...arrows, "  node --> js", '  js -. "requests and answers" .- ui', "```"].join("\n");
}

/** A page with what stands between its two marks written anew. */
const between = (name, write) => (text) => {
  const [begin, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`"${begin}" and "${end}" are missing, between which the table stands`);
  return `${text.slice(0, from + begin.length)}\n\n${write(text)}\n\n${text.slice(to)}`;
};

/** A file written anew from a page of the documentation. */
const fromPage = (page, write) => () => write(readFileSync(path.join(root, page), "utf8"));

/** Files, and what is to stand in each where this stands in it. */
export const GENERATED = [
  { file: "index.js", write: index },
  { file: "types/options.d.ts", write: optionTypes },
  { file: "js/cli/providers.json", write: names },
  { file: "docs/architecture.md", write: between("layers", drawing) },
  { file: "docs/providers.md", write: between("providers", providers) },
  { file: "docs/command-line.md", write: between("flags", flags) },
  { file: "docs/command-line.md", write: between("exit codes", exitCodes) },
  { file: "js/cli/codes.json", write: fromPage("docs/errors.md", (page) => `${JSON.stringify(codesIn(page), null, 2)}\n`) },
  { file: "llms.txt", write: fromPage("docs/index.md", llmsText) },
];

if (isProgram(import.meta.url))
  for (const { file, write } of GENERATED) {
    const place = path.join(root, file);
    writeFileSync(place, write(readFileSync(place, "utf8")));
  }
