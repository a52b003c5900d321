import { defineConfig } from "vitest/config";

// The managers work one after the other, because each wants all cores.
export default defineConfig({ test: { root: import.meta.dirname, testTimeout: 180_000, hookTimeout: 400_000 } });
