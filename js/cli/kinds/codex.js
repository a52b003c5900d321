"use strict";

// Rollouts of Codex: ~/.codex/sessions/**/rollout-*.jsonl. The program reads such a file again to continue (`codex
// resume`). A condensation is written as Codex writes its own: a line at the end with everything that is to be sent
// from there on.

const isObject = require("../../is-object.js");
const { asSent, limitFor } = require("./codex-outputs.js");
const { areSame } = require("./turns.js");

const isLine = (value) => isObject(value) && typeof value.type === "string" && !("role" in value) && "payload" in value;

/** Returns true if these values are the lines of a rollout. */
const sees = (values) => values.every(isLine) && values.some(({ type }) => type === "session_meta" || type === "response_item");

/** Returns the field that makes a line invalid. */
function faultOf({ type, payload }) {
  if (!isObject(payload)) return "payload";
  if (type === "response_item" && typeof payload.type !== "string") return "payload.type";
  if (type === "compacted" && payload.replacement_history != null && !isItems(payload.replacement_history))
    return "payload.replacement_history";
  return undefined;
}

const isItems = (value) => Array.isArray(value) && value.every(isObject);

/**
 * Reads the history as Codex sends it to the model: items of OpenAI's Responses API, long outputs cut. A compaction
 * replaces all items before it by its own, which are sent whole; lines of other types repeat the conversation for the
 * screen.
 */
function read({ lines, refuse }) {
  let messages = [];
  const policy = limitFor(lines.findLast(({ value }) => value.type === "turn_context")?.value.payload?.model);
  for (const line of lines) {
    const { type, payload } = line.value;
    const fault = faultOf(line.value);
    if (fault) refuse(line, fault);
    if (type === "response_item") messages.push(asSent(payload, policy));
    else if (type === "compacted" && payload.replacement_history != null) messages = [...payload.replacement_history];
  }
  const values = lines.map(({ value }) => value);
  const kept = values.map((value) => ({ before: value, after: value }));
  const written = (changed) => {
    if (areSame(changed, messages)) return kept;
    const compacted = { type: "compacted", payload: { message: "", replacement_history: changed.map(asItem) } };
    return [...kept, ...behind(values.at(-1), [compacted, ...statesFor(values, messages, changed)])];
  };
  return { messages, written };
}

/** Returns a message in the form that Codex reads: an item in any other form would make it drop the whole compaction. */
const asItem = (item) =>
  typeof item.role === "string" && typeof item.content === "string"
    ? { type: "message", ...item, content: [{ type: item.role === "assistant" ? "output_text" : "input_text", text: item.content }] }
    : item;

/** Returns lines for the end of a file. If the other lines are numbered, Codex refuses a session whose last line is not. */
const behind = ({ timestamp, ordinal }, lines) =>
  lines.map((line, index) => ({ after: { timestamp, ...(ordinal !== undefined && { ordinal: ordinal + 1 + index }), ...line } }));

/**
 * Returns the lines that tell Codex which facts about its environment the model already knows; after a compaction
 * without them it repeats all of them. They are written only if the messages with those facts are still there.
 */
function statesFor(values, messages, changed) {
  const left = new Set(changed);
  if (!messages.filter(isContext).every((item) => left.has(item))) return [];
  const full = values.findLastIndex(({ type, payload }) => type === "world_state" && payload?.full === true);
  const turn = values.findLast(({ type }) => type === "turn_context");
  if (full === -1 || turn === undefined || values.slice(full).some(({ type }) => type === "compacted")) return [];
  const states = values.slice(full).filter(({ type }) => type === "world_state");
  return [...states, turn].map(({ type, payload }) => ({ type, payload }));
}

/**
 * Returns true if an item may be one with which Codex described the environment: a developer message, or a user
 * message that is not marked as typed.
 */
function isContext({ type, role, internal_chat_message_metadata_passthrough: metadata }) {
  if (type !== "message" || role === "assistant") return false;
  const kinds = metadata?.content_item_kinds;
  return !(role === "user" && Array.isArray(kinds) && kinds.some((kind) => String(kind).startsWith("user.")));
}

/** Rollouts of 2025 contain the items directly, after a first line of metadata, and lines with the state. Codex no longer reads them. */
const isHead = (value) => value.type === undefined && typeof value.id === "string" && typeof value.timestamp === "string";
const isState = (value) => value.record_type === "state";

const codexOf2025 = {
  program: "Codex (2025)",
  format: "openai-responses",
  sees: (values) =>
    values.every(isObject) && isHead(values[0]) && values.slice(1).some((value) => isState(value) || typeof value.type === "string"),
  read({ lines, refuse }) {
    const items = lines.slice(1).filter(({ value }) => !isState(value));
    for (const line of items) if (typeof line.value.type !== "string") refuse(line, "type");
    return { messages: items.map(({ value }) => value) };
  },
  whole: () => (line) => {
    if (!isObject(line)) return undefined;
    if (isHead(line) || isState(line)) return [];
    return typeof line.type === "string" ? [{ message: line }] : undefined;
  },
};

/** Items without text of a participant: lists of tools, and data that only the service can read. */
const SILENT = new Set(["additional_tools", "compaction", "ghost_snapshot"]);

/** Returns the same key for items with the same content, whatever their ids. */
const keyOf = ({ type, role, call_id: id, content }) => JSON.stringify(id === undefined ? [type, role, content] : [type, id]);

/**
 * Reads the whole session: `take(line)` returns the pieces of a line. A compaction repeats the messages that it
 * keeps, and Codex repeats its instructions after it; both are read once. The rest of a compaction is its summary.
 */
function whole() {
  const taken = new Set();
  const isNew = (item) => {
    const key = keyOf(item);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  return (line) => {
    if (!isLine(line) || faultOf(line)) return undefined;
    const { type, payload } = line;
    if (type === "response_item") {
      const isRepeated = !isNew(payload) && payload.role === "developer";
      return isRepeated || SILENT.has(payload.type) ? [] : [{ message: payload }];
    }
    if (type !== "compacted") return [];
    const said = (payload.replacement_history ?? []).filter((item) => !SILENT.has(item.type) && isNew(item));
    const own = payload.message && payload.replacement_history == null ? [summaryItem(payload.message)] : [];
    const pieces = [...said, ...own].map((message) => ({ message, isSummary: message.role !== "developer" }));
    return [{ isBoundary: true }, ...pieces];
  };
}

const summaryItem = (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

module.exports = { codex: { program: "Codex", format: "openai-responses", appends: true, sees, read, whole }, codexOf2025 };
