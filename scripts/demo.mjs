// Condenses a Roo-Code history that comes with the source, offline. Builds what is missing first.

import { existsSync } from "node:fs";
import path from "node:path";
import { buildRelease } from "./build.mjs";
import { Failure, isStale, main, releaseAddon, root, runNode } from "./tools.mjs";

const history = path.join("fixtures", "roo-xml-2025.json");
const commandLine = path.join("js", "cli", "main.js");

await main(() => {
  if (isStale(releaseAddon)) {
    console.log(
      existsSync(releaseAddon)
        ? "The sources are newer than the addon: building it again. This takes a minute or two ..."
        : "Building the native addon in release mode. The first time this takes 2 to 5 minutes ...",
    );
    buildRelease();
  }
  console.log(`\n$ roo-condense ${history}\n`);
  // The addon just built, whatever the environment names.
  const code = runNode(commandLine, [history], { env: { ROO_CONDENSE_BINARY: releaseAddon } });
  if (code !== 0) throw new Failure(`The demonstration ended with exit code ${code}.`, code);
  console.log(`\nTry it on a history of your own: node ${path.relative(root, path.join(root, commandLine))} HISTORY.json`);
});
