// The AI SDK's `ModelMessage`.

const modelCall = (id) => ({ role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "run", input: {} }] });
const modelResult = (id) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: id, toolName: "run", output: { type: "text", value: "done" } }],
});
const user = { role: "user", content: "Go." };
const said = { role: "assistant", content: "Done." };

export default {
  user: (text) => ({ role: "user", content: text }),
  said: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
  round: (toolCallId, name, input, output) => [
    { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: name, input }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: name, output: { type: "text", value: output } }] },
  ],
  recognised: [
    [{ role: "user", content: [{ type: "image", image: "https://example.com/sun.png" }] }],
    [{ role: "user", content: [{ type: "file", data: "aGk=", mediaType: "text/plain" }] }],
    [user, { role: "assistant", content: [{ type: "reasoning-file", data: "aGk=", mediaType: "image/png" }] }],
    [
      { role: "system", content: "You are kind." },
      user,
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_1", toolName: "weather", input: {} }] },
    ],
    [
      user,
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "call_1", toolName: "weather", output: { type: "text", value: "Sunny." } }],
      },
    ],
  ],
  problems: [
    [[user, modelCall("a"), modelResult("a"), said], []],
    [[user, modelCall("a"), user], ["unanswered_tool_use 2"]],
    [[user, modelResult("a")], ["orphan_tool_result 1"]],
    [
      [user, modelCall("a"), { role: "tool", content: [{ type: "text", text: "Hi" }, ...modelResult("a").content] }],
      ["unreadable_block 2"],
    ],
    [[{ role: "system", content: [{ type: "text", text: "Hi" }] }], ["empty_content 0", "unreadable_block 0"]],
    [
      [
        user,
        { role: "assistant", content: [modelCall("a").content[0], { type: "tool-approval-request", approvalId: "1", toolCallId: "a" }] },
        { role: "tool", content: [{ type: "tool-approval-response", approvalId: "1", approved: true }] },
        user,
      ],
      [],
    ],
  ],
};
