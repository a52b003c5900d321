// What the presets of the smart provider leave without a model, and how much of what an agent goes on to use is still readable then.
//
//   npm run report:smart -- DIR [--each]
//
// DIR holds conversations as JSON ({id, messages}). Presets have no budget of their own: each result is compared with what the reference policies of
// `../shared/tools/recall.mjs` keep in as many tokens. `--each` prints a line for each cut. A second table gives presets the targets of 50, 25 and 10%.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Failure, main, root } from "./tools.mjs";

const PRESETS = ["conservative", "balanced", "aggressive", "multi_zone", "selective"];
const TARGETS = [0.5, 0.25, 0.1];
/** As in recall.mjs: smaller prefixes, and those of which hardly anything is used again, say nothing. */
const MIN_TOKENS = 8000;
const MIN_NAMES = 10;

/** The measure with its reference policies, which it keeps to itself. */
async function loadMeasure(tools) {
  const file = path.join(tools, "recall.mjs");
  if (!existsSync(file)) throw new Failure(`The measure is not here: ${tools} has no recall.mjs.`, 3);
  const imported = pathToFileURL(path.join(tools, "conversation.mjs")).href;
  const source = readFileSync(file, "utf8").replace("./conversation.mjs", imported).replace("process.argv[1]", '"/"');
  return import(`data:text/javascript,${encodeURIComponent(`${source}\nexport { policies };\n`)}`);
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const share = (value) => (Number.isNaN(value) ? "-" : value.toFixed(3));

/** Sums of shares by policy. */
class Scores {
  #names = new Map();
  #edits = new Map();

  add(policy, { names, edits }) {
    this.#names.set(policy, [...(this.#names.get(policy) ?? []), names]);
    if (edits !== undefined) this.#edits.set(policy, [...(this.#edits.get(policy) ?? []), edits]);
  }

  shown(policy) {
    return `${share(mean(this.#names.get(policy) ?? []))} / ${share(mean(this.#edits.get(policy) ?? []))}`;
  }
}

await main(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { each: { type: "boolean" } } });
  const [folder] = positionals;
  if (!folder) throw new Failure("Name a folder of conversations: npm run report:smart -- DIR", 2);
  const tools = path.join(root, "..", "shared", "tools");
  const { cuts, needs, policies, score } = await loadMeasure(tools);
  const { loadCorpus } = await import(pathToFileURL(path.join(tools, "conversation.mjs")).href);
  const { countTokens, createSmartProvider } = createRequire(import.meta.url)(root);
  const { tokens, policies: references } = policies((text) => (text ? countTokens(text) : 0));

  const prefixes = loadCorpus(folder).flatMap(({ id, messages }) =>
    cuts(messages).map((cut) => ({ id, cut, prefix: messages.slice(0, cut), wanted: needs(messages, cut) })),
  );
  const measured = prefixes.filter(({ prefix, wanted }) => wanted.names.size >= MIN_NAMES && tokens(prefix) >= MIN_TOKENS);
  console.log(`${measured.length} cuts; names / edits still readable\n`);

  const columns = ["preset", "left", "smart", ...Object.keys(references), "names: better / equal / worse than the best of them"];
  console.log(
    columns
      .map((text, column) => (column === 0 ? text.padEnd(24) : column === columns.length - 1 ? `  ${text}` : text.padStart(15)))
      .join(""),
  );
  const line = async (label, provider, target) => {
    const scores = new Scores();
    const left = [];
    const against = { better: 0, equal: 0, worse: 0 };
    for (const { id, cut, prefix, wanted } of measured) {
      const size = tokens(prefix);
      const options = target === undefined ? {} : { targetTokens: Math.floor(size * target) };
      const { messages } = await provider.condense({ messages: prefix }, options);
      const budget = tokens(messages);
      const ours = score(messages, wanted);
      scores.add("smart", ours);
      const theirs = Object.entries(references).map(([name, policy]) => [name, score(policy(prefix, budget), wanted)]);
      for (const [name, found] of theirs) scores.add(name, found);
      left.push(budget / size);
      const best = Math.max(...theirs.map(([, { names }]) => names));
      against[ours.names > best ? "better" : ours.names < best ? "worse" : "equal"]++;
      if (values.each)
        console.log(
          `  ${id} to ${cut}: ${size} tokens, ${(100 * (budget / size)).toFixed(1)}% left, names ${share(ours.names)}, best of the others ${share(best)}`,
        );
    }
    const counts = `  ${against.better} / ${against.equal} / ${against.worse}`;
    console.log(
      [
        label.padEnd(24),
        `${(100 * mean(left)).toFixed(1)}%`.padStart(15),
        ...["smart", ...Object.keys(references)].map((name) => scores.shown(name).padStart(15)),
        counts,
      ].join(""),
    );
  };
  for (const preset of PRESETS) await line(preset, createSmartProvider(preset));
  for (const target of TARGETS)
    for (const preset of PRESETS.slice(0, 3)) await line(`${preset} to ${100 * target}%`, createSmartProvider(preset), target);

  const disordered = [];
  for (const { id, messages } of loadCorpus(folder)) {
    const sizes = [];
    for (const preset of ["conservative", "balanced", "aggressive"])
      sizes.push((await createSmartProvider(preset).condense({ messages })).stats.finalTokens);
    if (sizes[0] < sizes[1] || sizes[1] < sizes[2]) disordered.push(id);
  }
  console.log(
    `\nTokens conservative >= balanced >= aggressive: ${disordered.length === 0 ? "in every conversation" : `not in ${disordered.join(", ")}`}.`,
  );
});
