// Before the tests: schemas of the services' requests, on disk. Reading the types of an SDK takes seconds, so they are kept until its version changes.

import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SERVICES, schemaFile } from "./strict.mjs";

export default async function prepare() {
  for (const [service, { sdk, file, type }] of Object.entries(SERVICES)) {
    const kept = schemaFile(service);
    if (existsSync(kept)) continue;
    const { schemaOfType } = await import("./schema-of-types.mjs");
    mkdirSync(path.dirname(kept), { recursive: true });
    // Another run may be doing the same.
    const own = `${kept}.${process.pid}`;
    writeFileSync(own, JSON.stringify(schemaOfType(`node_modules/${sdk}/${file}`, type)));
    renameSync(own, kept);
  }
}
