"use strict";

// Chats of Gemini CLI: ~/.gemini/tmp/<hash>/chats/session-*.json, in later versions .jsonl. The program reads such a
// file again to continue (`--resume`). Checkpoints of `/chat save` are Gemini's contents, and need nothing from this
// module.

const isObject = require("../../is-object.js");
const { areSame, contentsOf, messagesOfTurns, originalOf, standsFor } = require("./turns.js");

const TYPES = new Set(["user", "gemini", "info", "error", "warning"]);
/** The beginnings of texts that are not sent: commands to the program, and context that it adds itself. */
const NOT_SENT = /^\s*(?:$|[/?]|<session_context>|<hook_context>)/;

const isRecord = (value) => isObject(value) && typeof value.id === "string" && TYPES.has(value.type);
const isChat = (value) => isObject(value) && typeof value.sessionId === "string" && typeof value.projectHash === "string";

const partsOf = (content) =>
  [content ?? []].flat().map((part, index) => standsFor(typeof part === "string" ? { text: part } : { ...part }, { content: index }));

const faultOf = ({ type, content, toolCalls }) => {
  const parts = [content ?? ""].flat();
  if (!parts.every((part) => typeof part === "string" || isObject(part))) return "content";
  return type === "gemini" && toolCalls !== undefined && !(Array.isArray(toolCalls) && toolCalls.every(isObject)) ? "toolCalls" : undefined;
};

/** Returns the parts that contain the result of a call. */
function resultsOf({ id, name, result }) {
  if (typeof result === "string") return result === "" ? [] : [{ functionResponse: { id, name, response: { output: result } } }];
  return [result ?? []].flat().filter(isObject);
}

/** Returns the turns of a record: for an answer its text and calls, followed by the results. Thoughts are not read. */
function turnsOf(record) {
  if (record.type === "user") {
    const content = partsOf(record.content);
    const text = content.map((part) => part.text ?? "").join("");
    const isSent = content.length > 0 && (content.some((part) => part.text === undefined) || !NOT_SENT.test(text));
    return isSent ? [{ record, role: "user", content }] : [];
  }
  if (record.type !== "gemini") return [];
  const own = partsOf(record.content).filter((part) => part.text !== "");
  const calls = record.toolCalls ?? [];
  // Later versions have everything in the content.
  const isWhole = own.some((part) => part.functionCall !== undefined || part.thought === true);
  const asked = isWhole
    ? []
    : calls.map(({ id, name, args }, call) =>
        standsFor({ functionCall: { ...(id !== undefined && { id }), name, args: args ?? {} } }, { call }),
      );
  const answered = calls.flatMap((each, call) => resultsOf(each).map((part, index) => standsFor({ ...part }, { call, result: index })));
  const turns = [
    { record, role: "model", content: [...own, ...asked] },
    { record, role: "user", content: answered },
  ];
  return turns.filter(({ content }) => content.length > 0);
}

function readRecords(records) {
  const turns = records.flatMap(turnsOf);
  const messages = messagesOfTurns(turns, { joins: () => -1, message: ({ role, content }) => ({ role, parts: content }) });
  return { messages, written: (changed) => written(records, turns, changed) };
}

/** Returns the records for other messages. */
function written(records, turns, messages) {
  const { contents, fresh } = contentsOf(messages, { field: "parts", splits: false });
  const before = new Map();
  for (const { message, before: turn } of fresh)
    before.set(turn?.record, [...(before.get(turn?.record) ?? []), freshRecord(message, turn?.record ?? records.at(-1))]);
  const said = new Map();
  for (const turn of turns) said.set(turn.record, [...(said.get(turn.record) ?? []), ...(contents.get(turn) ?? [])]);
  const isUntouched = (record) =>
    turns.every(
      (turn) =>
        turn.record !== record ||
        (contents.get(turn)?.length === turn.content.length && turn.content.every((part, index) => part === contents.get(turn)[index])),
    );
  const changed = (record) => {
    const parts = said.get(record);
    if (!parts || isUntouched(record)) return [record];
    return parts.length === 0 ? [] : [changedRecord(record, parts)];
  };
  const all = records.flatMap((record) => [...(before.get(record) ?? []), ...changed(record)]);
  return [...all, ...(before.get(undefined) ?? [])];
}

/** Returns the parts of a record by their role in it. A new part after a result belongs to that result. */
function byPlace(parts) {
  const own = [];
  const calls = new Map();
  let last;
  for (const part of parts) {
    const place = originalOf(part) ?? (last?.result === undefined ? {} : last);
    last = place;
    if (place.call === undefined) {
      own.push(part);
      continue;
    }
    const call = calls.get(place.call) ?? { result: [] };
    calls.set(place.call, call);
    if (place.result === undefined) call.args = part.functionCall.args;
    else call.result.push(part);
  }
  return { own, calls };
}

function changedRecord(record, parts) {
  const { own, calls } = byPlace(parts);
  const isText = typeof record.content === "string" && own.length <= 1 && own.every((part) => Object.keys(part).join() === "text");
  const content = isText ? (own[0]?.text ?? "") : own;
  if (record.toolCalls === undefined) return { ...record, content };
  const toolCalls = record.toolCalls.flatMap((call, index) => {
    const left = calls.get(index);
    if (!left) return own.some((part) => part.functionCall?.id === call.id) ? [call] : [];
    return [{ ...call, ...(left.args && { args: left.args }), ...(call.result !== undefined && { result: left.result }) }];
  });
  return { ...record, content, toolCalls };
}

const freshRecord = ({ role, parts }, beside) => ({
  id: globalThis.crypto.randomUUID(),
  timestamp: beside?.timestamp,
  type: role === "model" ? "gemini" : "user",
  content: parts,
});

/**
 * Reads the whole chat: `take(line)` returns the pieces of a line, or of a record of the older form. Records are
 * written again when they gain results, and responses are in the record of the call as well as in a user message;
 * each is read once. A list of all records that lacks earlier ones is a compression: its new content is the summary.
 */
function whole() {
  const taken = new Set();
  let current = new Set();
  const isNew = (key) => !taken.has(key) && Boolean(taken.add(key));
  /** Returns the parts of a turn that were not read yet. A part without an id is identified by its record and place. */
  const freshParts = (record, parts) =>
    parts.filter(({ functionCall, functionResponse }, index) => {
      const place = `${record.id} ${index}`;
      if (functionCall) return isNew(`call ${functionCall.id ?? place}`);
      return isNew(functionResponse ? `response ${functionResponse.id ?? place}` : `part ${place}`);
    });
  const piecesOf = (record, isSummary) =>
    turnsOf(record).flatMap(({ role, content }) => {
      const parts = freshParts(record, content);
      return parts.length === 0 ? [] : [{ message: { role, parts }, isSummary }];
    });
  const takeOne = (record, isSummary = false) => {
    current.add(record.id);
    return piecesOf(record, isSummary);
  };
  const takeAll = (records) => {
    const known = current;
    current = new Set(records.map(({ id }) => id));
    const isShorter = [...known].some((id) => !current.has(id));
    const pieces = records.flatMap((record) => takeOne(record, isShorter && !known.has(record.id)));
    return [...(isShorter ? [{ isBoundary: true }] : []), ...pieces];
  };
  return (value) => {
    if (!isObject(value)) return undefined;
    const list = value.$set?.messages ?? (isChat(value) ? (value.messages ?? []) : undefined);
    if (list !== undefined) return Array.isArray(list) ? takeAll(list.filter((record) => isRecord(record) && !faultOf(record))) : undefined;
    if (isObject(value.$set) || value.$rewindTo !== undefined) return [];
    return isRecord(value) && !faultOf(value) ? takeOne(value) : undefined;
  };
}

const chat = {
  program: "Gemini CLI",
  format: "gemini",
  elementsOf: ({ messages }) => messages,
  whole,
  sees: (root) => isChat(root) && Array.isArray(root.messages) && root.messages.every(isRecord) && root.messages.length > 0,
  read({ root, refuse }) {
    root.messages.forEach((record, index) => {
      const fault = faultOf(record);
      if (fault) refuse(`messages[${index}]`, fault);
    });
    const { messages, written } = readRecords(root.messages);
    return { messages, written: (changed) => ({ ...root, messages: written(changed) }) };
  },
};

/** Returns the records after all lines. A record replaces an earlier one with the same id; lines with a `$` change all records. */
function replayed(lines, refuse) {
  let records = [];
  for (const line of lines) {
    const { value } = line;
    if (!isObject(value)) refuse(line, "id");
    if (value.$set !== undefined) {
      if (!isObject(value.$set)) refuse(line, "$set");
      const { messages } = value.$set;
      if (messages !== undefined && !(Array.isArray(messages) && messages.every(isRecord))) refuse(line, "$set.messages");
      if (messages) records = [...messages];
    } else if (value.$rewindTo !== undefined) {
      // An unknown id removes everything, as in Gemini CLI.
      records = records.slice(
        0,
        Math.max(
          0,
          records.findIndex(({ id }) => id === value.$rewindTo),
        ),
      );
    } else if (isRecord(value)) {
      const fault = faultOf(value);
      if (fault) refuse(line, fault);
      const at = records.findIndex(({ id }) => id === value.id);
      if (at < 0) records.push(value);
      else records[at] = value;
    } else if (isChat(value)) {
      // A whole chat of the older form, on one line.
      if (Array.isArray(value.messages)) records = value.messages.filter(isRecord);
    } else refuse(line, "type");
  }
  return records;
}

const chatLines = {
  program: "Gemini CLI",
  format: "gemini",
  appends: true,
  whole,
  sees: (values) => isChat(values[0]) && values[0].type === undefined,
  read({ lines, refuse }) {
    const { messages, written } = readRecords(replayed(lines, refuse));
    const kept = lines.map(({ value }) => ({ before: value, after: value }));
    return {
      messages,
      written: (changed) => (areSame(changed, messages) ? kept : [...kept, { after: { $set: { messages: written(changed) } } }]),
    };
  },
};

module.exports = { chat, chatLines };
