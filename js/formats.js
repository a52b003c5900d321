"use strict";

// Which format messages are in. Those of others look enough like Anthropic's to be taken for them: calls and results would not be seen, and so be torn apart.
// The formats with a `format` are read (src/formats); the others are refused by name.

const { argumentError, notAllowed } = require("./errors.js");
const isObject = require("./is-object.js");

/** So many blocks at most are looked at: an array may be little more than a length. */
const MANY = 100_000;
const objectsIn = (array) => (Array.isArray(array) ? (array.length > MANY ? array.slice(0, MANY) : array).filter(isObject) : []);
const blocksOf = (message) => objectsIn(message.content);
const partsOf = (message) => objectsIn(message.parts);
/** What messages of agents are in their own files, and of chats in exports: they have no role. */
const hasNoRole = (message) => message.role === undefined;
const isText = (value) => typeof value === "string";
const RESPONSES_ITEMS =
  /^(?:(?:function|custom_tool|computer|local_shell|shell|apply_patch|mcp|web_search|file_search|code_interpreter|image_generation)_call(?:_output)?|item_reference|mcp_list_tools|mcp_approval_re(?:quest|sponse))$/;
const RESPONSES_PARTS = /^(?:input|output)_(?:text|image|file|audio)$/;
/** Lines of a Claude Code transcript beside those of messages. */
const TRANSCRIPT_LINES = new Set(["summary", "file-history-snapshot", "queue-operation"]);
/** Lines of a Codex rollout, each with its content as `payload`. */
const ROLLOUT_LINES = new Set(["session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"]);
const LANGCHAIN_TYPES = new Set(["human", "ai", "system", "tool", "function", "remove", "HumanMessageChunk", "AIMessageChunk"]);

/** Whether a message is an instance of a class of LangChain's. */
const isInstance = (message) =>
  isObject(message) &&
  (typeof message._getType === "function" || (typeof message.getType === "function" && Array.isArray(message.lc_namespace)));

/** Whether a value is a line of a Claude Code transcript beside those of messages. */
const isTranscriptLine = (value) =>
  isObject(value) && TRANSCRIPT_LINES.has(value.type) && ("leafUuid" in value || "messageId" in value || "operation" in value);

/** Each format, and what of a message belongs to no other: its words for an error message, or nothing. In this order, the surest first. */
const FORMATS = [
  {
    name: "LangChain messages",
    format: "langchain",
    // Models of Anthropic's have their calls in the content, too.
    holdsOurs: true,
    sees(message) {
      if (isInstance(message)) return "an instance of a message class";
      if (Array.isArray(message.additional_kwargs?.tool_calls) && message.additional_kwargs.tool_calls.length > 0)
        return "additional_kwargs with tool_calls";
      if (message.lc === 1 && Array.isArray(message.id)) return `a serialized ${String(message.id.at(-1))}`;
      if (LANGCHAIN_TYPES.has(message.type) && isObject(message.data) && "content" in message.data)
        return `type "${message.type}" with data`;
      if (hasNoRole(message) && LANGCHAIN_TYPES.has(message.type) && (isText(message.content) || Array.isArray(message.content)))
        return `type "${message.type}" in the place of a role`;
    },
  },
  {
    name: "lines of a Pi session",
    advice: "take `message` of each line of type message, and convert its parts (docs/formats.md)",
    sees: (message) =>
      hasNoRole(message) &&
      message.type === "message" &&
      isObject(message.message) &&
      isText(message.message.role) &&
      'type "message" around a message',
  },
  {
    name: "messages of a Gemini CLI chat",
    advice: "give what it sends: { role, parts } with functionCall and functionResponse parts (docs/formats.md)",
    sees: (message) => hasNoRole(message) && message.type === "gemini" && "content" in message && 'type "gemini"',
  },
  {
    name: "items of a Continue session",
    advice:
      "take `message` of each item, without role thinking, and give its `toolCalls` as `tool_calls`, `toolCallId` as `tool_call_id` (docs/formats.md)",
    sees: (message) =>
      hasNoRole(message) && isObject(message.message) && Array.isArray(message.contextItems) && "contextItems beside a message",
  },
  {
    name: "lines of a Claude Code transcript",
    advice:
      "take `message` of each line of type user or assistant, without those with isSidechain; the command line reads such files as they are (docs/formats.md)",
    sees(message) {
      if (!hasNoRole(message)) return undefined;
      if (isObject(message.message) && isText(message.message.role)) return "`message` around a message";
      if (isTranscriptLine(message)) return `a line of type "${message.type}"`;
    },
  },
  {
    name: "lines of a Codex rollout",
    advice:
      "take the `payload` of each line of type response_item, behind the newest line of type compacted its `replacement_history` first: these are items of OpenAI's Responses API; the command line reads such files as they are (docs/formats.md)",
    sees(message) {
      if (!hasNoRole(message)) return undefined;
      if (ROLLOUT_LINES.has(message.type) && isObject(message.payload)) return `a line of type "${message.type}"`;
      // Those of 2025 have the items themselves, behind a first line of their own.
      if (message.record_type === "state") return 'record_type "state"';
    },
  },
  {
    name: "OpenCode messages",
    format: "opencode",
    isCut: true,
    sees: (message) => hasNoRole(message) && isObject(message.info) && Array.isArray(message.parts) && "info and parts",
  },
  {
    name: "OpenCode messages without info",
    advice: "give messages as OpenCode exports them, { info, parts }",
    sees: (message) =>
      blocksOf(message).some(({ type, callID }) => type === "tool" && isText(callID)) && 'a part of type "tool" in the content',
  },
  {
    name: "messages of the user interface of Cline or Roo-Code",
    advice: "give the messages of api_conversation_history.json, not those of ui_messages.json",
    sees: (message) =>
      hasNoRole(message) && (message.type === "say" || message.type === "ask") && isText(message[message.type]) && `type "${message.type}"`,
  },
  {
    name: "ShareGPT messages",
    sees: (message) => hasNoRole(message) && isText(message.from) && isText(message.value) && "from and value",
  },
  {
    name: "messages of a chat export",
    sees: (message) => hasNoRole(message) && isText(message.sender) && isText(message.text) && "sender and text",
  },
  {
    name: "Cohere chat messages (v1)",
    sees: (message) =>
      isText(message.role) && message.content === undefined && isText(message.message) && "message in the place of content",
  },
  {
    name: "messages of the language models of VS Code",
    sees: (message) => typeof message.role === "number" && Array.isArray(message.content) && "a number as role",
  },
  {
    name: "AI SDK 4 UIMessage",
    advice: "convert them to messages of version 5 or later first (the AI SDK's migration guide)",
    sees(message) {
      if (Array.isArray(message.toolInvocations) && message.toolInvocations.length > 0) return "toolInvocations";
      return partsOf(message).some(({ type }) => type === "tool-invocation") && 'a part of type "tool-invocation"';
    },
  },
  {
    name: "AI SDK UIMessage",
    format: "ai-sdk-ui",
    sees(message) {
      const parts = partsOf(message).filter(({ type }) => isText(type));
      const isInParts = parts.length > 0 && (message.content === undefined || message.content === "");
      return isText(message.role) && (isInParts || parts.some(({ type }) => type.startsWith("tool-"))) && "parts";
    },
  },
  {
    name: "AI SDK ModelMessage",
    format: "ai-sdk-model",
    sees(message) {
      const part = blocksOf(message).find(
        ({ type, toolCallId, approvalId, image, source, mediaType }) =>
          ((type === "tool-call" || type === "tool-result") && isText(toolCallId)) ||
          ((type === "tool-approval-request" || type === "tool-approval-response") && isText(approvalId)) ||
          (type === "image" && image !== undefined && source === undefined) ||
          (type === "file" && isText(mediaType)),
      );
      return part && `a part of type "${part.type}"`;
    },
  },
  {
    name: "OpenAI Responses items",
    format: "openai-responses",
    isCut: true,
    sees(message) {
      // Roo-Code sends encrypted reasoning among messages that are otherwise Anthropic's.
      const isReasoning = message.type === "reasoning" && !isText(message.encrypted_content);
      if (hasNoRole(message) && (isReasoning || RESPONSES_ITEMS.test(String(message.type)))) return `an item of type "${message.type}"`;
      const part = blocksOf(message).find(({ type }) => RESPONSES_PARTS.test(String(type)) || type === "function_call");
      return part && `a part of type "${part.type}"`;
    },
  },
  {
    name: "messages with toolCall parts",
    sees(message) {
      if (message.role === "toolResult") return 'role "toolResult"';
      const part = blocksOf(message).find(({ type, name }) => type === "toolCall" && isText(name));
      return part && 'a part of type "toolCall"';
    },
  },
  {
    name: "OpenAI chat messages",
    format: "openai-chat",
    sees(message) {
      const isCalled = blocksOf(message).some(({ type }) => type === "tool_use");
      if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0 && !isCalled) return "tool_calls";
      if (isObject(message.function_call) && !isCalled) return "function_call";
      // As Mistral's SDK for JavaScript writes them.
      if (Array.isArray(message.toolCalls) && message.toolCalls.some((call) => isObject(call?.function)) && !isCalled) return "toolCalls";
      if (message.role === "tool" || message.role === "function") return `role "${message.role}"`;
      const part = blocksOf(message).find(({ type }) => (type === "image_url" || type === "input_audio") && message.role === "user");
      return part && `a part of type "${part.type}"`;
    },
  },
  {
    name: "Gemini contents",
    format: "gemini",
    sees(message) {
      const isPart = (part) => ["text", "functionCall", "functionResponse", "inlineData"].some((name) => name in part);
      if (message.role === "user" && message.content === undefined && partsOf(message).some(isPart)) return "parts";
      if (blocksOf(message).some((part) => part.type === undefined && (isObject(part.functionCall) || isObject(part.functionResponse))))
        return "a part with a function call or its response";
      if (message.role === "model") return 'role "model"';
    },
  },
  {
    name: "Bedrock Converse messages",
    format: "bedrock-converse",
    sees(message) {
      if (hasNoRole(message)) return undefined;
      const block = blocksOf(message).find((part) => part.type === undefined && (isObject(part.toolUse) || isObject(part.toolResult)));
      if (block) return "toolUse" in block ? "a toolUse block" : "a toolResult block";
      if (blocksOf(message).some((part) => part.type === undefined && isObject(part.reasoningContent))) return "a reasoningContent block";
      if (blocksOf(message).some((part) => part.type === undefined && isText(part.text))) return "text without a type";
    },
  },
];

const ADVICE = "convert them to messages of the Anthropic Messages API first (tool_use and tool_result blocks; docs/formats.md)";

const OUR_BLOCKS = new Set(["text", "tool_use", "tool_result", "image", "thinking", "redacted_thinking", "document", "search_result"]);
const THEIR_FIELDS = [
  ...["tool_calls", "toolCalls", "function_call", "lc", "data", "getType", "_getType"],
  ...["additional_kwargs", "toolInvocations", "parts"],
];

/** Whether nothing can be foreign about a value: what most messages and blocks are is seen at a glance. */
function isPlainlyOurs(value) {
  if (OUR_BLOCKS.has(value.type)) return value.role === undefined;
  const { role, content } = value;
  if (role !== "user" && role !== "assistant") return false;
  if (THEIR_FIELDS.some((field) => value[field] !== undefined)) return false;
  return (
    isText(content) ||
    (Array.isArray(content) &&
      (content.length > MANY || content.every((block) => OUR_BLOCKS.has(block?.type) && block.image === undefined)))
  );
}

/** Whether a message has calls or results as Anthropic's have them. */
const hasOurPairs = (message) => blocksOf(message).some(({ type }) => type === "tool_use" || type === "tool_result");
/** Whether the service has put a summary in the place of all before: then they are read as other formats are. */
const hasCompaction = (message) =>
  isObject(message) && message.role === "assistant" && blocksOf(message).some(({ type }) => type === "compaction");

const OWN = { name: "messages of the Anthropic Messages API", format: "anthropic" };
const NAMES = [OWN, ...FORMATS].flatMap(({ format }) => format ?? []);

/** Messages that were read from another format: what their blocks hold may look like it. */
const ours = new WeakSet();

/** Marks messages as Anthropic's, whatever stands in them. */
function takeAsOurs(messages) {
  for (const message of messages) if (isObject(message)) ours.add(message);
  return messages;
}

/** The formats that a message is seen to be of: the row, and the words for what was seen. `first` is tried before all others. */
function rowOf(message, first) {
  if (!isObject(message) || isPlainlyOurs(message) || ours.has(message)) return undefined;
  for (const row of first ? [first, ...FORMATS] : FORMATS) {
    const seen = row.sees(message);
    if (seen) return { row, seen };
  }
  return undefined;
}

/** The first message in the format of others, with what was seen and what to do; undefined where there is none. */
function foreignIn(messages) {
  for (const [index, message] of messages.entries()) {
    const found = rowOf(message);
    if (found)
      return {
        index,
        told: `${found.seen}: these are ${found.row.name}, which are not ${found.row.format ? "read here" : "supported"}; ${found.row.advice ?? ADVICE}`,
      };
  }
  return undefined;
}

const refusal = (holder, index, told) => {
  const field = `${holder}[${index}]`;
  return Object.assign(argumentError("unsupported_format", `${field}: ${told}`), { field });
};

/**
 * Throws `unsupported_format` when messages are in a format of others; `holder` names the array. What is merely odd is carried through: only what belongs to
 * another format and to no other shape of Anthropic's counts. A leading `system` message does not.
 */
function refuseForeign(messages, holder = "context.messages") {
  const foreign = foreignIn(messages);
  if (!foreign) return;
  const field = `${holder}[${foreign.index}]`;
  throw argumentError("unsupported_format", `${field}: ${foreign.told}`, { field });
}

/** What of an instance of LangChain's is read: its JSON has another form than the instance. */
const FIELDS = ["id", "name", "content", "tool_calls", "tool_call_id", "status", "additional_kwargs"];
function viewOf(message) {
  if (!isInstance(message)) return message;
  const view = { type: typeof message._getType === "function" ? message._getType() : message.getType() };
  for (const field of FIELDS) if (message[field] !== undefined) view[field] = message[field];
  return view;
}

/** The messages as they are handed to the addon. */
const asRead = (messages, format) => (format === "langchain" ? messages.map(viewOf) : messages);

/** Whether messages at the beginning may count nothing because of later ones. */
const isCut = (format) => format === OWN.format || FORMATS.some((row) => row.format === format && row.isCut === true);

/** Throws when `format` is not the name of one. */
function requireFormat(format, field = "options.format") {
  if (format !== undefined && !NAMES.includes(format)) throw notAllowed(field, format, NAMES.map((name) => `"${name}"`).join(", "));
}

/**
 * Which format the messages are in by what is seen in them; where `named` says it, only what belongs to another one is looked for. What cannot be read is none:
 * writing the messages as JSON tells its place.
 */
function seenIn(messages, named) {
  try {
    const isHollow = messages.length > MANY && Object.keys(messages).length * 2 < messages.length;
    return isHollow ? {} : lookedAt(messages, named);
  } catch {
    return {};
  }
}

function lookedAt(messages, named) {
  /** @type {any} */
  let known = FORMATS.find(({ format }) => format !== undefined && format === named);
  if (named === OWN.format) known = OWN;
  let said = known && `the option format is "${named}"`;
  let ours;
  for (const [index, message] of messages.entries()) {
    if (isObject(message) && hasOurPairs(message)) ours ??= index;
    const found = rowOf(message, known === OWN ? undefined : known);
    if (!found || found.row === known) continue;
    const { row, seen } = found;
    if (known)
      return { index, told: `${seen}: these are ${row.name}, but ${said}; all messages have to be of one format (docs/formats.md)` };
    if (!row.format) return { index, told: `${seen}: these are ${row.name}, which are not supported; ${row.advice ?? ADVICE}` };
    known = row;
    said = `message ${index} has ${seen}, and so they are ${row.name}`;
  }
  if (ours !== undefined && known && known !== OWN && !known.holdsOurs)
    return {
      index: ours,
      told: `tool_use or tool_result: these are ${OWN.name}, but ${said}; all messages have to be of one format (docs/formats.md)`,
    };
  if (known && known !== OWN) return { format: known.format };
  return { format: messages.some(hasCompaction) ? OWN.format : undefined };
}

/**
 * The name of the format that messages are in; undefined for Anthropic's. `named` is what the caller says.
 * Throws `unsupported_format` where it is one that is not read, or several.
 */
function formatOf(messages, named, holder = "context.messages") {
  requireFormat(named);
  const { index, told, format } = seenIn(messages, named);
  if (told) throw refusal(holder, index, told);
  return format;
}

module.exports = { NAMES, asRead, isCut, isInstance, isTranscriptLine, formatOf, refuseForeign, requireFormat, seenIn, takeAsOurs };
