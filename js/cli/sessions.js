"use strict";

// Sessions of coding agents on this machine, in the folders where the agents keep them. Nothing of them is read here but names, times and sizes.

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { ROO_HISTORY } = require("./history-text.js");

/** So many of the newest are listed. */
const MOST = 60;
/** Files and folders that are looked at in one place at most: who keeps everything of years waits no longer. */
const MOST_LOOKED_AT = 20_000;

/** Editors that VS Code extensions live in, by the name of their folder. */
const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
/** Agents that are extensions of such editors, with the publisher and name of the extension. */
const EXTENSIONS = Object.freeze({
  roo: "rooveterinaryinc.roo-cline",
  zoo: "zoocodeorganization.zoo-code",
  cline: "saoudrizwan.claude-dev",
});

/** Where an editor keeps what is its user's. */
function editorFolders({ home, env, platform }) {
  const base =
    platform === "darwin"
      ? path.join(home, "Library", "Application Support")
      : platform === "win32"
        ? (env.APPDATA ?? path.join(home, "AppData", "Roaming"))
        : (env.XDG_CONFIG_HOME ?? path.join(home, ".config"));
  return [...EDITORS.map((name) => path.join(base, name, "User")), path.join(home, ".vscode-server", "data", "User")];
}

/** Each place with its agent, how deep its files lie, and what they are called. */
function placesOf(machine) {
  const { home, env } = machine;
  const claude = path.join(env.CLAUDE_CONFIG_DIR ?? path.join(home, ".claude"), "projects");
  const codex = path.join(env.CODEX_HOME ?? path.join(home, ".codex"), "sessions");
  const isHistory = (name) => name === ROO_HISTORY;
  const isLines = (name) => name.endsWith(".jsonl");
  return [
    { agent: "claude", folder: claude, depth: 2, isSession: isLines },
    { agent: "codex", folder: codex, depth: 4, isSession: isLines },
    ...editorFolders(machine).flatMap((user) =>
      Object.entries(EXTENSIONS).map(([agent, extension]) => {
        const folder = path.join(user, "globalStorage", extension, "tasks");
        return { agent, folder, depth: 2, isSession: isHistory };
      }),
    ),
  ];
}

/** The files exactly `depth` below a folder. A folder that is not there, or that nobody may read, has none. */
function filesBelow(folder, depth, isSession, budget) {
  let entries;
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  const found = [];
  for (const entry of entries) {
    if (budget.left-- <= 0) break;
    const file = path.join(folder, entry.name);
    if (depth > 1 && entry.isDirectory()) found.push(...filesBelow(file, depth - 1, isSession, budget));
    else if (depth === 1 && entry.isFile() && isSession(entry.name)) found.push(file);
  }
  return found;
}

function describedFile(agent, file) {
  try {
    const { mtimeMs, size } = fs.statSync(file);
    return [{ id: file, agent, name: file, changed: Math.round(mtimeMs), bytes: size }];
  } catch {
    // Gone since it was listed.
    return [];
  }
}

/**
 * The newest sessions, newest first, and the folders that were looked in.
 * @param {{ home?: string, env?: Record<string, string | undefined>, platform?: string }} [machine]
 */
function findSessions({ home = os.homedir(), env = process.env, platform = process.platform } = {}) {
  const places = placesOf({ home, env, platform });
  const sessions = places.flatMap(({ agent, folder, depth, isSession }) =>
    filesBelow(folder, depth, isSession, { left: MOST_LOOKED_AT }).flatMap((file) => describedFile(agent, file)),
  );
  sessions.sort((one, other) => other.changed - one.changed);
  const shown = (folder) => (folder.startsWith(home) ? `~${folder.slice(home.length)}` : folder);
  const folders = places.filter(({ folder }) => fs.existsSync(folder)).map(({ folder }) => shown(folder));
  return { folders, sessions: sessions.slice(0, MOST) };
}

module.exports = { findSessions };
