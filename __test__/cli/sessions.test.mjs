// Where sessions of agents are looked for.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const require = createRequire(import.meta.url);
const { findSessions } = require("../../js/cli/sessions.js");

const home = mkdtempSync(path.join(tmpdir(), "roo-condense-sessions-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A file below the home folder, written so many seconds after 1970. */
function put(seconds, ...parts) {
  const file = path.join(home, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "[]");
  utimesSync(file, seconds, seconds);
  return file;
}

const storage = (editor, extension) => ["User", "globalStorage", extension, "tasks", editor, "api_conversation_history.json"];

describe("findSessions", () => {
  test("finds those of every agent, the newest first, and nothing else", () => {
    const expected = [
      ["claude", put(900, ".claude", "projects", "-home-a", "s1.jsonl")],
      ["codex", put(800, ".codex", "sessions", "2026", "11", "26", "rollout-1.jsonl")],
      ["roo", put(700, ".config", "Code", ...storage("t1", "rooveterinaryinc.roo-cline"))],
      ["zoo", put(600, ".config", "VSCodium", ...storage("t2", "zoocodeorganization.zoo-code"))],
      ["cline", put(500, ".vscode-server", "data", ...storage("t3", "saoudrizwan.claude-dev"))],
    ];
    put(999, ".claude", "projects", "-home-a", "notes.txt");
    put(999, ".claude", "projects", "-home-a", "deep", "s2.jsonl");
    put(999, ".config", "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline", "tasks", "t1", "ui_messages.json");
    const { folders, sessions } = findSessions({ home, env: {}, platform: "linux" });
    expect(sessions.map(({ agent, id }) => [agent, id])).toEqual(expected);
    expect(sessions[0]).toMatchObject({ name: expected[0][1], changed: 900_000, bytes: 2 });
    expect(folders).toContain(path.join("~", ".claude", "projects"));
    expect(folders).toHaveLength(5);
  });

  test("follows what the environment says, and the folders of other systems", () => {
    const mac = put(100, "Library", "Application Support", "Cursor", ...storage("t", "rooveterinaryinc.roo-cline"));
    const windows = put(100, "roaming", "Code", ...storage("t", "saoudrizwan.claude-dev"));
    const claude = put(100, "elsewhere", "projects", "p", "s.jsonl");
    const idsOf = (machine) => findSessions({ home, env: {}, platform: "linux", ...machine }).sessions.map(({ id }) => id);
    expect(idsOf({ platform: "darwin" })).toContain(mac);
    expect(idsOf({ platform: "win32", env: { APPDATA: path.join(home, "roaming") } })).toContain(windows);
    expect(idsOf({ env: { CLAUDE_CONFIG_DIR: path.join(home, "elsewhere") } })).toContain(claude);
    expect(idsOf({})).not.toContain(claude);
  });

  test("where nothing is, there is nothing", () => {
    expect(findSessions({ home: path.join(home, "nobody"), env: {}, platform: "linux" })).toEqual({ folders: [], sessions: [] });
  });

  test("of very many lists the newest", () => {
    for (let at = 0; at < 80; at++) put(10_000 + at, ".claude", "projects", "many", `s${at}.jsonl`);
    const { sessions } = findSessions({ home, env: {}, platform: "linux" });
    expect(sessions).toHaveLength(60);
    expect(path.basename(sessions[0].id)).toBe("s79.jsonl");
  });
});
