// Compiles the addon with the oldest Rust that Cargo.toml promises (`rust-version`), which rustup installs where it is missing.

import { Failure, cargoPackage, main, run } from "./tools.mjs";

await main(() => {
  const { "rust-version": oldest } = cargoPackage();
  if (run("rustup", ["toolchain", "install", oldest, "--profile", "minimal", "--no-self-update"]) !== 0) {
    throw new Failure(`Rust ${oldest} could not be installed: this check needs rustup (https://rustup.rs).`);
  }
  for (const features of [["--no-default-features"], []]) {
    // A folder of its own: compilers of two versions would take turns at throwing away what the other made.
    const code = run("cargo", [`+${oldest}`, "check", "--locked", "--lib", "--target-dir", "target/oldest-rust", ...features]);
    if (code !== 0) throw new Failure(`It does not compile with Rust ${oldest}; mend that, or raise rust-version in Cargo.toml.`, code);
  }
});
