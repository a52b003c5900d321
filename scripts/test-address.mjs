// The addon under AddressSanitizer inside of Node: worker threads that end while it works for them, then the soak. On Linux x64 with gcc, whose runtime of
// the sanitizer is loaded before Node. Five minutes to build.
//
//   npm run test:address -- [--workers 1000] [--minutes 10]

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { Failure, ensureRust, main, platformName, root, run } from "./tools.mjs";

const TARGET = "x86_64-unknown-linux-gnu";

await main(() => {
  const { values } = parseArgs({
    options: { workers: { type: "string", default: "1000" }, minutes: { type: "string", default: "10" } },
  });
  if (platformName() !== "linux-x64-gnu") throw new Failure("AddressSanitizer is looked for on Linux x64 with glibc only.");
  const runtime = spawnSync("gcc", ["-print-file-name=libasan.so"], { encoding: "utf8" }).stdout?.trim();
  if (!runtime || !existsSync(runtime)) throw new Failure("There is no libasan.so: install gcc.");
  ensureRust();
  const folder = path.join(root, "target", "address");
  const built = run("cargo", ["build", "--release", "--lib", "--target", TARGET], {
    env: {
      // Sanitizers are no part of what is promised of stable Rust.
      RUSTC_BOOTSTRAP: "1",
      // mimalloc is not watched.
      RUSTFLAGS: "-Zsanitizer=address --cfg system_allocator",
      CARGO_TARGET_DIR: folder,
      CARGO_PROFILE_RELEASE_LTO: "off",
      CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
      CARGO_PROFILE_RELEASE_OPT_LEVEL: "1",
      CARGO_PROFILE_RELEASE_STRIP: "none",
    },
  });
  if (built !== 0) throw new Failure(`The build failed with exit code ${built}; the compiler's message is above.`, built);
  const addon = path.join(folder, "roo-condense.node");
  copyFileSync(path.join(folder, TARGET, "release", "libroo_condense.so"), addon);
  const env = {
    LD_PRELOAD: runtime,
    // What Node keeps to its end is no leak of ours; what asks for too much memory is to get none, as without the sanitizer.
    ASAN_OPTIONS: "detect_leaks=0:halt_on_error=1:abort_on_error=1:allocator_may_return_null=1",
    ROO_CONDENSE_BINARY: addon,
  };
  for (const args of [
    ["__test__/threads/ends.mjs", "--count", values.workers],
    ["soak/soak.mjs", "--minutes", values.minutes],
  ]) {
    const code = run(process.execPath, args, { env });
    if (code !== 0) throw new Failure(`${args.join(" ")} failed with exit code ${code}.`, code);
  }
});
