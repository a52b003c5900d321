// Messages of the Anthropic Messages API.

export default {
  user: (text) => ({ role: "user", content: text }),
  said: (text) => ({ role: "assistant", content: text }),
  round: (id, name, input, output) => [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
  ],
  recognised: [],
  problems: [],
};
