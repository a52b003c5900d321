// What `npm test`, `npm run test:thorough` and `npm run check` share: the steps that need no test, and the running of steps one after the other. Each is one line, with
// its time and how many tests passed; what it printed is shown where it fails.

import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { levelOfAddon } from "./build.mjs";
import { Failure, commandOf, debugAddon, ensureDependencies, ensureRust, listener, root, run, work } from "./tools.mjs";

/** CI takes the versions of the lockfile, or none. */
export const locked = process.env.CI ? ["--locked"] : [];
/** The core alone. */
const withoutNode = ["--no-default-features"];

/** Runs a program, which fails unless it ends with 0. */
async function check(program, args, what, env) {
  const { code } = await work(program, args, { env });
  if (code !== 0) throw new Failure(`${what} failed with exit code ${code}`, code);
}

export const cargo = (...args) => check("cargo", args, `cargo ${args.join(" ")}`);

/** Some Rust installations come without rustfmt or clippy; rustup adds them. */
function ensureComponent(component, command) {
  if (run("cargo", [command, "--version"], { quiet: true }) === 0) return;
  console.log(`${component} is missing: trying \`rustup component add ${component}\` ...`);
  if (run("rustup", ["component", "add", component]) !== 0 || run("cargo", [command, "--version"], { quiet: true }) !== 0) {
    throw new Failure(
      `${component} is missing and could not be added. With rustup: \`rustup component add ${component}\`; otherwise install it as your Rust was.`,
    );
  }
}

const clippy = (...features) => {
  ensureComponent("clippy", "clippy");
  return cargo("clippy", "--workspace", "--all-targets", ...locked, ...features, "--", "-D", "warnings");
};

/** Compiles the documentation; a link that leads nowhere is a failure. */
const documentation = (...features) =>
  check("cargo", ["doc", "--no-deps", "--quiet", ...locked, ...features], "cargo doc", { RUSTDOCFLAGS: "-D warnings" });

const node = (packageName, command, ...args) =>
  check(process.execPath, [commandOf(packageName, command), ...args], `${command} ${args.join(" ")}`);

const typescript = (project) => node("typescript", "tsc", "--noEmit", "--project", project);

/** Builds the studio where it is missing or old. */
export const studio = () => check(process.execPath, [path.join(root, "scripts", "build-ui.mjs")], "build-ui");

/** Runs the JavaScript tests, with these arguments of vitest: files, or projects of vitest.config.mjs. */
export const vitest = (...given) => {
  const args = ["run", ...given];
  return check(process.execPath, [commandOf("vitest", "vitest"), ...args], `vitest ${args.join(" ")}`, { ROO_CONDENSE_BINARY: debugAddon });
};

/** Returns the steps that are asked for: with `--javascript`, those that do not test Rust. */
export const askedFor = (steps) => (process.argv.includes("--javascript") ? steps.filter(({ isRust }) => !isRust) : steps);

/** The tests of Rust. Properties are tried from the same seed each time, as the soak is, unless more of them are asked for. */
export const rustTests = (...args) => cargoTest(args, {});

/** Those that need no other build of the library than the addon does: they share it, and run at its speed. */
export const rustTestsOnAddon = (...args) => cargoTest(args, levelOfAddon());

/** All programs of integration tests, also those after one that fails. */
export const INTEGRATION = ["--no-fail-fast", "--test", "*"];

/** The integration tests, with a third of the cases of the properties that take longest; the others are in `npm run test:thorough`. */
export const integrationTests = () => cargoTest(INTEGRATION, { ...levelOfAddon(), ROO_CONDENSE_FEWER_CASES: "1" });

function cargoTest(args, env) {
  const { PROPTEST_CASES: more, PROPTEST_RNG_SEED: seed = "1" } = process.env;
  const all = ["test", ...locked, ...args];
  return check("cargo", all, `cargo ${all.join(" ")}`, more ? env : { ...env, PROPTEST_RNG_SEED: seed });
}

/** Arguments for the tests that are marked as ignored because they take long; ignored too, and left out, are those that other tests start. */
export const LONG = ["--", "--ignored", "--skip", "of_the_environment"];
/** Those, and the others. */
export const ALL = ["--", "--include-ignored", "--skip", "of_the_environment"];

/**
 * For who runs the tests now and then: what makes compiling a small change fast takes a gigabyte more, and longer the first time; and the line of a panic is
 * told without what debuggers read.
 */
export function compileOnce() {
  process.env.CARGO_INCREMENTAL ??= "0";
  process.env.CARGO_PROFILE_DEV_DEBUG ??= "0";
}

/** So many random trials, from the same seed each time: what fails here fails everywhere. */
export const soak = (trials) => {
  const program = path.join(root, "soak", "soak.mjs");
  return check(process.execPath, [program, "--trials", trials, "--from", "1"], "soak", { ROO_CONDENSE_BINARY: debugAddon });
};

/** What takes a second each. */
export const formats = [
  {
    name: "rustfmt",
    run() {
      ensureComponent("rustfmt", "fmt");
      return cargo("fmt", "--all", "--check");
    },
  },
  { name: "Biome: format and lints of the JavaScript", run: () => node("@biomejs/biome", "biome", "ci", "--colors=off", ".") },
];

/** Formats, lints, types and documentation, in the order of what fails fastest. */
export const lints = [
  ...formats,
  { name: "types, as a host's compiler sees them", run: () => typescript("tsconfig.json") },
  { name: "types of the JavaScript itself", run: () => typescript("tsconfig.tools.json") },
  { name: "types of the studio", run: () => typescript("ui/tsconfig.json") },
  { name: "clippy, without the Node binding", run: () => clippy(...withoutNode) },
  { name: "clippy, with the Node binding", run: () => clippy() },
  { name: "documentation, without the Node binding", run: () => documentation(...withoutNode) },
  { name: "documentation, with the Node binding", run: () => documentation() },
];

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** The sum of what the lines that match say. */
const sumOf = (text, pattern) => [...text.matchAll(pattern)].reduce((sum, [, number]) => sum + Number(number), 0);

/** How many tests cargo and vitest say have passed and failed, and how many trials the soak. */
function countsOf(text) {
  const ofVitest = text.match(/^\s*Tests {2}.*$/gm)?.join("\n") ?? "";
  return {
    passed: sumOf(text, /^test result: .*?(\d+) passed/gm) + sumOf(ofVitest, /(\d+) passed/g),
    failed: sumOf(text, /^test result: .*?(\d+) failed/gm) + sumOf(ofVitest, /(\d+) failed/g),
    trials: sumOf(text, /^(\d+) trials, \d+ checks/gm),
  };
}

/** What a step printed, without the lines that say that something went well. */
const withoutSuccess = (text) =>
  text
    .split("\n")
    .filter(
      (line) =>
        !/^\s*(Compiling|Checking|Documenting|Downloaded|Downloading|Finished|Fresh|Locking|Updating) |^test .* \.\.\. (ok|ignored)|^\s*✓/.test(
          line,
        ),
    )
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();

/**
 * Runs steps: `{ name, run(), needs? }`. All of them run even when one fails, except those that need what it would have made. The exit code is the first
 * failure's.
 * @param {{ name: string, run: () => unknown, needs?: string }[]} steps
 * @param {string} about how long they take, and where that was measured
 */
export async function runSteps(steps, about) {
  const begun = performance.now();
  ensureDependencies();
  ensureRust();
  console.log(`${steps.length} steps: ${about}`);
  if (!process.env.ROO_CONDENSE_SHARED && !existsSync(path.join(root, "..", "shared")))
    console.log("skipped: there is no ../shared, so tests on real conversations and recorded calls are left out.");
  const failed = new Map();
  const total = { passed: 0, failed: 0 };
  let skipped = 0;
  let said = "";
  // A step that hangs and is ended from outside shows what it was at.
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      console.log(`ended by ${signal}\n${said.split("\n").slice(-20).join("\n")}`);
      process.exit(130);
    });
  for (const [index, step] of steps.entries()) {
    process.stdout.write(`[${index + 1}/${steps.length}] ${step.name}: `);
    if (failed.has(step.needs)) {
      skipped++;
      console.log(`skipped, because "${step.needs}" failed`);
      continue;
    }
    const start = performance.now();
    said = "";
    listener.hear = (text) => (said += stripVTControlCharacters(text));
    let failure;
    try {
      await step.run();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure = error;
      failed.set(step.name, error.exitCode);
    } finally {
      listener.hear = undefined;
    }
    const counts = countsOf(said);
    total.passed += counts.passed;
    total.failed += counts.failed;
    const tests = counts.passed + counts.failed ? `${counts.passed} passed${counts.failed ? `, ${counts.failed} failed` : ""}, ` : "";
    const trials = counts.trials ? `${counts.trials} trials, ` : "";
    console.log(`${failure ? "FAILED, " : ""}${tests}${trials}${seconds(start)}`);
    if (failure) console.log(`\n${withoutSuccess(said)}\n${failure.message}\n`);
    else for (const line of said.match(/^.*skipped: .*$/gm) ?? []) console.log(`  ${line.trim()}`);
  }
  const names = failed.size ? `; failed: ${[...failed.keys()].join("; ")}` : "";
  console.log(`${steps.length - failed.size - skipped} of ${steps.length} steps passed in ${seconds(begun)}${names}`);
  if (total.passed + total.failed) console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = failed.values().next().value ?? 0;
}
