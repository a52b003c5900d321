// `roo-condense calibrate`.

import { test } from "vitest";
import { expectFailure, history, put } from "./support.mjs";

test("what calibrate cannot read is told", { tags: ["long"] }, () => {
  expectFailure(["calibrate"], 2, /calibrate needs a history: a file or a folder/);
  expectFailure(["calibrate", "."], 5, /\.: no \.json or \.jsonl file/);
  put("other.json", '{"a":1}');
  expectFailure(["calibrate", "."], 5, /\.: 1 file, but no history/);
  put("short.json", JSON.stringify(history()));
  expectFailure(["calibrate", "."], 5, /cannot learn from 1 history in \.: it needs longer ones, .*8,000 tokens/);
  expectFailure(["calibrate", "-"], 2, /files or folders/);
  expectFailure(["calibrate", "nowhere.json"], 3, /nowhere\.json/);
  for (const target of ["40k", "0%", "100%", "101%", "1e-20%", "0.00000000000000000001%"])
    expectFailure(
      ["calibrate", ".", "--target", target],
      2,
      `--target must be a percentage above 0% and below 100% for calibrate (40%); got "${target}"`,
    );
  expectFailure(["calibrate", ".", "--preset", "best"], 2, /preset/);
  expectFailure(["calibrate", ".", "--provider", "smart"], 2, /calibrate has no flag --provider/);
});
