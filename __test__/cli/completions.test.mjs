// `roo-condense completions`.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, isWindows, library, put, run } from "./support.mjs";

const hasShell = (shell) => spawnSync(shell, ["-c", "exit 0"]).status === 0;
const scriptOf = (shell, options) => {
  const { code, stdout, stderr } = run(["completions", shell], options);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
};
const providers = new library.CondensationManager().listProviders().map(({ id }) => id);
const noAddon = () => ({ env: { ROO_CONDENSE_BINARY: path.join(folder, "absent.node") } });

describe.skipIf(isWindows || !hasShell("bash"))("bash completes", () => {
  /** The words for the last one, from a script. */
  const completed = (script, words) => {
    const line = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _roo_condense; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", line], { cwd: folder, encoding: "utf8" }).stdout.trim().split("\n");
  };
  const complete = (...words) => completed(scriptOf("bash"), ["roo-condense", ...words]);

  test("commands, flags and files", () => {
    expect(complete("--pre")).toEqual(["--preset", "--preview"]);
    expect(complete("val")).toEqual(["validate"]);
    expect(complete("count", "--")).toEqual(["--json", "--no-progress", "--color", "--help", "--version"]);
    expect(complete("completions", "f")).toEqual(["fish"]);
    expect(complete("help", "rec")).toEqual(["recommend"]);
    put("history.json", "[]");
    expect(complete("hist")).toEqual(["history.json"]);
    expect(complete("history.json", "--out", "hist")).toEqual(["history.json"]);
  });

  test.each([
    ["--provider", providers],
    ["--preset", Object.keys(library.presets)],
    ["--llm", ["anthropic", "openai"]],
    ["--color", ["auto", "always", "never"]],
    ["--priority", ["simplicity", "zero_loss", "speed", "cost", "quality", "control"]],
    ["--configuration", ["none", "presets", "some", "custom", "per_message"]],
    ["--profile", ["solo_developer", "startup_team", "enterprise_production", "research_compliance"]],
    ["--scenario", expect.arrayContaining(["standard", "multi_tenant"])],
  ])("the values of %s", (flag, values) => {
    expect(complete("recommend", flag, "")).toEqual(values);
  });

  test("a value behind an equals sign, and none where none is known", () => {
    put("never.json", "[]");
    expect(complete("a.json", "--color", "=", "n")).toEqual(["never"]);
    expect(complete("a.json", "--color", "=")).toEqual(["auto", "always", "never"]);
    expect(complete("a.json", "--target", "n")).toEqual([""]);
    expect(complete("a.json", "--target", "--no-r")).toEqual(["--no-restore-data"]);
  });

  test("without the addon, but the words that it knows", () => {
    const script = scriptOf("bash", noAddon());
    expect(completed(script, ["roo-condense", "--provider", ""])).toEqual([""]);
    expect(completed(script, ["roo-condense", "--llm", ""])).toEqual(["anthropic", "openai"]);
  });
});

test.each(["zsh", "fish"])("%s", (shell) => {
  const script = scriptOf(shell);
  for (const words of ["in-place", "restore", "balanced", "zero_loss", providers.join(" "), "Print every change"])
    expect(script).toContain(words);
  if (hasShell(shell))
    expect(spawnSync(shell, ["-n", put("script", script)], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});

test.skipIf(!hasShell("fish"))("fish completes values", () => {
  const file = put("script", scriptOf("fish"));
  const complete = (line) => spawnSync("fish", ["-c", `source ${file}; complete -C '${line}'`], { encoding: "utf8" }).stdout;
  expect(complete("roo-condense a.json --preset ba")).toMatch(/^balanced\b/);
  expect(complete("roo-condense help rec")).toMatch(/^recommend\b/);
});
