// `roo-condense explain CODE`, and help in narrow terminals.

import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { expectFailure, run } from "./support.mjs";

const require = createRequire(import.meta.url);
const { help } = require("../../js/cli/help.js");
const { COMMANDS } = require("../../js/cli/flags.js");

test("a code is explained as docs/errors.md does", () => {
  const { code, stdout } = run(["explain", "llm_unauthorized"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^llm_unauthorized\n {2}Error, .*\n[\s\S]*What to do: /);
  expect(run(["explain", "unknown_provider"]).stdout.match(/What to do/g)).toHaveLength(2);
  expect(run(["explain", "orphan_tool_result"]).stdout).toMatch(/^orphan_tool_result\n {2}Problem in messages\. A result without its call/);
  expect(run(["explain", "6"]).stdout).toContain("Exit code 6: the target cannot be reached.");
  expectFailure(["explain", "llm_unauthorised"], 2, /there is no CODE "llm_unauthorised"; did you mean llm_unauthorized\?/);
  expectFailure(["explain"], 2, /explain needs one CODE, such as/);
});

test.each([40, 60, 80])("the short help fits %i columns", (width) => {
  for (const name of [undefined, ...COMMANDS.map((command) => command.name)])
    for (const line of help(name, true, width).split("\n")) expect([name, line.length <= width ? "" : line]).toEqual([name, ""]);
});
