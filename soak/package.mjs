// The package, by require, as hosts load it.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** @type {typeof import("roo-condense")} */
export const api = require("../index.js");
