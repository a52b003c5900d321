// Runs the binary of another platform under a Node of that platform, and holds it against this machine's: the same calls on all fixtures give the same
// bytes, and worker threads that end while it works for them end nothing else (__test__/parity, __test__/threads).
//
//   node scripts/test-platform.mjs PLATFORM [--workers 20] [--expected FILE | --write FILE] [-- COMMAND...]
//
// COMMAND starts that Node: a program alone, behind an emulator, a loader or in a container (docs/release.md has examples). Without it, it is this Node. The
// binary is the one in npm/PLATFORM. `--write` leaves its answers in a file, and `--expected` takes those in the place of this machine's: in the release workflow
// no machine runs two of the binaries.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildDebug } from "./build.mjs";
import { Failure, PLATFORMS, addonName, isStale, main, platformName, releaseAddon, root } from "./tools.mjs";

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
      if (code === 0) resolve(linesIn(text));
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

const linesIn = (text) => text.trim().split(/\r?\n/);

/** What this machine's own binary answers. */
const ownAnswers = async () =>
  linesOf([process.execPath], [PROGRAM], process.env.ROO_CONDENSE_BINARY ?? (isStale(releaseAddon) ? await buildDebug() : releaseAddon));

await main(async () => {
  const { values, positionals } = parseArgs({
    options: { workers: { type: "string", default: "20" }, expected: { type: "string" }, write: { type: "string" } },
    allowPositionals: true,
  });
  const [platform, ...command] = positionals;
  if (!PLATFORMS.includes(platform) || (values.expected && values.write))
    throw new Failure(
      `Usage: node scripts/test-platform.mjs PLATFORM [--workers 20] [--expected FILE | --write FILE] [-- COMMAND...]\nPLATFORM is one of ${PLATFORMS.join(", ")}.`,
      2,
    );
  if (command.length === 0) {
    if (platform !== platformName())
      throw new Failure(`This Node is one for ${platformName()}: a COMMAND has to start one for ${platform}.`, 2);
    command.push(process.execPath);
  }
  const binary = `npm/${platform}/${addonName(platform)}`;
  if (!existsSync(path.join(root, binary))) throw new Failure(`${binary} is not there: build it as docs/release.md says.`);
  if (values.expected && !existsSync(values.expected)) throw new Failure(`${values.expected} is not there: --write makes it.`, 2);

  const found = await linesOf(command, [PROGRAM], binary);
  if (values.write) {
    mkdirSync(path.dirname(path.resolve(values.write)), { recursive: true });
    writeFileSync(values.write, `${found.join("\n")}\n`);
    console.log(`${platform}: wrote the answers to ${found.length} calls to ${values.write}.`);
  } else {
    const wanted = values.expected ? linesIn(readFileSync(values.expected, "utf8")) : await ownAnswers();
    if (found.length !== wanted.length) throw new Failure(`${platform} answers ${found.length} of ${wanted.length} calls.`);
    const index = wanted.findIndex((line, place) => line !== found[place]);
    if (index >= 0) throw new Failure(`${platform} answers call ${index + 1} otherwise:\n  ${difference(wanted[index], found[index])}`);
    console.log(`${platform}: ${wanted.length} calls give the same bytes as ${values.expected ? `those in ${values.expected}` : "here"}.`);
  }

  const ends = await linesOf(command, ["__test__/threads/ends.mjs", "--count", values.workers, "--most", "2"], binary);
  console.log(`${platform}: ${ends.at(-1)}`);
});
