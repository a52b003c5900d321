import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { debugAddon } from "./scripts/tools.mjs";

// The tests run on the debug build when there is one, so that `npm run build:debug && npx vitest` needs no release build.
const binary = process.env.ROO_CONDENSE_BINARY ?? (existsSync(debugAddon) ? debugAddon : undefined);

// `__test__/install` and `__test__/wasm` have configurations of their own (scripts/test-install.mjs, scripts/test-wasm.mjs).
const shared = {
  env: binary ? { ROO_CONDENSE_BINARY: binary } : {},
  // The addon is a debug build, and continuous integration has few cores.
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

export default defineConfig({
  test: {
    // What `npm test` leaves to `npm run test:thorough`: a test, or `@module-tag long` at the top of a file.
    tags: [{ name: "long", description: "Takes seconds, and finds little that others do not find." }],
    // All cores: by default one is left free, of two that is half the speed.
    maxWorkers: "100%",
    // The studio's page and components, for the tests that pack or show them; what services take, for their stand-ins.
    globalSetup: ["./__test__/build-studio.mjs", "./__test__/services/prepare.mjs"],
    projects: [
      {
        test: {
          ...shared,
          name: "node",
          // Workers are ended before they would write what they ran.
          setupFiles: process.env.NODE_V8_COVERAGE ? ["./__test__/take-coverage.mjs"] : [],
          include: ["__test__/**/*.test.mjs"],
          exclude: ["__test__/browser/**", "__test__/install/**", "__test__/wasm/**"],
        },
      },
      // In a real Chromium (scripts/browser.mjs).
      { test: { ...shared, name: "browser", include: ["__test__/browser/**/*.test.mjs"], expect: { poll: { timeout: 20_000 } } } },
    ],
  },
});
