"use strict";

// Sessions of OpenCode in files, as it stored them before it had a database:
// storage/session/<project>/<session>.json, storage/message/<session>/<message>.json and
// storage/part/<message>/<part>.json. They are read as the single file that `opencode export` writes and `opencode
// import` reads; the folders are not written.

const fs = require("node:fs");
const path = require("node:path");
const { EXIT, Failure } = require("../exit-codes.js");
const isObject = require("../../is-object.js");
const { visible } = require("../terminal.js");
const { told } = require("../../words.js");

const PROGRAM = "OpenCode";

/** Returns the folder `storage` and the session for a path; undefined for any other path. */
function sessionAt(name) {
  const file = path.resolve(name);
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf("session");
  const isSession = at > 0 && parts[at - 1] === "storage" && at === parts.length - 3 && /^ses_.*\.json$/.test(parts.at(-1) ?? "");
  return isSession ? { storage: parts.slice(0, at).join(path.sep), id: path.basename(file, ".json") } : undefined;
}

/** Returns the values of the files in a folder in the order of their names, which is that of time; none if there is no folder. */
function valuesIn(folder, readFile) {
  let names;
  try {
    names = fs.readdirSync(folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => ({ file: path.join(folder, name), value: readFile(path.join(folder, name)) }));
}

function requireField({ file, value }, field) {
  if (isObject(value) && typeof value[field] === "string") return;
  throw new Failure(EXIT.notMessages, told("file.notOfKind", { name: visible(file), program: PROGRAM, field }));
}

/**
 * Returns the session for a path, with its messages: `{ info, messages }`; undefined for any other path.
 * `readFile(name)` reads a file of JSON.
 * @param {string} name
 * @param {(name: string) => any} readFile
 */
function storedSession(name, readFile) {
  const found = sessionAt(name);
  if (!found) return undefined;
  const { storage, id } = found;
  const info = readFile(name);
  const messages = valuesIn(path.join(storage, "message", id), readFile).map((message) => {
    for (const field of ["id", "role"]) requireField(message, field);
    const parts = valuesIn(path.join(storage, "part", message.value.id), readFile);
    for (const part of parts) for (const field of ["id", "type"]) requireField(part, field);
    return { info: message.value, parts: parts.map(({ value }) => value) };
  });
  const created = ({ info: { time } }) => time?.created ?? 0;
  return { info, messages: messages.sort((one, other) => created(one) - created(other)) };
}

/** Returns a part with the tool's own output, which is kept beside the text that replaces it when it is sent. */
const uncleared = (part) =>
  part?.state?.time?.compacted === undefined
    ? part
    : { ...part, state: { ...part.state, time: { ...part.state.time, compacted: undefined } } };

/** The types of parts without content: start and end of steps, and states of the files. */
const SILENT = new Set(["compaction", "step-start", "step-finish", "snapshot", "patch"]);

/**
 * Reads the whole session: `take(message)` returns the pieces of a message. A compaction is a part of a user message,
 * and the next answer is its summary.
 */
const whole = () => (message) => {
  if (!isObject(message) || !isObject(message.info) || !Array.isArray(message.parts)) return undefined;
  const { info, parts } = message;
  const isBoundary = parts.some((part) => part?.type === "compaction");
  const said = parts.filter((part) => !SILENT.has(part?.type)).map(uncleared);
  const pieces = said.length > 0 ? [{ message: { info, parts: said }, isSummary: info.summary === true }] : [];
  return [...(isBoundary ? [{ isBoundary }] : []), ...pieces];
};

module.exports = { PROGRAM, sessionAt, storedSession, whole };
