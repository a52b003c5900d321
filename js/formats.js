"use strict";

// Recognises the format of messages. Messages of other formats look enough like Anthropic's to be mistaken for them;
// their calls and results would not be recognised, and so be separated. So a format is recognised by marks that no
// other has, and must then explain every message. The formats with a `format` are read (src/formats); the others are
// refused by name, and messages that no format explains are refused with what was found.

const { argumentError, notAllowed, shown } = require("./errors.js");
const isObject = require("./is-object.js");
const { isHollow } = require("./place.js");

/** Maximum number of blocks examined: an array may be little more than a length. */
const MANY = 100_000;
const objectsIn = (array) => (Array.isArray(array) ? (array.length > MANY ? array.slice(0, MANY) : array).filter(isObject) : []);
const blocksOf = (message) => objectsIn(message.content);
const partsOf = (message) => objectsIn(message.parts);
/** Returns true for messages in agents' own files and in exports of chats, which have no role. */
const hasNoRole = (message) => message.role === undefined;
const isText = (value) => typeof value === "string";
const RESPONSES_ITEMS =
  /^(?:(?:function|custom_tool|computer|local_shell|shell|apply_patch|mcp|web_search|file_search|code_interpreter|image_generation)_call(?:_output)?|item_reference|mcp_list_tools|mcp_approval_re(?:quest|sponse))$/;
const RESPONSES_PARTS = /^(?:input|output)_(?:text|image|file)$/;
/** Lines of a Claude Code transcript that are not messages. */
const TRANSCRIPT_LINES = new Set(["summary", "file-history-snapshot", "queue-operation"]);
/** Lines of a Codex rollout, each with its content as `payload`. */
const ROLLOUT_LINES = new Set(["session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"]);
const LANGCHAIN_TYPES = new Set(["human", "ai", "system", "tool", "function", "remove", "HumanMessageChunk", "AIMessageChunk"]);

/** Returns true if a message is an instance of a LangChain class. */
const isInstance = (message) =>
  isObject(message) &&
  (typeof message._getType === "function" || (typeof message.getType === "function" && Array.isArray(message.lc_namespace)));

/** Returns true if a value is a line of a Claude Code transcript that is not a message. */
const isTranscriptLine = (value) =>
  isObject(value) && TRANSCRIPT_LINES.has(value.type) && ("leafUuid" in value || "messageId" in value || "operation" in value);

/**
 * Returns true if a value is an event of a program's run, as Claude Code, Cursor and Gemini CLI print them with
 * `--output-format stream-json`. Lines of Claude Code's sessions name the line before them, and their session in
 * another way.
 */
const isRunEvent = (value) =>
  isObject(value) && hasNoRole(value) && isText(value.type) && isText(value.session_id) && !("parentUuid" in value);

/** Returns true for a part of Gemini's, with names as the API or Python's client writes them. */
const isGeminiPart = (part) =>
  ["text", "functionCall", "function_call", "functionResponse", "function_response", "inlineData", "inline_data"].some(
    (name) => part[name] != null,
  );
const callsOfGemini = (part) =>
  isObject(part.functionCall ?? part.function_call) || isObject(part.functionResponse ?? part.function_response);

const hasRole = (message) => isText(message.role);
const isListOrText = (value) => isText(value) || Array.isArray(value);
/** Returns true if a message contains anything but texts and numbers in other fields. */
const holdsBeside = (message, fields) =>
  Object.entries(message).some(([name, value]) => !fields.includes(name) && (Array.isArray(value) ? value.length > 0 : isObject(value)));
/** Returns true if the content is in one of these fields, or missing: a message without content is damaged, and carried through. */
const saidIn =
  (...fields) =>
  (message) =>
    fields.some((field) => isListOrText(message[field])) || !holdsBeside(message, []);
const saidInContent = saidIn("content");

/**
 * Each format: `sees` returns the mark in a message that belongs to no other format, in words for an error message.
 * `suggests` returns marks that may also belong to others; they count if no other marks were found. `speaks` returns
 * true if the message's role is the format's, by default a role; `explains` returns true if the content is where the
 * format has it, by default in `content`; `knows` recognises its parts, so that a call of `assistant` or `model` and
 * its result in unknown parts are refused; `fields` are those of a message that has a role and content like
 * one of Anthropic's; `isCut`: later messages may replace the first ones; `holdsOurs`: calls and results may be in
 * Anthropic's form. The most certain formats come first.
 */
const FORMATS = [
  {
    name: "LangChain messages",
    format: "langchain",
    // Anthropic's models have their calls in the content too.
    holdsOurs: true,
    fields: ["lc", "data", "getType", "_getType", "additional_kwargs", "tool_calls"],
    speaks: (message) => isInstance(message) || isText(message.type) || message.lc === 1 || hasRole(message),
    explains: (message) => !hasRole(message) || saidInContent(message),
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
    name: "events of a run, as `--output-format stream-json` and `codex exec --json` print them",
    advice: "give the session's own file or its messages; events repeat parts of them and lack others (docs/formats.md)",
    sees(message) {
      if (isRunEvent(message)) return `type "${message.type}" with a session_id`;
      const isOfCodex = hasNoRole(message) && /^(?:thread|turn|item)\.[a-z]+$/.test(String(message.type));
      return isOfCodex && `an event of type "${message.type}"`;
    },
  },
  {
    name: "messages of an Amp thread",
    sees: (message) =>
      blocksOf(message).some(({ type, toolUseID }) => type === "tool_result" && isText(toolUseID)) && "a tool_result with toolUseID",
  },
  {
    name: "messages of a Zed thread",
    fields: ["segments"],
    sees(message) {
      if (Array.isArray(message.segments)) return "segments in the place of content";
      const speaker = ["User", "Agent"].find((name) => hasNoRole(message) && isObject(message[name]));
      return speaker && `${speaker} in the place of a role`;
    },
  },
  {
    name: "events of OpenHands",
    sees(message) {
      if (!hasNoRole(message) || !isText(message.source)) return undefined;
      const field = ["action", "observation", "kind"].find((name) => isText(message[name]));
      return field && `${field} "${message[field]}" of source "${message.source}"`;
    },
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
      // Rollout files of 2025 contain the items directly, after a first line of metadata.
      if (message.record_type === "state") return 'record_type "state"';
    },
  },
  {
    name: "OpenCode messages",
    format: "opencode",
    isCut: true,
    speaks: (message) => isObject(message.info),
    explains: (message) => Array.isArray(message.parts),
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
    fields: ["toolInvocations", "parts"],
    sees(message) {
      if (Array.isArray(message.toolInvocations) && message.toolInvocations.length > 0) return "toolInvocations";
      return partsOf(message).some(({ type }) => type === "tool-invocation") && 'a part of type "tool-invocation"';
    },
  },
  {
    name: "AI SDK UIMessage",
    format: "ai-sdk-ui",
    fields: ["parts"],
    explains: saidIn("parts", "content"),
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
          ((type === "file" || type === "reasoning-file") && isText(mediaType)),
      );
      return part && `a part of type "${part.type}"`;
    },
  },
  {
    name: "OpenAI Responses items",
    format: "openai-responses",
    isCut: true,
    speaks: (message) => hasRole(message) || isText(message.type),
    explains: (message) => !hasRole(message) || saidInContent(message),
    sees(message) {
      // Roo-Code sends encrypted reasoning among messages that are otherwise Anthropic's.
      const isReasoning = message.type === "reasoning" && !isText(message.encrypted_content);
      if (hasNoRole(message) && (isReasoning || RESPONSES_ITEMS.test(String(message.type)))) return `an item of type "${message.type}"`;
      const part = blocksOf(message).find(({ type }) => RESPONSES_PARTS.test(String(type)) || type === "function_call");
      return part && `a part of type "${part.type}"`;
    },
  },
  {
    name: "Goose messages",
    format: "goose",
    fields: ["metadata"],
    sees(message) {
      if (isObject(message.metadata) && typeof message.metadata.agentVisible === "boolean") return "metadata with agentVisible";
      const part = blocksOf(message).find(
        ({ type, id, toolCall, toolResult }) =>
          isText(id) && ((type === "toolRequest" && isObject(toolCall)) || (type === "toolResponse" && isObject(toolResult))),
      );
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
    fields: ["tool_calls", "toolCalls", "function_call"],
    // A refusal or spoken response replaces the content, as calls do.
    explains: (message) => saidInContent(message) || CHAT_FIELDS.some((name) => message[name] != null),
    // Responses has the same form.
    suggests: (message) =>
      message.role === "user" && blocksOf(message).some(({ type }) => type === "input_audio") && 'a part of type "input_audio"',
    sees(message) {
      const isCalled = blocksOf(message).some(({ type }) => type === "tool_use");
      if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0 && !isCalled) return "tool_calls";
      if (isObject(message.function_call) && !isCalled) return "function_call";
      // The form of Mistral's SDK for JavaScript.
      if (Array.isArray(message.toolCalls) && message.toolCalls.some((call) => isObject(call?.function)) && !isCalled) return "toolCalls";
      // Gemini has a role `function` too.
      if ((message.role === "tool" || message.role === "function") && message.parts === undefined) return `role "${message.role}"`;
      return message.role === "user" && blocksOf(message).some(({ type }) => type === "image_url") && 'a part of type "image_url"';
    },
  },
  {
    name: "Gemini contents",
    format: "gemini",
    fields: ["parts"],
    knows:
      /^(?:text|thought|(?:thought_?signature|function_?call|function_?response|inline_?data|file_?data|executable_?code|code_?execution_?result)|video_?metadata|media_?resolution|part_?metadata|tool_?call|tool_?response)$/i,
    speaks: (message) => message.role == null || hasRole(message),
    explains: saidIn("parts", "content"),
    sees(message) {
      const isOfParts = message.role === "user" || message.role === "function" || message.role === null;
      if (isOfParts && message.content === undefined && partsOf(message).some(isGeminiPart)) return "parts";
      if (blocksOf(message).some((part) => part.type === undefined && callsOfGemini(part)))
        return "a part with a function call or its response";
      if (message.role === "model") return 'role "model"';
    },
  },
  {
    name: "Bedrock Converse messages",
    format: "bedrock-converse",
    knows:
      /^(?:text|image|document|video|audio|toolUse|toolResult|guardContent|cachePoint|reasoningContent|citationsContent|searchResult)$/,
    sees(message) {
      if (hasNoRole(message)) return undefined;
      const block = blocksOf(message).find((part) => part.type === undefined && (isObject(part.toolUse) || isObject(part.toolResult)));
      if (block) return "toolUse" in block ? "a toolUse block" : "a toolResult block";
      if (blocksOf(message).some((part) => part.type === undefined && isObject(part.reasoningContent))) return "a reasoningContent block";
      if (blocksOf(message).some((part) => part.type === undefined && isText(part.text))) return "text without a type";
    },
  },
];

const OF_ONE = "all messages have to be of one format (docs/formats.md)";
const ADVICE = "convert them to messages of the Anthropic Messages API first (tool_use and tool_result blocks; docs/formats.md)";

/** Fields of an assistant's chat message that may replace the content. */
const CHAT_FIELDS = ["tool_calls", "toolCalls", "function_call", "refusal", "audio"];
const OUR_BLOCKS = new Set(["text", "tool_use", "tool_result", "image", "thinking", "redacted_thinking", "document", "search_result"]);
const THEIR_FIELDS = [...new Set(FORMATS.flatMap(({ fields = [] }) => fields))];

/** Returns true if a block that is half of a pair contains what identifies the pair. */
function isWhole(block) {
  if (block.type === "tool_use") return isText(block.id) && isText(block.name);
  return block.type !== "tool_result" || isText(block.tool_use_id);
}

const isOurBlock = (block) => OUR_BLOCKS.has(block?.type) && block.image === undefined && isWhole(block);

/** Returns true if a message clearly contains nothing foreign, as most do. */
function isPlainlyOurs(message) {
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") return false;
  if (THEIR_FIELDS.some((field) => message[field] !== undefined)) return false;
  return isText(content) || (Array.isArray(content) && (content.length > MANY || content.every(isOurBlock)));
}

/** Returns true if every block of a message was examined, and nothing in it is foreign or a summary of the service's. */
const isWhollyOurs = (message) =>
  isObject(message) && isPlainlyOurs(message) && (isText(message.content) || message.content.length <= MANY);

/** Returns true if a message has calls or results in Anthropic's form. */
const hasOurPairs = (message) => blocksOf(message).some(({ type }) => type === "tool_use" || type === "tool_result");
/** Returns true if the service has replaced everything before with a summary. Such messages are read like those of other formats. */
const hasCompaction = (message) =>
  isObject(message) && message.role === "assistant" && blocksOf(message).some(({ type }) => type === "compaction");

const OWN = {
  name: "messages of the Anthropic Messages API",
  format: "anthropic",
  knows: /^(?:text|image|document|search_result|thinking|redacted_thinking|container_upload|compaction|(?:.+_)?tool_(?:use|result))$/,
  // Roo-Code keeps encrypted reasoning as a separate item.
  speaks: (message) => hasRole(message) || message.type === "reasoning",
  explains: (message) => !hasRole(message) || saidInContent(message),
};
const NAMES = [OWN, ...FORMATS].flatMap(({ format }) => format ?? []);

/** Messages that were read from another format, whose blocks may still look like it. */
const ours = new WeakSet();

/** Marks messages as Anthropic's, whatever they contain. */
function takeAsOurs(messages) {
  for (const message of messages) if (isObject(message)) ours.add(message);
  return messages;
}

/** Returns the format recognised in a message: the row, and the words for the mark. `first` is tried before all others. */
function rowOf(message, first, look = "sees") {
  if (!isObject(message) || isPlainlyOurs(message) || ours.has(message)) return undefined;
  // A block that is counted alone.
  if (hasNoRole(message) && isOurBlock(message)) return undefined;
  for (const row of first ? [first, ...FORMATS] : FORMATS) {
    const seen = row[look]?.(message);
    if (seen) return { row, seen };
  }
  return undefined;
}

/** Returns the first message in a foreign format, with its mark and what to do; undefined if there is none. */
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
 * Throws `unsupported_format` if messages are in a foreign format; `holder` names the array. Merely unusual messages
 * are carried through: only marks of another format that no form of Anthropic's has count. A leading `system` message
 * does not count.
 */
function refuseForeign(messages, holder = "context.messages") {
  const foreign = foreignIn(messages);
  if (!foreign) return;
  const field = `${holder}[${foreign.index}]`;
  throw argumentError("unsupported_format", `${field}: ${foreign.told}`, { field });
}

/** The fields read of an instance of LangChain's, whose JSON has another form. */
const FIELDS = ["id", "name", "content", "tool_calls", "tool_call_id", "status", "additional_kwargs"];
function viewOf(message) {
  if (!isInstance(message)) return message;
  const view = { type: typeof message._getType === "function" ? message._getType() : message.getType() };
  for (const field of FIELDS) if (message[field] !== undefined) view[field] = message[field];
  return view;
}

/** Returns the messages in the form for the addon. */
const asRead = (messages, format) => (format === "langchain" ? messages.map(viewOf) : messages);

/** Returns true if messages at the beginning may count nothing because of later ones. */
const isCut = (format) => format === OWN.format || FORMATS.some((row) => row.format === format && row.isCut === true);

/** Throws if `format` is not the name of a format. */
function requireFormat(format, field = "options.format") {
  if (format !== undefined && !NAMES.includes(format)) throw notAllowed(field, format, NAMES.map((name) => `"${name}"`).join(", "));
}

/**
 * Returns the format recognised in the messages; if `named` is given, only marks of other formats are searched for.
 * Unreadable messages have no format; writing them as JSON reports their place.
 */
function seenIn(messages, named, isLoose = false) {
  try {
    return isHollow(messages) ? {} : lookedAt(messages, named, isLoose);
  } catch {
    return {};
  }
}

function lookedAt(messages, named, isLoose) {
  // Most conversations, looked at once instead of once for each kind of mark.
  if ((named === undefined || named === OWN.format) && messages.every(isWhollyOurs)) return {};
  const found = formatFound(messages, named, "sees");
  if (found.told) return found;
  const { known, said } = found.known ? found : formatFound(messages, named, "suggests");
  const told = isLoose ? undefined : unexplained(messages, known ?? OWN, { said, isNamed: named !== undefined });
  if (told) return told;
  if (known && known !== OWN) return { format: known.format };
  return { format: messages.some(hasCompaction) ? OWN.format : undefined };
}

/** Returns the format of messages by the marks that `look` finds, with words for the mark; or the message with marks of another format. */
function formatFound(messages, named, look) {
  /** @type {any} */
  let known = [OWN, ...FORMATS].find(({ format }) => format !== undefined && format === named);
  let said = known && `the option format is "${named}"`;
  let paired;
  for (const [index, message] of messages.entries()) {
    if (isObject(message) && hasOurPairs(message)) paired ??= index;
    const found = rowOf(message, known === OWN ? undefined : known, look);
    if (!found || found.row === known) continue;
    const { row, seen } = found;
    if (known) return { index, told: `${seen}: these are ${row.name}, but ${said}; ${OF_ONE}` };
    if (!row.format) return { index, told: `${seen}: these are ${row.name}, which are not supported; ${row.advice ?? ADVICE}` };
    known = row;
    said = `message ${index} has ${seen}, and so they are ${row.name}`;
  }
  if (paired !== undefined && known && known !== OWN && !known.holdsOurs)
    return { index: paired, told: `tool_use or tool_result: these are ${OWN.name}, but ${said}; ${OF_ONE}` };
  return { known, said };
}

/**
 * Returns the first message that the format does not explain, with its mark; undefined if there is none. If the format
 * is named, content may be missing.
 */
function unexplained(messages, known, { said, isNamed }) {
  const { name, speaks = hasRole, explains = saidInContent, knows } = known;
  const as = said ? `this is none of ${name}, but ${said}; ${OF_ONE}` : `no format that is read here has such messages; ${ADVICE}`;
  // The JSON of an object with toJSON is only known when it is written.
  const isPlain = (message) =>
    !isObject(message) || ours.has(message) || typeof message.toJSON === "function" || (known === OWN && isPlainlyOurs(message));
  const isExplained = (message) => isInstance(message) || (speaks(message) && (isNamed || explains(message)));
  const index = messages.findIndex((message) => !(isPlain(message) || isExplained(message)));
  if (index >= 0) return { index, told: `${shapeOf(messages[index])}: ${as}` };
  const pair = knows && unknownPair(messages, knows);
  return pair && { index: pair.index, told: `${pair.seen}: a call or its answer in a form that is not read; ${ADVICE}` };
}

/** Describes a message that has no role and content. */
function shapeOf(message) {
  const { role, type, content } = message;
  const fields = Object.keys(message).filter((field) => !["role", "type", "id"].includes(field));
  const shown = fields.length === 0 ? "nothing else" : `the fields ${fields.slice(0, 6).join(", ")}`;
  const speaker = isText(role) ? `role ${JSON.stringify(role.slice(0, 40))}` : "no role";
  const kind = isText(type) ? `type ${JSON.stringify(type.slice(0, 40))}, ` : "";
  const rest = hasRole(message) && content !== undefined && !isListOrText(content) ? "a content that is neither a text nor a list" : shown;
  return `${kind}${speaker}, and ${rest}`;
}

/** Maximum depth of ids in an unknown part. */
const DEPTH = 3;

/** Returns the texts in fields named as an id. */
function idsIn(value, depth = DEPTH) {
  return Object.entries(value).flatMap(([name, inner]) => {
    if (isText(inner)) return /id$/i.test(name) ? inner : [];
    return isObject(inner) && depth > 1 ? idsIn(inner, depth - 1) : [];
  });
}

/** Returns the ids of a call that the format knows. */
const idsOfCall = (part) => [part.id, part.toolUse?.toolUseId, (part.functionCall ?? part.function_call)?.id].filter(isText);
/** Returns the ids of a result that the format knows. */
const idsOfResult = (part) =>
  [part.tool_use_id, part.toolResult?.toolUseId, (part.functionResponse ?? part.function_response)?.id].filter(isText);

/** Returns true if a part has a type or a field that the format knows. */
function isKnownPart(part, knows) {
  if (part.type !== undefined) return knows.test(part.type) && isWhole(part);
  return Object.keys(part).some((name) => part[name] != null && knows.test(name));
}

const kindOf = (part) => `a part of type ${JSON.stringify(part.type ?? Object.keys(part)[0] ?? "")}`;

/**
 * Returns the first pair of parts with one id, a request and its reply, in a form that the format does not know.
 * Other unknown parts are carried through, because parts on which nothing depends may be removed with their message.
 */
function unknownPair(messages, knows) {
  const partsIn = (message) => (Array.isArray(message.content) ? blocksOf(message) : partsOf(message));
  const isKnown = (part) => isKnownPart(part, knows);
  const isPlain = (message) => !isObject(message) || isPlainlyOurs(message) || ours.has(message);
  if (messages.every((message) => isPlain(message) || partsIn(message).every(isKnown))) return undefined;
  const all = messages.flatMap((message, index) => {
    const isAsking = message?.role === "assistant" || message?.role === "model";
    return isObject(message) ? partsIn(message).map((part) => ({ index, part, isAsking, isKnown: isKnown(part) })) : [];
  });
  const answered = new Set(all.flatMap((each) => (each.isKnown ? idsOfResult(each.part) : [])));
  const asked = new Map();
  for (const each of all) {
    const ids = each.isKnown ? (each.isAsking ? idsOfCall(each.part) : []) : idsIn(each.part);
    if (each.isAsking) for (const id of ids) asked.set(id, each);
    else {
      const id = ids.find((one) => asked.has(one) && !answered.has(one));
      const other = id === undefined ? undefined : asked.get(id);
      if (other?.isKnown) return { index: each.index, seen: kindOf(each.part) };
      if (other) return { index: other.index, seen: `${kindOf(other.part)}, answered by ${kindOf(each.part)}` };
    }
  }
  return undefined;
}

/**
 * Returns the name of the messages' format; undefined for Anthropic's. `named` is the caller's option. Throws
 * `unsupported_format` if the format is not readable, or if there are several; `invalid_messages` if an element is
 * not an object.
 */
function formatOf(messages, named, holder = "context.messages") {
  const format = formatOfEach(messages, named, holder);
  requireObjects(messages, holder);
  return format;
}

/**
 * Returns the format of an array that may contain anything. With `isLoose`, no format has to explain it: for blocks,
 * or messages whose pairs stay unchanged.
 */
function formatOfEach(messages, named, holder, isLoose = false) {
  requireFormat(named);
  const { index, told, format } = seenIn(messages, named, isLoose);
  if (told) throw refusal(holder, index, told);
  return format;
}

/** Throws if an element is not an object. A value that is not an array is reported with all other errors. */
function requireObjects(messages, holder) {
  const index = Array.isArray(messages) ? messages.findIndex((message) => !isObject(message)) : -1;
  if (index < 0) return;
  const field = `${holder}[${index}]`;
  throw argumentError("invalid_messages", `${field} must be a message, an object with a role; got ${shown(messages[index])}`, { field });
}

module.exports = {
  NAMES,
  asRead,
  isCut,
  isInstance,
  isRunEvent,
  isTranscriptLine,
  formatOf,
  formatOfEach,
  refuseForeign,
  requireFormat,
  seenIn,
  takeAsOurs,
};
