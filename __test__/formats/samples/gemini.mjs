// Gemini's contents.

const contents = (role, ...parts) => ({ role, parts });
const functionCall = { functionCall: { name: "run", args: {} } };
const functionResponse = { functionResponse: { name: "run", response: { output: "done" } } };
const user = { role: "user", content: "Go." };

export default {
  user: (text) => ({ role: "user", parts: [{ text }] }),
  said: (text) => ({ role: "model", parts: [{ text }] }),
  round: (id, name, args, output) => [
    { role: "model", parts: [{ functionCall: { id, name, args } }] },
    { role: "user", parts: [{ functionResponse: { id, name, response: { output } } }] },
  ],
  recognised: [
    [user, { role: "assistant", content: [{ functionCall: { name: "weather", args: {} } }] }],
    [user, { role: "user", content: [{ functionResponse: { name: "weather", response: {} } }] }],
    [
      { role: "user", parts: [{ text: "Hello" }] },
      { role: "model", parts: [{ text: "Hi" }] },
    ],
    [{ role: "model", parts: [{ functionCall: { name: "weather", args: {} } }] }],
    [user, { role: "model", content: "Hi" }],
    [
      { role: "user", parts: [{ text: "Hello", function_call: null }] },
      { role: "model", parts: [{ text: null, function_call: { id: null, name: "weather", args: {} }, thought_signature: "s" }] },
      { role: "user", parts: [{ function_response: { name: "weather", response: { output: "Sunny." } }, text: null }] },
    ],
    [
      { role: "user", parts: [{ text: "Hello" }] },
      { role: "model", parts: [{ functionCall: { name: "weather", args: {} } }] },
      { role: "function", parts: [{ functionResponse: { name: "weather", response: { output: "Sunny." } } }] },
    ],
    [{ role: "function", parts: [{ functionResponse: { name: "weather", response: {} } }] }],
  ],
  problems: [
    [
      [
        contents("user", { text: "Go." }),
        contents("model", functionCall, functionCall),
        contents("user", functionResponse, functionResponse),
      ],
      [],
    ],
    [
      [contents("user", { text: "Go." }), contents("model", functionCall, functionCall), contents("user", functionResponse)],
      ["unanswered_tool_use 2"],
    ],
    [[contents("user", functionResponse)], ["orphan_tool_result 0"]],
    [[contents("model", functionCall)], ["first_not_user 0"]],
    [
      [contents("robot", { text: "Hi" }), { role: "user" }],
      ["unknown_role 0", "empty_content 1"],
    ],
  ],
};
