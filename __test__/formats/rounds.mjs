// One conversation in every format: a request, rounds in which a file is read and something is said, and a last word.

import { lines } from "../api/support.mjs";

const WRITERS = {
  anthropic: {
    user: (text) => ({ role: "user", content: text }),
    said: (text) => ({ role: "assistant", content: text }),
    round: (id, input, output) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    ],
  },
  "openai-chat": {
    user: (text) => ({ role: "user", content: text }),
    said: (text) => ({ role: "assistant", content: text }),
    round: (id, input, output) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: JSON.stringify(input) } }],
      },
      { role: "tool", tool_call_id: id, content: output },
    ],
  },
  "openai-responses": {
    user: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
    said: (text) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }),
    round: (id, input, output) => [
      { type: "function_call", call_id: id, name: "read_file", arguments: JSON.stringify(input) },
      { type: "function_call_output", call_id: id, output },
    ],
  },
  "ai-sdk-model": {
    user: (text) => ({ role: "user", content: text }),
    said: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    round: (toolCallId, input, output) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "read_file", input }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "read_file", output: { type: "text", value: output } }] },
    ],
  },
  "ai-sdk-ui": {
    user: (text, id) => ({ id: `u${id}`, role: "user", parts: [{ type: "text", text }] }),
    said: (text, id) => ({ id: `a${id}`, role: "assistant", parts: [{ type: "text", text }] }),
    round: (toolCallId, input, output) => [
      {
        id: `m${toolCallId}`,
        role: "assistant",
        parts: [{ type: "step-start" }, { type: "tool-read_file", toolCallId, state: "output-available", input, output }],
      },
    ],
  },
  langchain: {
    user: (text) => ({ type: "human", content: text }),
    said: (text) => ({ type: "ai", content: text }),
    round: (id, input, output) => [
      { type: "ai", content: "", tool_calls: [{ id, name: "read_file", args: input, type: "tool_call" }] },
      { type: "tool", tool_call_id: id, content: output },
    ],
  },
  gemini: {
    user: (text) => ({ role: "user", parts: [{ text }] }),
    said: (text) => ({ role: "model", parts: [{ text }] }),
    round: (id, args, output) => [
      { role: "model", parts: [{ functionCall: { id, name: "read_file", args } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "read_file", response: { output } } }] },
    ],
  },
  "bedrock-converse": {
    user: (text) => ({ role: "user", content: [{ text }] }),
    said: (text) => ({ role: "assistant", content: [{ text }] }),
    round: (toolUseId, input, output) => [
      { role: "assistant", content: [{ toolUse: { toolUseId, name: "read_file", input } }] },
      { role: "user", content: [{ toolResult: { toolUseId, content: [{ text: output }] } }] },
    ],
  },
  goose: {
    user: (text) => goose("user", { type: "text", text }),
    said: (text) => goose("assistant", { type: "text", text }),
    round: (id, input, output) => [
      goose("assistant", { type: "toolRequest", id, toolCall: { status: "success", value: { name: "read_file", arguments: input } } }),
      goose("user", { type: "toolResponse", id, toolResult: { status: "success", value: { content: [{ type: "text", text: output }] } } }),
    ],
  },
  opencode: {
    user: (text, id) => openCode(`msg_${id}u`, "user", { type: "text", text }),
    said: (text, id) => openCode(`msg_${id}z`, "assistant", { type: "text", text }),
    round: (callID, input, output) => [
      openCode(`msg_${callID}`, "assistant", { type: "tool", callID, tool: "read_file", state: { status: "completed", input, output } }),
    ],
  },
};

const goose = (role, part) => ({
  id: null,
  role,
  created: 1,
  content: [part],
  metadata: { userVisible: true, agentVisible: true },
});

function openCode(id, role, part) {
  return {
    info: { id, sessionID: "ses_1", role, time: { created: 1 } },
    parts: [{ id: `prt_${id}`, messageID: id, sessionID: "ses_1", ...part }],
  };
}

/** The formats, Anthropic's first. */
export const FORMATS = Object.keys(WRITERS);

/** Rounds `from` to `to`, each with what the user says next. */
export function rounds(format, from, to, output = lines(40)) {
  const { user, said, round } = WRITERS[format];
  return Array.from({ length: to - from }, (_, at) => {
    const id = String(from + at).padStart(4, "0");
    return [
      ...round(id, { path: `src/file${id}.ts` }, `${id}\n${output}`),
      said(`I have read src/file${id}.ts.`, id),
      user(`Now number ${id}.`, id),
    ];
  }).flat();
}

/** The beginning of a conversation. */
export const task = (format) => [
  WRITERS[format].user("Please have a look at these files.", "0"),
  WRITERS[format].said("I do.", "0"),
  WRITERS[format].user("Go.", "00"),
];
