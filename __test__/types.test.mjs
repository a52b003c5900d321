// The types compile as hosts of every kind compile them. (`npm test` also compiles them once by itself, for the whole message.)

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { root } from "../scripts/tools.mjs";
import { diagnosticsOf } from "./typescript.mjs";

const folder = path.join(root, "__test__", "types");
const files = readdirSync(folder).map((name) => path.join(folder, name));

const { Node16, ESNext } = ts.ModuleKind;
const { Node16: node16, Bundler: bundler } = ts.ModuleResolutionKind;

test.each([
  ["node16, libraries unchecked", Node16, node16, true, false],
  ["bundler, libraries unchecked", ESNext, bundler, true, true],
])("%s", compile);

test.each([
  ["node16", Node16, node16, false, true],
  ["bundler", ESNext, bundler, false, false],
])("%s", { tags: ["long"] }, compile);

function compile(_, module, moduleResolution, skipLibCheck, exactOptionalPropertyTypes) {
  const options = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    types: ["node"],
    module,
    moduleResolution,
    skipLibCheck,
    exactOptionalPropertyTypes,
  };
  // `import = require` is not for bundlers.
  const program = ts.createProgram(moduleResolution === bundler ? files.filter((file) => !file.endsWith(".cts")) : files, options);
  const messages = ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  expect(messages).toEqual([]);
}

test("everything that is exported has a type, and the reverse", async () => {
  const program = ts.createProgram([path.join(root, "index.d.ts")], { strict: true });
  const checker = program.getTypeChecker();
  const declared = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path.join(root, "index.d.ts"))));
  const values = declared.filter(({ flags }) => flags & ts.SymbolFlags.Value).map(({ name }) => name);
  const { default: exported, ...named } = await import("roo-condense");
  expect(values.sort()).toEqual(Object.keys(exported).sort());
  expect(
    Object.keys(named)
      .filter((name) => name !== "module.exports")
      .sort(),
  ).toEqual(values);
  const manager = declared.find(({ name }) => name === "CondensationManager");
  const methods = [...manager.members.keys()].filter((name) => name !== "__constructor");
  expect(methods.sort()).toEqual(
    Object.getOwnPropertyNames(exported.CondensationManager.prototype)
      .filter((name) => name !== "constructor")
      .sort(),
  );
  const provider = declared.find(({ name }) => name === "BuiltInProvider");
  const real = exported.createLosslessProvider();
  for (const name of provider.members.keys()) if (name !== "Config") expect(real[name], name).toBeDefined();
});

test("the ids that editors complete are those of the built-in providers", async () => {
  const program = ts.createProgram([path.join(root, "index.d.ts")], { strict: true });
  const checker = program.getTypeChecker();
  const declared = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path.join(root, "index.d.ts"))));
  const type = checker.getDeclaredTypeOfSymbol(declared.find(({ name }) => name === "BuiltInProviderId"));
  const { CondensationManager } = await import("roo-condense");
  const ids = new CondensationManager().listProviders().map(({ id }) => id);
  expect(type.types.map(({ value }) => value).sort()).toEqual(ids.sort());
});

/** What the examples take as given: what every host has. */
const GIVEN = `
declare const messages: import("roo-condense").Message[];
declare const histories: import("roo-condense").Message[][];
declare const systemPrompt: string;
declare const output: string;
declare const apiHandler: import("roo-condense/roo").RooApiHandler;
declare function ask(systemPrompt: string, messages: import("roo-condense").ApiHandlerMessage[]): Promise<string>;
`;

/** The code of the examples in the doc comments of a declaration. */
function examplesOf(declaration) {
  const tags = ts.getAllJSDocTags(declaration, (tag) => tag.tagName.text === "example");
  return tags.flatMap(({ comment }) => [...ts.getTextOfJSDocComment(comment).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code));
}

/** Every declaration in a file, members included. */
function* declarationsIn(node) {
  if (node.jsDoc) yield node;
  for (const child of node.getChildren()) yield* declarationsIn(child);
}

describe("examples", () => {
  const pieces = ["ai-sdk", "anthropic", "langchain", "mastra", "openai"].map((name) => path.join("types", "integrations", `${name}.d.ts`));
  const entries = ["index.d.ts", path.join("js", "roo", "index.d.ts"), ...pieces].map((name) => path.join(root, name));
  const program = ts.createProgram(entries, { strict: true, types: [] });
  const checker = program.getTypeChecker();

  test("every function, class and constant that is exported has one", () => {
    const without = entries.flatMap((file) =>
      checker
        .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
        .filter(({ flags, declarations }) => flags & ts.SymbolFlags.Value && !declarations.flatMap(examplesOf).length)
        .map(({ name }) => `${path.relative(root, file)}: ${name}`)
        // Constants that say what they are.
        .filter((entry) => !/: [A-Z_]+$/.test(entry)),
    );
    expect(without).toEqual([]);
  });

  test("they compile", () => {
    const files = new Map([[path.join(folder, "given.d.ts"), GIVEN]]);
    const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes("node_modules"));
    for (const declaration of own.flatMap((file) => [...declarationsIn(file)])) {
      for (const code of examplesOf(declaration)) files.set(path.join(folder, `example-${files.size}.mts`), `${code}\nexport {};\n`);
    }
    expect(files.size).toBeGreaterThan(25);
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      types: ["node"],
    };
    const diagnostics = diagnosticsOf(files, options);
    expect(diagnostics.map(({ file, messageText }) => `${ts.flattenDiagnosticMessageText(messageText, "\n")} in\n${file?.text}`)).toEqual(
      [],
    );
  });
});

/** The types that index.d.ts exports, by name, and their checker. */
function declaredTypes() {
  const file = path.join(root, "index.d.ts");
  const program = ts.createProgram([file], { strict: true });
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  return { checker, typeOf: (name) => checker.getDeclaredTypeOfSymbol(symbols.find((symbol) => symbol.name === name)) };
}

test("configurations have the fields that the providers read", async () => {
  const { default: exported } = await import("roo-condense");
  const { checker, typeOf } = declaredTypes();
  // The host of a studio and recall are no providers.
  const makers = Object.keys(exported).filter((name) => !["createRecall", "createStudioHost"].includes(name));
  const names = makers.flatMap((name) => /^create(\w+?)(?:Provider)?$/.exec(name)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const create = exported[`create${name}Provider`] ?? exported[`create${name}`];
    const { properties } = create().getConfigSchema();
    const fields = typeOf(`${name}Config`)
      .getProperties()
      .map((property) => property.name);
    expect(fields.sort(), name).toEqual(Object.keys(properties).sort());
    for (const [field, { enum: allowed }] of Object.entries(properties)) {
      if (!allowed) continue;
      const declared = checker.getNonNullableType(checker.getTypeOfSymbol(typeOf(`${name}Config`).getProperty(field)));
      expect(declared.types.map(({ value }) => value).sort(), `${name}Config.${field}`).toEqual([...allowed].sort());
    }
  }
});

test("recommend() knows the answers that are declared, and says so", async () => {
  const { recommend } = await import("roo-condense");
  const declared = declaredTypes()
    .typeOf("RecommendAnswers")
    .getProperties()
    .map((property) => property.name);
  const told = await recommend(/** @type {any} */ ({ foo: 1 })).catch((error) => error.message);
  const [, known] = told.split("answers.foo is unknown; known: ");
  expect(known.split(", ").sort()).toEqual(declared.sort());
});

test.each([
  ["Errors", "ErrorCode"],
  ["Warnings", "WarningCode"],
  ["Problems of messages", "ProblemCode"],
])("the table %s in docs/errors.md has every code once, and no other", (heading, type) => {
  const { typeOf } = declaredTypes();
  const codes = typeOf(type).types.map(({ value }) => value);
  const [, section] = readFileSync(path.join(root, "docs", "errors.md"), "utf8").split(`## ${heading}\n`);
  const listed = [...section.split("\n## ")[0].matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
  expect(listed.sort()).toEqual(codes.sort());
});

test("every code that the core gives an error stands in docs/errors.md", () => {
  const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".rs"));
  const given = sources.flatMap((name) => {
    const text = readFileSync(path.join(root, "src", name), "utf8");
    return [...text.matchAll(/fn code\(&?self\)[^{]*\{([\s\S]*?)\n {4}\}/g)].flatMap(([, body]) =>
      [...body.matchAll(/"([a-z_]+)"/g)].map(([, code]) => code),
    );
  });
  expect(new Set(given).size).toBeGreaterThan(30);
  // A request that is aborted is, for the caller, a call that is `aborted`.
  const inside = ["llm_aborted"];
  const page = readFileSync(path.join(root, "docs", "errors.md"), "utf8");
  expect([...new Set(given)].filter((code) => !inside.includes(code) && !page.includes(`| \`${code}\` |`))).toEqual([]);
});

test("every problem that is found in messages stands in docs/errors.md", () => {
  const files = [
    "src/conversation/shape.rs",
    "js/service-refusals.js",
    ...readdirSync(path.join(root, "src", "formats"))
      .filter((name) => name.endsWith(".rs"))
      .map((name) => `src/formats/${name}`),
  ];
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    return [...text.matchAll(/\badd(?:_about)?\([^;"]*"([a-z]+_[a-z_]+)"/g)].map(([, code]) => code);
  });
  expect(new Set(found).size).toBeGreaterThan(20);
  const [, page] = readFileSync(path.join(root, "docs", "errors.md"), "utf8").split("\n## Problems of messages\n");
  expect([...new Set(found)].filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
});
