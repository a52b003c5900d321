"use strict";

// Sessions of OpenCode in its database, ~/.local/share/opencode/opencode.db, where it stores them since 2026. It is
// opened for reading only, with Node's own SQLite (Node 22.13 and later): a package for it would be a second addon.

const { whole } = require("./opencode-storage.js");

/** Returns Node's SQLite; undefined in an older Node, for which there are no types. @type {() => any} */
const sqlite = () => /** @type {any} */ (process).getBuiltinModule?.("node:sqlite");

/** Runs `work` with the open database; returns undefined if this Node has no SQLite, or no database can be read. */
function withDatabase(file, work) {
  let database;
  try {
    const { DatabaseSync } = sqlite();
    database = new DatabaseSync(file, { readOnly: true });
    return work(database);
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

/** Returns true if this Node can read such a database. */
const canReadDatabases = () => sqlite() !== undefined;

/** Returns all sessions: `{ id, directory, parent, changed }[]`, the newest first. */
const sessionsIn = (file) =>
  withDatabase(file, (database) =>
    database.prepare("SELECT id, directory, parent_id AS parent, time_updated AS changed FROM session ORDER BY time_updated DESC").all(),
  ) ?? [];

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns a session as `opencode export` writes it: `{ info, parts }[]`, with undefined for a damaged message; undefined if it cannot be read. */
function messagesIn(file, session) {
  return withDatabase(file, (database) => {
    const rows = database.prepare("SELECT id, message_id AS message, data FROM part WHERE session_id = ? ORDER BY id").all(session);
    const parts = new Map(rows.map(({ message }) => [message, /** @type {any[]} */ ([])]));
    for (const row of rows) parts.get(row.message).push(row);
    return database
      .prepare("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id")
      .all(session)
      .map(({ id, data }) => {
        const info = parsed(data);
        const own = (parts.get(id) ?? []).map((row) => ({ ...parsed(row.data), id: row.id, messageID: id, sessionID: session }));
        return info && { info: { ...info, id, sessionID: session }, parts: own };
      });
  });
}

module.exports = { canReadDatabases, messagesIn, program: "OpenCode", format: "opencode", sessionsIn, whole };
