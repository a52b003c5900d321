// Changes the core in small ways, one after the other (`>=` becomes `<`, a function returns nothing), and says which of these mutants no test notices: code that could
// be wrong without anybody knowing. By cargo-mutants, on a copy of the sources that is kept, so that only what a mutant changes is compiled again. Each mutant meets
// the fast unit tests; those that survive meet the other unit tests and the fast integration tests.
//
//   npm run mutants
//   npm run mutants -- src/providers/settle.rs 'src/restore/**/*.rs'
//   npm run mutants -- 'src/restore/**/*.rs' -- --shard 3/8 --sharding round-robin
//
// Files may be globs. What follows a second `--` goes to cargo-mutants as it is; the example tries an eighth. The lists lie in target/mutants/*/mutants.out.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Failure, ensureRust, main, readJson, root, run, work } from "./tools.mjs";

/** What keeps results true: a mutant there that no test notices is worth a test. */
const FILES = ["src/providers/settle.rs", "src/restore/**/*.rs", "src/markers/log/**/*.rs", "src/salience/**/*.rs"];

/**
 * The rounds, and the tests that each leaves out because they take most of the time that all take: a test of another module far below, or one that repeats on long
 * histories what others say on short ones. Unit tests of a module run whenever one of its files is changed.
 */
const ROUNDS = [
  {
    name: "unit",
    tests: ["--lib"],
    leftOut: ["tokens", "statistics", "words", "conversation", "transcript", "llm", "recommend", "strategies", "providers/smart"],
  },
  {
    name: "all",
    tests: ["--lib", "--test", "all"],
    leftOut: ["tokens", "statistics", "words", "llm", "strategies", "growth", "hidden_characters", "formats", "smart/presets_are_ordered"],
  },
];

/** Seconds for the tests of one mutant, on a machine that does other things too. One that takes longer runs in circles, which counts as noticed. */
const TIMEOUT = 300;

const OUTPUT = path.join(root, "target", "mutants");
const TREE = path.join(OUTPUT, "tree");

/** Copies the sources, those that are not committed too. A file that has not changed keeps its time, by which cargo sees what to compile. */
async function copySources() {
  const { lines } = await work("git", ["-c", "core.quotepath=off", "ls-files", "--cached", "--others", "--exclude-standard"], {
    kept: true,
  });
  const files = lines.filter((file) => file && existsSync(path.join(root, file)));
  const list = path.join(OUTPUT, "files.json");
  const before = existsSync(list) ? readJson(list) : [];
  const now = new Set(files);
  for (const file of before) if (!now.has(file)) rmSync(path.join(TREE, file), { force: true });
  for (const file of files) {
    const [from, to] = [path.join(root, file), path.join(TREE, file)];
    if (!existsSync(to) || !readFileSync(from).equals(readFileSync(to))) cpSync(from, to, { recursive: true });
  }
  writeFileSync(list, JSON.stringify(files));
}

/** What is left of the files and options on the command line. */
function given(args) {
  const end = args.indexOf("--");
  const files = end < 0 ? args : args.slice(0, end);
  const option = files.find((file) => file.startsWith("-"));
  if (option)
    throw new Failure(`${option} is no file; options of cargo-mutants follow a second \`--\`: npm run mutants -- FILE -- ${option}`);
  return { files: files.length > 0 ? files : FILES, options: end < 0 ? [] : args.slice(end + 1) };
}

/** Tries mutants in one round, and returns how many there were and the names of those that survived. */
function round({ name, tests, leftOut }, files, options) {
  const isElsewhere = (module) => files.every((file) => !file.startsWith(`src/${module}`));
  const skipped = leftOut.filter(isElsewhere).flatMap((module) => ["--skip", `${module.replaceAll("/", "::")}`]);
  const output = path.join(OUTPUT, name);
  mkdirSync(output, { recursive: true });
  const args = ["mutants", "--in-place", "--no-default-features", "--colors=never", ...files.flatMap((file) => ["--file", file])];
  args.push(...tests.map((argument) => `--cargo-arg=${argument}`), "--timeout", `${TIMEOUT}`, "--output", output, ...options, "--", "--");
  const code = run("cargo", [...args, ...skipped], {
    cwd: TREE,
    // Without lines for debuggers a mutant links faster.
    env: {
      CARGO_TARGET_DIR: path.join(OUTPUT, "build"),
      CARGO_PROFILE_DEV_DEBUG: "0",
      INSTA_UPDATE: "no",
      PROPTEST_RNG_SEED: "1",
      ROO_CONDENSE_FEWER_CASES: "1",
    },
  });
  // 2: some were missed; 3: some ran into the timeout.
  if (![0, 2, 3].includes(code)) throw new Failure(`cargo mutants failed with exit code ${code}; its message is above.`, code);
  if (options.includes("--list")) return { all: 0, missed: [] };
  const { outcomes } = readJson(path.join(output, "mutants.out", "outcomes.json"));
  const tried = outcomes.filter(({ scenario, summary }) => scenario !== "Baseline" && summary !== "Unviable");
  const missed = readFileSync(path.join(output, "mutants.out", "missed.txt"), "utf8")
    .split("\n")
    .filter(Boolean);
  return { all: tried.length, missed };
}

const exactly = (name) => `^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
const share = (part, whole) => `${part} of ${whole} (${whole === 0 ? 0 : Math.round((100 * part) / whole)}%)`;

await main(async () => {
  ensureRust();
  if (run("cargo", ["mutants", "--version"], { quiet: true }) !== 0)
    throw new Failure("cargo-mutants is missing: `cargo install cargo-mutants --locked` (some minutes)");
  const { files, options } = given(process.argv.slice(2));
  mkdirSync(TREE, { recursive: true });
  await copySources();
  const [first, second] = ROUNDS;
  const { all, missed } = round(first, files, options);
  if (options.includes("--list")) return;
  console.log(`${share(missed.length, all)} mutants survive the fast unit tests.`);
  if (missed.length === 0) return;
  const last = round(
    second,
    files,
    missed.flatMap((name) => ["--re", exactly(name)]),
  );
  console.log(
    `${share(last.missed.length, all)} survive the others too; ${path.join(OUTPUT, second.name, "mutants.out", "missed.txt")} lists them.`,
  );
});
