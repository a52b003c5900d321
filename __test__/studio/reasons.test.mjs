// Why something was changed is known to the studio in every language, whoever changed it.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { createFormat } from "../../ui/src/format.ts";
import { en } from "../../ui/src/locales/en.ts";
import { reasonIn } from "../../ui/src/reasons.ts";
import { inEach, translate } from "./languages.mjs";

const { CondensationManager, countTokens } = createRequire(import.meta.url)("../../index.js");

const languages = inEach(reasonIn);

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

/** Of what needs a history of its own. */
const RARE = [
  '"mine" put another message in its place',
  '"mine" shortened the parameters of a tool call from 54 to 1 tokens',
  "old, long lines cut to 300 characters: Read src/a.ts",
  "lines numbered anew",
  "2 pointers led to another copy of their lines",
  "9 lines stand in messages 3, 5, 8, 9 and others",
  "what stands before it has changed, and signed thinking is valid only behind what it was made behind",
  "src/a.ts was written anew in message 8",
];

async function reasons() {
  const found = new Set();
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
      for (const { reason } of changes) found.add(reason);
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

describe.each(Object.keys(languages))("%s", (language) => {
  test("every reason is known", () => {
    expect(all.length).toBeGreaterThan(300);
    expect(all.filter((said) => languages[language](said) === undefined)).toEqual([]);
    expect(all.map(languages[language]).filter((said) => /undefined|\{\{/.test(said))).toEqual([]);
  });
});

test("every kind of reason was seen", () => {
  const seen = new Set();
  const noting = (key, values) => {
    seen.add(key);
    return translate(en)(key, values);
  };
  const say = reasonIn(noting, createFormat("en"));
  for (const said of [...all, ...RARE]) say(said);
  const keys = Object.keys(en).filter((key) => /^(reason|pointers|shortened)\./.test(key));
  expect(keys.filter((key) => !seen.has(key))).toEqual([]);
});

test("as a person reads it", () => {
  const french = (said) => languages.fr(said)?.replaceAll(/\s/g, " ");
  expect(french("1200 lines stand in messages 3, 9")).toBe("1 200 lignes sont dans les messages 3, 9");
  expect(french("old, cut to the first 20 lines: Read src/a.ts")).toBe("ancien, coupé aux 20 premières lignes : Read src/a.ts");
  expect(french("2 pointers replaced by their lines, 1 pointer led to another copy of their lines")).toBe(
    "renvois remplacés par leurs lignes : 2, renvois menés à une autre copie de leurs lignes : 1",
  );
  expect(french("because I say so")).toBeUndefined();
});
