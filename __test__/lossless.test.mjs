// The lossless provider from the JavaScript side: what it leaves out comes back, from little data.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import roo from "../index.js";

const { createLosslessProvider, restore } = roo;

const fixture = (name) => {
  const json = JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
  return Array.isArray(json) ? json : json.messages;
};

const dialects = [
  "claude-code",
  "claude-code-older",
  "roo-xml-2025",
  "roo-native-2026",
  "cline-plain-text-results",
  "shell-only",
  "odd-shapes",
];

const calls = (...answers) => [
  { role: "user", content: "Do it." },
  ...answers.flatMap((content, index) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "Bash", input: { command: `make ${index}` } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content }] },
  ]),
];

const lines = (count, text) => Array.from({ length: count }, (_, index) => `${text} number ${index} of a long output`).join("\n");

describe("a target", () => {
  it.each(dialects)("leaves no more of %s the smaller it is", async (name) => {
    const messages = fixture(name);
    const { stats } = await createLosslessProvider({}).condense({ messages });
    const left = [];
    for (let percent = 100; percent >= 30; percent -= 2) {
      const targetTokens = Math.round((stats.originalTokens * percent) / 100);
      const result = await createLosslessProvider({}).condense({ messages }, { targetTokens });
      left.push(result.newContextTokens);
      if (targetTokens >= stats.finalTokens) expect(result.newContextTokens).toBeLessThanOrEqual(targetTokens);
    }
    expect(left).toEqual(left.toSorted((a, b) => b - a));
  });

  it("changes the newest first, so that the beginning of the prompt stays", async () => {
    const messages = calls(lines(50, "first"), lines(50, "second"), lines(50, "first"), lines(50, "second"), "end");
    const all = await createLosslessProvider({ preserveRecentCount: 0 }).condense({ messages });
    const targetTokens = Math.round((all.stats.originalTokens + all.stats.finalTokens) / 2);
    const result = await createLosslessProvider({ preserveRecentCount: 0 }).condense({ messages }, { targetTokens });
    expect(all.messages[2]).not.toBe(messages[2]);
    expect(result.messages[2]).toBe(messages[2]);
    expect(result.messages[4]).not.toBe(messages[4]);
  });
});

describe("restoring", () => {
  it.each(dialects)("gives back %s exactly, also when restoreData was kept as JSON", async (name) => {
    const messages = fixture(name);
    for (const config of [{ strict: true }, {}, { keep: "first", minTokensSaved: 1, preserveRecentCount: 0 }]) {
      const result = await createLosslessProvider(config).condense({ messages });
      expect(restore(result)).toEqual(messages);
      const kept = JSON.parse(JSON.stringify({ messages: result.messages, restoreData: result.restoreData }));
      expect(restore(kept)).toEqual(JSON.parse(JSON.stringify(messages)));
    }
  });

  it("needs little beside what is still in the conversation", async () => {
    const messages = calls(lines(200, "first"), `${lines(200, "first")}\nmore`, `é\u{1F600}\n${lines(200, "first")}`);
    const { messages: condensed, restoreData } = await createLosslessProvider({ strict: true }).condense({ messages });
    expect(JSON.stringify(condensed).length).toBeLessThan(JSON.stringify(messages).length / 2);
    expect(JSON.stringify(restoreData).length).toBeLessThan(1000);
    expect(restore({ messages: condensed, restoreData })).toEqual(messages);
  });

  it("gives back unpaired surrogates", async () => {
    const messages = calls(`\ud800\n${lines(50, "first")}`, `${lines(50, "first")}\n\udfff`);
    const result = await createLosslessProvider({ strict: true }).condense({ messages });
    expect(result.didCondense).toBe(true);
    expect(restore(result)).toEqual(messages);
  });

  it("refuses recipes that do not belong to the messages", async () => {
    const messages = calls(lines(50, "first"), lines(50, "first"));
    const { messages: condensed, restoreData } = await createLosslessProvider({ strict: true }).condense({ messages });
    const changed = (change) => {
      const copy = structuredClone(restoreData);
      change(copy.edits[0].recipe);
      return () => restore({ messages: condensed, restoreData: copy });
    };
    expect(changed((recipe) => (recipe.texts[0] = [99, ["content"]]))).toThrow(/restoreData/);
    expect(changed((recipe) => (recipe.texts[0] = [1, ["content", 7]]))).toThrow(/restoreData/);
    expect(changed((recipe) => (recipe.parts[0] = [5, 0, 1]))).toThrow(/restoreData/);
    expect(changed((recipe) => delete recipe.parts)).toThrow(/restoreData/);
  });
});

describe("results", () => {
  it("name every operation with its grade, and add up", async () => {
    const messages = fixture("claude-code");
    const { changes, stats } = await createLosslessProvider().condense({ messages });
    expect(new Set(changes.map((change) => change.grade))).toEqual(new Set(["inline", "superseded"]));
    const saved = changes.reduce((sum, change) => sum + change.tokensBefore - change.tokensAfter, 0);
    expect(saved).toBe(stats.originalTokens - stats.finalTokens);
  });

  it("say of overwritten writes that stay why, and keep as pointers what can be read elsewhere", async () => {
    /** Ten writes of a file, `npm test` behind each. */
    const tenWrites = (line) => {
      const messages = [{ role: "user", content: "Write src/a.ts." }];
      const call = (id, name, input, content) =>
        messages.push(
          { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
        );
      for (let version = 0; version < 10; version++) {
        const content = Array.from({ length: 60 }, (_, index) => line(index, version)).join("\n");
        call(`w${version}`, "write_to_file", { path: "src/a.ts", content }, "The content was successfully saved to src/a.ts.");
        call(`t${version}`, "execute_command", { command: "npm test" }, `round ${version}: 1 failed\nExit code: 1`);
      }
      return messages;
    };
    const lossless = createLosslessProvider({ preserveRecentCount: 0 });
    const others = await lossless.condense({
      messages: tenWrites((line, version) => `export const f${version}_${line} = make(${version * line});`),
    });
    expect(others.stats.savedByGrade).toEqual({ inline: 0, superseded: 0, lossy: 0 });
    expect(others.warnings).toEqual([expect.objectContaining({ code: "writes_kept", messageIndex: 1 })]);
    expect(others.warnings[0].message).toMatch(
      /^9 writes of files that were written anew later remain \([\d,]+ tokens, the first in message 1\): commands that ran since/,
    );

    const similar = await lossless.condense({
      messages: tenWrites((line, version) => `export const f${line} = make(${line % 12 ? line : version * 100});`),
    });
    expect(similar.stats.savedByGrade.inline).toBeGreaterThan(0.5 * similar.stats.originalTokens);
    expect(similar.warnings).toEqual([]);
  });

  it("leave the input alone and share what did not change", async () => {
    const messages = calls(lines(50, "first"), lines(50, "first"));
    const before = structuredClone(messages);
    const result = await createLosslessProvider().condense({ messages });
    expect(messages).toEqual(before);
    expect(result.messages[0]).toBe(messages[0]);
    expect(result.messages[4]).toBe(messages[4]);
    expect(result.messages[2]).not.toBe(messages[2]);
  });
});
