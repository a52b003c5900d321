// The pictures of the user guide can be made from the studio as it is; `npm run guide` writes those in docs/guide/images.

import { readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { writePictures } from "./guide-pictures.mjs";
import { isMissing, newFolder, removeFolders } from "./support.mjs";

afterAll(removeFolders);

describe.skipIf(isMissing)("the pictures of the guide", () => {
  test("are those that are there, and small", async () => {
    const folder = newFolder();
    const sizes = await writePictures(folder, ["fr"]);
    const there = readdirSync(path.join(root, "docs", "guide", "images")).filter((name) => name.includes(".fr."));
    expect(readdirSync(folder).sort()).toEqual(there.sort());
    for (const [name, bytes] of sizes) {
      expect(bytes, name).toBeGreaterThan(10_000);
      expect(bytes, name).toBeLessThan(80_000);
    }
  });
});
