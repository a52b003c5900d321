// What `npm test`, `npm run test:thorough` and `npm run check` share: the steps that need no test, and the running of steps one after the other, with their times.

import path from "node:path";
import process from "node:process";
import { levelOfAddon } from "./build.mjs";
import { Failure, commandOf, debugAddon, ensureDependencies, ensureRust, root, run, runNode } from "./tools.mjs";

/** CI takes the versions of the lockfile, or none. */
export const locked = process.env.CI ? ["--locked"] : [];
/** The core alone. */
export const withoutNode = ["--no-default-features"];

/** Fails unless the program ends with 0. */
function check(code, what) {
  if (code !== 0) throw new Failure(`${what} failed with exit code ${code}`, code);
}

export const cargo = (...args) => check(run("cargo", args), `cargo ${args.join(" ")}`);

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
  cargo("clippy", "--workspace", "--all-targets", ...locked, ...features, "--", "-D", "warnings");
};

/** Compiles the documentation; a link that leads nowhere is a failure. */
const documentation = (...features) => {
  const code = run("cargo", ["doc", "--no-deps", "--quiet", ...locked, ...features], { env: { RUSTDOCFLAGS: "-D warnings" } });
  check(code, "cargo doc");
};

const node = (packageName, command, ...args) => check(runNode(commandOf(packageName, command), args), `${command} ${args.join(" ")}`);

const typescript = (project) => node("typescript", "tsc", "--noEmit", "--project", project);

/** Builds the studio where it is missing or old. */
export const studio = () => check(runNode(path.join(root, "scripts", "build-ui.mjs")), "build-ui");

/** Runs the JavaScript tests, with these arguments of vitest: files, or projects of vitest.config.mjs. */
export const vitest = (...given) => {
  const args = ["run", ...given];
  check(runNode(commandOf("vitest", "vitest"), args, { env: { ROO_CONDENSE_BINARY: debugAddon } }), `vitest ${args.join(" ")}`);
};

/** The tests of Rust. Properties are tried from the same seed each time, as the soak is, unless more of them are asked for. */
export const rustTests = (...args) => cargoTest(args, {});

/** Those that need no other build of the library than the addon does: they share it, and run at its speed. */
export const rustTestsOnAddon = (...args) => cargoTest(args, levelOfAddon());

/** The integration tests, with a third of the cases of the properties that take longest; the others are in `npm run test:thorough`. */
export const integrationTests = () => cargoTest(["--test", "all"], { ...levelOfAddon(), ROO_CONDENSE_FEWER_CASES: "1" });

function cargoTest(args, env) {
  const { PROPTEST_CASES: more, PROPTEST_RNG_SEED: seed = "1" } = process.env;
  const all = ["test", ...locked, ...args];
  check(run("cargo", all, { env: more ? env : { ...env, PROPTEST_RNG_SEED: seed } }), `cargo ${all.join(" ")}`);
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
  check(runNode(program, ["--trials", trials, "--from", "1"], { env: { ROO_CONDENSE_BINARY: debugAddon } }), "soak");
};

/** What takes a second each. */
export const formats = [
  {
    name: "rustfmt",
    run() {
      ensureComponent("rustfmt", "fmt");
      cargo("fmt", "--all", "--check");
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

/**
 * Runs steps: `{ name, run(), needs? }`. All of them run even when one fails, except those that need what it would have made. The exit code is the first
 * failure's.
 */
export async function runSteps(steps) {
  const begun = performance.now();
  ensureDependencies();
  ensureRust();
  const failed = new Map();
  const skipped = [];
  const times = [];
  for (const [index, step] of steps.entries()) {
    const label = `[${index + 1}/${steps.length}] ${step.name}`;
    if (failed.has(step.needs)) {
      skipped.push(step.name);
      console.log(`\n==> ${label}: skipped, because "${step.needs}" failed`);
      continue;
    }
    console.log(`\n==> ${label}`);
    const start = performance.now();
    try {
      await step.run();
      times.push([seconds(start), step.name]);
      console.log(`<== ${label}: passed in ${seconds(start)}`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failed.set(step.name, error.exitCode);
      times.push([seconds(start), `${step.name}: FAILED`]);
      console.log(`${error.message}\n<== ${label}: FAILED after ${seconds(start)}`);
    }
  }
  console.log(`\n${times.map(([time, name]) => `${time.padStart(8)}  ${name}`).join("\n")}`);
  const passed = steps.length - failed.size - skipped.length;
  const notRun = skipped.length ? `, ${skipped.length} skipped` : "";
  const names = failed.size ? ` (failed: ${[...failed.keys()].join("; ")})` : "";
  console.log(`\n${passed} passed, ${failed.size} failed${notRun} in ${seconds(begun)}${names}`);
  process.exitCode = failed.values().next().value ?? 0;
}
