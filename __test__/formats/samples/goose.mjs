// Goose's messages.

const goose = (role, ...content) => ({ role, created: 1, content });
const word = { type: "text", text: "Go." };
const request = (id) => ({ type: "toolRequest", id, toolCall: { status: "success", value: { name: "run", arguments: {} } } });
const response = (id) => ({ type: "toolResponse", id, toolResult: { status: "success", value: [{ type: "text", text: "done" }] } });

const message = (role, part) => ({
  id: null,
  role,
  created: 1,
  content: [part],
  metadata: { userVisible: true, agentVisible: true },
});

export default {
  user: (text) => message("user", { type: "text", text }),
  said: (text) => message("assistant", { type: "text", text }),
  round: (id, name, input, output) => [
    message("assistant", { type: "toolRequest", id, toolCall: { status: "success", value: { name, arguments: input } } }),
    message("user", { type: "toolResponse", id, toolResult: { status: "success", value: { content: [{ type: "text", text: output }] } } }),
  ],
  recognised: [
    [
      { role: "user", created: 1, content: [{ type: "text", text: "Hello" }] },
      {
        role: "assistant",
        created: 2,
        content: [{ type: "toolRequest", id: "1", toolCall: { status: "success", value: { name: "weather", arguments: {} } } }],
      },
      {
        role: "user",
        created: 3,
        content: [{ type: "toolResponse", id: "1", toolResult: { status: "success", value: [{ type: "text", text: "Sunny." }] } }],
      },
    ],
    [{ role: "user", created: 1, content: [{ type: "text", text: "Hi" }], metadata: { userVisible: true, agentVisible: true } }],
  ],
  problems: [
    [[goose("user", word), goose("assistant", request("a"), request("b")), goose("user", response("b")), goose("user", response("a"))], []],
    [[goose("user", word), goose("assistant", request("a"))], []],
    [[goose("user", word), goose("assistant", request("a")), goose("user", word)], ["unanswered_tool_use 2"]],
    [[goose("user", response("a"))], ["orphan_tool_result 0"]],
    [
      [goose("robot", word), { role: "user" }],
      ["unknown_role 0", "empty_content 1"],
    ],
  ],
};
