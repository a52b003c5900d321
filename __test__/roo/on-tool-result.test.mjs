// The drop-in's place for a new tool result.

import { expect, test } from "vitest";
import { onToolResult } from "../../js/roo/index.js";

const log = `${Array.from({ length: 2000 }, (_, at) => `   Compiling part_${at} v0.${at}.0`).join("\n")}\nerror: no such thing\n${"ok\n".repeat(2)}`;

test("a long text is shortened to 4,000 tokens, in blocks too, and images stay", async () => {
  const text = await onToolResult(log, {
    tool: "execute_command",
    params: { command: "make" },
    exitCode: 2,
    history: [{ role: "user", content: "x" }],
  });
  expect(text).toContain("\nerror: no such thing\n");
  expect(text).toMatch(/; exit code 2\]$/);
  expect(text.length).toBeLessThan(log.length / 2);
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const blocks = await onToolResult([{ type: "text", text: log }, image], { budget: 300 });
  expect(blocks[1]).toBe(image);
  expect(blocks[0].text).toContain("error: no such thing");
});

test("what fits is the same, and so is what the store failed to keep", async () => {
  const blocks = [{ type: "text", text: "short" }];
  expect(await onToolResult(blocks)).toBe(blocks);
  expect(await onToolResult("short")).toBe("short");
  expect(await onToolResult(log, { store: { get: () => undefined, set: () => false } })).toBe(log);
  const store = new Map();
  expect(await onToolResult(log, { store })).toMatch(/kept as roo-condense:result:r[0-9a-f]{15}\]$/);
  expect([...store.values()]).toEqual([log]);
});

test("wrong arguments are told", async () => {
  await expect(onToolResult(log, { budgets: 3 })).rejects.toMatchObject({ code: "invalid_argument", field: "options.budgets" });
  await expect(onToolResult(log, { budget: 0 })).rejects.toMatchObject({ code: "out_of_range", field: "options.budget" });
  await expect(onToolResult(7)).rejects.toMatchObject({ code: "invalid_argument", field: "result" });
  await expect(onToolResult(log, 7)).rejects.toMatchObject({ code: "invalid_argument", field: "options" });
});
