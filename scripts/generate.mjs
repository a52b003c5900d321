// Writes what is made from one definition somewhere else: the names in index.js, and tables in the documentation.
//
//   npm run generate
//
// A test fails where a file is not as this would write it.

import { execFileSync } from "node:child_process";
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
else if (isProgram(import.meta.url)) console.error("No addon for the tests is built; `npm run build:debug` builds one.");

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
    const loss = capabilities.supportsLossy ? "may lose" : "keeps";
    const page = existsSync(path.join(root, "docs", `${id}.md`)) ? `[${code(id)}](${id}.md)` : code(id);
    return [page, name, description, loss, model, code(factory), presets.map(code).join(", ") || "–"];
  });
  return rows(["id", "name", "what it does", "content", "a model", "made by", "presets"], line(7), ...told);
}

/** The built-in providers, as the addon tells of them. */
const builtIn = () => JSON.parse(require("../js/native.js").builtInProviders());

/** The manifest of the example extension, whose setting lists the providers. */
function extensionSettings(manifest) {
  const listed = builtIn()
    .map(({ id }) => JSON.stringify(id))
    .join(", ");
  return manifest.replace(/("roo-condense\.provider": \{\s+"type": "string",\s+"enum": )\[[^\]]*\]/, `$1[${listed}]`);
}

/** Words on one line if they fit, as Biome writes them. */
const onOneLine = (line, width, broken) => (line.length <= width ? line : broken);

/** Biome's width. */
const WIDTH = 140;

/** A union of names, each quoted. Biome formats files of types that are not generated as a whole, with a smaller width. */
const union = (/** @type {string} */ name, /** @type {string[]} */ words, width = 160) => {
  const quoted = words.map((word) => JSON.stringify(word));
  return onOneLine(`export type ${name} = ${quoted.join(" | ")};`, width, `export type ${name} =\n  | ${quoted.join("\n  | ")};`);
};

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
    list(
      "free",
      all.filter(({ capabilities }) => capabilities.isFree).map(({ id }) => id),
    ),
  ];
  return `{\n${lists.join(",\n")}\n}\n`;
}

/** The types of options, from their definitions in src. */
function optionTypes() {
  return [
    "// Options, from their definitions in src. Written by `npm run generate`.",
    "",
    'import type { SystemTextBlock, ThinkingOption } from "./calls.js";',
    'import type { ProgressEvent } from "./data.js";',
    'import type { HandlerOption } from "./handlers.js";',
    'import type { SummaryStore } from "./manager.js";',
    'import type { MessageFormat, MessageLike } from "./messages.js";',
    'import type { Protect } from "./protect.js";',
    'import type { BuiltInProvider, CondensationProvider } from "./providers.js";',
    'import type { RecalledMessages, RecallStore } from "./recall.js";',
    'import type { ResultStore } from "./result.js";',
    'import type { RestoreData } from "./results.js";',
    'import type { Encoding, Scale } from "./tokens.js";',
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
    declared(),
  ].join("\n");
}

/** Options as interfaces, of the pieces those with these names. */
const declared = (/** @type {string[]} */ ...names) =>
  require("../js/native.js")
    .optionTypes(names.length > 0 ? names : undefined)
    .replace(/^( +\w+\??:) (.*);$/gm, (line, name, type) => onOneLine(line, 160, `${name}\n    | ${type.split(" | ").join("\n    | ")};`));

/** The options of an interface as a table. */
const optionTable = (/** @type {string} */ type) => () => {
  const [, block] = /** @type {RegExpExecArray} */ (
    new RegExp(`^export interface ${type} \\{\\n(.*?)^\\}`, "ms").exec(declared() + declared("CondensingOptions"))
  );
  const told = [...block.matchAll(/^ {2}\/\*\*(.*?) \*\/\n {2}(\w+)(\??):/gms)].map(([, comment, name, mark]) => {
    const text = comment
      .replace(/\n? +\* /g, " ")
      .replace(/\{@link (\S+)\}/g, "`$1`")
      .replace(/[|*]/g, "\\$&")
      .trim();
    const [sentence, value = mark ? "–" : "required"] = / Default: (.*?)\.(?= |$)/.exec(text) ?? [""];
    return [code(name), value, text.replace(sentence, "")];
  });
  return rows(["option", "default", "meaning"], line(3), ...told);
};

/** The formats of messages, from the first table of docs/formats.md. */
function formats(/** @type {string} */ page) {
  const { item } = require("../js/cli/terminal.js");
  const rows = [...page.matchAll(/^\| `"([\w-]+)"` \| (.*?) \|/gm)];
  return [
    "/**",
    " * The formats of histories, as the option `format` names them; docs/formats.md says how each is recognised.",
    " *",
    ...rows.flatMap(([, name, told]) => item("- ", `\`${name}\`: ${told}`, 156).map((/** @type {string} */ line) => ` * ${line}`)),
    " */",
    union(
      "MessageFormat",
      rows.map(([, name]) => name),
      WIDTH,
    ),
  ].join("\n");
}

/** The services whose refusals are known, from js/service-fields.js. */
const services = () =>
  [
    "/** A service, named by the format of its messages. `openai-chat` is OpenAI itself: other services with its protocol may accept more fields. */",
    union("MessageService", require("../js/service-refusals.js").NAMES, WIDTH),
  ].join("\n");

/** The formats in which the tool of recall is defined, from js/recall/tool.js. */
const recallFormats = () =>
  `/** The formats of {@link Recall.tool}. */\n${union("RecallToolFormat", require("../js/recall/tool.js").FORMATS, WIDTH)}`;

/** The codes of errors, warnings and problems of messages, from docs/errors.md. */
function codes(/** @type {string} */ page) {
  const { item, wrap } = require("../js/cli/terminal.js");
  const rows = Object.entries(codesIn(page)).flatMap(([code, all]) => all.map((row) => ({ code, ...row })));
  const errors = rows.filter(({ kind }) => kind === "error");
  const codeUnion = (
    /** @type {string} */ name,
    /** @type {string} */ intro,
    /** @type {any[]} */ told,
    /** @type {string[]} */ others = [],
  ) => [
    "",
    "/**",
    ...wrap(intro, 156).map((/** @type {string} */ line) => ` * ${line}`),
    " *",
    ...told.flatMap(({ code, when }) => item("- ", `\`${code}\`: ${when}`, 156).map((/** @type {string} */ line) => ` * ${line}`)),
    " */",
    `export type ${name} =`,
    `${[...told.map(({ code }) => JSON.stringify(code)), ...others].map((member) => `  | ${member}`).join("\n")};`,
  ];
  const isLlm = (/** @type {{ code: string }} */ { code }) => code.startsWith("llm_");
  const thrown = errors.filter(({ how }) => how === "thrown" || how.startsWith("thrown or"));
  const returned = errors.filter(({ how }) => how.endsWith("returned"));
  return [
    "// Codes of errors, warnings and problems of messages, from docs/errors.md. Written by `npm run generate`.",
    ...codeUnion(
      "ArgumentErrorCode",
      "`code` of errors about wrong arguments and wrong configuration. Functions that return a promise reject with them; all others throw. `out_of_range`, `invalid_scale` and `invalid_calibration` are a `RangeError`; `store_failed`, `needs_socket`, `system_limit` and `internal_error` a plain `Error`; the others are a `TypeError`.",
      thrown,
    ),
    ...codeUnion(
      "LlmErrorCode",
      "`result.error.code` when the LLM gave no usable response. HTTP handlers have retried temporary failures by then.",
      returned.filter(isLlm),
    ),
    ...codeUnion(
      "CondensationErrorCode",
      "`result.error.code`: why a condensation failed. The messages are then the caller's own array, unchanged, and `cost` is what was spent until then. Beside these, those of {@link LlmErrorCode}.",
      returned.filter((error) => !isLlm(error)),
      ["LlmErrorCode"],
    ),
    ...codeUnion(
      "WarningCode",
      "`code` of a `Warning`.",
      rows.filter(({ kind }) => kind === "warning"),
    ),
    ...codeUnion(
      "ProblemCode",
      "`code` of a `Problem` in messages.",
      rows.filter(({ kind }) => kind === "problem"),
    ),
    "",
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

/** A page, or a file of types, with what stands between its two marks written anew. */
const between = (name, write) => (text) => {
  const isPage = text.includes(`<!-- ${name}:`);
  const [begin, end] = [`${name}: written by npm run generate`, `end of ${name}`].map((mark) =>
    isPage ? `<!-- ${mark} -->` : `// ${mark}\n`,
  );
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`"${begin}" and "${end}" are missing, between which the table stands`);
  return `${text.slice(0, from + begin.length).trimEnd()}\n\n${write(text).trimEnd()}\n\n${text.slice(to)}`;
};

/** A file written anew from a page of the documentation. */
const fromPage = (page, write) => () => write(readFileSync(path.join(root, page), "utf8"));

/** Files, and what is to stand in each where this stands in it. */
export const GENERATED = [
  { file: "index.js", write: index },
  { file: "types/options.d.ts", write: optionTypes },
  {
    file: "types/integrations/options.d.ts",
    write: between("options of pieces", () =>
      declared("CondensingOptions", "CondensingStepOptions", "CondensingHooksOptions", "CondenseSessionOptions"),
    ),
  },
  { file: "types/messages.d.ts", write: between("formats", fromPage("docs/formats.md", formats)) },
  { file: "types/messages.d.ts", write: between("services", services) },
  { file: "types/recall.d.ts", write: between("formats of the tool", recallFormats) },
  { file: "js/roo/index.d.ts", write: between("options of a new result", () => declared("OnToolResultOptions")) },
  { file: "js/cli/providers.json", write: names },
  { file: "examples/vscode-extension/package.json", write: extensionSettings },
  { file: "docs/architecture.md", write: between("layers", drawing) },
  { file: "docs/providers.md", write: between("providers", providers) },
  { file: "docs/lossless.md", write: between("options", optionTable("LosslessConfig")) },
  { file: "docs/native.md", write: between("options", optionTable("NativeConfig")) },
  { file: "docs/truncation.md", write: between("options", optionTable("TruncationConfig")) },
  { file: "docs/economics.md", write: between("options", optionTable("EconomicsOptions")) },
  { file: "docs/integrations.md", write: between("options", optionTable("CondensingOptions")) },
  { file: "docs/recall.md", write: between("options", optionTable("RecallOptions")) },
  { file: "docs/results.md", write: between("options", optionTable("CondenseResultOptions")) },
  { file: "docs/command-line.md", write: between("flags", flags) },
  { file: "docs/command-line.md", write: between("exit codes", exitCodes) },
  { file: "types/codes.d.ts", write: fromPage("docs/errors.md", codes) },
  { file: "js/cli/codes.json", write: fromPage("docs/errors.md", (page) => `${JSON.stringify(codesIn(page), null, 2)}\n`) },
  { file: "llms.txt", write: fromPage("docs/index.md", llmsText) },
];

if (isProgram(import.meta.url)) {
  for (const { file, write } of GENERATED) {
    const place = path.join(root, file);
    writeFileSync(place, write(existsSync(place) ? readFileSync(place, "utf8") : ""));
  }
  // The results as types: a test has the structs, and writes the file that it compares otherwise.
  const test = ["test", "--no-default-features", "--lib", "--quiet", "types_of_results"];
  execFileSync("cargo", test, { cwd: root, stdio: "inherit", env: { ...process.env, ROO_CONDENSE_GENERATE: "1" } });
}
