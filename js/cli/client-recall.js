"use strict";

// Recall for a client of the Model Context Protocol: over its current session and, on request, over earlier ones of
// its project.

const fs = require("node:fs");
const path = require("node:path");
const { Failure } = require("./exit-codes.js");
const { earlierSessions, ownSession } = require("./own-session.js");
const { redactor } = require("./session-cleaning.js");
const { SessionFiles, needsNewerNode } = require("./session-files.js");
const { SessionIndex } = require("./session-index.js");
const { closedDatabase } = require("./sessions.js");
const { bytes, plural, visible } = require("./terminal.js");
const { runTool } = require("../recall/ask.js");
const isObject = require("../is-object.js");

/**
 * Maximum bytes of session files that are read. With it, the index and the memory that Node needs to read them take less
 * than 1 GB (benches/recall-sessions.mjs).
 */
const MOST_BYTES = 320_000_000;
/** Maximum number of earlier sessions that are searched. */
const MOST_SESSIONS = 50;
/** Maximum number of characters of a query that are used. */
const LONGEST_QUERY = 2000;

const NO_SESSION =
  "There is no session file of this project that can be searched, so nothing can be recalled. Sessions are searched where coding agents keep them; roo-condense help mcp names the agents.";

function noSession({ name: client, machine }) {
  const closed = closedDatabase({ client, machine });
  return closed === undefined ? NO_SESSION : `Nothing can be recalled: ${needsNewerNode(closed)}.`;
}

const sizeOf = (name) => fs.statSync(name, { throwIfNoEntry: false })?.size ?? 0;

/** Returns the parts of a session that is optional: one that cannot be read is left out. */
function partsOrNone(files, name, options) {
  try {
    return files.partsAt(name, options);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Returns a name for a session among others: its day and the beginning of its id. */
function calledBy({ name, changed }) {
  const id = /[0-9a-f]{8}(?=[^/\\]*$)/.exec(name)?.[0] ?? path.basename(name, path.extname(name)).slice(-12);
  return `session ${new Date(changed).toISOString().slice(0, 10)} ${id}`;
}

class ClientRecall {
  #files = new SessionFiles();
  #index;
  #own;
  #patterns;
  #redact;

  /** @param {{ redact?: RegExp[] }} [options] */
  constructor({ redact = [] } = {}) {
    this.#patterns = redact;
    this.#index = new SessionIndex({ redact });
    this.#redact = redactor(redact);
  }

  /**
   * Returns the text that answers a call of the tool.
   * @param {{ name: string, args: any, meta?: any }} call
   * @param {Parameters<typeof ownSession>[0]} client
   */
  async answer(call, client) {
    return this.#redact(await this.#answer(call, client));
  }

  async #answer(call, client) {
    const args = isObject(call.args) ? call.args : {};
    const own = await ownSession(client, call);
    if (!own) return noSession(client);
    this.#turnTo(own.name);
    const isProject = args.sessions === "project";
    try {
      const parts = this.#files.partsAt(own.name, { most: MOST_BYTES });
      parts[0].source.isLive = true;
      const earlier = isProject ? this.#earlierParts(client, own.name) : { parts: [], leftOut: 0 };
      const all = [...parts, ...earlier.parts];
      await this.#index.update(all);
      const input = { ...args, ...(typeof args.query === "string" && { query: args.query.slice(0, LONGEST_QUERY) }) };
      // A key of another session is known only from that session's hits.
      const within = args.key === undefined ? this.#index.within(all) : undefined;
      return `${await runTool(input, this.#index.index, { within })}\n\n${noteOn(own, this.#index.stateOf(all), earlier)}`;
    } catch (error) {
      if (error instanceof Failure) return `Nothing can be recalled: ${error.message}.`;
      throw error;
    }
  }

  /** Detects that a client has begun another session with the same server. That session has other earlier sessions. */
  #turnTo(name) {
    if (this.#own !== undefined && this.#own !== name) {
      this.#files = new SessionFiles();
      this.#index = new SessionIndex({ redact: this.#patterns });
    }
    this.#own = name;
  }

  /** Returns the parts of earlier sessions, the newest first, as far as memory allows. */
  #earlierParts(client, own) {
    const parts = [];
    let left = MOST_BYTES - sizeOf(own);
    let leftOut = 0;
    for (const session of earlierSessions(client, own, MOST_SESSIONS)) {
      const found = partsOrNone(this.#files, session.name, { session: calledBy(session) });
      const size = found.reduce((sum, { name }) => sum + sizeOf(name), 0);
      if (found.length === 0 || size > left) {
        leftOut++;
        continue;
      }
      left -= size;
      parts.push(...found);
    }
    return { parts: parts.reverse(), leftOut };
  }
}

/** Returns the lines that tell a reader the source of an answer. */
function noteOn({ name, how }, { damaged, leftOut, isGone }, earlier) {
  const facts = [
    `Session: ${visible(path.basename(name))} (${how})`,
    ...(earlier.parts.length > 0 ? [`with ${plural(earlier.parts.length, "file")} of earlier sessions`] : []),
    ...(isGone ? ["it is no longer there; what was read before is searched"] : []),
    ...(damaged > 0 ? [`${plural(damaged, "damaged line")} skipped`] : []),
    ...(leftOut > 0 ? [`its oldest ${bytes(leftOut)} are not searched`] : []),
    ...(earlier.leftOut > 0 ? [`${plural(earlier.leftOut, "earlier session")} not searched`] : []),
  ];
  return `(${facts.join("; ")})`;
}

module.exports = { ClientRecall, MOST_BYTES };
