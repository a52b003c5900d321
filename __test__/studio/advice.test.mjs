// What `recommend()` says is known to the studio in every language, sentence by sentence.

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { adviceIn } from "../../ui/src/advice.ts";
import { inEach } from "./languages.mjs";

const require = createRequire(import.meta.url);
const { recommend } = require("../../index.js");
const native = require("../../js/native.js");

/** For a conversation of so many tokens of which nothing was measured. */
const recommendFor = (answers) => JSON.parse(native.recommendProvider(JSON.stringify(answers)));

const languages = inEach(adviceIn);

/** As the page asks: every choice of each question, and none. */
const QUESTIONS = {
  priority: [undefined, "simplicity", "zero_loss", "speed", "cost", "quality", "control"],
  acceptableLoss: [undefined, 0, 10, 30, 50, 100],
  budgetPerCondensation: [undefined, 0, 0.01, 0.05, 0.2],
  maxLatencyMs: [undefined, 100, 500, 2000, 10_000],
};

function* combinations(questions, taken = {}) {
  const [[name, choices] = [], ...rest] = Object.entries(questions);
  if (name === undefined) yield taken;
  else
    for (const choice of choices)
      yield* combinations(Object.fromEntries(rest), choice === undefined ? taken : { ...taken, [name]: choice });
}

const sentencesOf = ({ reason, alternatives, warnings }) => [
  reason,
  ...alternatives.flatMap(({ why, whyNot }) => [why, whyNot]),
  ...warnings.map(({ message }) => message),
];

async function sentences() {
  const found = new Set();
  const facts = [{}, { tokens: 100_000, targetTokens: 30_000 }, { tokens: 100_000, contextWindow: 60_000 }, { hasHandler: false }];
  // Sentences are made of two answers at most.
  const few = [...combinations(QUESTIONS)].filter((answers) => Object.keys(answers).length <= 2);
  for (const fact of facts)
    for (const answers of few) for (const said of sentencesOf(recommendFor({ ...answers, ...fact }))) found.add(said);
  const messages = buildHistory({ dialect: "claude-code", messages: 40, seed: 9 });
  const small = { priority: [undefined, "zero_loss", "quality"], acceptableLoss: [undefined, 30], maxLatencyMs: [undefined, 100] };
  for (const targetTokens of [undefined, 200, 3000])
    for (const answers of combinations(small))
      for (const said of sentencesOf(await recommend({ ...answers, ...(targetTokens && { targetTokens }), messages }))) found.add(said);
  return [...found];
}

const all = await sentences();

describe.each(Object.keys(languages))("%s", (language) => {
  test("every sentence is known, and nothing of a program's names is left in it", () => {
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((said) => languages[language](said) === undefined)).toEqual([]);
    expect(all.map(languages[language]).filter((said) => /undefined|\{\{|maxLatencyMs|acceptableLoss|budgetPer|_/.test(said))).toEqual([]);
  });
});

test("as a person reads it", () => {
  const said =
    "acceptableLoss 0 speaks for lossless; measured on this conversation, it leaves 27929 tokens (56% less), with 12 replaced by newer and 0 lost, and costs nothing";
  expect(languages.en(said)).toBe(
    "For Lossless: a loss of 0% at most. Measured on this conversation: 27,929 tokens are left, 56% less; 12 replaced by newer, 0 lost; it costs nothing",
  );
  expect(languages.fr(said).replaceAll(/\s/g, " ")).toBe(
    "Pour Sans perte : une perte d’au plus 0 %. Mesuré sur cette conversation : il reste 27 929 jetons, 56 % de moins ; 12 remplacés par plus récent, 0 perdus ; cela ne coûte rien",
  );
  expect(languages.fr("something of a later version")).toBeUndefined();
});
