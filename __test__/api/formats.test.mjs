// Messages in the formats of others are read as what they are or refused, never mangled; what only looks a little like one is carried through.

import { describe, expect, test } from "vitest";
import { SAMPLES } from "../formats/rounds.mjs";
import { api, conversation, expectRejected, expectThrown } from "./support.mjs";

const user = { role: "user", content: "What is the weather in Paris?" };
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } };
const [chat] = SAMPLES["openai-chat"].recognised;

/** Formats that are not read. */
const REFUSED = {
  "messages with toolCall parts": [
    [user, { role: "assistant", content: [{ type: "toolCall", id: "call_1", name: "weather", arguments: {} }] }],
    [user, { role: "toolResult", toolCallId: "call_1", content: [{ type: "text", text: "Sunny." }] }],
  ],
  "lines of a Pi session": [
    [
      { type: "session", version: 3, id: "1" },
      { type: "message", id: "2", parentId: null, message: user },
    ],
  ],
  // The user's content is parts without a type, as Bedrock's, but no message has a role.
  "messages of a Gemini CLI chat": [
    [
      { id: "1", type: "user", content: [{ text: "Hello" }] },
      { id: "2", type: "gemini", content: "Sunny.", toolCalls: [], thoughts: [] },
    ],
  ],
  "lines of a Claude Code transcript": [
    [{ type: "user", uuid: "1", message: user }],
    [{ type: "summary", summary: "Weather", leafUuid: "1" }],
  ],
  "lines of a Codex rollout": [
    [{ timestamp: "2026-05-01T10:00:00Z", type: "session_meta", payload: { id: "1", cwd: "/work", cli_version: "0.140.0" } }],
    [
      {
        timestamp: "2026-05-01T10:00:00Z",
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
      },
    ],
    [{ timestamp: "2026-05-01T10:00:00Z", type: "event_msg", payload: { type: "user_message", message: "Hi" } }],
    [{ timestamp: "2026-05-01T10:00:00Z", type: "compacted", payload: { message: "", replacement_history: [] } }],
    [{ record_type: "state" }, { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] }],
  ],
  "OpenCode messages without info": [
    [user, { role: "assistant", content: [{ type: "tool", callID: "call_1", tool: "weather", state: { status: "completed" } }] }],
  ],
  "messages of the user interface of Cline or Roo-Code": [
    [{ ts: 1, type: "say", say: "text", text: "Hello" }],
    [{ ts: 1, type: "ask", ask: "tool", text: "{}" }],
  ],
  "events of a run": [
    [
      { type: "system", subtype: "init", session_id: "s", tools: [] },
      { type: "assistant", message: { role: "assistant", content: [] }, session_id: "s" },
    ],
    [{ type: "init", session_id: "s", model: "gemini" }],
    [{ type: "thread.started", thread_id: "t" }],
    [user, { type: "item.completed", item: { id: "1", type: "agent_message", text: "Sunny." } }],
  ],
  "messages of an Amp thread": [
    [
      user,
      { role: "assistant", messageId: 1, content: [{ type: "tool_use", id: "1", name: "weather", input: {} }] },
      { role: "user", messageId: 2, content: [{ type: "tool_result", toolUseID: "1", run: { status: "done", result: "Sunny." } }] },
    ],
  ],
  "messages of a Zed thread": [
    [{ id: 0, role: "user", segments: [{ type: "text", text: "Hello" }], tool_uses: [], tool_results: [] }],
    [{ User: { content: [{ Text: "Hello" }] } }, { Agent: { content: [] } }],
  ],
  "events of OpenHands": [
    [{ id: 0, source: "agent", message: "Hi", action: "message", args: {} }],
    [{ id: 0, source: "environment", observation: "run", content: "x", extras: {} }],
    [{ id: "0", source: "user", kind: "MessageEvent", llm_message: user }],
  ],
  "ShareGPT messages": [[{ from: "human", value: "Hello" }]],
  "messages of a chat export": [[{ uuid: "1", sender: "human", text: "Hello" }]],
  "Cohere chat messages (v1)": [[{ role: "USER", message: "Hello" }]],
  "messages of the language models of VS Code": [[{ role: 1, content: [{ value: "Hello" }] }]],
  "AI SDK 4 UIMessage": [
    [user, { id: "2", role: "assistant", content: "Sunny.", parts: [{ type: "tool-invocation", toolInvocation: {} }] }],
    [user, { id: "2", role: "assistant", content: "Sunny.", toolInvocations: [{ state: "result", toolCallId: "call_1" }] }],
  ],
};

/** Every way to condense. */
const condensing = (messages, options) => [
  () => new api.CondensationManager().condense({ messages }, options),
  () => new api.CondensationManager().condenseIfNeeded({ messages, totalTokens: 10, contextWindow: 20 }, options),
  () => api.createTruncationProvider().condense({ messages }, options),
  () => api.createLosslessProvider().preview({ messages }, options),
];

async function expectRefused(messages, options, ...words) {
  await expectNotCondensed(messages, options, ...words);
  expect(() => api.expand(messages, options)).toThrow(words[0]);
}

/** The same of what no format explains: only its pointers can be followed. */
async function expectNotCondensed(messages, options, ...words) {
  for (const condense of condensing(messages, options)) {
    const error = await expectRejected(condense, TypeError, "unsupported_format", ...words);
    expect(error.field).toMatch(/^context\.messages\[\d\]$/);
    expect(error.message).toMatch(/docs\/formats\.md|api_conversation_history\.json|info, parts|version 5/);
  }
  const counted = expectThrown(() => api.countTokens(messages, options), TypeError, "unsupported_format", ...words);
  expect(counted.field).toMatch(/^value\[\d\]$/);
  const [problem] = api.validateMessages(messages, options);
  expect([problem.code, counted.field]).toEqual(["unsupported_format", `value[${problem.messageIndex}]`]);
  await expectRejected(() => api.inspect({ messages }, options), TypeError, "unsupported_format", words[0]);
}

describe("refused with what was seen", () => {
  for (const [name, histories] of Object.entries(REFUSED)) {
    test.each(histories.map((messages, index) => [index, messages]))(`${name}, %i`, (_, messages) =>
      expectRefused(messages, undefined, name),
    );
  }
});

describe("read as what they are", () => {
  for (const [format, { recognised }] of Object.entries(SAMPLES)) {
    test.each(recognised.map((messages, index) => [index, messages]))(`${format}, %i`, async (_, messages) => {
      for (const options of [undefined, { format }]) {
        for (const condense of condensing(messages, options)) {
          const result = await condense();
          expect(result.error).toBeUndefined();
          if (result.messages) expect(result.messages).toBe(messages);
        }
        expect(api.countTokens(messages, options)).toBeGreaterThan(0);
        expect(api.validateMessages(messages, options).map(({ code }) => code)).not.toContain("unsupported_format");
        expect((await api.inspect({ messages }, options)).messages).toHaveLength(messages.length);
        expect(api.expand(messages, options)).toEqual({ messages, unresolved: [] });
      }
    });
  }
});

test("messages of two formats are refused, whichever comes first", async () => {
  const gemini = { role: "model", parts: [{ text: "Hi" }] };
  const ours = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }] };
  await expectRefused([...chat, gemini], undefined, "Gemini contents", "message 1 has tool_calls", "OpenAI chat messages");
  await expectRefused([gemini, ...chat], undefined, "OpenAI chat messages", "message 0 has", "Gemini contents");
  await expectRefused([...chat, ours], undefined, "messages of the Anthropic Messages API", "message 1 has tool_calls");
  await expectRefused([ours, ...chat], undefined, "messages of the Anthropic Messages API", "OpenAI chat messages");
});

test("what no format explains is refused, by the first message and what was seen in it", async () => {
  const said = { role: "assistant", content: "Sunny." };
  const rows = [
    [[user, said, { kind: "note", items: ["x"] }], 2, "no role, and the fields kind, items: no format that is read here"],
    [[user, { role: "assistant", blocks: [{ block_type: "text", text: "Sunny." }] }], 1, 'role "assistant", and the fields blocks'],
    [[user, { role: "assistant", content: { parts: ["Sunny."] } }], 1, 'role "assistant", and a content that is neither a text nor a list'],
    [
      [
        { type: "message", role: "user", content: "Hello" },
        { type: "tool_use", tool_id: "1", tool_name: "weather" },
      ],
      1,
      'type "tool_use", no role, and the fields tool_id, tool_name',
    ],
    [[...chat, { action: "think", note: ["x"] }], 3, "this is none of OpenAI chat messages, but message 1 has tool_calls"],
    // Halves of a call in a form of somebody's own.
    [
      [
        user,
        { role: "assistant", content: [{ type: "ask_tool", request: { callId: "1" }, name: "weather" }] },
        { role: "user", content: [{ type: "told", of: { id: "1" }, text: "Sunny." }] },
      ],
      1,
      'a part of type "ask_tool", answered by a part of type "told"',
    ],
    [
      [
        user,
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "weather", input: {} }] },
        { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: "Sunny." }] },
      ],
      2,
      'a part of type "tool_result"',
    ],
  ];
  for (const [messages, index, words] of rows) {
    await expectNotCondensed(messages, undefined, words);
    expect(api.validateMessages(messages)[0]).toMatchObject({ code: "unsupported_format", messageIndex: index });
  }
});

test("an element that is no object is no message", async () => {
  for (const [messages, index] of [
    [["hi"], 0],
    [[null], 0],
    [[5], 0],
    [[user, "hi"], 1],
    [[...chat, null], 3],
  ]) {
    for (const condense of condensing(messages)) {
      const error = await expectRejected(condense, TypeError, "invalid_messages", "must be a message");
      expect(error.field).toBe(`context.messages[${index}]`);
    }
    expect(api.validateMessages(messages).map(({ code, messageIndex }) => `${code} ${messageIndex}`)).toContain(`not_a_message ${index}`);
  }
});

test("the option format is held to what is seen", async () => {
  await expectRefused(chat, { format: "gemini" }, "OpenAI chat messages", 'the option format is "gemini"');
  await expectRefused(chat, { format: "anthropic" }, "OpenAI chat messages", 'the option format is "anthropic"');
  for (const format of ["openai", 5, null, {}]) {
    const call = () => api.countTokens([user], { format });
    expect(expectThrown(call, TypeError, "invalid_argument", "options.format", '"openai-chat"').field).toBe("options.format");
    await expectRejected(() => new api.CondensationManager().condense({ messages: [user] }, { format }), TypeError, "invalid_argument");
    expectThrown(() => api.validateMessages([user], { format }), TypeError, "invalid_argument");
  }
});

test("text alone is condensed in the format that is named", async () => {
  const messages = Array.from({ length: 30 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: `Word ${index}. `.repeat(80),
  }));
  for (const format of ["openai-chat", "ai-sdk-model", "openai-responses"]) {
    const result = await new api.CondensationManager({ provider: "smart" }).condense({ messages }, { format, targetTokens: 2000 });
    expect(result.didCondense).toBe(true);
    expect(api.validateMessages(result.messages, { format })).toEqual([]);
    expect(result.restoreData.format).toBe(format);
    expect(api.restore(result)).toEqual(messages);
  }
});

test("text alone is the same in most formats, and odd fields are nobody's", async () => {
  const histories = [
    [{ role: "system", content: "You are kind." }, user, { role: "assistant", content: "Sunny." }],
    [user, { role: "assistant", content: "Sunny.", tool_calls: [], function_call: null, parts: [1] }],
    [user, { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "weather", input: {} }], tool_calls: [call] }],
    [user, { role: "nobody", content: "of nobody" }, { type: "reasoning", role: "assistant", content: "Hm." }],
    [user, { role: "assistant" }, { role: "user", content: null, ts: 1 }],
    [
      user,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "tool_use", id: "1", name: "weather", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: "Sunny." },
          { type: "progress", tool_use_id: "1", session_id: "s" },
          { type: "hint", text: "x" },
        ],
      },
    ],
    [
      user,
      { role: "assistant", content: [{ type: "note", id: "n1" }, "text", null] },
      { role: "user", content: [{ type: "other", id: "n2" }] },
    ],
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
  expect(told[2].content).toMatch(/^\[Summary of \d+ messages\]\n/);
});
