// Builds the WebAssembly package where it is old, and holds it against the native addon (__test__/wasm): the same calls give the same bytes, the tests of the
// JavaScript API pass on it, and it works in a browser.
//
//   node scripts/test-wasm.mjs      two minutes, and three more where it is not built

import path from "node:path";
import process from "node:process";
import { buildDebug } from "./build.mjs";
import { buildWasm, isWasmStale } from "./build-wasm.mjs";
import { Failure, commandOf, isStale, main, releaseAddon, root, runNode } from "./tools.mjs";

await main(async () => {
  if (isWasmStale()) await buildWasm();
  const addon = process.env.ROO_CONDENSE_BINARY ?? (isStale(releaseAddon) ? await buildDebug() : releaseAddon);
  const config = path.join(root, "__test__", "wasm", "vitest.config.mjs");
  const code = runNode(commandOf("vitest", "vitest"), ["run", "--config", config], { env: { ROO_CONDENSE_BINARY: path.resolve(addon) } });
  if (code !== 0) throw new Failure(`The tests of the WebAssembly build failed with exit code ${code}.`, code);
});
