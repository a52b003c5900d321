// Why something was changed is known to the studio in every language, whoever changed it.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { codesIn, isWhole, languages } from "./languages.mjs";

const require = createRequire(import.meta.url);
const { CondensationManager, countTokens } = require("../../index.js");
const native = require("../../js/native.js");

const cutting = (truncate) => ({
  id: "cut",
  mode: "individual",
  selection: { type: "preserve_recent", keepRecentCount: 2 },
  individualConfig: { defaults: { toolResults: { operation: "truncate", params: { truncate } } } },
});

const WAYS = [
  ["lossless", undefined],
  ["truncation", 0.6],
  ["truncation", 0.15],
  ["truncation", 0.3, { mode: "window" }],
  ["truncation", undefined, { strategy: "head", minTokensForTruncation: 50 }],
  ["truncation", undefined, { strategy: "head_tail", minTokensForTruncation: 50 }],
  ["truncation", 0.2, { strategy: "head", truncationMode: "suppress" }],
  ["native", undefined],
  ["smart", 0.4, { preset: "conservative" }],
  ["smart", 0.2, { preset: "balanced" }],
  ["smart", undefined, { preset: "aggressive" }],
  ["smart", undefined, { preset: "selective" }],
  ["smart", undefined, { preset: "multi_zone" }],
  ["pipeline", 0.25],
  ["smart", undefined, { passes: [cutting({ strategy: "head", maxLines: 9, maxChars: 400 })] }],
  ["smart", undefined, { passes: [cutting({ strategy: "head", maxLines: 9 })] }],
  ["smart", undefined, { passes: [cutting({ strategy: "head", maxChars: 90 })] }],
  ["mine", undefined],
  ["shortening", undefined],
];
const handler = {
  async *createMessage() {
    yield { type: "text", text: "A summary." };
    yield { type: "usage", inputTokens: 9, outputTokens: 9, totalCost: 0.001 };
  },
};
const RULES = [{ "*": { keep: 3 } }, { "*": { maxTokens: 60 } }, { "*": { maxTokens: 60, keep: 2 } }];

/** Leaves a message out, shortens one, and adds one. */
const mine = ({ messages }) => {
  const [first, ...rest] = messages;
  const shorter = { ...rest.at(-1), content: "short" };
  return { messages: [first, ...rest.slice(4, -2), { role: rest.at(-2).role, content: "Added." }, shorter] };
};

/** Shortens each result and each text. */
const shortening = ({ messages }) => {
  const shorter = (block) => {
    if (block.type === "text") return { ...block, text: block.text.slice(0, 9) };
    return block.type === "tool_result" ? { ...block, content: "x" } : block;
  };
  const content = (given) => (typeof given === "string" ? given.slice(0, 9) : given.map(shorter));
  return { messages: messages.map((message) => ({ ...message, content: content(message.content) })) };
};

/** What needs a history of its own. */
const RARE = [
  ...[
    "change.stub",
    "change.kept",
    "change.replaced",
    "content.parameters",
    "change.longLines",
    "change.numbered",
    "change.aimed",
    "change.expanded",
    "change.pointersLeftOut",
  ],
  ...["change.standInMore", "change.thinking", "change.written", "change.inParts", "change.fromCache", "change.addedWhere"],
  ...[
    "change.list",
    "change.failedEdit",
    "change.cutToEnds",
    "change.olderCalls",
    "change.noLine",
    "content.words",
    "content.text",
    "change.addedBy",
  ],
];

async function reasons() {
  const found = new Map();
  const folder = new URL("../../fixtures/", import.meta.url);
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "odd-shapes.json")) {
    const read = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    const messages = read.messages ?? read;
    const manager = new CondensationManager({ handler, fallback: false, costAlert: false });
    manager.registerProvider({ id: "mine", condense: mine });
    manager.registerProvider({ id: "shortening", condense: shortening });
    const tokens = countTokens(messages);
    const condense = async (history, [provider, share, config], more) => {
      const target = share && { targetTokens: Math.floor(tokens * share) };
      const { changes, messages: left } = await manager.condense(
        { messages: history },
        { provider, ...(config && { config }), ...target, ...more },
      );
      for (const { reason, said } of changes) found.set(reason, said);
      return left;
    };
    for (const way of WAYS) await condense(messages, way);
    for (const tools of RULES) await condense(messages, ["truncation", 0.9, { tools }]);
    // On what was condensed before.
    const once = await condense(messages, ["lossless", undefined, { minTokensSaved: 1, preserveRecentCount: 0 }]);
    for (const way of WAYS) await condense(once, way);
  }
  return [...found];
}

const all = await reasons();

test("the English beside is what the code and values say", () => {
  expect(all.length).toBeGreaterThan(300);
  for (const [english, said] of all) expect(JSON.parse(native.english(JSON.stringify(said)))).toBe(english);
});

describe.each(Object.keys(languages))("%s", (language) => {
  test("every reason is known", () => {
    expect(all.map(([, said]) => languages[language](said)).filter((said) => !isWhole(said))).toEqual([]);
  });
});

test("every kind of reason was seen", () => {
  const words = JSON.parse(readFileSync(new URL("../../src/words/en.json", import.meta.url), "utf8"));
  const seen = new Set([...RARE, ...all.flatMap(([, said]) => [...codesIn(said)])]);
  const codes = Object.keys(words).map((code) => code.replace(/_(one|other)$/, ""));
  expect(codes.filter((code) => /^(change|content)\./.test(code) && !seen.has(code))).toEqual([]);
});

test("as a person reads it", () => {
  const french = (code, values) => languages.fr({ code, values })?.replaceAll(/\s/g, " ");
  expect(french("change.standInSome", { count: 1200, messages: "3, 9" })).toBe("1 200 lignes sont dans les messages 3, 9");
  const done = { code: "change.firstLines", values: { count: 20 } };
  expect(french("change.of", { done, of: "Read src/a.ts" })).toBe("ancien, coupé aux 20 premières lignes : Read src/a.ts");
  const parts = [
    { code: "change.expanded", values: { count: 2 } },
    { code: "change.aimed", values: { count: 1 } },
  ];
  expect(french("change.all", { all: parts })).toBe("2 renvois remplacés par leurs lignes, 1 renvoi mené à une autre copie de ses lignes");
});
