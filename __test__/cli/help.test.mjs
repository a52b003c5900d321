// `--help`, `-h`, `help` and `--version`.

import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { expectFailure, fixture, folder, put, run } from "./support.mjs";

const require = createRequire(import.meta.url);
const { version } = require("../../package.json");
const { FLAGS, commandNames, flagsOf } = require("../../js/cli/flags.js");
const { help } = require("../../js/cli/help.js");

const widest = (text) => Math.max(...text.split("\n").map((line) => line.length));
/** The flags that have entries. */
const entriesOf = (text) => [...text.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, name]) => name).sort();
const namesOf = (flags) => flags.map(({ name }) => name).sort();

describe("help of everything", () => {
  test("--help names every command, flag and exit code", () => {
    const { code, stdout, stderr } = run(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(entriesOf(stdout)).toEqual(namesOf(FLAGS));
    for (const name of commandNames) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    for (const exitCode of [0, 1, 2, 3, 4, 5, 6, 7, 8, 130]) expect(stdout).toMatch(new RegExp(`^ +${exitCode}  \\w`, "m"));
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    expect(run(["help"]).stdout).toBe(stdout);
    expect(run(["history.json", "--json", "--help"]).stdout).toBe(stdout);
  });

  test("-h has a line for each command and flag", () => {
    const { code, stdout } = run(["-h"]);
    expect(code).toBe(0);
    expect(entriesOf(stdout)).toEqual(namesOf(FLAGS));
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    expect(stdout.split("\n").filter((line) => line.startsWith("   ") && !line.includes("roo-condense"))).toEqual([]);
    expect(run(["-qh"]).stdout).toBe(stdout);
    expect(run(["-h", "--help"]).stdout).toBe(run(["--help"]).stdout);
  });

  test.each(["--version", "-V"])("%s", (option) => {
    expect(run([option])).toMatchObject({ code: 0, stdout: `roo-condense ${version}\n`, stderr: "" });
  });

  test("needs no addon; without it, the work says what is missing, without a stack", () => {
    const env = { ROO_CONDENSE_BINARY: path.join(folder, "absent.node") };
    for (const args of [["--help"], ["-h"], ["help", "count"], ["--version"]]) expect(run(args, { env }).code).toBe(0);
    expectFailure([fixture("roo-xml-2025")], 1, /could not load its native binary/, { env });
  });
});

describe("help of a command", () => {
  test.each(commandNames)("%s", (command) => {
    for (const text of [help(command), help(command, true)]) {
      expect(text).toMatch(new RegExp(`^Usage: roo-condense ${command} .*\\[options\\]\n\n[A-Z]`));
      expect(entriesOf(text)).toEqual(namesOf(flagsOf(command)));
      expect(widest(text)).toBeLessThanOrEqual(80);
    }
    for (const { values, value } of flagsOf(command))
      if (value && Array.isArray(values)) expect(help(command).replace(/\s+/g, " ")).toContain(`One of: ${values.join(", ")}.`);
  });

  test("is asked for in three ways, and has a short form", () => {
    const { code, stdout } = run(["help", "calibrate"]);
    expect(code).toBe(0);
    expect(run(["calibrate", "--help"]).stdout).toBe(stdout);
    expect(run(["--help", "calibrate"]).stdout).toBe(stdout);
    expect(run(["calibrate", "-h"]).stdout).toMatchInlineSnapshot(`
      "Usage: roo-condense calibrate FOLDER... [options]

      Learn thresholds of the provider smart from histories

      Condensing
        --target TOKENS       Learn thresholds that leave this share, such as 40%
        --preset NAME         Preset to learn thresholds for
        --format NAME         Format of the messages, if they do not show it

      Writing files
        -o, --out FILE        Write the configuration to this file
        --force               Let --out overwrite a file, but never the input

      Printing
        --json                Print the report as one JSON object
        -q, --quiet           Print errors only
        --no-progress         Print no progress
        --color WHEN          When to print in colors
        -h, --help            Print help; -h prints a short form
        -V, --version         Print the version

      More: roo-condense help calibrate
      "
    `);
  });

  test("a file may be called help", () => {
    put("help", "[]");
    expect(run(["help"]).stdout).toContain("the history has no messages");
    expect(run(["help", "count"]).stdout).toMatch(/^Usage: roo-condense count/);
  });

  test("count", () => {
    // The names of formats are as many as there are.
    expect(help("count").replace(/^( {2}--format NAME +).*?\n\n/ms, "$1…\n\n")).toMatchInlineSnapshot(`
      "Usage: roo-condense count HISTORY... [options]

      Count tokens by kind of content.

      Arguments
        HISTORY               A file or folder. Files: Roo Code's
                              api_conversation_history.json or another array of
                              messages, an object with "messages", "input",
                              "contents", "history" or "conversation", JSON Lines with
                              one message per line, or a session of Claude Code or of
                              one of its subagents, Codex, Gemini CLI, Goose, Pi,
                              OpenCode, Cursor or Copilot. - is standard input. In a
                              folder, all .json and .jsonl files that are histories,
                              at any depth.

      Condensing
        --format NAME         …

      Printing
        --json                Print the report as one JSON object. For several
                              histories, it has a list "files" and a "total".
        --no-progress         Print no progress. Otherwise a terminal shows a bar, and
                              a log gets a line every few seconds, on standard error.
        --color WHEN          When to print in colors. One of: auto, always, never.
                              auto: on a terminal, unless the environment variable
                              NO_COLOR or FORCE_COLOR is set.
        -h, --help            Print help; -h prints a short form.
        -V, --version         Print the version.

      Example
        roo-condense count ~/.claude/projects/

      Exit codes: roo-condense --help
      "
    `);
  });
});
