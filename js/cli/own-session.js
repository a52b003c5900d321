"use strict";

// Finds the current session of a client of the Model Context Protocol that calls our tool, because the protocol does not
// identify it. The order is: the session whose id the client sends with the call; the one whose newest lines contain
// this call; the one named by the client's environment; the newest one of the project.

const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: wait } = require("node:timers/promises");
const { valueIn, valuesOfLines } = require("./folder.js");
const { messagesInDatabase } = require("./session-files.js");
const { newestOf, sessionsOf } = require("./sessions.js");
const isObject = require("../is-object.js");

/** Bytes at the end of a file that are searched for the newest call. */
const TAIL = 1 << 18;
/** The number of sessions that are searched for the call. */
const MOST_LOOKED_AT = 12;
/** The largest JSON file that is read for the call, in bytes. */
const LARGEST_JSON = 1 << 25;
/** The number of last elements that may contain the call. */
const NEWEST = 4;
/**
 * The waits for the call, in milliseconds: clients write a call before or while they make it, Codex at once, Claude
 * Code within 100 ms (November 2026).
 */
const WAITS = [0, 40, 80, 160];
/** The length of the shortest text that may be an id. */
const SHORTEST_ID = 8;

/** Environment variables with which clients name their session, and the project. */
const SESSION_VARIABLES = ["CLAUDE_CODE_SESSION_ID"];
const PROJECT_VARIABLES = ["CLAUDE_PROJECT_DIR"];

/** Returns all texts in a value that may be ids. */
function textsIn(value) {
  if (typeof value === "string") return value.length >= SHORTEST_ID ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Returns the values at the end of a session. A JSON file is parsed as a whole, unless it is larger than a task gets. */
function newestValues(file) {
  if (!file.endsWith(".jsonl")) return newestElements(file).slice(-NEWEST);
  let descriptor;
  try {
    descriptor = fs.openSync(file, "r");
    const { size } = fs.fstatSync(descriptor);
    const tail = Buffer.alloc(Math.min(size, TAIL));
    fs.readSync(descriptor, tail, 0, tail.length, size - tail.length);
    return valuesOfLines(tail.toString("utf8"));
  } catch {
    return [];
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Returns the elements of a session that is not in lines. */
function newestElements(file) {
  try {
    if (!file.endsWith(".json")) return messagesInDatabase(file) ?? [];
    const value = fs.statSync(file).size > LARGEST_JSON ? [] : valueIn(file);
    return [value?.messages ?? value ?? []].flat();
  } catch {
    return [];
  }
}

/** Yields all objects in a value, at any depth that a record has. */
function* objectsIn(value, depth = 12) {
  if (typeof value !== "object" || value === null || depth === 0) return;
  if (isObject(value)) yield value;
  for (const each of Object.values(value)) yield* objectsIn(each, depth - 1);
}

/** Returns the fields in which programs store the arguments of a call. */
const argumentsIn = (object) => [object.input, object.args, object.arguments, object.state?.input];

/** Returns true if a value equals the arguments of a call, which some programs store as text. */
function saysSame(value, args) {
  if (typeof value === "string") {
    try {
      return saysSame(JSON.parse(value), args);
    } catch {
      return false;
    }
  }
  return isObject(value) && JSON.stringify(sorted(value)) === JSON.stringify(sorted(args));
}

const sorted = (object) => Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1));

/**
 * Returns the id of a call in an object if the object is this call: its name ends with the tool's, and it has the id
 * that the client sent or, without an id, the same arguments.
 */
function idOfCall(object, { name, args, ids }) {
  const own = [object.id, object.call_id, object.callID, object.toolCallId].find((id) => typeof id === "string");
  const called = object.name ?? object.tool_name ?? object.tool;
  if (typeof called !== "string" || !called.endsWith(name)) return undefined;
  if (ids) return ids.includes(own) ? own : undefined;
  return argumentsIn(object).some((value) => saysSame(value, args)) ? (own ?? "") : undefined;
}

const ID_FIELDS = ["tool_use_id", "call_id", "toolCallId", "tool_call_id", "id", "callID"];
const RESULT_FIELDS = ["content", "output", "result", "response", "error"];
/** Returns true if an object answers the call with this id. */
const answers = (object, id) => ID_FIELDS.some((field) => object[field] === id) && RESULT_FIELDS.some((field) => field in object);

/** Returns true if the newest lines of a session contain this call without an answer. */
function holdsCall(file, call) {
  let open;
  for (const value of newestValues(file))
    for (const object of objectsIn(value)) {
      const id = idOfCall(object, call);
      if (id !== undefined) open = id;
      if (open && answers(object, open)) open = undefined;
    }
  return open !== undefined;
}

/**
 * Returns the session that contains a call. Two sessions may make the same call at the same time: the id that the
 * client sends decides, if there is one, and the arguments only at the last attempt (`isLast`).
 */
function holderOf(sessions, { name, args, ids }, isLast) {
  const newest = sessions.slice(0, MOST_LOOKED_AT);
  const byId = ids.length > 0 && newest.find((session) => holdsCall(session.name, { name, ids }));
  return byId || (ids.length > 0 && !isLast ? undefined : newest.find((session) => holdsCall(session.name, { name, args })));
}

/** Returns the project of a client: its own statement, else the folder in which it starts its servers. */
const projectsOf = ({ env, roots, cwd }) => {
  const said = [...PROJECT_VARIABLES.flatMap((name) => env[name] || []), ...roots];
  return said.length > 0 ? [...new Set(said)] : [cwd];
};

/** Returns the sessions of all projects of a client, the newest first. */
const candidatesOf = (client) =>
  projectsOf(client)
    .flatMap((project) => sessionsOf({ project, client: client.name, machine: client.machine }))
    .filter(({ name }, index, all) => all.findIndex((other) => other.name === name) === index)
    .sort((one, other) => other.changed - one.changed);

const named = (sessions, ids) =>
  sessions.find(({ name }) => ids.some((id) => path.basename(name).includes(id) || path.basename(path.dirname(name)) === id));

/**
 * Returns the session that a call comes from, and how it was found: `{ name, how }`; undefined if the project has
 * none.
 * @param {{ name?: string, env: Record<string, string | undefined>, roots: string[], cwd: string, machine?: any }} client
 * @param {{ name: string, args: any, meta?: any }} call
 */
async function ownSession(client, { name, args, meta = {} }) {
  const ids = textsIn(meta);
  let sessions = candidatesOf(client);
  const sent = named(sessions, ids);
  if (sent) return { name: sent.name, how: "named by the client" };
  for (const pause of WAITS) {
    if (pause > 0) {
      await wait(pause);
      sessions = candidatesOf(client);
    }
    const found = holderOf(sessions, { name, args, ids }, pause === WAITS.at(-1));
    if (found) return { name: found.name, how: "it holds this call" };
  }
  const stated = named(
    sessions,
    SESSION_VARIABLES.flatMap((variable) => client.env[variable] || []),
  );
  if (stated) return { name: stated.name, how: "named by the client" };
  if (sessions.length > 0) return { name: sessions[0].name, how: "the newest of this project" };
  // A client that names no project may start its servers anywhere, so only the call itself can identify the session.
  if (!client.name) return undefined;
  const others = newestOf({ client: client.name, most: MOST_LOOKED_AT, machine: client.machine });
  const found = holderOf(others, { name, args, ids }, true);
  return found && { name: found.name, how: "it holds this call" };
}

/** Returns other sessions of the same project, the newest first. */
const earlierSessions = (client, own, most) =>
  candidatesOf(client)
    .filter(({ name }) => name !== own)
    .slice(0, most);

module.exports = { earlierSessions, ownSession };
