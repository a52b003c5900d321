// Worker threads that end while the addon works for them do not take the process down.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";

// Fewer and smaller than by hand: about 20 seconds. `node __test__/threads/ends.mjs` ends a thousand.
test("workers end at any moment and in any way", () => {
  const program = path.join(root, "__test__", "threads", "ends.mjs");
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [program, "--count", "40", "--most", "20", "--seed", `${Date.now() % 1000}`],
    {
      encoding: "utf8",
      timeout: 110_000,
    },
  );
  expect({ status, signal, stdout: stdout.trim(), stderr }).toEqual({
    status: 0,
    signal: null,
    stdout: "40 of 40 workers ended",
    stderr: "",
  });
}, 120_000);
