"use strict";

// Finds sessions of coding agents on this machine, in the folders where the agents store them, and the projects they
// belong to. This module reads only the first lines of a session, which name the folder in which its agent worked.

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { fileURLToPath } = require("node:url");
const { headOf, valueIn, valuesOfLines } = require("./folder.js");
const { ROO_HISTORY } = require("./history-text.js");
const { canReadDatabases, sessionsIn } = require("./kinds/opencode-database.js");
const { nameInDatabase } = require("./session-files.js");

/** The number of newest sessions that are listed. */
const MOST = 60;
/** The most files and folders that are looked at in one place, so that users with sessions of many years do not wait longer. */
const MOST_LOOKED_AT = 20_000;
/** Bytes at the beginning of a session that are searched for its folder: more of them if fewer do not contain it. */
const HEADS = [1 << 14, 1 << 18, 1 << 22];
/** The number of newest sessions whose beginning is read to find those of a project. */
const MOST_READ = 3000;

/** Editors with VS Code extensions, by the name of their folder. */
const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
/** Agents that are extensions of such editors: publisher and name of the extension, and their name as clients of the Model Context Protocol. */
const EXTENSIONS = Object.freeze({
  roo: { extension: "rooveterinaryinc.roo-cline", client: /^roo/i },
  zoo: { extension: "zoocodeorganization.zoo-code", client: /^zoo/i },
  cline: { extension: "saoudrizwan.claude-dev", client: /^cline/i },
});

/** Returns the folders in which editors store user data. */
function editorFolders({ home, env, platform }) {
  const base =
    platform === "darwin"
      ? path.join(home, "Library", "Application Support")
      : platform === "win32"
        ? (env.APPDATA ?? path.join(home, "AppData", "Roaming"))
        : env.XDG_CONFIG_HOME || path.join(home, ".config");
  return [...EDITORS.map((name) => path.join(base, name, "User")), path.join(home, ".vscode-server", "data", "User")];
}

const isLines = (name) => name.endsWith(".jsonl");
const isJson = (name) => name.endsWith(".json");
const dashed = (folder) => folder.replace(/[^a-zA-Z0-9]/g, "-");

/** Returns the first of these values that names a folder. @type {(values: any[], folderOf: (value: any) => any) => string[]} */
const firstFolder = (values, folderOf) => {
  const found = values.map((value) => folderOf(value ?? {})).find((folder) => typeof folder === "string");
  return found === undefined ? [] : [found];
};

/** Reads as few bytes of a session's beginning as `find` needs. @type {(file: string, find: (head: string) => string[]) => string[]} */
function inHead(file, find) {
  for (const bytes of HEADS) {
    const head = headOf(file, bytes);
    const found = find(head);
    if (found.length > 0 || Buffer.byteLength(head) < bytes) return found;
  }
  return [];
}

/** Returns the folder named in the first lines of a session. */
const folderInLines = (folderOf) => (file) => inHead(file, (head) => firstFolder(valuesOfLines(head), folderOf));

/** Returns the folder that Roo-Code or a fork told the model, in JSON. */
function toldFolder(head) {
  const told = /Current (?:Workspace|Working) Directory \(((?:[^"\\]|\\.)*?)\) Files/.exec(head)?.[1];
  return told === undefined ? [] : [told.replaceAll("\\\\", "\\")];
}

/** Returns the folder of a task of Roo-Code or its forks: from the file beside it, or as it was told to the model. */
function folderOfTask(file) {
  const item = valueIn(path.join(path.dirname(file), "history_item.json"));
  const known = firstFolder([item?.workspace, item?.cwdOnTaskInitialization], (folder) => folder);
  return known.length > 0 ? known : inHead(file, toldFolder);
}

/** Returns the folder of a workspace of VS Code. */
function folderOfWorkspace(file) {
  const folder = valueIn(path.join(path.dirname(path.dirname(file)), "workspace.json"))?.folder;
  return typeof folder === "string" && folder.startsWith("file:") ? [fileURLToPath(folder)] : [];
}

/** Returns true if a file contains the hash of the folder, which Gemini CLI writes. */
const hasHashOf = (file, folder) => headOf(file, 4096).includes(createHash("sha256").update(folder).digest("hex"));

/**
 * A place where an agent stores its sessions.
 * @typedef {object} Place
 * @property {string} agent
 * @property {RegExp} client how it calls itself as a client of the Model Context Protocol
 * @property {string} folder
 * @property {number} depth how deep below the folder its files lie
 * @property {(name: string) => boolean} isSession what they are called
 * @property {(file: string) => string[]} [foldersOf] the folders that a session names as its own
 * @property {(file: string, project: string) => boolean} [isOf] where it names none, whether it belongs to a project
 * @property {(project: string) => (name: string) => boolean} [mayHold] the folders directly below in which a project's sessions can be; default: all
 */

/**
 * Returns all places, each with its agent. @type {(machine: { home: string, env: Record<string, string | undefined>,
 * platform: string }) => Place[]}
 */
function placesOf(machine) {
  const { home, env } = machine;
  const data = env.XDG_DATA_HOME || path.join(home, ".local", "share");
  const inHome = (...names) => path.join(home, ...names);
  const users = editorFolders(machine);
  const cwd = folderInLines((value) => value.cwd);
  return [
    {
      agent: "claude",
      client: /^claude/i,
      folder: path.join(env.CLAUDE_CONFIG_DIR || inHome(".claude"), "projects"),
      depth: 2,
      // Files of subagents are no sessions of their own.
      isSession: (name) => isLines(name) && !name.startsWith("agent-"),
      foldersOf: cwd,
      // Long names are cut, and end with a hash.
      mayHold: (project) => (name) => name.startsWith(dashed(project).slice(0, 200)),
    },
    {
      agent: "codex",
      client: /^codex/i,
      folder: path.join(env.CODEX_HOME || inHome(".codex"), "sessions"),
      depth: 4,
      isSession: isLines,
      foldersOf: folderInLines(({ payload, cwd: own }) => payload?.cwd ?? own),
    },
    ...users.flatMap((user) =>
      Object.entries(EXTENSIONS).map(([agent, { extension, client }]) => {
        const folder = path.join(user, "globalStorage", extension, "tasks");
        return { agent, client, folder, depth: 2, isSession: (name) => name === ROO_HISTORY, foldersOf: folderOfTask };
      }),
    ),
    {
      agent: "gemini",
      client: /^gemini/i,
      folder: inHome(".gemini", "tmp"),
      depth: 3,
      isSession: (name) => name.startsWith("session-") && (isLines(name) || isJson(name)),
      isOf: hasHashOf,
    },
    {
      agent: "pi",
      client: /^pi\b/i,
      folder: path.join(env.PI_CODING_AGENT_DIR || inHome(".pi", "agent"), "sessions"),
      depth: 2,
      isSession: isLines,
      foldersOf: cwd,
    },
    {
      agent: "copilot",
      client: /copilot/i,
      folder: inHome(".copilot", "session-state"),
      depth: 2,
      isSession: (name) => name === "events.jsonl",
      foldersOf: folderInLines(({ data }) => data?.context?.cwd),
    },
    ...users.map((user) => ({
      agent: "copilot-chat",
      client: /^visual studio code|^vscode/i,
      folder: path.join(user, "workspaceStorage"),
      depth: 3,
      isSession: isJson,
      foldersOf: folderOfWorkspace,
    })),
    {
      agent: "cursor",
      client: /^cursor/i,
      folder: inHome(".cursor", "projects"),
      depth: 4,
      isSession: isLines,
      isOf: (file, project) => file.split(path.sep).includes(dashed(project).replace(/^-/, "")),
      mayHold: (project) => (name) => name === dashed(project).replace(/^-/, ""),
    },
    {
      agent: "opencode",
      client: /^opencode/i,
      folder: path.join(data, "opencode", "storage", "session"),
      depth: 2,
      isSession: (name) => /^ses_.*\.json$/.test(name),
      foldersOf: (file) => firstFolder([valueIn(file)], ({ directory }) => directory),
    },
  ];
}

/** Returns the databases of agents that store sessions in one, with `sessions()`: `{ name, folder, changed }[]`. */
function databasesOf({ home, env }) {
  const file = path.join(env.XDG_DATA_HOME || path.join(home, ".local", "share"), "opencode", "opencode.db");
  const sessions = () =>
    sessionsIn(file).map(({ id, directory, changed }) => ({ name: nameInDatabase(file, id), folder: directory, changed: Number(changed) }));
  return [{ agent: "opencode", client: /^opencode/i, file, sessions }];
}

/** Returns a database of a client that this Node cannot read; undefined if there is none. */
function closedDatabase({ client = "", machine }) {
  const found = databasesOf(machineOf(machine)).find((database) => database.client.test(client) && fs.existsSync(database.file));
  return canReadDatabases() ? undefined : found?.file;
}

/** Returns the files exactly `depth` below a folder; none if the folder is missing or unreadable. */
function filesBelow(folder, depth, isSession, budget, mayHold = (_) => true) {
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
    if (depth > 1 && entry.isDirectory() && mayHold(entry.name)) found.push(...filesBelow(file, depth - 1, isSession, budget));
    else if (depth === 1 && entry.isFile() && isSession(entry.name)) found.push(file);
  }
  return found;
}

function describedFile(agent, file) {
  try {
    const { mtimeMs, size } = fs.statSync(file);
    return [{ id: file, agent, name: file, changed: Math.round(mtimeMs), bytes: size }];
  } catch {
    // It was deleted after it was listed.
    return [];
  }
}

/** @type {(machine?: { home?: string, env?: Record<string, string | undefined>, platform?: string }) => Parameters<typeof placesOf>[0]} */
const machineOf = ({ home = os.homedir(), env = process.env, platform = process.platform } = {}) => ({ home, env, platform });

/** Returns the sessions in these places, newest first. */
const sessionsAt = (places, mayHoldOf = (_place) => undefined) =>
  places
    .flatMap((place) =>
      filesBelow(place.folder, place.depth, place.isSession, { left: MOST_LOOKED_AT }, mayHoldOf(place)).flatMap((file) =>
        describedFile(place.agent, file).map((session) => ({ ...session, place })),
      ),
    )
    .sort((one, other) => other.changed - one.changed);

/**
 * Returns the newest sessions, newest first, and the folders that were searched.
 * @param {{ home?: string, env?: Record<string, string | undefined>, platform?: string }} [machine]
 */
function findSessions(machine) {
  const known = machineOf(machine);
  const places = placesOf(known);
  const sessions = sessionsAt(places).map(({ place: _, ...session }) => session);
  const shown = (folder) => (folder.startsWith(known.home) ? `~${folder.slice(known.home.length)}` : folder);
  const folders = places.filter(({ folder }) => fs.existsSync(folder)).map(({ folder }) => shown(folder));
  return { folders, sessions: sessions.slice(0, MOST) };
}

/** Returns a path in a form for comparing: one kind of slash, none at the end, and lower case on Windows. */
function comparable(folder, { platform }) {
  const plain = folder.replaceAll("\\", "/").replace(/(?<=.)\/+$/, "");
  return platform === "win32" || /^[a-z]:/i.test(plain) ? plain.toLowerCase() : plain;
}

/**
 * Returns a function that is true for folders of a project and folders inside it. The root of the disk and the user's
 * home contain every project, so they count only for themselves.
 */
function withinOf(project, machine) {
  const real = fs.existsSync(project) ? fs.realpathSync(project) : project;
  const all = [...new Set([project, real].map((folder) => comparable(folder, machine)))];
  const isAbove = (folder) => path.dirname(folder) === folder || folder === comparable(machine.home, machine);
  return (folder) => {
    const own = comparable(folder, machine);
    return all.some((each) => own === each || (!isAbove(each) && own.startsWith(`${each}/`)));
  };
}

/**
 * The folders of sessions that were read: the first lines of a session do not change. Sessions without a folder may
 * not be written yet, so they are not stored.
 */
const foldersKnown = new Map();

function foldersOf({ name, place }) {
  const folders = foldersKnown.get(name) ?? place.foldersOf?.(name) ?? [];
  if (folders.length > 0) foldersKnown.set(name, folders);
  return folders;
}

const belongs = (session, project, isWithin) =>
  session.place.isOf ? session.place.isOf(session.name, project) : foldersOf(session).some(isWithin);

/**
 * Returns the sessions of a project, the newest first: `{ agent, name, changed }[]`, at most `most` of them. `client`
 * names the calling program, so that only its sessions are searched; an unknown one gets those of every known
 * program.
 * @param {{ project: string, client?: string, most?: number, machine?: { home?: string, env?: Record<string, string | undefined>, platform?: string } }} what
 */
function sessionsOf({ project, client = "", most = MOST, machine }) {
  const all = machineOf(machine);
  const isWithin = withinOf(project, all);
  const [places, databases] = [placesOf(all), databasesOf(all)];
  const isClients = places.some((place) => place.client.test(client)) ? (place) => place.client.test(client) : () => true;
  const files = sessionsAt(places.filter(isClients), ({ mayHold }) => mayHold?.(project)).slice(0, MOST_READ);
  const stored = databases
    .filter(isClients)
    .flatMap(({ agent, sessions }) => sessions().map((session) => ({ agent, ...session })))
    .filter(({ folder }) => isWithin(folder));
  const found = [];
  for (const session of [...stored, ...files].sort((one, other) => other.changed - one.changed)) {
    if (found.length === most) break;
    if (!("place" in session) || belongs(session, project, isWithin))
      found.push({ agent: session.agent, name: session.name, changed: session.changed });
  }
  return found;
}

/** Returns the sessions of a program that were written last, of any project: `{ agent, name, changed }[]`. */
function newestOf({ client, most, machine }) {
  const all = machineOf(machine);
  const files = sessionsAt(placesOf(all).filter((place) => place.client.test(client)));
  return files.slice(0, most).map(({ agent, name, changed }) => ({ agent, name, changed }));
}

/** Returns the agents whose sessions are found, by the names of sessions. */
const agents = () => {
  const machine = machineOf({});
  return [...new Set([...placesOf(machine), ...databasesOf(machine)].map(({ agent }) => agent))];
};

module.exports = { agents, closedDatabase, findSessions, newestOf, sessionsOf };
