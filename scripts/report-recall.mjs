// How much of what an agent goes on to use is still readable after salient truncation, and what each of its signals is worth.
//
//   npm run report:recall -- DIR [--quick] [--half first|second]
//
// DIR holds conversations as JSON ({id, messages}). The measure is `recall.mjs` of the folder `../shared/tools`: conversations are cut at
// 50% and 75%, the part before the cut is condensed to 50, 25 and 10% of its tokens, and what the assistant uses afterwards is looked for.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Failure, main, root } from "./tools.mjs";

const SIGNALS = ["recurrence", "recency", "use", "kind", "newest", "coverage", "passages", "dropping"];

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: "boolean" }, half: { type: "string" } },
  });
  const [folder] = positionals;
  if (!folder) throw new Failure("Name a folder of conversations: npm run report:recall -- DIR", 2);
  const tools = path.join(root, "..", "shared", "tools");
  if (!existsSync(path.join(tools, "recall.mjs"))) throw new Failure(`The measure is not here: ${tools} has no recall.mjs.`, 3);
  const { loadCorpus } = await import(pathToFileURL(path.join(tools, "conversation.mjs")).href);
  const { evaluate } = await import(pathToFileURL(path.join(tools, "recall.mjs")).href);
  const { countTokens, createTruncationProvider } = createRequire(import.meta.url)(root);

  const wanted = { first: 0, second: 1 }[values.half];
  const corpus = loadCorpus(folder).filter((_, index) => wanted === undefined || index % 2 === wanted);
  const condense = (config) => {
    const provider = createTruncationProvider(config);
    return async (messages, targetTokens) => (await provider.condense({ messages }, { targetTokens })).messages;
  };
  const contenders = {
    salient: condense({ strategy: "salient" }),
    "our head": condense({ strategy: "head" }),
    "our head_tail": condense({ strategy: "head_tail" }),
  };
  if (!values.quick) for (const signal of SIGNALS) contenders[`- ${signal}`] = condense({ strategy: "salient", withoutSignal: signal });
  const { cuts, rows } = await evaluate(corpus, contenders, (text) => (text ? countTokens(text) : 0));

  console.log(`${corpus.length} conversations, ${cuts} cuts; names / edits still readable at each share of the tokens\n`);
  console.log("policy".padEnd(16), ...[50, 25, 10].map((share) => `${share}%`.padStart(15)));
  for (const policy of new Set(rows.map((row) => row.policy))) {
    const cells = [0.5, 0.25, 0.1].map((budget) => {
      const row = rows.find((row) => row.policy === policy && row.budget === budget);
      return row ? `${row.names.toFixed(3)} / ${row.edits.toFixed(3)}`.padStart(15) : "-".padStart(15);
    });
    const faults = rows.filter((row) => row.policy === policy).reduce((sum, row) => sum + row.over + row.broken, 0);
    console.log(policy.padEnd(16), ...cells, faults ? `  ${faults} over budget or broken` : "");
  }
  console.log("\n`- signal` is salient truncation without that signal.");
});
