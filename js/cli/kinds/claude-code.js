"use strict";

// Sessions of Claude Code and of its Agent SDK: ~/.claude/projects/*/*.jsonl. It reads such a file again to go on (`--resume`, `resume`).

const { isRunEvent, isTranscriptLine } = require("../../formats.js");
const isObject = require("../../is-object.js");
const { contentFor, contentsOf, isSame, messagesOfTurns } = require("./turns.js");
const { relinked, wayTo } = require("./tree.js");

const LINKS = { id: "uuid", parent: "parentUuid", references: ["leafUuid"] };

const isRecord = (value) => isObject(value) && typeof value.type === "string" && !("role" in value);
const isOfMessage = (record) => (record.type === "user" || record.type === "assistant") && "message" in record;
const holdsMessage = (record) => isOfMessage(record) && isObject(record.message) && "role" in record.message;

/** Whether these values are records of a session. One that has just begun holds no message yet. */
const sees = (values) =>
  values.every(isRecord) && !values.some(isRunEvent) && values.some((value) => isOfMessage(value) || isTranscriptLine(value));

/** What is wrong with a record, by the field. */
function faultOf(record) {
  if (!isOfMessage(record)) return undefined;
  if (!isObject(record.message)) return "message";
  if (typeof record.message.role !== "string") return "message.role";
  const { content } = record.message;
  return typeof content === "string" || Array.isArray(content) ? undefined : "message.content";
}

/** Whether the model saw the content of a record. API errors and summaries are for people. */
const isShown = (record) => holdsMessage(record) && !record.isApiErrorMessage;

const blocksOf = ({ message: { content } }) => (Array.isArray(content) ? content : []);

/**
 * The records that the model was last sent, in order. Records name the one before them: what somebody went back from is left out, and so is what a compaction replaced.
 * Calls made together are each a record, and their results hang on them: the way from the last record has only one of them, so the others are added.
 */
function sentRecords(records) {
  const all = records.filter(isShown);
  // Sidechains belong to subagents, whose own files hold nothing else.
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
  // They are sent behind the summary, but stand before it.
  const at = sent.findIndex(({ uuid }) => uuid === kept.anchor) + 1;
  return [...sent.slice(0, at), ...shown.filter(({ uuid }) => kept.uuids.has(uuid)), ...sent.slice(at)];
}

/** The messages that a compaction left as they were. */
function keptByCompaction(way) {
  const { preservedMessages } = way.find(({ subtype }) => subtype === "compact_boundary")?.compactMetadata ?? {};
  return Array.isArray(preservedMessages?.uuids)
    ? { anchor: preservedMessages.anchorUuid, uuids: new Set(preservedMessages.uuids) }
    : undefined;
}

const areResults = (content) => Array.isArray(content) && content.length > 0 && content.every((block) => block?.type === "tool_result");

/**
 * Claude Code writes a record for each block of an answer, and one for each result of calls made together; what belongs together becomes one message again, also where
 * a result came before the next call of the same answer. Records of the user in a row are sent as one message.
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

/** The records of other messages: `{ before, after }[]`. */
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

/** The fields that say where and by what a record was written. */
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

/** On a record of ours: an answer that was written as a block, because Claude Code wants blocks, is a text. So `restore` knows it again. */
const IS_TEXT = "rooCondenseText";
const contentIn = ({ message: { content }, [IS_TEXT]: isText }) => (isText && content.length === 1 ? content[0].text : content);

/** Attachments that hold what somebody said or a file that was shown, as the text of a message. Others list tools and states. */
const ATTACHED = {
  queued_command: ({ prompt }) => prompt,
  file: ({ filename, content }) => (isObject(content?.file) ? `${filename ?? ""}\n${content.file.content ?? ""}` : undefined),
};

function attachedMessage({ attachment }) {
  const content = isObject(attachment) ? ATTACHED[attachment.type]?.(attachment) : undefined;
  return typeof content === "string" || Array.isArray(content) ? { role: "user", content } : undefined;
}

/** Names the conversations of subagents. Old records have no `agentId`: such a conversation begins where a record names none before it. */
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

/** The whole session: `take(record)` gives the pieces of a record. */
function whole() {
  const taken = new Set();
  const threadOf = sidechainNames();
  return (record) => {
    if (!isRecord(record) || faultOf(record)) return undefined;
    // A session that was resumed may repeat records.
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
