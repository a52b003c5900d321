"use strict";

// Which session a client of the Model Context Protocol is in the middle of, when it calls a tool of ours. The protocol does not say it. In this order: the session whose id the client sends
// with the call; the one whose newest lines hold this very call; the one that the client's environment names; the newest of the project.

const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: wait } = require("node:timers/promises");
const { valueIn, valuesOfLines } = require("./folder.js");
const { messagesInDatabase } = require("./session-files.js");
const { newestOf, sessionsOf } = require("./sessions.js");
const isObject = require("../is-object.js");

/** Bytes at the end of a file in which the newest call is looked for. */
const TAIL = 1 << 18;
/** Sessions in which the call is looked for. */
const MOST_LOOKED_AT = 12;
/** Bytes of a file of JSON that is read for the call. */
const LARGEST_JSON = 1 << 25;
/** Elements at its end that may hold the call. */
const NEWEST = 4;
/** Clients write a call down before or while they make it: Codex at once, Claude Code within 100 ms (November 2026). In milliseconds. */
const WAITS = [0, 40, 80, 160];
/** Shortest text that is taken for an id. */
const SHORTEST_ID = 8;

/** Variables of the environment by which clients name their session, and the project. */
const SESSION_VARIABLES = ["CLAUDE_CODE_SESSION_ID"];
const PROJECT_VARIABLES = ["CLAUDE_PROJECT_DIR"];

/** All texts in a value that may be ids. */
function textsIn(value) {
  if (typeof value === "string") return value.length >= SHORTEST_ID ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The values at the end of a session. A file of JSON is read for them, unless it is larger than a task gets. */
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

/** The elements of a session that is not in lines. */
function newestElements(file) {
  try {
    if (!file.endsWith(".json")) return messagesInDatabase(file) ?? [];
    const value = fs.statSync(file).size > LARGEST_JSON ? [] : valueIn(file);
    return [value?.messages ?? value ?? []].flat();
  } catch {
    return [];
  }
}

/** All objects in a value, at any depth that a record has. */
function* objectsIn(value, depth = 12) {
  if (typeof value !== "object" || value === null || depth === 0) return;
  if (isObject(value)) yield value;
  for (const each of Object.values(value)) yield* objectsIn(each, depth - 1);
}

/** Where programs keep the arguments of a call. */
const argumentsIn = (object) => [object.input, object.args, object.arguments, object.state?.input];

/** Whether a value says the same as the arguments of a call, which some programs keep as text. */
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

/** The id of a call in an object, if the object is this call: its name ends with the tool's, and it has the id that the client sent, or without such an id the arguments. */
function idOfCall(object, { name, args, ids }) {
  const own = [object.id, object.call_id, object.callID, object.toolCallId].find((id) => typeof id === "string");
  const called = object.name ?? object.tool_name ?? object.tool;
  if (typeof called !== "string" || !called.endsWith(name)) return undefined;
  if (ids) return ids.includes(own) ? own : undefined;
  return argumentsIn(object).some((value) => saysSame(value, args)) ? (own ?? "") : undefined;
}

const ID_FIELDS = ["tool_use_id", "call_id", "toolCallId", "tool_call_id", "id", "callID"];
const RESULT_FIELDS = ["content", "output", "result", "response", "error"];
/** Whether an object answers the call with this id. */
const answers = (object, id) => ID_FIELDS.some((field) => object[field] === id) && RESULT_FIELDS.some((field) => field in object);

/** Whether the newest lines of a session hold this call, without an answer. */
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
 * The session that holds a call. Two sessions may ask the same at once: the id that a client sends decides, if it sends one, and the arguments only at the end (`isLast`).
 */
function holderOf(sessions, { name, args, ids }, isLast) {
  const newest = sessions.slice(0, MOST_LOOKED_AT);
  const byId = ids.length > 0 && newest.find((session) => holdsCall(session.name, { name, ids }));
  return byId || (ids.length > 0 && !isLast ? undefined : newest.find((session) => holdsCall(session.name, { name, args })));
}

/** The project of a client: what it says, else the folder that it starts its servers in. */
const projectsOf = ({ env, roots, cwd }) => {
  const said = [...PROJECT_VARIABLES.flatMap((name) => env[name] || []), ...roots];
  return said.length > 0 ? [...new Set(said)] : [cwd];
};

/** The sessions of all projects of a client, the newest first. */
const candidatesOf = (client) =>
  projectsOf(client)
    .flatMap((project) => sessionsOf({ project, client: client.name, machine: client.machine }))
    .filter(({ name }, index, all) => all.findIndex((other) => other.name === name) === index)
    .sort((one, other) => other.changed - one.changed);

const named = (sessions, ids) =>
  sessions.find(({ name }) => ids.some((id) => path.basename(name).includes(id) || path.basename(path.dirname(name)) === id));

/**
 * The session that a call comes from, and how it is known: `{ name, how }`, or undefined if the project has none.
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
  // A client that does not say which project it works on may start its servers anywhere: the call itself tells.
  if (!client.name) return undefined;
  const others = newestOf({ client: client.name, most: MOST_LOOKED_AT, machine: client.machine });
  const found = holderOf(others, { name, args, ids }, true);
  return found && { name: found.name, how: "it holds this call" };
}

/** Other sessions of the same project, the newest first. */
const earlierSessions = (client, own, most) =>
  candidatesOf(client)
    .filter(({ name }) => name !== own)
    .slice(0, most);

module.exports = { earlierSessions, ownSession };
