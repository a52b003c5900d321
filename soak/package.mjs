// The package, by require, as hosts load it: its release build, or that of the tests where there is no other.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { addonName, debugAddon, root } from "../scripts/tools.mjs";

if (!existsSync(path.join(root, addonName())) && existsSync(debugAddon)) process.env.ROO_CONDENSE_BINARY ??= debugAddon;

const require = createRequire(import.meta.url);

/** @type {typeof import("roo-condense")} */
export const api = require("../index.js");
