"use strict";

// Opens the source of a session on this machine by name: a file, folder or database, with the program that wrote it.

const fs = require("node:fs");
const { EXIT, Failure } = require("./exit-codes.js");
const { headOf, namesIn, valuesOfLines } = require("./folder.js");
const { unreadable } = require("./history-file.js");
const { listIn, parse } = require("./history-text.js");
const { isJsonLines } = require("./json-lines.js");
const claudeCodeFiles = require("./kinds/claude-code-files.js");
const { kindOfJson, kindOfLines } = require("./kinds/index.js");
const messageList = require("./kinds/messages.js");
const openCodeDatabase = require("./kinds/opencode-database.js");
const openCode = require("./kinds/opencode-storage.js");
const { RestoredLines, restoredText } = require("./restored-session.js");
const { Elements, Lines } = require("./session-source.js");
const { bytes: shownBytes, visible } = require("./terminal.js");
const { seenIn } = require("../formats.js");
const isObject = require("../is-object.js");
const { told } = require("../words.js");

/** Number of bytes at the beginning of a file that determine its kind. */
const HEAD = 1 << 20;
/** Maximum number of lines examined for the kind: the first ones may be damaged. */
const MOST_LINES = 200;
/** Maximum size of a JSON file in bytes: it is in memory three times, as bytes, text and values. */
const LARGEST_JSON = 1 << 27;

/** The function that lists the further files of a session, by program. */
const BESIDES = Object.freeze({ "Claude Code": claudeCodeFiles.besides });

/** Separates the database from the session in the name of an OpenCode session. */
const IN_DATABASE = "#";

/**
 * A session as it is read for recall.
 * @typedef {object} Part
 * @property {string} name of the file
 * @property {any} source one of session-source.js
 * @property {() => (value: any) => any[] | undefined} whole
 * @property {string | undefined} program undefined for a list of messages
 * @property {string | undefined} format of its messages; undefined if each message states its own
 * @property {string} [thread] the subagent whose conversation the file contains
 * @property {string} [session] the session's name in a list of sessions
 */

/** Parses a name like `opencode.db#ses_…` to `{ file, session }`. */
function inDatabase(name) {
  const [, file, session] = /^(.*\.db)#(ses_\w+)$/.exec(name) ?? [];
  return file === undefined ? undefined : { file, session };
}

/** Returns the messages of a session with such a name. */
function messagesInDatabase(name) {
  const stored = inDatabase(name);
  return stored && openCodeDatabase.messagesIn(stored.file, stored.session);
}

const nameInDatabase = (file, session) => `${file}${IN_DATABASE}${session}`;

/** Returns a text from the sizes and times of files, which changes if any of them changes; undefined if the first is missing. */
function versionOf(files) {
  const stats = files.map((file) => fs.statSync(file, { throwIfNoEntry: false }));
  return stats[0] && stats.map((stat) => (stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : "")).join();
}

/** Returns the part of an element that must not change: its content, without fields that hosts add. */
function signOf(element) {
  const { role, content, parts, info, message } = isObject(element) ? element : {};
  return JSON.stringify([role, content, parts, info?.id, message]);
}

const needsNewerNode = (name) =>
  `${visible(name)} is a database of OpenCode, which Node ${process.versions.node} cannot read; run roo-condense with Node 22.13 or newer`;

/** Returns a session in OpenCode's database. SQLite writes changes to the log beside the database first, so the log counts for the version. */
function partInDatabase(name, { file, session }) {
  if (!openCodeDatabase.canReadDatabases()) throw new Failure(EXIT.unreadable, needsNewerNode(name));
  const read = () => openCodeDatabase.messagesIn(file, session);
  const source = new Elements({ version: () => versionOf([file, `${file}-wal`]), read, signOf });
  return { ...openCodeDatabase, name, source };
}

/** Returns an OpenCode session that is stored in a folder. */
function partInFolder(name) {
  const readFile = (file) => parse(fs.readFileSync(file, "utf8"), visible(file));
  const { storage, id } = /** @type {{ storage: string, id: string }} */ (openCode.sessionAt(name));
  const folder = `${storage}/message/${id}`;
  const partsOf = (message) => `${storage}/part/${message.replace(/\.json$/, "")}`;
  // OpenCode overwrites the parts of the newest messages.
  const filesOf = (message) => namesIn(partsOf(message)).map((part) => `${partsOf(message)}/${part}`);
  const version = () => {
    const messages = namesIn(folder);
    return versionOf([name, folder, ...messages.map(partsOf), ...messages.slice(-2).flatMap(filesOf)]);
  };
  const source = new Elements({ version, read: () => openCode.storedSession(name, readFile)?.messages, signOf });
  return { name, source, whole: openCode.whole, program: openCode.PROGRAM, format: "opencode" };
}

/** Returns the kind of a file of lines, from its first ones; a list of messages counts as one, too. Refuses others by name. */
function kindOfHead(name, head) {
  const values = valuesOfLines(head).filter(isObject).slice(0, MOST_LINES);
  const kind = values.map((_, index) => kindOfLines(values.slice(0, index + 1))).find(Boolean);
  if (kind) return kind;
  const { format } = seenIn(values);
  if (format === undefined && !values.some((value) => "role" in value))
    throw new Failure(EXIT.notMessages, told("file.noMessage", { name: visible(name), count: values.length }));
  return { whole: messageList.whole, program: undefined, format };
}

function partOfJson(name) {
  const shownName = visible(name);
  /** @type {any} */
  let kind;
  const read = () => {
    const { size } = fs.statSync(name);
    if (size > LARGEST_JSON) {
      const limit = shownBytes(LARGEST_JSON);
      throw new Failure(EXIT.unreadable, `${shownName}: ${shownBytes(size)} of JSON in one value; at most ${limit} can be searched`);
    }
    const text = restoredText(name, fs.readFileSync(name, "utf8"));
    // The original that was condensed to this JSON file has one message per line.
    if (isJsonLines(text)) {
      kind = { ...kindOfHead(name, text.slice(0, HEAD)), hasLines: true };
      return valuesOfLines(text);
    }
    const root = parse(text, shownName);
    const found = kindOfJson(root);
    if (found) {
      kind = found;
      return found.elementsOf(root);
    }
    const { messages, format } = listIn(root, shownName);
    kind = { whole: format === "opencode" ? openCode.whole : messageList.whole, program: undefined, format };
    return messages;
  };
  // The first reading, which determined the kind, is used once.
  let first = read();
  const source = new Elements({
    version: () => versionOf([name]),
    read: () => {
      const elements = first ?? readAgain(read);
      first = undefined;
      return elements;
    },
    signOf: (element) => (kind.hasLines ? JSON.stringify(element) : signOf(element)),
  });
  return { ...kind, name, source };
}

/** Reads a JSON file again. While it is being written, it is not JSON, and the previous content remains. */
function readAgain(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure || error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns true if a file contains one value per line: by its extension, or because its first line is an object and a second object follows. */
const holdsLines = (name, head) => /\.jsonl$/i.test(name) || /^\s*\{.*\}\s*\n\s*\{/.test(head.slice(0, HEAD));

/**
 * Opens the session with a name. Throws if it is not a session; the error names the file.
 * @param {string} name
 * @param {number} [most] bytes of lines to read at most
 * @returns {Part}
 */
function partAt(name, most) {
  const stored = inDatabase(name);
  if (stored) return partInDatabase(name, stored);
  if (openCode.sessionAt(name)) return partInFolder(name);
  try {
    if (fs.statSync(name).isDirectory()) throw Object.assign(new Error("is a folder"), { code: "EISDIR" });
    const head = headOf(name, HEAD);
    if (head.trim() === "") throw new Failure(EXIT.notJson, told("file.blank", { name: visible(name) }));
    if (!holdsLines(name, head)) return partOfJson(name);
    return { ...kindOfHead(name, head), name, source: new RestoredLines(name, new Lines(name, most)) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unreadable(name, error);
  }
}

/** Opens the parts of sessions: their own files, and their subagents' files. Each is opened once. */
class SessionFiles {
  #parts = new Map();

  /**
   * @param {string} name
   * @param {{ most?: number, session?: string }} [options] `most`: maximum bytes to read of a file; `session`: the session's name in a list
   * of sessions
   * @returns {Part[]}
   */
  partsAt(name, { most, session } = {}) {
    const part = this.#opened(name, () => ({ ...partAt(name, most), session }));
    const others = (BESIDES[part.program ?? ""]?.(name) ?? []).map(({ file, thread }) =>
      this.#opened(file, () => ({ ...part, name: file, source: new Lines(file, most), thread })),
    );
    return [part, ...others];
  }

  #opened(name, open) {
    const part = this.#parts.get(name) ?? open();
    this.#parts.set(name, part);
    return part;
  }
}

module.exports = { SessionFiles, messagesInDatabase, nameInDatabase, needsNewerNode };
