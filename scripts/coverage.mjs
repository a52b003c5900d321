// How much of the product the tests run: lines of the core by `cargo test --no-default-features` (cargo-llvm-cov), and lines of the JavaScript by the tests of Node, in
// every process that they start: the command line, servers, workers (V8's own counts, through c8).
//
//   npm run coverage
//   npm run coverage -- --javascript [files and options of vitest]      the JavaScript alone

import path from "node:path";
import process from "node:process";
import { buildDebug } from "./build.mjs";
import { ensureUi } from "./build-ui.mjs";
import { Failure, commandOf, debugAddon, ensureDependencies, ensureRust, main, root, run, runNode } from "./tools.mjs";

function core() {
  if (run("cargo", ["llvm-cov", "--version"], { quiet: true }) !== 0)
    throw new Failure("cargo-llvm-cov is missing: `cargo install cargo-llvm-cov --locked` and `rustup component add llvm-tools`");
  if (run("cargo", ["llvm-cov", "--no-default-features", "--summary-only"]) !== 0) throw new Failure("a test failed");
}

/** Files that no test loads count too; c8's own exclusions, such as files called `test`, do not. */
const C8 = [
  "--all",
  "--include=js/**/*.js",
  "--include=index.js",
  "--exclude=nothing",
  "--reporter=text-summary",
  "--reporter=json-summary",
];
const PLACES = [
  `--temp-directory=${path.join(root, "target", "coverage", "raw")}`,
  `--reports-dir=${path.join(root, "target", "coverage")}`,
];

function javascript(args) {
  const vitest = [process.execPath, commandOf("vitest", "vitest"), "run", "--project", "node", ...args];
  const code = runNode(commandOf("c8", "c8"), [...C8, ...PLACES, ...vitest], { env: { ROO_CONDENSE_BINARY: debugAddon } });
  if (code !== 0) throw new Failure("a test failed");
}

await main(async () => {
  const [first, ...rest] = process.argv.slice(2);
  const isAlone = first === "--javascript";
  ensureDependencies();
  ensureRust();
  if (!isAlone) core();
  await buildDebug();
  ensureUi();
  javascript(isAlone ? rest : []);
});
