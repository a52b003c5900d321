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

      What to do
        --target TOKENS       Learn thresholds that leave this share, as in 40%
        --preset NAME         Learn for aggressive, multi_zone or balanced

      What to write
        -o, --out FILE        Write the configuration to this file
        --force               Let --out replace a file, but never the input

      What to print
        --json                Print the report as one JSON object
        -q, --quiet           Print errors only
        --no-progress         Print no progress bar
        --color WHEN          Print in colors
        -h, --help            Print help, and with -h a short form of it
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
    expect(help("count")).toMatchInlineSnapshot(`
      "Usage: roo-condense count HISTORY... [options]

      Count tokens, by kind of content.

      Arguments
        HISTORY               Roo Code's api_conversation_history.json (an array of
                              messages), an object with a field "messages", JSON Lines
                              with a message on each line, or a session of Claude Code
                              (.jsonl) without what its subagents did. - reads
                              standard input.

      What to print
        --json                Print the report as one JSON object. On standard output;
                              for several histories with a list "files".
        --no-progress         Print no progress bar. There is one on a terminal only.
        --color WHEN          Print in colors. One of: auto, always, never. auto is on
                              a terminal. Without --color, NO_COLOR and FORCE_COLOR
                              decide.
        -h, --help            Print help, and with -h a short form of it.
        -V, --version         Print the version.

      Exit codes and examples: roo-condense --help
      "
    `);
  });
});
