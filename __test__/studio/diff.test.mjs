// Where two lines differ, as the page marks it.

import { describe, expect, test } from "vitest";
import { foldedIn, marksOf } from "../../ui/src/components/diff.tsx";

describe("marksOf", () => {
  const parts = (one, other) => {
    const marks = marksOf(one, other);
    return marks && [one.slice(...marks.one), other.slice(...marks.other)];
  };

  test.each([
    ["const a = 1;", "const a = 2;", ["1", "2"]],
    ["abc", "abXc", ["", "X"]],
    ["same", "same", ["", ""]],
    ["aaaa", "aaa", ["a", ""]],
    ["one two three", "one 2 three", ["two", "2"]],
    ["value 😀!", "value 😁!", ["😀", "😁"]],
    ["", "", ["", ""]],
  ])("%s | %s", (one, other, expected) => expect(parts(one, other)).toEqual(expected));

  test("of lines that have hardly anything in common marks nothing", () => {
    expect(parts("import { a } from b", "[17 lines as below]")).toBeUndefined();
  });
});

describe("foldedIn", () => {
  const runs = (count, run) => Array.from({ length: count }, () => run);

  test("the middle of a long run of one kind is folded, three lines at each end are not", () => {
    const rows = [undefined, ...runs(20, "removed"), ...runs(20, "added"), undefined];
    expect([...foldedIn(rows)]).toEqual([
      [4, [18, "removed"]],
      [24, [38, "added"]],
    ]);
  });

  test("a short run is not, nor are lines of both texts", () => {
    expect(foldedIn([...runs(13, "removed"), ...runs(13, "added")]).size).toBe(0);
    expect(foldedIn(runs(100, undefined)).size).toBe(0);
  });
});
