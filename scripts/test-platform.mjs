// Runs the binary of another platform under a Node of that platform, and holds it against this machine's: the same calls on all fixtures give the same
// bytes, and worker threads that end while it works for them end nothing else (__test__/parity, __test__/threads).
//
//   node scripts/test-platform.mjs PLATFORM [--workers 20] -- COMMAND...
//
// COMMAND starts that Node: a program alone, behind an emulator, a loader or in a container (docs/release.md has examples). The binary is the one in
// npm/PLATFORM.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildDebug } from "./build.mjs";
import { Failure, PLATFORMS, addonName, isStale, main, releaseAddon, root } from "./tools.mjs";

const PROGRAM = "__test__/parity/make-calls.cjs";

/**
 * What a program writes to standard output, by lines.
 * @param {string[]} command the program and its first arguments
 */
function linesOf(command, args, binary) {
  const [program = "", ...first] = command;
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ROO_CONDENSE_BINARY: binary };
    const child = spawn(program, [...first, ...args], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (text += part));
    child.on("error", () => reject(new Failure(`${program} cannot be started.`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve(text.trim().split(/\r?\n/));
      else reject(new Failure(`${[...command, ...args].join(" ")} ended with ${signal ?? `exit code ${code}`}.`));
    });
  });
}

/** Where two texts begin to differ, with what stands around it. */
function difference(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return [one, other].map((text) => text.slice(Math.max(0, at - 60), at + 60)).join("\n  ");
}

await main(async () => {
  const { values, positionals } = parseArgs({ options: { workers: { type: "string", default: "20" } }, allowPositionals: true });
  const [platform, ...command] = positionals;
  if (!PLATFORMS.includes(platform) || command.length === 0)
    throw new Failure(
      `Usage: node scripts/test-platform.mjs PLATFORM [--workers 20] -- COMMAND...\nPLATFORM is one of ${PLATFORMS.join(", ")}.`,
    );
  const binary = `npm/${platform}/${addonName(platform)}`;
  if (!existsSync(path.join(root, binary))) throw new Failure(`${binary} is not there: build it as docs/release.md says.`);
  const own = process.env.ROO_CONDENSE_BINARY ?? (isStale(releaseAddon) ? buildDebug() : releaseAddon);

  const wanted = await linesOf([process.execPath], [PROGRAM], own);
  const found = await linesOf(command, [PROGRAM], binary);
  if (found.length !== wanted.length) throw new Failure(`${platform} answers ${found.length} of ${wanted.length} calls.`);
  const index = wanted.findIndex((line, place) => line !== found[place]);
  if (index >= 0) throw new Failure(`${platform} answers call ${index + 1} otherwise:\n  ${difference(wanted[index], found[index])}`);
  console.log(`${platform}: ${wanted.length} calls give the same bytes as here.`);

  const ends = await linesOf(command, ["__test__/threads/ends.mjs", "--count", values.workers, "--most", "2"], binary);
  console.log(`${platform}: ${ends.at(-1)}`);
});
