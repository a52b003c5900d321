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
  "ten times the data, killed half-way, with the same result as without",
  { timeout: 900_000 },
  async () => {
    const peaks = [];
    for (const megabytes of [15, 150]) {
      const own = path.join(folder, `${megabytes}`);
      mkdirSync(own);
      const { runs } = await measure(megabytes, { folder: own, isKilled: megabytes === 150 });
      peaks.push(Math.max(...runs.map(({ peak }) => peak)));
    }
    // Each thread's heap grows until its garbage is collected; what is read does not add to that.
    expect(peaks[0]).toBeGreaterThan(100);
    expect(peaks[1] - peaks[0]).toBeLessThan(120);
  },
);
