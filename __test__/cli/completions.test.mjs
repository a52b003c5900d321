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
    expect(complete("count", "--")).toEqual(["--format", "--json", "--no-progress", "--color", "--help", "--version"]);
    expect(complete("completions", "f")).toEqual(["fish"]);
    expect(complete("help", "reco")).toEqual(["recommend"]);
    put("history.json", "[]");
    expect(complete("hist")).toEqual(["history.json"]);
    expect(complete("history.json", "--out", "hist")).toEqual(["history.json"]);
  });

  test.each([
    ["--provider", providers],
    ["--llm", ["anthropic", "openai"]],
    ["--color", ["auto", "always", "never"]],
    ["--priority", ["simplicity", "zero_loss", "speed", "cost", "quality", "control"]],
    ["--configuration", ["none", "presets", "some", "custom", "per_message"]],
    ["--profile", ["solo_developer", "startup_team", "enterprise_production", "research_compliance"]],
    ["--scenario", expect.arrayContaining(["standard", "multi_tenant"])],
  ])("the values of %s", (flag, values) => {
    expect(complete("recommend", flag, "")).toEqual(values);
  });

  test("the values that a command allows", () => {
    expect(complete("a.json", "--preset", "").sort()).toEqual(Object.keys(library.presets).sort());
    expect(complete("calibrate", "a/", "--preset", "")).toEqual(["aggressive", "multi_zone", "balanced"]);
  });

  test("a value behind an equals sign, and none where none is known", () => {
    put("never.json", "[]");
    expect(complete("a.json", "--color", "=", "n")).toEqual(["never"]);
    expect(complete("a.json", "--color", "=")).toEqual(["auto", "always", "never"]);
    expect(complete("a.json", "--target", "n")).toEqual([""]);
    expect(complete("a.json", "--target", "--no-r")).toEqual(["--no-restore-data"]);
  });

  test("without the addon", () => {
    const script = scriptOf("bash", { env: { ROO_CONDENSE_BINARY: path.join(folder, "absent.node") } });
    expect(completed(script, ["roo-condense", "--provider", ""])).toEqual(providers);
  });
});

test.each(["zsh", "fish"])("%s", (shell) => {
  const script = scriptOf(shell);
  for (const words of ["in-place", "restore", "balanced", "zero_loss", providers.join(" "), "Print every change"])
    expect(script).toContain(words);
  if (hasShell(shell))
    expect(spawnSync(shell, ["-n", put("script", script)], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});

test.skipIf(!hasShell("zsh"))(
  "zsh completes commands and values",
  () => {
    const file = put("_roo-condense", scriptOf("zsh"));
    // zsh completes in a terminal alone, so it gets one of its own; what it lists ends with the prompt that follows.
    const complete = (line) => {
      const program = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT='<ready>'; autoload -Uz compinit; compinit -u -d ${folder}/dump; source ${file}; zstyle ':completion:*' list-colors ''; LISTMAX=0"
sleep 2
zpty -w -n z $'${line}\t\t'
sleep 2
zpty -r z listed '*' ; while zpty -r -t z more; do listed+=$more; done
print -r -- $listed`;
      return spawnSync("zsh", ["-f", "-c", program], { cwd: folder, encoding: "utf8", timeout: 30_000 }).stdout;
    };
    expect(complete("roo-condense --color a")).toMatch(/always[\s\S]*auto|auto[\s\S]*always/);
    expect(complete("roo-condense calibrate x --preset ")).toMatch(/multi_zone/);
  },
  60_000,
);

test.skipIf(!hasShell("fish"))("fish completes values", () => {
  const file = put("script", scriptOf("fish"));
  const complete = (line) => spawnSync("fish", ["-c", `source ${file}; complete -C '${line}'`], { encoding: "utf8" }).stdout;
  expect(complete("roo-condense a.json --preset ba")).toMatch(/^balanced\b/);
  expect(complete("roo-condense help rec")).toMatch(/^recommend\b/);
  const presets = complete("roo-condense calibrate a --preset ");
  expect([...presets.matchAll(/^\w+/gm)].map(([word]) => word)).toEqual(["aggressive", "balanced", "multi_zone"]);
});
