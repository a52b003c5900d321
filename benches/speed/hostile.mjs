// One hostile text in a process of its own: counts are remembered by content for the life of a process, and a million blanks cannot be made to look new.
//
//   node hostile.mjs KIND countTokens|lossless|truncation

import { createRequire } from "node:module";
import { HOSTILE, conversationWith } from "./inputs.mjs";
import { timed } from "./measure.mjs";

const { countTokens, createLosslessProvider, createTruncationProvider } = createRequire(import.meta.url)("../../index.js");

const [kind, operation] = process.argv.slice(2);

async function measure(text) {
  if (operation === "countTokens") return (await timed(async () => countTokens(text))).ms;
  const provider = operation === "lossless" ? createLosslessProvider() : createTruncationProvider();
  return (await timed(() => provider.condense({ messages: conversationWith(text) }))).ms;
}

// Warm, but not with the text itself.
for (let warm = 0; warm < 5; warm++) await measure(`${"Some ordinary words of a text.\n".repeat(400)}${warm}`);
console.log(JSON.stringify({ small: await measure(HOSTILE[kind](100_000)), large: await measure(HOSTILE[kind](1_000_000)) }));
