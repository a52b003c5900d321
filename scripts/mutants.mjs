// Changes the core in small ways (`>=` becomes `<`, a function returns nothing), and says which of these mutants no test notices: code that could be wrong without
// anybody knowing. cargo-mutants lists them; all of them are compiled at once into a copy of the sources (mutant-source.mjs), so that trying one takes no longer than
// its tests. Each meets the unit tests of its module, then the fast ones of all, then the fast integration tests.
//
//   npm run mutants
//   npm run mutants -- src/providers/settle.rs 'src/restore/**/*.rs'
//   npm run mutants -- --sample 120 'src/salience/**/*.rs'
//
// Files may be globs. `--sample` tries so many, the same ones each time as long as there are as many. target/mutants/survivors.txt lists what survives.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import process from "node:process";
import { PARSER, QUESTION, parserIn, withMutants } from "./mutant-source.mjs";
import { Failure, ensureRust, main, readJson, root, run, runNpm } from "./tools.mjs";

/** What keeps results true: a mutant there that no test notices is worth a test. */
const MODULES = ["providers::settle", "restore", "formats", "output", "story", "salience"];
const FILES = MODULES.flatMap((module) => ["", "/**/*"].map((files) => `src/${module.replaceAll("::", "/")}${files}.rs`));

/**
 * Tests that are left out because they take most of the time that all take: of modules far below, or such that repeat on long histories what others say on short
 * ones.
 */
const SLOW_UNIT = ["tokens", "statistics", "words", "conversation", "transcript", "llm", "recommend", "strategies", "providers::smart"];
const SLOW_INTEGRATION = ["strategies", "growth", "hidden_characters", "formats", "http", "smart", "thinking", "injected"];

/** A mutant whose tests take so many times as long as they do without one runs in circles, which counts as noticed. */
const CIRCLES = 20;

const OUTPUT = path.join(root, "target", "mutants");
const TREE = path.join(OUTPUT, "tree");
/** @type {NodeJS.ProcessEnv} */
const ENV = {
  ...process.env,
  CARGO_TARGET_DIR: path.join(OUTPUT, "build"),
  // Without lines for debuggers everything links faster.
  CARGO_PROFILE_DEV_DEBUG: "0",
  INSTA_UPDATE: "no",
  PROPTEST_RNG_SEED: "1",
  ROO_CONDENSE_FEWER_CASES: "1",
};

/** Runs a program; resolves to its exit code (`undefined` where it was ended because it took longer) and its standard output. */
function output(program, args, cwd = TREE, env = ENV, milliseconds = 0) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: milliseconds,
      killSignal: "SIGKILL",
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (more) => {
      text += more;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? undefined, text }));
  });
}

const linesOf = (text) => text.split("\n").filter(Boolean);

/**
 * Copies the sources, those that are not committed too, with what is `written` in their place. A file that has not changed keeps its time, by which cargo sees what
 * to compile.
 */
async function copySources(written) {
  const { text } = await output("git", ["-c", "core.quotepath=off", "ls-files", "--cached", "--others", "--exclude-standard"], root);
  const files = linesOf(text).filter((file) => existsSync(path.join(root, file)));
  const list = path.join(OUTPUT, "files.json");
  const now = new Set(files);
  for (const file of existsSync(list) ? readJson(list) : []) if (!now.has(file)) rmSync(path.join(TREE, file), { force: true });
  for (const file of files) {
    const to = path.join(TREE, file);
    const content = written.get(file) ?? readFileSync(path.join(root, file));
    if (existsSync(to) && readFileSync(to).equals(content)) continue;
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, content);
  }
  writeFileSync(list, JSON.stringify(files));
}

/** What is left of the files and options on the command line. */
function given(args) {
  const files = [...args];
  const at = files.indexOf("--sample");
  const sample = at < 0 ? Number.POSITIVE_INFINITY : Number(files.splice(at, 2)[1]);
  const option = files.find((file) => file.startsWith("-"));
  if (option || !(sample > 0)) throw new Failure(`${option ?? "--sample"}: the only option is \`--sample NUMBER\`, from 1`);
  return { files: files.length > 0 ? files : FILES, sample };
}

/** The mutants of these files. */
async function listed(files) {
  const args = ["mutants", "--list", "--json", "--no-default-features", "--skip-calls", "reserve"];
  const { code, text } = await output("cargo", [...args, ...files.flatMap((file) => ["--file", file])], root);
  if (code !== 0) throw new Failure(`cargo mutants --list failed with exit code ${code}`);
  return JSON.parse(text).map((mutant, index) => ({ ...mutant, id: index + 1 }));
}

/** Writes the sources with these mutants. Returns the ids of those that cannot be written. */
async function write(parser, mutants) {
  const left = [];
  const written = new Map();
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const source = readFileSync(path.join(root, file), "utf8");
    const of = withMutants(
      parser,
      source,
      mutants.filter((mutant) => mutant.file === file),
    );
    left.push(...of.left);
    written.set(file, Buffer.from(of.text));
  }
  const library = "src/lib.rs";
  written.set(library, Buffer.from((written.get(library) ?? readFileSync(path.join(root, library), "utf8")) + QUESTION));
  await copySources(written);
  return left;
}

/** The innermost mutants around a byte of a file. */
function around(file, byte) {
  const before = readFileSync(path.join(TREE, file)).subarray(0, byte).toString();
  const open = [];
  let end = 0;
  for (const { index, 0: text, 1: begins } of before.matchAll(/\/\*<(\d+)\*\/|\/\*\d+>\*\//g)) {
    if (begins) open.push({ id: Number(begins), with: index === end && open.length > 0 });
    else open.pop();
    end = index + text.length;
  }
  const first = open.findLastIndex((mark) => !mark.with);
  const ids = open.slice(Math.max(first, 0)).map(({ id }) => id);
  // Which of those at one operator.
  const arm = Number([...before.matchAll(/(\d+) => l? ?/g)].at(-1)?.[1]);
  return ids.includes(arm) ? [arm] : ids;
}

/** The mutants that the compiler refuses: such as a difference of texts. */
async function refused() {
  const { code, text } = await output("cargo", ["check", "--no-default-features", "--lib", "--message-format=json"]);
  if (code === 0) return [];
  const found = new Set();
  for (const { message } of linesOf(text).map((line) => JSON.parse(line))) {
    if (message?.level !== "error") continue;
    const spans = [...message.spans].sort((a, b) => Number(b.is_primary) - Number(a.is_primary));
    const ids = spans.map((span) => around(span.file_name, span.byte_start)).find((ids) => ids.length > 0);
    if (ids) ids.forEach((id) => found.add(id));
    else if (message.spans.length > 0) console.log(message.rendered);
  }
  if (found.size === 0) throw new Failure("The core does not compile with its mutants, and no mutant is to blame.");
  return [...found];
}

/** The programs of the unit tests and of the integration tests. */
async function built() {
  const { code, text } = await output("cargo", [
    "test",
    "--no-default-features",
    "--lib",
    "--test",
    "*",
    "--no-run",
    "--message-format=json",
  ]);
  if (code !== 0) throw new Failure("The tests do not compile with the mutants in the core.");
  const programs = linesOf(text)
    .map((line) => JSON.parse(line))
    .filter(({ executable }) => executable);
  const of = (isIntegration) =>
    programs.filter(({ target }) => target.kind.includes("test") === isIntegration).map(({ executable }) => executable);
  return { unit: of(false)[0], integration: of(true) };
}

/** The module whose tests a mutant meets first: one of those above, or that of its file. */
function moduleOf({ file }) {
  const path = file.replace(/^src\/|(\/mod)?\.rs$/g, "").replaceAll("/", "::");
  return MODULES.find((module) => `${path}::`.startsWith(`${module}::`)) ?? path;
}

const without = (names) => names.flatMap((name) => ["--skip", `${name}::`]);
const share = (part, whole) => `${part} of ${whole} (${whole === 0 ? 0 : Math.round((100 * part) / whole)}%)`;

/** The same for the same seed, between 0 and 1. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function sampled(mutants, size) {
  const next = random(1);
  const shuffled = mutants.map((mutant) => ({ mutant, at: next() })).sort((a, b) => a.at - b.at);
  return shuffled.slice(0, size).map(({ mutant }) => mutant);
}

await main(async () => {
  ensureRust();
  if (run("cargo", ["mutants", "--version"], { quiet: true }) !== 0)
    throw new Failure("cargo-mutants is missing: `cargo install cargo-mutants --locked` (some minutes)");
  const { files, sample } = given(process.argv.slice(2));
  mkdirSync(TREE, { recursive: true });
  if (runNpm(["install", "--prefix", OUTPUT, "--ignore-scripts", "--no-audit", "--no-fund", "--silent", ...PARSER]) !== 0)
    throw new Failure(`npm could not install ${PARSER.join(" and ")}`);
  const parser = await parserIn(OUTPUT);
  const mutants = await listed(files);
  // A second time, the compiler refuses nothing that is known.
  const known = path.join(OUTPUT, "invalid.json");
  const invalid = new Set(existsSync(known) ? readJson(known) : []);
  let valid = mutants;
  for (;;) {
    valid = valid.filter(({ name }) => !invalid.has(name));
    const left = new Set([...(await write(parser, valid)), ...(await refused())]);
    if (left.size === 0) break;
    for (const { id, name } of valid) if (left.has(id)) invalid.add(name);
  }
  writeFileSync(known, JSON.stringify([...invalid]));
  const { unit, integration } = await built();
  const rounds = [
    { name: "the unit tests of their module", tests: (mutant) => [unit, moduleOf(mutant)] },
    { name: "the fast unit tests", tests: () => [unit, ...without(SLOW_UNIT)] },
    ...integration.map((program) => ({
      name: `the fast integration tests, ${path.basename(program).replace(/-\w+(\.exe)?$/, "")}`,
      tests: () => [program, ...without(SLOW_INTEGRATION)],
    })),
  ];
  const tried = sampled(valid, sample);
  let surviving = tried;
  const all = tried.length;
  console.log(`${mutants.length} mutants, of which ${valid.length} are valid; ${all} are tried.`);
  const begun = performance.now();
  for (const { name, tests } of rounds) {
    if (surviving.length === 0) break;
    const start = performance.now();
    const [program, ...args] = tests(surviving[0]);
    const { code } = await output(program, args);
    if (code !== 0) throw new Failure(`The tests fail without any mutant: ${[program, ...args].join(" ")}`);
    const most = Math.round(Math.max(20_000, CIRCLES * (performance.now() - start)));
    const queue = [...surviving];
    const still = new Set();
    let circles = 0;
    const worker = async () => {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        const [program, ...args] = tests(mutant);
        const { code } = await output(program, args, TREE, { ...ENV, MUTANT: `${mutant.id}` }, most);
        if (code === 0) still.add(mutant);
        if (code === undefined) circles++;
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    surviving = surviving.filter((mutant) => still.has(mutant));
    const seconds = (performance.now() - start) / 1000;
    console.log(`${share(surviving.length, all)} survive ${name}, ${circles} others ended by a signal; ${seconds.toFixed(0)} s`);
    writeFileSync(path.join(OUTPUT, "survivors.txt"), surviving.map((mutant) => `${mutant.name}\n`).join(""));
  }
  for (const module of new Set(tried.map(moduleOf))) {
    const inModule = (mutants) => mutants.filter((mutant) => moduleOf(mutant) === module).length;
    console.log(`${module}: ${share(inModule(surviving), inModule(tried))}`);
  }
  console.log(`${((performance.now() - begun) / 1000 / Math.max(all, 1)).toFixed(1)} s for each`);
});
