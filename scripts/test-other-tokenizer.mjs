// The tests of the core with tiktoken-rs in charge of counting (the cargo feature of that name): it has to give the same numbers everywhere.

import { INTEGRATION, LONG, rustTests } from "./steps.mjs";
import { ensureRust, main } from "./tools.mjs";

await main(async () => {
  ensureRust();
  const features = ["--no-default-features", "--features", "tiktoken-rs"];
  await rustTests(...features);
  await rustTests(...features, "--lib", ...INTEGRATION, ...LONG);
});
