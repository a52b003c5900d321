"use strict";

// Messages in the formats of others, which look enough like Anthropic's to be taken for them: calls and answers would not be seen, and so be torn apart.

const { argumentError } = require("./errors.js");
const isObject = require("./is-object.js");

const blocksOf = (message) => (Array.isArray(message.content) ? message.content.filter(isObject) : []);
const partsOf = (message) => (Array.isArray(message.parts) ? message.parts.filter(isObject) : []);
const RESPONSES_ITEMS =
  /^(?:function_call|custom_tool_call|computer_call|local_shell_call|mcp_call|web_search_call|file_search_call)(?:_output)?$/;
const LANGCHAIN_TYPES = new Set(["human", "ai", "system", "tool", "function", "remove"]);

/** Each format, and what of a message belongs to no other: its words for an error message, or nothing. In this order, the surest first. */
const FORMATS = [
  {
    name: "LangChain messages",
    sees(message) {
      if (typeof message._getType === "function" || (typeof message.getType === "function" && Array.isArray(message.lc_namespace)))
        return "an instance of a message class";
      if (message.lc === 1 && Array.isArray(message.id)) return `a serialized ${String(message.id.at(-1))}`;
      if (LANGCHAIN_TYPES.has(message.type) && isObject(message.data) && "content" in message.data)
        return `type "${message.type}" with data`;
    },
  },
  {
    name: "AI SDK UIMessage",
    sees: (message) =>
      typeof message.role === "string" &&
      message.content === undefined &&
      partsOf(message).some(({ type }) => typeof type === "string") &&
      "parts",
  },
  {
    name: "AI SDK ModelMessage",
    sees(message) {
      const part = blocksOf(message).find(
        ({ type, toolCallId }) => (type === "tool-call" || type === "tool-result") && typeof toolCallId === "string",
      );
      return part && `a part of type "${part.type}"`;
    },
  },
  {
    name: "OpenAI Responses items",
    sees: (message) => message.role === undefined && RESPONSES_ITEMS.test(String(message.type)) && `an item of type "${message.type}"`,
  },
  {
    name: "OpenAI chat messages",
    sees(message) {
      const isCalled = blocksOf(message).some(({ type }) => type === "tool_use");
      if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0 && !isCalled) return "tool_calls";
      if (isObject(message.function_call) && !isCalled) return "function_call";
      if (message.role === "tool" && typeof message.tool_call_id === "string") return 'role "tool"';
      if (message.role === "function" && typeof message.name === "string") return 'role "function"';
    },
  },
  {
    name: "Gemini contents",
    sees: (message) =>
      (message.role === "model" || message.role === "user") &&
      message.content === undefined &&
      partsOf(message).some((part) => ["text", "functionCall", "functionResponse", "inlineData"].some((name) => name in part)) &&
      "parts",
  },
  {
    name: "Bedrock Converse messages",
    sees(message) {
      const block = blocksOf(message).find((part) => part.type === undefined && (isObject(part.toolUse) || isObject(part.toolResult)));
      return block && ("toolUse" in block ? "a toolUse block" : "a toolResult block");
    },
  },
];

/**
 * Throws `unsupported_format` when messages are in a format of others. What is merely odd is carried through: only what belongs to another format and
 * to no other shape of Anthropic's counts. A leading `system` message does not.
 */
function refuseForeign(messages) {
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) continue;
    for (const { name, sees } of FORMATS) {
      const seen = sees(message);
      if (!seen) continue;
      const field = `context.messages[${index}]`;
      const advice = "convert them to messages of the Anthropic Messages API first (tool_use and tool_result blocks; docs/formats.md)";
      throw Object.assign(argumentError("unsupported_format", `${field}: ${seen}: these are ${name}, which are not supported; ${advice}`), {
        field,
      });
    }
  }
}

module.exports = { refuseForeign };
