// The modules of the package, for the API reference: what each is imported by, and the file with its types.

import { createRequire } from "node:module";
import path from "node:path";

const { name, exports } = createRequire(import.meta.url)("../package.json");

/** @type {[string, string][]} */
export const modules = Object.entries(exports).flatMap(([at, { types }]) => (types ? [[path.posix.join(name, at), types]] : []));
