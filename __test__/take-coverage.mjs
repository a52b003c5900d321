// With NODE_V8_COVERAGE: writes what a worker of Vitest has run, after each file of tests.

import { takeCoverage } from "node:v8";
import { afterAll } from "vitest";

afterAll(() => takeCoverage());
