// The tool of the example agents: reads files of the folder the program was started in, and no others.

import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import process from "node:process";

export const description = "Reads a text file of the project.";

/** What is in a file, or why it cannot be read. */
export function readFile({ path: name }) {
  try {
    const [folder, file] = [process.cwd(), path.resolve(name)].map((place) => realpathSync(place));
    return file.startsWith(folder + path.sep) ? readFileSync(file, "utf8") : `${name} is outside of the project.`;
  } catch (error) {
    return `${name} cannot be read: ${error.message}`;
  }
}

export const task = process.argv[2] ?? "What is this project about? Read README.md and what it points to.";

/** Tokens. A small one shows how histories are condensed. */
export const contextWindow = Number(process.env.CONTEXT_WINDOW ?? 200_000);
