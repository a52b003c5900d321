// What differs between two versions of a message.

import { describe, expect, test } from "vitest";
import { api, conversation, expectThrown, lines } from "./support.mjs";

const { CondensationManager, diffMessages } = api;

const user = (content) => ({ role: "user", content });

describe("diffMessages", () => {
  test("tells text by text what goes and what comes", () => {
    const before = user([
      { type: "text", text: "one\ntwo\nthree" },
      { type: "tool_result", tool_use_id: "a", content: "same" },
    ]);
    const after = user([
      { type: "text", text: "one\n2\nthree" },
      { type: "tool_result", tool_use_id: "a", content: "same" },
    ]);
    expect(diffMessages(before, after)).toEqual([
      {
        blockIndex: 0,
        path: ["content", 0, "text"],
        omittedLines: 0,
        hunks: [
          {
            beforeLine: 1,
            afterLine: 1,
            lines: [
              { kind: "same", text: "one" },
              { kind: "removed", text: "two" },
              { kind: "added", text: "2" },
              { kind: "same", text: "three" },
            ],
          },
        ],
      },
    ]);
    expect(diffMessages(before, before)).toEqual([]);
    expect(diffMessages(null, user("new"))[0].hunks[0].lines).toEqual([{ kind: "added", text: "new" }]);
    expect(diffMessages(user("old"), undefined)[0].hunks[0].lines).toEqual([{ kind: "removed", text: "old" }]);
  });

  test("unpaired surrogates survive", () => {
    const [{ hunks }] = diffMessages(user("a\ud800b"), user("a\udc00b"));
    expect(hunks[0].lines.map(({ text }) => text)).toEqual(["a\ud800b", "a\udc00b"]);
  });

  test("limits hold, however large the texts are", () => {
    const [one, other] = ["a", "b"].map((name) =>
      user(Array.from({ length: 50_000 }, (_, line) => `${name}${line} ${"x".repeat(50)}`).join("\n")),
    );
    const [diff] = diffMessages(one, other, { lines: 10, characters: 20, context: 0 });
    expect(diff.hunks[0].lines).toHaveLength(20);
    expect(diff.omittedLines).toBe(100_000 - 20);
    expect(diff.hunks[0].lines.every(({ text }) => text.length === 20)).toBe(true);
    expect(diff.hunks[0].lines[0].charactersAfter).toBeGreaterThan(30);
  });

  test("wrong arguments", () => {
    for (const lines of [-1, 1.5, Number.NaN, "5", 1e9])
      expectThrown(() => diffMessages(user("a"), user("b"), { lines }), RangeError, "out_of_range", {
        field: "limits.lines",
        shows: "a whole number from 0 to 1,000,000",
      });
    for (const odd of [5, "text", [], { role: 5 }, { content: {} }]) expect(diffMessages(odd, odd)).toEqual([]);
  });
});

test("samples of a preview say what differs", async () => {
  const text = lines(40);
  const call = (id) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: `${id}.txt` } }] });
  const answer = (id) => user([{ type: "tool_result", tool_use_id: id, content: text }]);
  const messages = [user("Go."), call("a"), answer("a"), call("b"), answer("b"), ...conversation(2).slice(1)];
  const { samples } = await new CondensationManager().preview({ messages }, { provider: "lossless" });
  expect(samples.length).toBeGreaterThan(0);
  for (const { before, after, diff } of samples) expect(diff).toEqual(diffMessages(before, after));
  expect(samples[0].diff[0].hunks[0].lines.at(-1)).toMatchObject({ kind: "added", text: expect.stringContaining(" as below from ") });
});
