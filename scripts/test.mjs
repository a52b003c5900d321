// Every check of the project, in the order of what fails fastest. Needs Node and Rust; installs the rest.
// All steps run even when one fails, except those that need what it would have made. The exit code is the first failure's.

import process from "node:process";
import { buildDebug } from "./build.mjs";
import { Failure, commandOf, debugAddon, ensureDependencies, ensureRust, main, run, runNode } from "./tools.mjs";

const locked = process.env.CI ? ["--locked"] : [];
const withoutNode = ["--no-default-features"];

/** Fails unless the program ends with 0. */
function check(code, what) {
  if (code !== 0) throw new Failure(`${what} failed with exit code ${code}`, code);
}

const cargo = (...args) => check(run("cargo", args), `cargo ${args.join(" ")}`);

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

const steps = [
  {
    name: "rustfmt",
    run() {
      ensureComponent("rustfmt", "fmt");
      cargo("fmt", "--check");
    },
  },
  { name: "clippy, without the Node binding", run: () => clippy(...withoutNode) },
  { name: "clippy, with the Node binding", run: () => clippy() },
  { name: "Rust tests", run: () => cargo("test", ...locked, ...withoutNode) },
  { name: "addon", run: () => buildDebug() },
  {
    name: "JavaScript tests",
    needs: "addon",
    run: () => check(runNode(commandOf("vitest", "vitest"), ["run"], { env: { ROO_CONDENSE_BINARY: debugAddon } }), "vitest run"),
  },
  {
    name: "type tests",
    run: () => check(runNode(commandOf("typescript", "tsc"), ["--noEmit", "--project", "tsconfig.json"]), "tsc --noEmit"),
  },
];

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

await main(() => {
  const begun = performance.now();
  ensureDependencies();
  ensureRust();
  const failed = new Map();
  const skipped = [];
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
      step.run();
      console.log(`<== ${label}: passed in ${seconds(start)}`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failed.set(step.name, error.exitCode);
      console.log(`${error.message}\n<== ${label}: FAILED after ${seconds(start)}`);
    }
  }
  const passed = steps.length - failed.size - skipped.length;
  const notRun = skipped.length ? `, ${skipped.length} skipped` : "";
  const names = failed.size ? ` (failed: ${[...failed.keys()].join("; ")})` : "";
  console.log(`\n${passed} passed, ${failed.size} failed${notRun} in ${seconds(begun)}${names}`);
  process.exitCode = failed.values().next().value ?? 0;
});
