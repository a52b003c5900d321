// `roo-condense calibrate`.

import { test } from "vitest";
import { expectFailure } from "./support.mjs";

test("what calibrate cannot read is told", () => {
  expectFailure(["calibrate"], 2, /which history/);
  expectFailure(["calibrate", "-"], 2, /files and folders/);
  expectFailure(["calibrate", "nowhere.json"], 3, /nowhere\.json/);
  expectFailure(["calibrate", ".", "--target", "40k"], 2, /a share of what there is/);
  expectFailure(["calibrate", ".", "--preset", "best"], 2, /preset/);
  expectFailure(["calibrate", ".", "--provider", "smart"], 2, /--provider is of no use for calibrate/);
});
