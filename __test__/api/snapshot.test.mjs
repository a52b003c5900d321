import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";

const { Snapshot, contentOf } = createRequire(import.meta.url)("../../js/snapshot.js");

const message = () => ({
  role: "user",
  content: [
    { type: "text", text: "one" },
    { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "two" }] },
  ],
});
const texts = (value) => value.content[1].content[0];

describe("what was handed over", () => {
  test("holds as long as nothing changes, for the whole and for each part", () => {
    const value = message();
    const snapshot = new Snapshot([contentOf(value)]);
    expect(snapshot.holds(value, 0)).toBe(true);
    expect(snapshot.holds(message(), 0)).toBe(true);
    expect(snapshot.holds("two", 0, ["content", 1, "content", 0, "text"])).toBe(true);
  });

  test.each([
    ["a text", (value) => (texts(value).text = "other")],
    ["a text that became a number", (value) => (texts(value).text = 2)],
    ["a field more", (value) => (value.ts = 1)],
    ["a field that says nothing", (value) => (value.ts = undefined)],
    ["a field less", (value) => delete texts(value).text],
    ["another field", (value) => delete Object.assign(texts(value), { words: "two" }).text],
    ["a block more", (value) => value.content.push({ type: "text", text: "three" })],
    ["a block less", (value) => value.content.pop()],
    ["blocks in another order", (value) => value.content.reverse()],
    ["a text in the place of blocks", (value) => (value.content = "one")],
    ["an object in the place of blocks", (value) => (value.content = { ...value.content })],
    ["nothing in the place of a block", (value) => (value.content[0] = null)],
    ["a getter that throws", (value) => Object.defineProperty(value, "role", { get: () => expect.unreachable(), enumerable: true })],
  ])("is not certain after a change: %s", (_, change) => {
    const value = message();
    const snapshot = new Snapshot([contentOf(value)]);
    change(value);
    expect(snapshot.holds(value, 0)).toBe(false);
  });

  test("is not certain of what has its own JSON, is nested without end, or is not there", () => {
    const circle = { role: "user" };
    circle.content = [circle];
    const snapshot = new Snapshot([{ role: "user", content: new Date(0) }, circle].map(contentOf));
    expect(snapshot.holds(new Date(0), 0, ["content"])).toBe(false);
    expect(snapshot.holds(circle, 1)).toBe(false);
    expect(snapshot.holds("x", 0, ["content", 0, "text"])).toBe(false);
  });

  test("fields are fields whatever they are called", () => {
    const value = JSON.parse('{"role":"user","content":[{"__proto__":{"a":1},"constructor":"x"}]}');
    const snapshot = new Snapshot([contentOf(value)]);
    expect(snapshot.holds(value, 0)).toBe(true);
    expect(snapshot.holds({ role: "user", content: [{ constructor: "x" }] }, 0)).toBe(false);
  });
});
