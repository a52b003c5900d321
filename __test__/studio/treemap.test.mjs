// What fills a conversation, as areas.

import { describe, expect, test } from "vitest";
import { groupsOf, squarified } from "../../ui/src/treemap.ts";

const area = ({ width, height }) => width * height;

describe("squarified", () => {
  const box = { left: 10, top: 20, width: 600, height: 240 };

  test.each([[[6, 6, 4, 3, 2, 2, 1]], [[1]], [[100, 1, 1, 1]], [Array.from({ length: 40 }, (_, at) => 41 - at)]])(
    "fills the box, each by its number: %j",
    (values) => {
      const boxes = squarified(values, box);
      const total = values.reduce((sum, one) => sum + one, 0);
      expect(boxes).toHaveLength(values.length);
      boxes.forEach((one, at) => {
        expect(area(one)).toBeCloseTo((area(box) * values[at]) / total, 3);
        expect(one.left).toBeGreaterThanOrEqual(box.left - 1e-6);
        expect(one.top).toBeGreaterThanOrEqual(box.top - 1e-6);
        expect(one.left + one.width).toBeLessThanOrEqual(box.left + box.width + 1e-6);
        expect(one.top + one.height).toBeLessThanOrEqual(box.top + box.height + 1e-6);
        for (const other of boxes.slice(0, at)) {
          const across = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
          const down = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
          expect(Math.min(across, down)).toBeLessThan(1e-6);
        }
      });
    },
  );

  test("without room or numbers there is nothing to see", () => {
    expect(squarified([1, 2], { ...box, width: 0 }).map(area)).toEqual([0, 0]);
    expect(squarified([], box)).toEqual([]);
  });
});

describe("groupsOf", () => {
  const messages = [
    { role: "user", label: "", tokens: 50 },
    { role: "assistant", label: "Read a.ts", tokens: 5 },
    { role: "user", label: "Read a.ts", tokens: 95 },
    { role: "user", label: "Read b.ts", tokens: 30 },
    { role: "user", label: "TodoWrite", tokens: 20 },
    { role: "user", label: "", tokens: 0 },
  ];

  test("sums up by what messages are about, to the last token, with what would go", () => {
    const groups = groupsOf(messages, [50, 5, 10, -1, 20, 0], (role) => role, 10);
    expect(groups.map(({ name, tokens, gone }) => [name, tokens, gone])).toEqual([
      ["Read", 130, 115],
      ["user", 50, 0],
      ["TodoWrite", 20, 0],
    ]);
    expect(groups[0].parts).toEqual([
      { name: "a.ts", tokens: 100, gone: 85, message: 2, count: 1 },
      { name: "b.ts", tokens: 30, gone: 30, message: 3, count: 1 },
    ]);
    expect(groups.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(200);
  });

  test("what is too much stands together", () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ role: "user", label: `Read ${at}`, tokens: at + 1 }));
    const [{ parts, tokens }] = groupsOf(many, undefined, (role) => role, 5);
    expect(parts).toHaveLength(5);
    expect(parts[4]).toMatchObject({ name: "", count: 26, gone: 0 });
    expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(tokens);
  });
});
