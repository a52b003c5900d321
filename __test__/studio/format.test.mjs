// Numbers for people, on the page.

import { expect, test } from "vitest";
import { withSeparators } from "../../ui/src/format.ts";

test.each([
  ["kept 6 of 1123 lines of Read /home/2024/a-5678.ts", "kept 6 of 1,123 lines of Read /home/2024/a-5678.ts"],
  ["suppressed, 3011 tokens: cat 4000", "suppressed, 3,011 tokens: cat 4000"],
  ["it leaves about 1234567 tokens (20% less)", "it leaves about 1,234,567 tokens (20% less)"],
  ["kept the first 5 lines, 20000 characters more", "kept the first 5 lines, 20,000 characters more"],
  ["4000 more lines; a.2026 lines; 999 tokens", "4,000 more lines; a.2026 lines; 999 tokens"],
])("separators stand in what the library counts, and in nothing else: %s", (said, shown) => {
  expect(withSeparators(said)).toBe(shown);
});
