// One conversation in every format: a request, rounds in which a file is read and something is said, and a last word.

import { readdirSync } from "node:fs";
import path from "node:path";
import { lines } from "../api/support.mjs";

/**
 * A sample of each format, from the file of its name in `samples`: what the user and the assistant say (`user`, `said`),
 * a call with its result (`round`), histories that are `recognised` as its own, and histories with the `problems` for
 * which its service refuses them.
 */
export const SAMPLES = Object.fromEntries(
  await Promise.all(
    readdirSync(new URL("samples", import.meta.url)).map(async (file) => {
      const format = path.basename(file, ".mjs");
      return [format, (await import(`./samples/${format}.mjs`)).default];
    }),
  ),
);

/** The formats. */
export const FORMATS = Object.keys(SAMPLES);

/** Rounds `from` to `to`, each with what the user says next. */
export function rounds(format, from, to, output = lines(40)) {
  const { user, said, round } = SAMPLES[format];
  return Array.from({ length: to - from }, (_, at) => {
    const id = String(from + at).padStart(4, "0");
    return [
      ...round(id, "read_file", { path: `src/file${id}.ts` }, `${id}\n${output}`),
      said(`I have read src/file${id}.ts.`, id),
      user(`Now number ${id}.`, id),
    ];
  }).flat();
}

/** The beginning of a conversation. */
export const task = (format) => [
  SAMPLES[format].user("Please have a look at these files.", "0"),
  SAMPLES[format].said("I do.", "0"),
  SAMPLES[format].user("Go.", "00"),
];
