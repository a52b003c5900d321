"use strict";

// Sessions of Claude Code and of its Agent SDK: ~/.claude/projects/*/*.jsonl. The program reads such a file again to
// continue (`--resume`, `resume`).

const { isRunEvent, isTranscriptLine } = require("../../formats.js");
const isObject = require("../../is-object.js");
const { contentFor, contentsOf, isSame, messagesOfTurns } = require("./turns.js");
const { relinked, wayTo } = require("./tree.js");

const LINKS = { id: "uuid", parent: "parentUuid", references: ["leafUuid"] };

const isRecord = (value) => isObject(value) && typeof value.type === "string" && !("role" in value);
const isOfMessage = (record) => (record.type === "user" || record.type === "assistant") && "message" in record;
const holdsMessage = (record) => isOfMessage(record) && isObject(record.message) && "role" in record.message;

/** Returns true if these values are records of a session. A session that has just begun has no messages yet. */
const sees = (values) =>
  values.every(isRecord) && !values.some(isRunEvent) && values.some((value) => isOfMessage(value) || isTranscriptLine(value));

/** Returns the field that makes a record invalid. */
function faultOf(record) {
  if (!isOfMessage(record)) return undefined;
  if (!isObject(record.message)) return "message";
  if (typeof record.message.role !== "string") return "message.role";
  const { content } = record.message;
  return typeof content === "string" || Array.isArray(content) ? undefined : "message.content";
}

/** Returns true if the model saw the content of a record. API errors and summaries are for people. */
const isShown = (record) => holdsMessage(record) && !record.isApiErrorMessage;

const blocksOf = ({ message: { content } }) => (Array.isArray(content) ? content : []);

/**
 * Returns the records that were last sent to the model, in order. Each record names its predecessor: abandoned
 * branches are left out, and so are records replaced by a compaction. Calls made together have a record each, with
 * their results as successors: the path from the last record has only one of them, so the others are added.
 */
function sentRecords(records) {
  const all = records.filter(isShown);
  // Sidechains belong to subagents, whose own files contain nothing else.
  const main = all.filter((record) => !record.isSidechain);
  const shown = main.length > 0 ? main : all;
  const last = shown.at(-1);
  if (last?.uuid === undefined) return shown;
  const line = wayTo(last, records, LINKS);
  const way = new Set(line);
  const answers = new Set(line.flatMap((record) => (record.type === "assistant" && record.message?.id) || []));
  for (const record of shown) if (record.type === "assistant" && answers.has(record.message.id)) way.add(record);
  const calls = new Set([...way].filter(isShown).flatMap((record) => blocksOf(record).flatMap((block) => block?.id ?? [])));
  for (const record of shown)
    if (blocksOf(record).some((block) => block?.type === "tool_result" && calls.has(block.tool_use_id))) way.add(record);
  const kept = keptByCompaction(line);
  const sent = shown.filter((record) => way.has(record) && !kept?.uuids.has(record.uuid));
  if (!kept) return sent;
  // They are sent after the summary, but are before it in the file.
  const at = sent.findIndex(({ uuid }) => uuid === kept.anchor) + 1;
  return [...sent.slice(0, at), ...shown.filter(({ uuid }) => kept.uuids.has(uuid)), ...sent.slice(at)];
}

/** Returns the messages that a compaction left unchanged. */
function keptByCompaction(way) {
  const { preservedMessages } = way.find(({ subtype }) => subtype === "compact_boundary")?.compactMetadata ?? {};
  return Array.isArray(preservedMessages?.uuids)
    ? { anchor: preservedMessages.anchorUuid, uuids: new Set(preservedMessages.uuids) }
    : undefined;
}

const areResults = (content) => Array.isArray(content) && content.length > 0 && content.every((block) => block?.type === "tool_result");

/**
 * Returns the message that a record is added to. Claude Code writes a record for each block of an answer, and one for
 * each result of calls made together; records of the same answer become one message again, even if a result comes
 * before the next call. User records in a row are sent as one message.
 */
function joins(messages, { role, content, record }) {
  if (role === "user") return messages.at(-1)?.role === "user" ? messages.length - 1 : -1;
  const { id } = record.message;
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const isSame = at >= 0 && id !== undefined && messages[at].id === id && Array.isArray(content) && Array.isArray(messages[at].content);
  return isSame && messages.slice(at + 1).every((message) => areResults(message.content)) ? at : -1;
}

function read({ lines, refuse }) {
  for (const line of lines) {
    const fault = faultOf(line.value);
    if (fault) refuse(line, fault);
  }
  const records = lines.map(({ value }) => value);
  const turns = sentRecords(records).map((record) => ({ record, role: record.message.role, content: contentIn(record) }));
  const messages = messagesOfTurns(turns, { joins, message: ({ record, content }) => ({ ...record.message, content }) });
  return { messages, written: (changed) => written(records, turns, changed) };
}

/** Returns the records for other messages: `{ before, after }[]`. */
function written(records, turns, messages) {
  const { contents, fresh } = contentsOf(messages);
  const byRecord = new Map(turns.map((turn) => [turn.record, turn]));
  const changed = (record) => {
    const turn = byRecord.get(record);
    if (!turn) return record;
    const content = contents.get(turn);
    if (content === undefined) return undefined;
    return isSame(turn, content) ? record : { ...record, message: { ...record.message, content: contentFor(turn, content) } };
  };
  const lines = records.map((before) => ({ before, after: changed(before) }));
  const next = new Map();
  for (const { message, before } of fresh) {
    const beside = before?.record ?? turns.at(-1)?.record;
    const line = { before: undefined, after: freshRecord(message, beside) };
    next.set(line, before?.record);
    const at = before ? lines.findIndex((each) => each.before === before.record) : lines.length;
    lines.splice(at, 0, line);
  }
  return relinked(lines, LINKS, (line) => next.get(line));
}

/** The fields that say where and by which program a record was written. */
const SETTING = ["isSidechain", "agentId", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "timestamp"];

function freshRecord({ role, content }, beside = {}) {
  const setting = Object.fromEntries(SETTING.filter((field) => field in beside).map((field) => [field, beside[field]]));
  const answer = {
    id: `msg_${globalThis.crypto.randomUUID()}`,
    type: "message",
    model: "<synthetic>",
    stop_reason: "end_turn",
    stop_sequence: null,
  };
  const isText = role === "assistant" && typeof content === "string";
  const blocks = isText ? [{ type: "text", text: content }] : content;
  const usage = { input_tokens: 0, output_tokens: 0 };
  const message = role === "assistant" ? { ...answer, role, content: blocks, usage } : { role, content };
  return { parentUuid: null, ...setting, type: role, message, uuid: globalThis.crypto.randomUUID(), ...(isText && { [IS_TEXT]: true }) };
}

/**
 * A field of our own records: an answer that was a text is written as a block, because Claude Code requires blocks.
 * With it, `restore` recognises the text.
 */
const IS_TEXT = "rooCondenseText";
const contentIn = ({ message: { content }, [IS_TEXT]: isText }) => (isText && content.length === 1 ? content[0].text : content);

/** Attachments with content of the user or of a file, as the text of a message. Other attachments list tools and states. */
const ATTACHED = {
  queued_command: ({ prompt }) => prompt,
  file: ({ filename, content }) => (isObject(content?.file) ? `${filename ?? ""}\n${content.file.content ?? ""}` : undefined),
};

function attachedMessage({ attachment }) {
  const content = isObject(attachment) ? ATTACHED[attachment.type]?.(attachment) : undefined;
  return typeof content === "string" || Array.isArray(content) ? { role: "user", content } : undefined;
}

/** Names the conversations of subagents. Old records have no `agentId`: such a conversation begins with a record that has no predecessor. */
function sidechainNames() {
  const names = new Map();
  let count = 0;
  return ({ isSidechain, agentId, uuid, parentUuid }) => {
    if (!isSidechain) return undefined;
    const name = agentId ? `subagent ${agentId}` : (names.get(parentUuid) ?? `subagent ${++count}`);
    if (!agentId) names.set(uuid, name);
    return name;
  };
}

/** Reads the whole session: `take(record)` returns the pieces of a record. */
function whole() {
  const taken = new Set();
  const threadOf = sidechainNames();
  return (record) => {
    if (!isRecord(record) || faultOf(record)) return undefined;
    // A resumed session may repeat records.
    if (record.uuid !== undefined && taken.has(record.uuid)) return [];
    taken.add(record.uuid);
    if (record.subtype === "compact_boundary") return [{ isBoundary: true }];
    const message = isOfMessage(record) && !record.isApiErrorMessage ? record.message : attachedMessage(record);
    if (!message) return [];
    const content = isOfMessage(record) ? contentIn(record) : message.content;
    return [{ message: { role: message.role, content }, thread: threadOf(record), isSummary: Boolean(record.isCompactSummary) }];
  };
}

module.exports = { program: "Claude Code", format: "anthropic", sees, read, whole };
