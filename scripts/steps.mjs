// What `npm test` and `npm run check` share: the steps that need no test, and the running of steps one after the other, with their times.

import path from "node:path";
import process from "node:process";
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
  cargo("clippy", "--all-targets", ...locked, ...features, "--", "-D", "warnings");
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

/** Runs the JavaScript tests in these files; all of them when none is named. */
export const vitest = (...files) => {
  const args = ["run", ...files];
  check(runNode(commandOf("vitest", "vitest"), args, { env: { ROO_CONDENSE_BINARY: debugAddon } }), `vitest ${args.join(" ")}`);
};

/**
 * The tests of Rust; the binding is on, so that the addon is compiled with them. Properties are tried from the same seed each time, as the soak is, unless
 * more of them are asked for.
 */
export const rustTests = (...args) => cargoTest(args);

/** All of them. What makes compiling a small change fast takes a gigabyte more, and is of no use to who runs them now and then. */
export const allRustTests = () => cargoTest([], { CARGO_INCREMENTAL: process.env.CARGO_INCREMENTAL ?? "0" });

function cargoTest(args, env = {}) {
  const { PROPTEST_CASES: more, PROPTEST_RNG_SEED: seed = "1" } = process.env;
  const all = ["test", ...locked, ...args];
  check(run("cargo", all, { env: more ? env : { ...env, PROPTEST_RNG_SEED: seed } }), `cargo ${all.join(" ")}`);
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
      cargo("fmt", "--check");
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
