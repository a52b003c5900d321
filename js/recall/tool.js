"use strict";

// The tool by which a model recalls: its definition in the form of each format, and the results of calls.

const { notAllowed, readable } = require("../errors.js");
const isObject = require("../is-object.js");

/** The tool's name in the transcript (src/transcript/tools/known.rs). */
const NAME = "recall";

const DESCRIPTION =
  "Search or read everything said, shown and done earlier in this conversation, also what is no longer in view. query: words that stand there (names, paths, commands, errors). key, with lines such as 40-80: read an entry that a search found.";

const SCHEMA = {
  type: "object",
  properties: {
    query: { type: "string", description: "Words to search for" },
    key: { type: "string", description: "Key of an entry, from a result" },
    lines: { type: "string", description: "Lines of the entry, such as 40-80" },
  },
};

/**
 * By format: the definition of the tool; the call as { id, input } if a value is a call in this format; and its
 * result. `run` returns a text for an input.
 * @type {Record<string, { tool: (run: any) => object, call: (value: any) => any, result: (text: string, call: any) => unknown }>}
 */
const FORMS = {
  anthropic: {
    tool: () => ({ name: NAME, description: DESCRIPTION, input_schema: SCHEMA }),
    call: ({ type, id, name, input }) => type === "tool_use" && { id, name, input },
    result: (text, { id }) => ({ type: "tool_result", tool_use_id: id, content: text }),
  },
  "openai-chat": {
    tool: () => ({ type: "function", function: { name: NAME, description: DESCRIPTION, parameters: SCHEMA } }),
    call: ({ id, function: called }) => isObject(called) && { id, name: called.name, input: called.arguments },
    result: (text, { id }) => ({ role: "tool", tool_call_id: id, content: text }),
  },
  "openai-responses": {
    tool: () => ({ type: "function", name: NAME, description: DESCRIPTION, parameters: SCHEMA, strict: false }),
    call: ({ type, call_id: id, name, arguments: input }) => type === "function_call" && { id, name, input },
    result: (text, { id }) => ({ type: "function_call_output", call_id: id, output: text }),
  },
  gemini: {
    tool: () => ({ name: NAME, description: DESCRIPTION, parametersJsonSchema: SCHEMA }),
    call: ({ functionCall }) => isObject(functionCall) && { id: functionCall.id, name: functionCall.name, input: functionCall.args },
    result: (text, { id }) => ({ functionResponse: { ...(id !== undefined && { id }), name: NAME, response: { output: text } } }),
  },
  "bedrock-converse": {
    tool: () => ({ toolSpec: { name: NAME, description: DESCRIPTION, inputSchema: { json: SCHEMA } } }),
    call: ({ toolUse }) => isObject(toolUse) && { id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input },
    result: (text, { id }) => ({ toolResult: { toolUseId: id, content: [{ text }] } }),
  },
  "ai-sdk": {
    tool: (run) => ({ description: DESCRIPTION, inputSchema: aiSchema(), execute: (input, options) => run(input, options) }),
    call: ({ type, toolCallId: id, toolName: name, input }) => type === "tool-call" && { id, name, input },
    result: (text, { id, name }) => ({ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value: text } }),
  },
  langchain: {
    tool: (run) => langchainTool(run),
    call: ({ type, id, name, args }) => (type === "tool_call" || isObject(args)) && { id, name, input: args },
    result: (text, { id, name }) => ({ type: "tool", content: text, tool_call_id: id, name }),
  },
  mastra: {
    tool: (run) => ({ id: NAME, description: DESCRIPTION, inputSchema: aiSchema(), execute: (input, context) => run(input, context) }),
    call: () => false,
    result: (text) => text,
  },
};

const FORMATS = Object.keys(FORMS);

/** Returns a schema like the AI SDK's `jsonSchema()`. */
function aiSchema() {
  const validate = (value) => (isObject(value) ? { success: true, value } : { success: false, error: new Error("an object is needed") });
  return {
    [Symbol.for("vercel.ai.schema")]: true,
    jsonSchema: SCHEMA,
    validate,
  };
}

/** Returns a tool for LangChain's agents. Loading LangChain for it would load a second copy beside the ES modules. */
function langchainTool(run) {
  return {
    lc_namespace: ["langchain", "tools"],
    lc_runnable: true,
    name: NAME,
    description: DESCRIPTION,
    schema: SCHEMA,
    invoke: (input, config) => run(input?.args ?? input, config),
  };
}

/** Returns the call in a value, with its form; undefined if the form is unknown. */
function readCall(value) {
  if (!isObject(value)) return undefined;
  for (const form of Object.values(FORMS)) {
    const call = form.call(value);
    if (call) return { ...call, form };
  }
  return undefined;
}

/** Returns the definition of the tool in a format. */
function toolIn(format, run) {
  const form = Object.hasOwn(FORMS, format) ? FORMS[format] : undefined;
  if (!form) throw notAllowed("format", format, FORMATS.map((name) => `"${name}"`).join(", "));
  return form.tool(run);
}

/** Returns the result of a call, in the format of the call. */
async function answerTo(value, run) {
  const call = readable("call", () => readCall(value));
  if (!call) throw notAllowed("call", value, "a call of the tool, in a format of docs/formats.md");
  return call.form.result(await run(call.input), call);
}

module.exports = { FORMATS, NAME, answerTo, toolIn };
