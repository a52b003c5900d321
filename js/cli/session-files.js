"use strict";

// The source of a session on this machine: the file, folder or database by its name, with the kind of program that wrote it.

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

/** Bytes at the beginning of a file by which its kind is known. */
const HEAD = 1 << 20;
/** Lines to look at for it: the first ones may be damaged. */
const MOST_LINES = 200;
/** Largest file of JSON, in bytes: it is held at once, as bytes, text and values. */
const LARGEST_JSON = 1 << 27;

/** By its program, what lists the other files of a session. */
const BESIDES = Object.freeze({ "Claude Code": claudeCodeFiles.besides });

/** Separates the database from the session in the name of one of OpenCode's. */
const IN_DATABASE = "#";

/**
 * A session as it is read for recall.
 * @typedef {object} Part
 * @property {string} name of the file
 * @property {any} source one of session-source.js
 * @property {() => (value: any) => any[] | undefined} whole
 * @property {string | undefined} program undefined for a list of messages
 * @property {string | undefined} format of its messages; undefined if each says it for itself
 * @property {string} [thread] the subagent that the file is the conversation of
 * @property {string} [session] what the session is called among others
 */

/** A name like `opencode.db#ses_…`, as `{ file, session }`. */
function inDatabase(name) {
  const [, file, session] = /^(.*\.db)#(ses_\w+)$/.exec(name) ?? [];
  return file === undefined ? undefined : { file, session };
}

/** The messages of a session that is named so. */
function messagesInDatabase(name) {
  const stored = inDatabase(name);
  return stored && openCodeDatabase.messagesIn(stored.file, stored.session);
}

const nameInDatabase = (file, session) => `${file}${IN_DATABASE}${session}`;

/** The size and time of files together: another one where any of them changed; undefined without the first. */
function versionOf(files) {
  const stats = files.map((file) => fs.statSync(file, { throwIfNoEntry: false }));
  return stats[0] && stats.map((stat) => (stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : "")).join();
}

/** The part of an element that must not change: all it says, without the tags that hosts add. */
function signOf(element) {
  const { role, content, parts, info, message } = isObject(element) ? element : {};
  return JSON.stringify([role, content, parts, info?.id, message]);
}

const needsNewerNode = (name) =>
  `${visible(name)} is a database of OpenCode, which Node ${process.versions.node} cannot read; run roo-condense with Node 22.13 or newer`;

/** A session in the database of OpenCode. A change to it is written to the log beside it first. */
function partInDatabase(name, { file, session }) {
  if (!openCodeDatabase.canReadDatabases()) throw new Failure(EXIT.unreadable, needsNewerNode(name));
  const read = () => openCodeDatabase.messagesIn(file, session);
  const source = new Elements({ version: () => versionOf([file, `${file}-wal`]), read, signOf });
  return { ...openCodeDatabase, name, source };
}

/** A session of OpenCode in a folder. */
function partInFolder(name) {
  const readFile = (file) => parse(fs.readFileSync(file, "utf8"), visible(file));
  const { storage, id } = /** @type {{ storage: string, id: string }} */ (openCode.sessionAt(name));
  const folder = `${storage}/message/${id}`;
  const partsOf = (message) => `${storage}/part/${message.replace(/\.json$/, "")}`;
  // Parts of the newest messages are written again where they are.
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
    // A session in lines that was condensed to a file of JSON.
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
  // It is read once for its kind.
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

/** A file of JSON is no JSON while it is written. What was read before remains. */
function readAgain(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure || error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether a file holds lines: by its ending, or because its first line is an object and a second one follows. */
const holdsLines = (name, head) => /\.jsonl$/i.test(name) || /^\s*\{.*\}\s*\n\s*\{/.test(head.slice(0, HEAD));

/**
 * The session that a name is of, to be read whole. Refuses what is none by name.
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

/** The parts of sessions: their own files, and those of their subagents. Each is opened once. */
class SessionFiles {
  #parts = new Map();

  /**
   * @param {string} name
   * @param {{ most?: number, session?: string }} [options] `most`: bytes to read of a file at most; `session`: what the session is called among others
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
