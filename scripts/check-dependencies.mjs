// Holds the crates to deny.toml: weaknesses, licences, sources. cargo-deny is compiled where it is missing, which takes some minutes.

import { Failure, main, run } from "./tools.mjs";

const VERSION = "0.20";

await main(() => {
  if (run("cargo", ["deny", "--version"], { quiet: true }) !== 0) {
    console.log("Installing cargo-deny (cargo install, some minutes) ...");
    const code = run("cargo", ["install", "--locked", "cargo-deny", "--version", `^${VERSION}`]);
    if (code !== 0) throw new Failure("cargo-deny could not be installed; its message is above.", code);
  }
  const code = run("cargo", ["deny", "--locked", "check"]);
  if (code !== 0) throw new Failure(`cargo deny failed with exit code ${code}.`, code);
});
