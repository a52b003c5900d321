"use strict";

// The kinds of files in which agents store conversations in another form than a list of messages. Each kind is a
// module with `program`, its name for people; `sees(values)`, which returns true if the values of the lines, or else
// the root, are of this kind; and `read({ lines | root, refuse })`, which returns `messages` and, if the program
// reads such a file again, `written(messages)`: `{ before, after }[]` for lines, else another root. `appends` is set
// if it writes a condensation at the end of the file. `refuse(place, field)` throws: a line, or a place in the root,
// is invalid for this kind.
//
// For recall each kind also reads the whole session, with the messages that compactions replaced. `whole()` returns
// `take(value)`, which is called with each line, or each of `elementsOf(root)`, in order; it keeps state, and returns
// pieces, or undefined for a damaged value. `format` is the format of their messages. A piece is `{ message, thread,
// isSummary }`: `thread` names the subagent whose conversation the message belongs to, and `isSummary` marks a text
// of the program that replaced older messages; or it is `{ isBoundary: true }`, a compaction.

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

/** Returns the kind of a file with these lines; undefined for a list of messages. */
const kindOfLines = (values) => OF_LINES.find((kind) => kind.sees(values));

/** Returns the kind of a file with this root; undefined for others. */
const kindOfJson = (root) => OF_JSON.find((kind) => kind.sees(root));

module.exports = { OF_JSON, OF_LINES, kindOfJson, kindOfLines };
