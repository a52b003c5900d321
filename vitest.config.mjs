import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { debugAddon } from "./scripts/tools.mjs";

// The tests run on the debug build when there is one, so that `npm run build:debug && npx vitest` needs no release build.
const binary = process.env.ROO_CONDENSE_BINARY ?? (existsSync(debugAddon) ? debugAddon : undefined);

export default defineConfig({
  test: {
    include: ["__test__/**/*.test.mjs"],
    env: binary ? { ROO_CONDENSE_BINARY: binary } : {},
    // All cores: by default one is left free, of two that is half the speed.
    maxWorkers: "100%",
    // The addon is a debug build, and continuous integration has few cores.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
