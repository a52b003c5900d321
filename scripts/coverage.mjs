// How much of the product the tests run: lines of the core by `cargo test --no-default-features` (cargo-llvm-cov), and lines of the JavaScript by the fast tests of Node
// (V8's own counts, through Vitest).
//
//   npm run coverage

import process from "node:process";
import { buildDebug } from "./build.mjs";
import { ensureUi } from "./build-ui.mjs";
import { vitest } from "./steps.mjs";
import { Failure, ensureDependencies, ensureRust, main, run } from "./tools.mjs";

function core() {
  if (run("cargo", ["llvm-cov", "--version"], { quiet: true }) !== 0)
    throw new Failure("cargo-llvm-cov is missing: `cargo install cargo-llvm-cov --locked` and `rustup component add llvm-tools`");
  if (run("cargo", ["llvm-cov", "--no-default-features", "--summary-only"]) !== 0) throw new Failure("a test failed");
}

const javascript = () =>
  vitest(
    "--project",
    "node",
    "--tags-filter",
    "!long",
    "--coverage.enabled",
    "--coverage.include=js/**",
    "--coverage.include=index.js",
    "--coverage.reporter=text-summary",
    ...process.argv.slice(2),
  );

await main(async () => {
  ensureDependencies();
  ensureRust();
  core();
  await buildDebug();
  ensureUi();
  await javascript();
});
