// OpenAI's chat messages.

const chatCall = (...ids) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "run", arguments: "{}" } })),
});
const chatResult = (id) => ({ role: "tool", tool_call_id: id, content: "done" });
const user = { role: "user", content: "Go." };
const said = { role: "assistant", content: "Done." };
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } };

export default {
  user: (text) => ({ role: "user", content: text }),
  said: (text) => ({ role: "assistant", content: text }),
  round: (id, name, input, output) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
    },
    { role: "tool", tool_call_id: id, content: output },
  ],
  recognised: [
    [user, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "call_1", content: "Sunny." }],
    [user, { role: "tool", tool_call_id: "call_1", content: "Sunny." }],
    [user, { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } }],
    [user, { role: "function", name: "weather", content: "Sunny." }],
    [user, { role: "tool", content: "Sunny.", tool_name: "weather" }],
    [user, { role: "assistant", content: "", toolCalls: [call] }],
    [user, { role: "tool", toolCallId: "call_1", content: "Sunny." }],
    [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/sun.png" } }] }],
    [
      {
        role: "user",
        content: [
          { type: "text", text: "Listen." },
          { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
        ],
      },
    ],
    [
      { role: "user", content: [{ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }] },
      { role: "assistant", content: null, tool_calls: [call] },
    ],
  ],
  problems: [
    [[user, chatCall("a", "b"), chatResult("b"), chatResult("a"), said], []],
    [[user, chatCall("a")], []],
    [[user, chatCall("a"), said], ["unanswered_tool_use 2"]],
    [
      [user, chatCall("a", "b"), chatResult("a"), user, chatResult("b")],
      ["unanswered_tool_use 3", "orphan_tool_result 4"],
    ],
    [[user, chatResult("a")], ["orphan_tool_result 1"]],
    [[user, chatCall("a"), chatResult("a"), chatResult("a")], ["repeated_tool_result 3"]],
    [[user, chatCall("a"), { ...chatResult("a"), content: [{ type: "image_url", image_url: { url: "x" } }] }], ["unreadable_block 2"]],
    [[user, { role: "assistant", content: null }], ["empty_content 1"]],
    [[user, { ...said, tool_calls: [] }], ["empty_tool_calls 1"]],
    [
      [{ role: "robot", content: "Hi" }, null],
      ["unknown_role 0", "not_a_message 1"],
    ],
  ],
};
