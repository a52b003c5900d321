// The AI SDK's `UIMessage`.

const uiTool = (state, more) => ({ type: "tool-run", toolCallId: "a", state, input: {}, ...more });
const user = { role: "user", content: "Go." };

export default {
  user: (text, id) => ({ id: `u${id}`, role: "user", parts: [{ type: "text", text }] }),
  said: (text, id) => ({ id: `a${id}`, role: "assistant", parts: [{ type: "text", text }] }),
  round: (toolCallId, name, input, output) => [
    {
      id: `m${toolCallId}`,
      role: "assistant",
      parts: [{ type: "step-start" }, { type: `tool-${name}`, toolCallId, state: "output-available", input, output }],
    },
  ],
  recognised: [
    [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }],
    [user, { id: "2", role: "assistant", content: "", parts: [{ type: "text", text: "Hi" }] }],
  ],
  problems: [
    [[{ id: "1", role: "assistant", parts: [uiTool("output-available", { output: 1 }), uiTool("output-error", { errorText: "no" })] }], []],
    [
      [
        { id: "1", role: "assistant", parts: [uiTool("input-available")] },
        { id: "2", role: "user", parts: [] },
      ],
      ["unanswered_tool_use 0"],
    ],
    [[{ id: "1", role: "assistant", parts: [uiTool("input-available")] }], []],
    [[{ id: "1", role: "robot", parts: [{ type: "text", text: "Hi" }] }], ["unknown_role 0"]],
    [[{ id: "1", role: "user" }], ["empty_content 0"]],
  ],
};
