// The measures of quality: on a small conversation, on the fixtures, and against those of `../shared/tools`.

import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { readConversations } from "../benches/quality/conversations.mjs";
import { cutsOf } from "../js/future-use/cuts.js";
import { atBudgets, measure, measuredCuts } from "../benches/quality/evaluate.mjs";
import { keptInContext } from "../benches/quality/names-in-context.mjs";
import { keptNames, neededNames } from "../js/future-use/names.js";
import { factsOf, keptFacts, KINDS } from "../benches/quality/probes.mjs";
import { keptQuotes, neededQuotes } from "../benches/quality/quotes.mjs";
import { references, tokenCounter } from "../benches/quality/references.mjs";
import { conversationsIn, withShared } from "./shared.mjs";

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));
/** Near enough to tokens, and quick. */
const count = (text) => Math.ceil(Buffer.byteLength(text) / 3.6);

const call = (id, name, input) => ({ role: "assistant", content: [{ type: "tool_use", id, name, input }] });
const answer = (id, content, rest) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...rest }] });
const talk = (number) => [
  { role: "assistant", content: `Step ${number}.` },
  { role: "user", content: "go on" },
];

describe("a small conversation", () => {
  const older = [
    call("a", "Read", { file_path: "/p/src/date_tools.ts" }),
    answer("a", "     1\texport function clampMonth(day, count) {\n     2\t  return limit(day, count)\n     3\t}"),
    call("b", "Edit", { file_path: "/p/src/date_tools.ts", old_string: "limit", new_string: "limited" }),
    answer("b", "Error: String to replace not found in file.", { is_error: true }),
    call("c", "Bash", { command: "npm test" }),
    answer("c", "Tests: 2 failed\nTests: 14 passed"),
    call("d", "TodoWrite", { todos: [{ content: "Clamp the months of leap years", status: "pending" }] }),
    answer("d", "ok"),
    { role: "assistant", content: "The month is clamped now, and every test of the project passes; leap years are still to do." },
    { role: "user", content: "Please do the leap years as well." },
  ];
  const kept = [...talk(1), ...talk(2), ...talk(3)].slice(0, 5);
  const prefix = [{ role: "user", content: "Fix it." }, ...older, ...kept];
  const cut = {
    prefix,
    older,
    kept: [prefix[0], ...kept],
    future: [{ role: "assistant", content: "Now clampMonth: export function clampMonth(day, count) { in /p/src/date_tools.ts." }],
  };

  test("whole, it keeps everything", () => {
    expect(neededNames(cut)).toEqual(["clampMonth", "/p/src/date_tools.ts"]);
    const facts = factsOf(cut);
    expect([...new Set(facts.map((fact) => fact.kind))].sort()).toEqual([...KINDS].sort());
    expect(facts.find((fact) => fact.kind === "check").text).toBe("Tests: 14 passed");
    expect(keptFacts(prefix, facts)).toEqual(Object.fromEntries(KINDS.map((kind) => [kind, 1])));
    expect(keptInContext(prefix, ["clampMonth"], cut)).toBe(1);
  });

  test("a list of names is no context", () => {
    const listed = [{ role: "user", content: "names left out: clampMonth, /p/src/date_tools.ts" }];
    expect(keptNames(listed, ["clampMonth", "/p/src/date_tools.ts"])).toBe(1);
    expect(keptInContext(listed, ["clampMonth", "/p/src/date_tools.ts"], cut)).toBe(0);
    const excerpt = [{ role: "user", content: "export function clampMonth(day, count) {" }];
    expect(keptInContext(excerpt, ["clampMonth", "/p/src/date_tools.ts"], cut)).toBe(0.5);
  });

  test("facts are known from a record of the work too", () => {
    const record = [
      { role: "user", content: "## Changed\nsrc/date_tools.ts\n## Things to do\n- [ ] Clamp the months of leap years\nTests: 14 passed" },
    ];
    expect(keptFacts(record, factsOf(cut))).toEqual({ asked: 0, answered: 0, changed: 1, check: 1, failed: 0, plan: 1 });
  });

  test("quotes are runs of six words", () => {
    const needed = neededQuotes(cut);
    expect([...needed]).toEqual([]);
    const quoting = { ...cut, future: [{ role: "assistant", content: "The month is clamped now, and every test of it" }] };
    expect([...neededQuotes(quoting)]).toEqual([
      "The month is clamped now, and",
      "month is clamped now, and every",
      "is clamped now, and every test",
      "clamped now, and every test of",
    ]);
    expect(keptQuotes(prefix, neededQuotes(quoting))).toBeUndefined();
  });
});

describe("the fixtures", () => {
  const cuts = measuredCuts(readConversations(fixtures), count);

  test("ask for everything that is measured", () => {
    expect(cuts.length).toBeGreaterThanOrEqual(10);
    for (const kind of KINDS) expect([kind, cuts.some((cut) => cut.facts.some((fact) => fact.kind === kind))]).toEqual([kind, true]);
    expect(cuts.filter((cut) => cut.names.length >= 10).length).toBeGreaterThanOrEqual(8);
    expect(cuts.filter((cut) => cut.edits.length > 0).length).toBeGreaterThanOrEqual(4);
    expect(cuts.filter((cut) => cut.quotes.size >= 10).length).toBeGreaterThanOrEqual(8);
    for (const cut of cuts) {
      // What the user wrote is asked for with line numbers in it, where it has some, and looked for without: a fault of the definition.
      const whole = Object.entries(measure(cut.prefix, cut)).filter(([, share]) => share !== undefined);
      expect([cut.id, whole.filter(([name, share]) => share < (name === "asked" ? 0.8 : 1))]).toEqual([cut.id, []]);
      const nothing = Object.entries(measure([], cut)).filter(([, share]) => share > 0);
      expect([cut.id, nothing]).toEqual([cut.id, []]);
    }
  });
});

withShared(["tools", "corpus"], (tools, corpus) => {
  describe("the measures of ../shared/tools", async () => {
    const tool = (name) => import(pathToFileURL(path.join(tools, name)).href);
    const [theirs, probes, quotes] = await Promise.all(["recall.mjs", "probes.mjs", "quotes.mjs"].map(tool));
    // A part of the corpus with every agent in it, so that it takes seconds.
    const conversations = conversationsIn(corpus).filter((_, index) => index % 8 === 6);
    const cuts = measuredCuts(conversations, count);
    const tokens = tokenCounter(count);

    test("need the same after the same cuts", () => {
      expect(cuts.length).toBeGreaterThanOrEqual(4);
      for (const { messages } of conversations) {
        expect(cutsOf(messages).map((cut) => cut.at)).toEqual(theirs.cuts(messages));
        for (const cut of cutsOf(messages)) {
          const needs = theirs.needs(messages, cut.at);
          expect(neededNames(cut)).toEqual([...needs.names]);
          expect([...neededQuotes(cut)].sort()).toEqual([...quotes.quotesNeeded(messages, cut.at)].sort());
          const facts = (list) => list.map(({ kind, text }) => `${kind}: ${text}`).sort();
          expect(facts(factsOf(cut))).toEqual(facts(probes.probes(cut.prefix)));
        }
      }
    });

    test("give the same shares", { tags: ["long"] }, async () => {
      const rows = await atBudgets(cuts, references(tokens), count);
      const recalled = await theirs.evaluate(conversations, {}, count);
      const probed = await probes.evaluateProbes(conversations, references(tokens), count);
      for (const row of rows) {
        const { names, edits } = recalled.rows.find((other) => other.policy === row.policy && other.budget === row.budget);
        const facts = probed.rows.filter((other) => other.policy === row.policy && other.budget === row.budget);
        const expected = { names, edits, ...Object.fromEntries(facts.map(({ kind, answered }) => [kind, answered])) };
        const rounded = ([name, share]) => [name, share?.toFixed(3)];
        const ours = Object.keys(expected).map((name) => rounded([name, row[name]]));
        expect([row.policy, row.budget, ours]).toEqual([row.policy, row.budget, Object.entries(expected).map(rounded)]);
      }
      for (const cut of cuts) {
        const left = references(tokens).mask(cut.prefix, cut.size / 4);
        expect(keptQuotes(left, cut.quotes)).toBe(quotes.quotesKept(left, cut.quotes));
      }
    });
  });
});
