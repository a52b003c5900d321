import { defineConfig } from "vitest/config";
import { root, wasmAddon } from "../../scripts/tools.mjs";

const patience = { testTimeout: 180_000, hookTimeout: 180_000 };

/** Tests of the JavaScript API that ask for nothing which one thread without sockets does not have. */
const API = ["diff", "expand", "formats", "frozen", "messages", "log", "smart", "survival", "tools"];
const ROO = ["shared-cases", "vectors", "old-tool-results"];

export default defineConfig({
  test: {
    maxWorkers: "100%",
    projects: [
      { test: { ...patience, name: "parity", include: ["*.test.mjs"], root: import.meta.dirname } },
      {
        test: {
          ...patience,
          name: "the tests of the API, on WebAssembly",
          root,
          include: [...API.map((name) => `__test__/api/${name}.test.mjs`), ...ROO.map((name) => `__test__/roo/${name}.test.mjs`)],
          env: { ROO_CONDENSE_BINARY: wasmAddon },
        },
      },
    ],
  },
});
