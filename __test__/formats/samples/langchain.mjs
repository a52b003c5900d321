// LangChain's messages.

const human = { type: "human", content: "Go." };
const ai = (...ids) => ({ type: "ai", content: "", tool_calls: ids.map((id) => ({ id, name: "run", args: {} })) });
const toolMessage = (id) => ({ type: "tool", content: "done", tool_call_id: id });
const user = { role: "user", content: "Go." };
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } };
class AIMessage {
  lc_namespace = ["langchain_core", "messages"];
  content = "Sunny.";
  getType() {
    return "ai";
  }
}

export default {
  user: (text) => ({ type: "human", content: text }),
  said: (text) => ({ type: "ai", content: text }),
  round: (id, name, input, output) => [
    { type: "ai", content: "", tool_calls: [{ id, name, args: input, type: "tool_call" }] },
    { type: "tool", tool_call_id: id, content: output },
  ],
  recognised: [
    [user, { role: "assistant", content: "", additional_kwargs: { tool_calls: [call] } }],
    [new AIMessage()],
    [{ lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "Hello" } }],
    [{ type: "human", data: { content: "Hello" } }],
    [{ type: "human", content: "Hello" }],
  ],
  problems: [
    [[human, ai("a", "b"), toolMessage("b"), toolMessage("a"), { type: "system", content: "x" }, human], []],
    [[human, ai("a"), { type: "system", content: "x" }, toolMessage("a")], []],
    [[human, ai("a"), human], ["unanswered_tool_use 2"]],
    [[human, toolMessage("a")], ["orphan_tool_result 1"]],
    [[human, ai("call of run"), { type: "tool", content: "done", name: "run" }], ["unnamed_tool_result 2"]],
  ],
};
