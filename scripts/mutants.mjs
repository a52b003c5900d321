// Changes the core in small ways, one after the other (`>=` becomes `<`, a function returns nothing), and says which of these mutants no unit test of it notices:
// code that could be wrong without anybody knowing. By cargo-mutants, on a copy of the sources; only unit tests run, so what integration tests alone notice counts as
// surviving. One mutant takes about as long as compiling the core once: name the files you work on.
//
//   npm run mutants
//   npm run mutants -- src/providers/settle.rs src/markers/log/text.rs
//   npm run mutants -- src/markers/log/text.rs -- --shard 0/4
//
// Files may be globs. What follows a second `--` goes to cargo-mutants as it is. The lists of all mutants lie in target/mutants/mutants.out.

import path from "node:path";
import process from "node:process";
import { Failure, ensureRust, main, readJson, root, run } from "./tools.mjs";

/** What keeps results true: a mutant there that no test notices is worth a test. */
const FILES = ["src/providers/settle.rs", "src/restore/**/*.rs", "src/markers/log/**/*.rs"];

/** Seconds for the tests of one mutant. All unit tests take less than a minute; a mutant that takes longer runs in circles, which counts as noticed. */
const TIMEOUT = 180;

/** Modules whose tests take most of the time that all take, and that know nothing of what is above them: they run where one of their own files is changed. */
const SLOW = ["tokens", "statistics"];

const OUTPUT = path.join("target", "mutants");

/** The unit tests that run: all but those of SLOW, where the files are known to lie elsewhere. */
function tests(files) {
  const isElsewhere = (name) => files.every((file) => /^src\/[a-z_]+[/.]/.test(file) && !file.startsWith(`src/${name}`));
  return ["--", ...SLOW.filter(isElsewhere).flatMap((name) => ["--skip", `${name}::`])];
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

/** What cargo-mutants found, by the name it has for each outcome. */
function counted() {
  const { outcomes } = readJson(path.join(root, OUTPUT, "mutants.out", "outcomes.json"));
  const of = (summary) => outcomes.filter((outcome) => outcome.scenario !== "Baseline" && outcome.summary === summary).length;
  return { missed: of("MissedMutant"), caught: of("CaughtMutant"), timeouts: of("Timeout") };
}

await main(() => {
  ensureRust();
  if (run("cargo", ["mutants", "--version"], { quiet: true }) !== 0)
    throw new Failure("cargo-mutants is missing: `cargo install cargo-mutants --locked` (some minutes)");
  const { files, options } = given(process.argv.slice(2));
  const code = run(
    "cargo",
    [
      "mutants",
      "--no-default-features",
      // Of building, too: the integration tests take longer to compile than the core.
      "--cargo-arg=--lib",
      ...files.flatMap((file) => ["--file", file]),
      ...["--timeout", `${TIMEOUT}`, "--output", OUTPUT],
      ...options,
      ...["--", ...tests(files)],
    ],
    // Dependencies are compiled once, for all runs. Without lines for debuggers a mutant links faster.
    { env: { CARGO_TARGET_DIR: path.join(root, OUTPUT, "build"), CARGO_PROFILE_DEV_DEBUG: "0", INSTA_UPDATE: "no" } },
  );
  // 2: some were missed; 3: some ran into the timeout.
  if (![0, 2, 3].includes(code)) throw new Failure(`cargo mutants failed with exit code ${code}; its message is above.`, code);
  if (options.includes("--list")) return;
  const { missed, caught, timeouts } = counted();
  const all = missed + caught + timeouts;
  const share = all === 0 ? 0 : Math.round((100 * missed) / all);
  console.log(`${missed} of ${all} mutants survive (${share}%); ${OUTPUT}/mutants.out/missed.txt lists them.`);
});
