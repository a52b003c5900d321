/**
 * The memory of `roo-condense batch` does not grow with its input.
 * @module-tag long
 */

import { mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { measure } from "../../benches/batch.mjs";
import { folder } from "./support.mjs";

test.skipIf(process.platform !== "linux")(
  "six times the data, killed half-way, with the same result as without",
  { timeout: 900_000 },
  async () => {
    const peaks = [];
    for (const megabytes of [50, 300]) {
      const own = path.join(folder, `${megabytes}`);
      mkdirSync(own);
      const { runs } = await measure(megabytes, { folder: own, isKilled: megabytes === 300 });
      peaks.push(Math.max(...runs.map(({ peak }) => peak)));
    }
    // Each thread's heap grows until its garbage is collected, which takes about 50 MB of input (15 MB: 285 MiB, 50 MB:
    // 380, 150 MB and 300 MB: 413). What is read after that does not add to it.
    expect(peaks[0]).toBeGreaterThan(100);
    expect(peaks[1] - peaks[0]).toBeLessThan(100);
  },
);
