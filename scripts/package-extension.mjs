// Makes the VSIX of examples/vscode-extension for this machine, with the release build in it.

import path from "node:path";
import process from "node:process";
import { buildRelease } from "./build.mjs";
import { ensureUi } from "./build-ui.mjs";
import { Failure, ensureDependencies, isStale, main, releaseAddon, root, runNpm } from "./tools.mjs";

const folder = path.join(root, "examples", "vscode-extension");

await main(() => {
  ensureDependencies();
  if (!process.env.ROO_CONDENSE_BINARY && isStale(releaseAddon)) buildRelease();
  ensureUi();
  for (const args of [
    ["ci", "--no-audit", "--no-fund"],
    ["run", "package"],
  ]) {
    const code = runNpm(args, { cwd: folder });
    if (code !== 0) throw new Failure(`npm ${args.join(" ")} failed in ${path.relative(root, folder)} with exit code ${code}.`, code);
  }
});
