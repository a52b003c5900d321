"use strict";

// Sessions of Pi: ~/.pi/agent/sessions/--path--/*.jsonl. The program reads such a file again to continue
// (`--continue`, `--resume`). Sessions are trees; those of version 1 are not, and have no ids.

const isObject = require("../../is-object.js");
const { contentFor, contentsOf, isSame, messagesOfTurns, originalOf, standsFor } = require("./turns.js");
const { relinked, wayTo } = require("./tree.js");

const LINKS = { id: "id", parent: "parentId", references: ["targetId", "fromId"] };

const sees = (values) => isObject(values[0]) && values[0].type === "session" && typeof values[0].cwd === "string" && "id" in values[0];

/** Returns the field that makes an entry invalid. */
function faultOf(entry) {
  if (!isObject(entry) || typeof entry.type !== "string") return "type";
  if (entry.type === "compaction" || entry.type === "branch_summary") return typeof entry.summary === "string" ? undefined : "summary";
  if (entry.type !== "message") return undefined;
  if (!isObject(entry.message)) return "message";
  const { role, content } = entry.message;
  if (typeof role !== "string") return "message.role";
  return role in TURNS && !isContent(content) ? "message.content" : undefined;
}

const isContent = (content) => typeof content === "string" || (Array.isArray(content) && content.every(isObject));

/** Turns a block of Pi into one of the Messages API. */
const BLOCKS = {
  text: (block) => ({ type: "text", text: block.text }),
  image: ({ data, mimeType }) => ({ type: "image", source: { type: "base64", media_type: mimeType, data } }),
  thinking: ({ thinking, thinkingSignature: signature }) => ({ type: "thinking", thinking, ...(signature && { signature }) }),
  toolCall: ({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input }),
};
const blockOf = (block) => standsFor(BLOCKS[block.type]?.(block) ?? { ...block }, block);
const blocksOf = (content) => (typeof content === "string" ? content : content.map(blockOf));

/** Turns a block of the Messages API into one of Pi. */
function backOf(block) {
  const original = originalOf(block);
  if (!original) return block.type === "text" ? { type: "text", text: block.text } : block;
  if (block.type === "text") return { ...original, text: block.text };
  return block.type === "tool_use" ? { ...original, arguments: block.input } : original;
}
const backOfAll = (content) => (typeof content === "string" ? content : content.map(backOf));

/** The content of a message for the model, by its role. Failed answers are not sent. */
const TURNS = {
  user: ({ content }) => ({ role: "user", content: blocksOf(content) }),
  custom: ({ content }) => ({ role: "user", content: blocksOf(content) }),
  assistant: ({ content, stopReason }) =>
    stopReason === "error" || stopReason === "aborted" ? undefined : { role: "assistant", content: blocksOf(content) },
  toolResult: ({ content, toolCallId, isError }) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: toolCallId, content: blocksOf(content), ...(isError && { is_error: true }) }],
  }),
};

const ENTRIES = {
  message: ({ message }) => (message.role === "bashExecution" ? commandOf(message) : TURNS[message.role]?.(message)),
  custom_message: ({ content }) => (isContent(content) ? { role: "user", content: blocksOf(content) } : undefined),
  compaction: ({ summary }) => ({ role: "user", content: summary }),
  branch_summary: ({ summary }) => ({ role: "user", content: summary }),
};

/** Returns a command that the user ran, in the form in which Pi sends it to the model. */
const commandOf = ({ command, output, excludeFromContext }) =>
  excludeFromContext ? undefined : { role: "user", content: `Ran \`${command}\`\n\`\`\`\n${output ?? ""}\n\`\`\`` };

/**
 * A field of our own entries: an answer that was a text is written as a block, because Pi requires blocks. With it,
 * `restore` recognises the text.
 */
const IS_TEXT = "rooCondenseText";

function turnOf(record) {
  const said = ENTRIES[record.type]?.(record);
  const turn = said && record[IS_TEXT] && said.content.length === 1 ? { ...said, content: said.content[0].text } : said;
  return turn && turn.content !== "" && turn.content.length > 0 ? [{ record, ...turn }] : [];
}

/** Returns the entries that are sent: those on the path to the last one, and those that a compaction kept. */
function sentEntries(entries) {
  const way = hasIds(entries) ? wayTo(entries.at(-1), entries, LINKS) : entries;
  const at = way.findLastIndex(({ type }) => type === "compaction");
  if (at < 0) return way;
  const { firstKeptEntryId: id, firstKeptEntryIndex: index } = way[at];
  // The index counts from the line of the session.
  const first = index === undefined ? way.findIndex((entry) => entry.id === id) : index;
  return [way[at], ...(first < 0 ? [] : way.slice(first, at)), ...way.slice(at + 1)];
}

const hasIds = (entries) => entries.length > 1 && entries.slice(1).every((entry) => typeof entry.id === "string");

function read({ lines, refuse }) {
  for (const line of lines) {
    const fault = faultOf(line.value);
    if (fault) refuse(line, fault);
  }
  const entries = lines.map(({ value }) => value);
  const turns = sentEntries(entries).flatMap(turnOf);
  // A result has an entry of its own, and so may the user's text after it.
  const joins = (messages, { role }) => (role === "user" && messages.at(-1)?.role === "user" ? messages.length - 1 : -1);
  const messages = messagesOfTurns(turns, { joins, message: ({ role, content }) => ({ role, content }) });
  // Without ids, a compaction counts lines.
  const isCounted = !hasIds(entries) && entries.some(({ type }) => type === "compaction");
  return { messages, ...(!isCounted && { written: (changed) => written(entries, turns, changed) }) };
}

/** Returns the entry with other content. */
function changedEntry(entry, content) {
  if (entry.type === "custom_message") return { ...entry, content: backOfAll(content) };
  if (entry.type !== "message") return { ...entry, summary: textOf(content) };
  const { message } = entry;
  if (message.role === "bashExecution")
    return { ...entry, message: { role: "user", content: textOf(content), timestamp: message.timestamp } };
  if (message.role !== "toolResult") return { ...entry, message: { ...message, content: backOfAll(content) } };
  const [result] = content;
  const inner = typeof result.content === "string" ? [{ type: "text", text: result.content }] : backOfAll(result.content ?? []);
  return { ...entry, message: { ...message, content: inner } };
}

const textOf = (content) => (typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n"));

function written(entries, turns, messages) {
  const { contents, fresh } = contentsOf(messages);
  const byEntry = new Map(turns.map((turn) => [turn.record, turn]));
  const isLeft = (entry) => contents.has(byEntry.get(entry));
  const changed = (entry) => {
    const turn = byEntry.get(entry);
    if (!turn) return entry;
    const content = contents.get(turn);
    // Without the entry of a compaction, the entries that it replaced would be sent again.
    if (content === undefined && entry.type !== "compaction") return undefined;
    const kept = entry.type === "compaction" ? keptFrom(entry, turns, isLeft) : entry;
    return content !== undefined && isSame(turn, content) ? kept : changedEntry(kept, contentFor(turn, content ?? ""));
  };
  const lines = entries.map((before) => ({ before, after: changed(before) }));
  const next = new Map();
  for (const { message, before } of fresh) {
    const line = { before: undefined, after: freshEntry(message, turns, before?.record ?? entries.at(-1), hasIds(entries)) };
    next.set(line, before?.record);
    lines.splice(before ? lines.findIndex((each) => each.before === before.record) : lines.length, 0, line);
  }
  if (!hasIds(entries)) return lines.filter(({ after }) => after);
  // Pi sends the entries before a compaction only from the first kept entry on. So new entries in front of that entry
  // must be kept, too.
  for (const line of lines.filter(({ after }) => after?.type === "compaction")) {
    const inFront = lines.find((each) => next.get(each)?.id === line.after.firstKeptEntryId);
    if (inFront) line.after = { ...line.after, firstKeptEntryId: inFront.after.id };
  }
  return relinked(lines, LINKS, (line) => next.get(line));
}

/** Returns the compaction with its first remaining entry as the first kept one. */
function keptFrom(compaction, turns, isLeft) {
  const kept = turns.slice(turns.findIndex(({ record }) => record === compaction) + 1).map(({ record }) => record);
  const first = kept.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  if (first < 0 || isLeft(kept[first])) return compaction;
  return { ...compaction, firstKeptEntryId: kept.slice(first).find(isLeft)?.id ?? compaction.id };
}

function freshEntry({ role, content }, turns, beside, withIds) {
  const { timestamp } = beside;
  const id = globalThis.crypto.randomUUID().slice(0, 8);
  const isText = role === "assistant" && typeof content === "string";
  const blocks = isText ? [{ type: "text", text: content }] : backOfAll(content);
  const said = { role, content: blocks, timestamp: Date.parse(timestamp) || 0 };
  const { api, provider, model } = turns.find((turn) => turn.role === "assistant")?.record.message ?? {};
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const message = role === "assistant" ? { ...said, api, provider, model, usage, stopReason: "stop" } : said;
  return { type: "message", ...(withIds && { id, parentId: null }), timestamp, message, ...(isText && { [IS_TEXT]: true }) };
}

/** Reads the whole session: `take(entry)` returns the pieces of an entry, even of abandoned branches. */
function whole() {
  const taken = new Set();
  return (entry) => {
    if (faultOf(entry)) return undefined;
    if (entry.id !== undefined && taken.has(entry.id)) return [];
    taken.add(entry.id);
    const isSummary = entry.type === "compaction" || entry.type === "branch_summary";
    const pieces = turnOf(entry).map(({ role, content }) => ({ message: { role, content }, isSummary }));
    return [...(entry.type === "compaction" ? [{ isBoundary: true }] : []), ...pieces];
  };
}

module.exports = { program: "Pi", format: "anthropic", sees, read, whole };
