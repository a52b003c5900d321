// `--last`: the newest session of an agent on this machine, in place of a file; and numbers that lack their sign.

import { copyFileSync, mkdirSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { copyOf, expectFailure, fixture, folder, put, run, runJson } from "./support.mjs";

/** A home with an older session of Claude Code and a newer one of Roo Code. */
function homeWithSessions() {
  const claude = path.join(folder, ".claude", "projects", "-work-app");
  const roo = path.join(folder, ".config", "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline", "tasks", "t1");
  for (const place of [claude, roo]) mkdirSync(place, { recursive: true });
  put(".claude/projects/-work-app/a.jsonl", `${JSON.stringify({ type: "user", message: { role: "user", content: "Hi" }, uuid: "u1" })}\n`);
  const newest = path.join(roo, "api_conversation_history.json");
  copyFileSync(fixture("roo-xml-2025"), newest);
  utimesSync(path.join(claude, "a.jsonl"), 1, 1);
  return {
    newest,
    env: { HOME: folder, USERPROFILE: folder, XDG_CONFIG_HOME: undefined, CLAUDE_CONFIG_DIR: undefined, CODEX_HOME: undefined },
  };
}

describe.skipIf(process.platform === "win32" || process.platform === "darwin")("--last", () => {
  test("is the newest session, whichever agent's", () => {
    const { newest, env } = homeWithSessions();
    const { report, code } = runJson(["--last", "--target", "50%"], { env });
    expect(code).toBe(0);
    expect(report.input.file).toBe(newest);
    expect(run(["inspect", "--last"], { env })).toMatchObject({ code: 0, stderr: "" });
  });

  test("without any it says where it looked, and beside a name it is refused", () => {
    mkdirSync(path.join(folder, ".claude", "projects"), { recursive: true });
    const { env } = homeWithSessions();
    const nowhere = { env: { ...env, HOME: path.join(folder, "nobody") } };
    expectFailure(["--last"], 3, /--last: no coding agent keeps sessions on this machine\nName a history: roo-condense HISTORY/, nowhere);
    expectFailure(["a.json", "--last"], 2, /--last is the newest session on this machine, so no history is named; got "a.json"/, { env });
    expectFailure(["restore", "--last"], 2, /restore has no flag --last; it belongs to condense, inspect, studio and 2 more/, { env });
  });
});

describe("a target without its sign", () => {
  test("0.5 is none, and 50 is 50 tokens: both suggest 50%", () => {
    const file = copyOf("claude-code");
    expectFailure([file, "--target", "0.5"], 2, /--target must be a whole number.*; got "0\.5"; did you mean 50%\?/);
    expectFailure([file, "--target", "0.125"], 2, /did you mean 12\.5%\?/);
    expect(run([file, "--target", "50"])).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/cannot be reached.* Did you mean --target 50%\?/),
    });
    expect(run([file, "--target", "0k"]).stderr).not.toContain("did you mean");
  });
});
