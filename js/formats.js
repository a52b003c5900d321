"use strict";

// Messages in the formats of others, which look enough like Anthropic's to be taken for them: calls and answers would not be seen, and so be torn apart.

const { argumentError } = require("./errors.js");
const isObject = require("./is-object.js");

const blocksOf = (message) => (Array.isArray(message.content) ? message.content.filter(isObject) : []);
const partsOf = (message) => (Array.isArray(message.parts) ? message.parts.filter(isObject) : []);
/** What messages of agents are in their own files, and of chats in exports: they have no role. */
const hasNoRole = (message) => message.role === undefined;
const isText = (value) => typeof value === "string";
const RESPONSES_ITEMS =
  /^(?:(?:function|custom_tool|computer|local_shell|shell|apply_patch|mcp|web_search|file_search|code_interpreter|image_generation)_call(?:_output)?|item_reference|mcp_list_tools|mcp_approval_re(?:quest|sponse))$/;
const RESPONSES_PARTS = /^(?:input|output)_(?:text|image|file|audio)$/;
/** Lines of a Claude Code transcript beside those of messages. */
const TRANSCRIPT_LINES = new Set(["summary", "file-history-snapshot", "queue-operation"]);
const LANGCHAIN_TYPES = new Set(["human", "ai", "system", "tool", "function", "remove"]);

/** Each format, and what of a message belongs to no other: its words for an error message, or nothing. In this order, the surest first. */
const FORMATS = [
  {
    name: "LangChain messages",
    sees(message) {
      if (typeof message._getType === "function" || (typeof message.getType === "function" && Array.isArray(message.lc_namespace)))
        return "an instance of a message class";
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
    name: "lines of a Claude Code transcript",
    advice:
      "take `message` of each line of type user or assistant, without those with isSidechain; the command line reads such files as they are (docs/formats.md)",
    sees(message) {
      if (!hasNoRole(message)) return undefined;
      if (isObject(message.message) && isText(message.message.role)) return "`message` around a message";
      if (TRANSCRIPT_LINES.has(message.type) && ("leafUuid" in message || "messageId" in message || "operation" in message))
        return `a line of type "${message.type}"`;
    },
  },
  {
    name: "OpenCode messages",
    sees(message) {
      if (hasNoRole(message) && isObject(message.info) && Array.isArray(message.parts)) return "info and parts";
      return blocksOf(message).some(({ type, callID }) => type === "tool" && isText(callID)) && 'a part of type "tool"';
    },
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
    name: "AI SDK UIMessage",
    sees(message) {
      if (Array.isArray(message.toolInvocations) && message.toolInvocations.length > 0) return "toolInvocations";
      const parts = partsOf(message).filter(({ type }) => isText(type));
      const isInParts = parts.length > 0 && (message.content === undefined || message.content === "");
      return isText(message.role) && (isInParts || parts.some(({ type }) => type.startsWith("tool-"))) && "parts";
    },
  },
  {
    name: "AI SDK ModelMessage",
    sees(message) {
      const part = blocksOf(message).find(
        ({ type, toolCallId, image, source, mediaType }) =>
          ((type === "tool-call" || type === "tool-result") && isText(toolCallId)) ||
          (type === "image" && image !== undefined && source === undefined) ||
          (type === "file" && isText(mediaType)),
      );
      return part && `a part of type "${part.type}"`;
    },
  },
  {
    name: "OpenAI Responses items",
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
    sees(message) {
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
  return isText(content) || (Array.isArray(content) && content.every((block) => OUR_BLOCKS.has(block?.type) && block.image === undefined));
}

/** The first message in the format of others, with what was seen and what to do; undefined where there is none. */
function foreignIn(messages) {
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || isPlainlyOurs(message)) continue;
    for (const { name, sees, advice = ADVICE } of FORMATS) {
      const seen = sees(message);
      if (seen) return { index, told: `${seen}: these are ${name}, which are not supported; ${advice}` };
    }
  }
  return undefined;
}

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

module.exports = { foreignIn, refuseForeign };
