// Messages of Bedrock's Converse API.

const bedrock = (role, ...content) => ({ role, content });
const toolUse = (id) => ({ toolUse: { toolUseId: id, name: "run", input: {} } });
const toolResult = (id) => ({ toolResult: { toolUseId: id, content: [{ text: "done" }] } });
const user = { role: "user", content: "Go." };

export default {
  user: (text) => ({ role: "user", content: [{ text }] }),
  said: (text) => ({ role: "assistant", content: [{ text }] }),
  round: (toolUseId, name, input, output) => [
    { role: "assistant", content: [{ toolUse: { toolUseId, name, input } }] },
    { role: "user", content: [{ toolResult: { toolUseId, content: [{ text: output }] } }] },
  ],
  recognised: [
    [user, { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "Hm." } } }] }],
    [user, { role: "assistant", content: [{ toolUse: { toolUseId: "1", name: "weather", input: {} } }] }],
    [user, { role: "user", content: [{ toolResult: { toolUseId: "1", content: [{ text: "Sunny." }] } }] }],
    [{ role: "user", content: [{ text: "Hello" }] }],
  ],
  problems: [
    [[bedrock("user", { text: "Go." }), bedrock("assistant", toolUse("a")), bedrock("user", toolResult("a"))], []],
    [[bedrock("assistant", { text: "Hi" })], ["first_not_user 0"]],
    [[bedrock("user", { text: "Go." }), bedrock("assistant", toolUse("a")), bedrock("user", { text: "Go." })], ["unanswered_tool_use 2"]],
    [
      [bedrock("user", toolResult("a")), bedrock("user", { text: "Go." })],
      ["orphan_tool_result 0", "same_role_twice 1"],
    ],
    [
      [bedrock("user", { text: "" }), bedrock("assistant")],
      ["empty_text 0", "empty_content 1"],
    ],
  ],
};
