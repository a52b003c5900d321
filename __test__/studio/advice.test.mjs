// What `recommend()` says is known to the studio in every language, sentence by sentence.

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { isWhole, languages } from "./languages.mjs";

const require = createRequire(import.meta.url);
const { recommend } = require("../../index.js");
const native = require("../../js/native.js");

/** For a conversation of so many tokens of which nothing was measured. */
const recommendFor = (answers) => JSON.parse(native.recommendProvider(JSON.stringify(answers)));

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

const saidIn = ({ reason, said, alternatives, warnings }) => [
  [reason, said],
  ...alternatives.flatMap(({ why, whyNot, said }) => [
    [why, said.why],
    [whyNot, said.whyNot],
  ]),
  ...warnings.map(({ message, said }) => [message, said]),
];

async function sentences() {
  const found = new Map();
  const facts = [{}, { tokens: 100_000, targetTokens: 30_000 }, { tokens: 100_000, contextWindow: 60_000 }, { hasHandler: false }];
  // Sentences are made of two answers at most.
  const few = [...combinations(QUESTIONS)].filter((answers) => Object.keys(answers).length <= 2);
  const add = (recommendation) => saidIn(recommendation).forEach(([english, said]) => found.set(english, said));
  for (const fact of facts) for (const answers of few) add(recommendFor({ ...answers, ...fact }));
  const messages = buildHistory({ dialect: "claude-code", messages: 40, seed: 9 });
  const small = { priority: [undefined, "zero_loss", "quality"], acceptableLoss: [undefined, 30], maxLatencyMs: [undefined, 100] };
  for (const targetTokens of [undefined, 200, 3000])
    for (const answers of combinations(small)) add(await recommend({ ...answers, ...(targetTokens && { targetTokens }), messages }));
  return [...found];
}

const all = await sentences();

test("the English beside is what the code and values say", () => {
  for (const [english, said] of all) expect(JSON.parse(native.english(JSON.stringify(said)))).toBe(english);
});

describe.each(Object.keys(languages))("%s", (language) => {
  test("every sentence is known, and nothing of a program's names is left in it", () => {
    expect(all.length).toBeGreaterThan(100);
    const told = all.map(([, said]) => languages[language](said));
    expect(told.filter((said) => !isWhole(said))).toEqual([]);
    expect(told.filter((said) => /maxLatencyMs|acceptableLoss|budgetPer|_/.test(said))).toEqual([]);
  });
});

test("as a person reads it", () => {
  const title = { code: "title.strict", values: {} };
  const answer = { code: "answer.loss", values: { percent: 0 } };
  const reason = { code: "advice.speaksFor", values: { answer, title } };
  const gone = { code: "advice.goneSuperseded", values: { superseded: 12 } };
  const figures = { tokens: 27_929, less: 56, gone, price: { code: "advice.priceNoModel", values: {} } };
  const said = { code: "advice.measured", values: { reason, ...figures } };
  expect(languages.en(said)).toBe(
    "best for a loss of 0% at most: Lossless, strict; tried on this conversation, it leaves 27,929 tokens (56% less): 12 are replaced by newer, everything else can still be read, and no model is called",
  );
  expect(languages.fr(said).replaceAll(/\s/g, " ")).toBe(
    "Le mieux pour une perte d’au plus 0 % : Sans perte, strict. Essayé sur cette conversation : il reste 27 929 jetons, 56 % de moins ; 12 sont remplacés par plus récent, tout le reste est lisible ; aucun modèle n’est appelé",
  );
  const against = [
    { code: "against.noModel", values: {} },
    { code: "against.takes", values: { takes: 2000, most: 100 } },
  ];
  expect(languages.en({ code: "advice.nearest", values: { title, against } })).toBe(
    "no provider meets every answer; Lossless, strict comes nearest: there is no model to ask; it takes up to 2 sec, and 100 ms are accepted",
  );
  expect(languages.fr({ code: "advice.ofALaterVersion", values: {} })).toBeUndefined();
});
