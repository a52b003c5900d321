// Items of OpenAI's Responses API.

const item = (id) => ({ type: "function_call", call_id: id, name: "run", arguments: "{}" });
const output = (id) => ({ type: "function_call_output", call_id: id, output: "done" });
const user = { role: "user", content: "Go." };
const said = { role: "assistant", content: "Done." };

export default {
  user: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
  said: (text) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }),
  round: (id, name, input, output) => [
    { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) },
    { type: "function_call_output", call_id: id, output },
  ],
  recognised: [
    [user, { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" }],
    [user, { type: "function_call_output", call_id: "call_1", output: "Sunny." }],
    [user, { type: "reasoning", id: "1", summary: [] }, { role: "assistant", content: "Sunny." }],
    [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
    [user, { role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] }],
    [
      { role: "user", content: [{ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }] },
      { role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
    ],
  ],
  problems: [
    [[user, item("a"), item("b"), output("a"), said, output("b")], []],
    [[user, item("a")], []],
    [[user, item("a"), said], ["unanswered_tool_use 1"]],
    [[user, output("a")], ["orphan_tool_result 1"]],
    [[user, { type: "reasoning", id: "rs_1", summary: [] }, user], ["reasoning_without_item 1"]],
    [[user, { type: "reasoning", id: "rs_1", summary: [] }, item("a"), output("a")], []],
    [[user, { ...item("a"), id: "call_1" }, output("a")], ["invalid_id 1"]],
    [[{ summary: [] }], ["unsupported_format 0", "not_a_message 0"]],
  ],
};
