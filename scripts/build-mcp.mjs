// Bundles the official SDK of the Model Context Protocol into js/cli/mcp-sdk, as much of it as `roo-condense mcp` uses: as a dependency it would bring ninety packages.
//
//   node scripts/build-mcp.mjs             bundles it where that is missing or old
//   node scripts/build-mcp.mjs --force     bundles it again

import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { bundledNotices, packagesIn } from "./notices.mjs";
import { ensureDependencies, isProgram, main, megabytes, root } from "./tools.mjs";

const dist = path.join(root, "js", "cli", "mcp-sdk");
const file = path.join(dist, "index.cjs");
const sources = ["scripts/build-mcp.mjs", "package-lock.json"].map((name) => path.join(root, name));

const SOURCE = `
export { Server } from "@modelcontextprotocol/sdk/server/index.js";
export { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
export { CallToolRequestSchema, ListToolsRequestSchema, RootsListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
`;

const isStale = () => !existsSync(file) || statSync(file).mtimeMs < Math.max(...sources.map((source) => statSync(source).mtimeMs));

async function buildMcp() {
  ensureDependencies();
  const { build } = await import("esbuild");
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const { metafile } = await build({
    stdin: { contents: SOURCE, resolveDir: root },
    absWorkingDir: root,
    outfile: file,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minify: true,
    metafile: true,
    legalComments: "none",
  });
  const folders = packagesIn(metafile, root);
  writeFileSync(path.join(dist, "THIRD-PARTY-NOTICES.txt"), bundledNotices("The MCP server of roo-condense", folders));
  console.log(`Bundled the MCP SDK: ${megabytes(file)}.`);
}

/** Bundles it where that is needed. */
export async function ensureMcp() {
  if (isStale()) await buildMcp();
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { force: { type: "boolean" } } });
    if (values.force || isStale()) await buildMcp();
  });
}
