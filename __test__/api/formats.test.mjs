// Messages in the formats of others are refused, not mangled; what only looks a little like one is carried through.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { api, conversation, expectRejected, expectThrown, rejected } from "./support.mjs";

const user = { role: "user", content: "What is the weather in Paris?" };
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } };

class AIMessage {
  lc_namespace = ["langchain_core", "messages"];
  content = "Sunny.";
  getType() {
    return "ai";
  }
}

const FOREIGN = {
  "OpenAI chat messages": [
    [user, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "call_1", content: "Sunny." }],
    [user, { role: "tool", tool_call_id: "call_1", content: "Sunny." }],
    [user, { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } }],
    [user, { role: "function", name: "weather", content: "Sunny." }],
    [user, { role: "tool", content: "Sunny.", tool_name: "weather" }],
    [user, { role: "assistant", content: "", toolCalls: [call] }],
    [user, { role: "tool", toolCallId: "call_1", content: "Sunny." }],
    [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/sun.png" } }] }],
  ],
  "messages with toolCall parts": [
    [user, { role: "assistant", content: [{ type: "toolCall", id: "call_1", name: "weather", arguments: {} }] }],
    [user, { role: "toolResult", toolCallId: "call_1", content: [{ type: "text", text: "Sunny." }] }],
  ],
  "lines of a Claude Code transcript": [
    [{ type: "user", uuid: "1", message: user }],
    [{ type: "summary", summary: "Weather", leafUuid: "1" }],
  ],
  "OpenCode messages": [
    [{ info: { id: "1", role: "user" }, parts: [{ type: "text", text: "Hello" }] }],
    [user, { role: "assistant", content: [{ type: "tool", callID: "call_1", tool: "weather", state: { status: "completed" } }] }],
  ],
  "messages of the user interface of Cline or Roo-Code": [
    [{ ts: 1, type: "say", say: "text", text: "Hello" }],
    [{ ts: 1, type: "ask", ask: "tool", text: "{}" }],
  ],
  "ShareGPT messages": [[{ from: "human", value: "Hello" }]],
  "messages of a chat export": [[{ uuid: "1", sender: "human", text: "Hello" }]],
  "Cohere chat messages (v1)": [[{ role: "USER", message: "Hello" }]],
  "messages of the language models of VS Code": [[{ role: 1, content: [{ value: "Hello" }] }]],
  "OpenAI Responses items": [
    [user, { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" }],
    [user, { type: "function_call_output", call_id: "call_1", output: "Sunny." }],
    [user, { type: "reasoning", id: "1", summary: [] }, { role: "assistant", content: "Sunny." }],
    [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
    [user, { role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] }],
    [user, { role: "assistant", content: [{ type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" }] }],
  ],
  "AI SDK ModelMessage": [
    [{ role: "user", content: [{ type: "image", image: "https://example.com/sun.png" }] }],
    [{ role: "user", content: [{ type: "file", data: "aGk=", mediaType: "text/plain" }] }],
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
  "AI SDK UIMessage": [
    [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }],
    [user, { id: "2", role: "assistant", content: "", parts: [{ type: "text", text: "Hi" }] }],
    [user, { id: "2", role: "assistant", content: "Sunny.", parts: [{ type: "tool-invocation", toolInvocation: {} }] }],
    [user, { id: "2", role: "assistant", content: "Sunny.", toolInvocations: [{ state: "result", toolCallId: "call_1" }] }],
  ],
  "LangChain messages": [
    [user, { role: "assistant", content: "", additional_kwargs: { tool_calls: [call] } }],
    [new AIMessage()],
    [{ lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "Hello" } }],
    [{ type: "human", data: { content: "Hello" } }],
    [{ type: "human", content: "Hello" }],
  ],
  "Gemini contents": [
    [user, { role: "assistant", content: [{ functionCall: { name: "weather", args: {} } }] }],
    [user, { role: "user", content: [{ functionResponse: { name: "weather", response: {} } }] }],
    [
      { role: "user", parts: [{ text: "Hello" }] },
      { role: "model", parts: [{ text: "Hi" }] },
    ],
    [{ role: "model", parts: [{ functionCall: { name: "weather", args: {} } }] }],
    [user, { role: "model", content: "Hi" }],
  ],
  "Bedrock Converse messages": [
    [user, { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "Hm." } } }] }],
    [user, { role: "assistant", content: [{ toolUse: { toolUseId: "1", name: "weather", input: {} } }] }],
    [user, { role: "user", content: [{ toolResult: { toolUseId: "1", content: [{ text: "Sunny." }] } }] }],
    [{ role: "user", content: [{ text: "Hello" }] }],
  ],
};

describe("refused with what was seen", () => {
  for (const [name, histories] of Object.entries(FOREIGN)) {
    test.each(histories.map((messages, index) => [index, messages]))(`${name}, %i`, async (_, messages) => {
      for (const condense of [
        () => new api.CondensationManager().condense({ messages }),
        () => new api.CondensationManager().condenseIfNeeded({ messages, totalTokens: 10, contextWindow: 20 }),
        () => api.createTruncationProvider().condense({ messages }),
        () => api.createLosslessProvider().preview({ messages }),
      ]) {
        const error = await expectRejected(condense, TypeError, "unsupported_format", name);
        expect(error.field).toMatch(/^context\.messages\[\d\]$/);
        expect(error.message).toMatch(/docs\/formats\.md|api_conversation_history\.json/);
      }
      const counted = expectThrown(() => api.countTokens(messages), TypeError, "unsupported_format", name);
      expect(counted.field).toMatch(/^value\[\d\]$/);
      const [problem] = api.validateMessages(messages);
      expect([problem.code, counted.field]).toEqual(["unsupported_format", `value[${problem.messageIndex}]`]);
      expect((await rejected(() => api.inspect({ messages }))).message).toContain(name);
    });
  }
});

test("text alone is the same in most formats, and odd fields are nobody's", async () => {
  const histories = [
    [{ role: "system", content: "You are kind." }, user, { role: "assistant", content: "Sunny." }],
    [user, { role: "assistant", content: "Sunny.", tool_calls: [], function_call: null, parts: [1] }],
    [user, { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "weather", input: {} }], tool_calls: [call] }],
    [user, { role: "nobody", content: "of nobody" }, { type: "reasoning", role: "assistant", content: "Hm." }, null, 5],
    [user, { role: "assistant", content: "Sunny.", toolCalls: [1], info: {}, parts: [], from: "here", value: "it", message: "is" }],
    // As Roo-Code keeps and sends them.
    [
      { ...user, ts: 1, isSummary: true, condenseId: "c" },
      { type: "reasoning", id: "1", summary: [], encrypted_content: "x" },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", summary: [] },
          { type: "text", text: "Sunny." },
        ],
      },
    ],
    [user, { role: "assistant", content: [{ type: "text", text: "Hi", getType: 1 }] }],
  ];
  for (const messages of histories) {
    const result = await api.createTruncationProvider().condense({ messages });
    expect(result.error).toBeUndefined();
    expect(result.messages).toBe(messages);
  }
});

test("a leading system message stays, and so does the task behind it", async () => {
  const messages = [{ role: "system", content: "You are an agent." }, ...conversation(30)];
  const providers = [api.createTruncationProvider(), api.createLosslessProvider(), api.createSmartProvider("aggressive")];
  for (const provider of providers) {
    const { messages: condensed, didCondense } = await provider.condense({ messages }, { targetTokens: 900 });
    expect(didCondense, provider.id).toBe(true);
    expect(condensed[0], provider.id).toBe(messages[0]);
    expect(condensed[1], provider.id).toBe(messages[1]);
  }
  const handler = {
    async *createMessage() {
      yield { type: "text", text: "Files were looked at." };
    },
  };
  const { messages: told, error } = await api.createNativeProvider().condense({ messages }, { handler });
  expect(error).toBeUndefined();
  expect(told.slice(0, 2)).toEqual(messages.slice(0, 2));
  expect(told[2].isSummary).toBe(true);
});

test("the conversion of the page on formats gives messages that are legal", () => {
  const page = readFileSync(new URL("../../docs/formats.md", import.meta.url), "utf8");
  const code = /```js\n([\s\S]*?)```/.exec(page)[1];
  const fromOpenAi = new Function(`${code}; return fromOpenAi;`)();
  const converted = fromOpenAi([
    user,
    { role: "assistant", content: "Looking.", tool_calls: [call, { ...call, id: "call_2" }] },
    { role: "tool", tool_call_id: "call_1", content: "Sunny." },
    { role: "tool", tool_call_id: "call_2", content: "Rainy." },
    { role: "assistant", content: "It is both." },
  ]);
  expect(api.validateMessages(converted)).toEqual([]);
  expect(converted).toHaveLength(4);
});
