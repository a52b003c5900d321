"use strict";

// The kinds of files that agents keep their conversations in, where these are no list of messages. Each kind is a module: `program`, for people; `sees(values)`, of lines their values, else
// the root, whether a file is of it; and `read({ lines | root, refuse })`, which returns `messages` and, where the program reads such a file again, `written(messages)`: of lines
// `{ before, after }[]`, else another root; `appends`, if it writes a condensation at the end of what the file has. `refuse(place, field)` throws: a line, or a place in the root, cannot be read as what the file claims to be.
//
// For recall each kind also reads the whole session, with what compactions replaced. `whole()` returns `take(value)`, called with each line, or each of `elementsOf(root)`, in order; it
// keeps what it has seen, and returns pieces, or undefined for a damaged value; `format` is that of their messages. A piece is `{ message, thread, isSummary }`: `thread` names the subagent whose conversation
// the message belongs to, `isSummary` what the program wrote in the place of older messages; or `{ isBoundary: true }`, a compaction.

const claudeCode = require("./claude-code.js");
const { codex, codexOf2025 } = require("./codex.js");
const copilotChat = require("./copilot-chat.js");
const copilotCli = require("./copilot-cli.js");
const cursor = require("./cursor.js");
const { chat, chatLines } = require("./gemini-cli.js");
const goose = require("./goose.js");
const pi = require("./pi.js");

const OF_LINES = [codex, pi, copilotCli, chatLines, codexOf2025, goose, cursor, claudeCode];
const OF_JSON = [chat, copilotChat];

/** The kind that a file with these lines is of; undefined for a list of messages. */
const kindOfLines = (values) => OF_LINES.find((kind) => kind.sees(values));

/** The kind that a file with this root is of; undefined for others. */
const kindOfJson = (root) => OF_JSON.find((kind) => kind.sees(root));

module.exports = { OF_JSON, OF_LINES, kindOfJson, kindOfLines };
