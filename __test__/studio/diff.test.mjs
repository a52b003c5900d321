// Where two lines differ, as the page marks it.

import { describe, expect, test } from "vitest";
import { marksOf } from "../../ui/src/components/diff.tsx";

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
