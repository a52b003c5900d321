// `roo-condense calibrate`.

import { test } from "vitest";
import { expectFailure, history, put } from "./support.mjs";

test("what calibrate cannot read is told", { tags: ["long"] }, () => {
  expectFailure(["calibrate"], 2, /calibrate needs a history: a file or a folder/);
  expectFailure(["calibrate", "."], 5, /there is nothing to learn from in \.: no \.json or \.jsonl file/);
  put("other.json", '{"a":1}');
  expectFailure(["calibrate", "."], 5, /there is nothing to learn from in \.: 1 file, none of which is a history/);
  put("short.json", JSON.stringify(history()));
  expectFailure(["calibrate", "."], 5, /nothing can be learned from 1 history in \.: it takes longer ones, .*8,000 tokens/);
  expectFailure(["calibrate", "-"], 2, /files and folders/);
  expectFailure(["calibrate", "nowhere.json"], 3, /nowhere\.json/);
  for (const target of ["40k", "0%", "100%", "101%", "1e-20%", "0.00000000000000000001%"])
    expectFailure(
      ["calibrate", ".", "--target", target],
      2,
      `--target: "${target}" is not allowed for calibrate; allowed: a share of what there is, above 0% and below 100% (40%)`,
    );
  expectFailure(["calibrate", ".", "--preset", "best"], 2, /preset/);
  expectFailure(["calibrate", ".", "--provider", "smart"], 2, /--provider is of no use for calibrate/);
});
