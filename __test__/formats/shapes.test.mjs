// What is particular to a format: where calls, results, approvals, summaries and indices of messages stand.

import { describe, expect, test } from "vitest";
import { api, clone, deepFreeze, lines } from "../api/support.mjs";

const OUTPUT = lines(120);
const condense = (messages, options = {}, provider = "smart") =>
  new api.CondensationManager({ provider, fallback: false, guard: false }).condense({ messages: deepFreeze(messages) }, options);

/** What has to hold of every result: legal as before, and restored from JSON. */
function expectWhole(messages, result, format) {
  expect(result.error).toBeUndefined();
  expect(result.didCondense).toBe(true);
  expect(api.validateMessages(result.messages, { format })).toEqual(api.validateMessages(messages, { format }));
  const stored = clone({ messages: result.messages, restoreData: result.restoreData });
  expect(JSON.stringify(api.restore(stored))).toBe(JSON.stringify(messages));
}

/** A chat with this many rounds, the parameters of each as long as its result. */
const chat = (rounds) => [
  { role: "system", content: "You are an agent." },
  { role: "user", content: "Have a look at these files.", name: "mara" },
  ...Array.from({ length: rounds }, (_, index) => [
    {
      role: "assistant",
      content: null,
      reasoning_content: "Hm.",
      tool_calls: ["a", "b"].map((part) => ({
        id: `call_${index}${part}`,
        type: "function",
        function: {
          name: "write_file",
          arguments: JSON.stringify({ path: `src/${index}${part}.ts`, size: 9007199254740993n.toString(), content: OUTPUT }),
        },
      })),
    },
    { role: "tool", tool_call_id: `call_${index}a`, content: `${index} ${OUTPUT}`, extra: { at: index } },
    {
      role: "tool",
      tool_call_id: `call_${index}b`,
      content: [{ type: "text", text: `${index} ${OUTPUT}`, cache_control: { type: "ephemeral" } }],
    },
  ]).flat(),
  { role: "assistant", content: "That is all.", annotations: [] },
];

describe("OpenAI chat messages", () => {
  test("parameters stay JSON, and fields that are not known stay", async () => {
    const messages = chat(8);
    const result = await condense(messages, {}, "truncation");
    expectWhole(messages, result, "openai-chat");
    expect(result.messages).toHaveLength(messages.length);
    result.messages.forEach((message, index) => {
      const { content: _, tool_calls: calls = [], ...rest } = message;
      const { content: __, tool_calls: were = [], ...before } = messages[index];
      expect(rest).toEqual(before);
      calls.forEach((call, at) => {
        const { path, size } = JSON.parse(call.function.arguments);
        const was = JSON.parse(were[at].function.arguments);
        expect([call.id, path, size]).toEqual([were[at].id, was.path, was.size]);
      });
    });
    expect(result.messages[4].content[0].cache_control).toEqual({ type: "ephemeral" });
    expect(result.messages[2].tool_calls[0].function.arguments.length).toBeLessThan(OUTPUT.length);
    for (const { messageIndex, newContent } of result.changes) expect(newContent).not.toBe(messages[messageIndex]);
  });

  test("messages are protected and frozen by the caller's indices", async () => {
    const messages = chat(12);
    const protectedOnes = [9, 16];
    const options = { targetTokens: 4000, protect: { messages: protectedOnes } };
    const result = await condense(messages, options);
    expectWhole(messages, result, "openai-chat");
    for (const index of protectedOnes) expect(result.messages).toContain(messages[index]);
    const chosen = await condense(messages, { ...options, protect: { messages: (message) => message === messages[9] } });
    expect(chosen.messages).toContain(messages[9]);
    const frozen = await condense(messages, { targetTokens: 6000, frozenMessages: 6 });
    expect(frozen.messages.slice(0, 6)).toEqual(messages.slice(0, 6));
    expect(frozen.firstChangedIndex).toBeGreaterThanOrEqual(6);
    frozen.messages.slice(0, 6).forEach((message, index) => expect(message).toBe(messages[index]));
  });

  test("a function that selects messages is given the caller's", async () => {
    const messages = chat(8);
    const operation = { operation: "suppress" };
    const config = {
      passes: [
        {
          id: "chosen",
          name: "chosen",
          selection: { type: "custom", customSelector: (given) => given.filter(({ tool_call_id: id }) => id === "call_2b") },
          mode: "individual",
          individualConfig: {
            defaults: { messageText: { operation: "keep" }, toolParameters: { operation: "keep" }, toolResults: operation },
          },
          execution: { type: "always" },
        },
      ],
      losslessPrelude: { enabled: false },
    };
    const result = await condense(messages, { config });
    expect(result.error).toBeUndefined();
    const changed = result.changes.map(({ messageIndex }) => messages[messageIndex].tool_call_id);
    expect(changed).toContain("call_2b");
    expect(changed.every((id) => id.startsWith("call_2"))).toBe(true);
  });
});

describe("AI SDK", () => {
  const round = (index) => [
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: { openai: { itemId: `rs_${index}`, reasoningEncryptedContent: "x" } } },
        { type: "tool-call", toolCallId: `c${index}`, toolName: "read_file", input: { path: `src/${index}.ts` } },
        { type: "tool-approval-request", approvalId: `a${index}`, toolCallId: `c${index}` },
      ],
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: `a${index}`, approved: true }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `c${index}`,
          toolName: "read_file",
          output: { type: "json", value: { lines: [`${index} ${OUTPUT}`] } },
        },
      ],
    },
  ];
  const messages = [
    { role: "user", content: "Look." },
    ...Array.from({ length: 20 }, (_, index) => round(index)).flat(),
    { role: "assistant", content: "Done." },
  ];

  test.each([6000, 3000, 1500])("approvals stay with what they are for, to %i tokens", async (targetTokens) => {
    const result = await condense(messages, { targetTokens });
    expectWhole(messages, result, "ai-sdk-model");
    const parts = result.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const ids = (type, field) => parts.filter((part) => part.type === type).map((part) => part[field]);
    expect(ids("tool-approval-request", "approvalId")).toEqual(ids("tool-approval-response", "approvalId"));
    expect(ids("tool-approval-request", "toolCallId")).toEqual(ids("tool-call", "toolCallId"));
    expect(ids("tool-call", "toolCallId")).toEqual(ids("tool-result", "toolCallId"));
  });

  test("a UI message of many steps is shortened inside, and its output keeps its shape", async () => {
    const steps = Array.from({ length: 20 }, (_, index) => [
      { type: "step-start" },
      { type: "text", text: `Step ${index}.`, state: "done" },
      {
        type: "tool-run",
        toolCallId: `c${index}`,
        state: "output-available",
        input: { command: `make ${index}` },
        output: { code: 0, stdout: `${index} ${OUTPUT}` },
      },
      { type: "data-progress", data: { index } },
    ]).flat();
    const history = [
      { id: "1", role: "user", parts: [{ type: "text", text: "Build all." }] },
      { id: "2", role: "assistant", parts: steps, metadata: { model: "m" } },
      { id: "3", role: "user", parts: [{ type: "text", text: "And now?" }] },
      { id: "4", role: "assistant", parts: [{ type: "text", text: "It is built." }] },
    ];
    for (const targetTokens of [8000, 3000]) {
      const result = await condense(history, { targetTokens });
      expectWhole(history, result, "ai-sdk-ui");
      expect(result.messages[0]).toBe(history[0]);
      for (const { parts } of result.messages) {
        for (const part of parts.filter(({ type }) => type === "tool-run"))
          expect([part.output.code, typeof part.output.stdout]).toEqual([0, "string"]);
      }
    }
  });

  test("words that were stored one by one are one text", async () => {
    const words = OUTPUT.split(" ").map((word) => ({ type: "text", text: `${word} ` }));
    const history = [
      { id: "1", role: "user", parts: [{ type: "text", text: "Tell me." }] },
      { id: "2", role: "assistant", parts: words },
      ...Array.from({ length: 12 }, (_, index) => ({
        id: `${index + 3}`,
        role: index % 2 ? "assistant" : "user",
        parts: [{ type: "text", text: "Go on." }],
      })),
    ];
    const whole = [
      history[0],
      { ...history[1], parts: [{ type: "text", text: words.map(({ text }) => text).join("") }] },
      ...history.slice(2),
    ];
    expect(api.countTokens(history)).toBe(api.countTokens(whole));
    const result = await condense(history, { targetTokens: 300 });
    expectWhole(history, result, "ai-sdk-ui");
  });
});

describe("LangChain", () => {
  class BaseMessage {
    lc_namespace = ["langchain_core", "messages"];
    constructor(fields) {
      this.lc_kwargs = fields;
      Object.assign(this, fields);
    }
    getType() {
      return this.constructor.type;
    }
    toJSON() {
      const kwargs = Object.fromEntries(Object.keys(this.lc_kwargs).map((key) => [key, this[key]]));
      return { lc: 1, type: "constructor", id: ["langchain_core", "messages", this.constructor.name], kwargs };
    }
  }
  class HumanMessage extends BaseMessage {
    static type = "human";
  }
  class AIMessage extends BaseMessage {
    static type = "ai";
  }
  class ToolMessage extends BaseMessage {
    static type = "tool";
  }
  const history = () => [
    new HumanMessage({ content: "Look." }),
    ...Array.from({ length: 20 }, (_, index) => [
      new AIMessage({
        content: [
          { type: "text", text: `File ${index}.` },
          { type: "tool_use", id: `c${index}`, name: "write", input: { path: "a", content: OUTPUT } },
        ],
        tool_calls: [{ id: `c${index}`, name: "write", args: { path: "a", content: OUTPUT }, type: "tool_call" }],
        additional_kwargs: {
          tool_calls: [
            { id: `c${index}`, type: "function", function: { name: "write", arguments: JSON.stringify({ path: "a", content: OUTPUT }) } },
          ],
        },
      }),
      new ToolMessage({ content: `${index} ${OUTPUT}`, tool_call_id: `c${index}`, status: "success", artifact: { index } }),
    ]).flat(),
    new AIMessage({ content: "Done." }),
  ];
  const serialised = () => clone(history());
  const stored = () => history().map((message) => ({ type: message.getType(), data: { ...message.lc_kwargs } }));
  const plain = () => history().map((message) => ({ type: message.getType(), ...message.lc_kwargs }));

  test.each([
    ["instances", history, (message) => message],
    ["serialised", serialised, ({ kwargs }) => kwargs],
    ["stored", stored, ({ data }) => data],
    ["plain", plain, (message) => message],
  ])("%s", async (name, make, fieldsOf) => {
    const messages = make();
    const before = JSON.stringify(messages);
    const cut = await condense(messages, {}, "truncation");
    expect(cut.error).toBeUndefined();
    expect(cut.didCondense).toBe(true);
    for (const [index, message] of cut.messages.entries()) {
      expect(Object.getPrototypeOf(message)).toBe(Object.getPrototypeOf(messages[index]));
      const { content, tool_calls: calls, additional_kwargs: more } = fieldsOf(message);
      if (!calls) continue;
      // A call that stands three times says the same everywhere.
      expect(content[1].input).toEqual(calls[0].args);
      expect(JSON.parse(more.tool_calls[0].function.arguments)).toEqual(calls[0].args);
    }
    expect(JSON.stringify(api.restore(cut))).toBe(before);
    const short = await condense(messages, { targetTokens: 2000 });
    expect(short.error).toBeUndefined();
    expect(api.validateMessages(short.messages, { format: "langchain" })).toEqual([]);
    expect(JSON.stringify(api.restore(short))).toBe(before);
    expect(JSON.stringify(messages)).toBe(before);
    const added = short.messages.filter((message) => !messages.includes(message) && !("getType" in message));
    if (name === "serialised") for (const { lc, kwargs } of added) expect([lc, "content" in kwargs]).toEqual([1, true]);
    if (name === "stored") for (const { data } of added) expect("content" in data).toBe(true);
  });
});

describe("what stands before a compaction", () => {
  const own = (count) =>
    Array.from({ length: count }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: `${index} ${OUTPUT}` }));

  test("of Anthropic's counts nothing and stays", async () => {
    const compaction = {
      role: "assistant",
      content: [
        { type: "compaction", content: "All was built." },
        { type: "text", text: "Going on." },
      ],
    };
    const messages = [...own(9), compaction, ...own(20)];
    expect(api.countTokens(messages)).toBe(api.countTokens(messages.slice(9)));
    expect(api.countTokens(messages)).toBeLessThan(api.countTokens(own(9)) + api.countTokens(messages.slice(9)));
    const result = await condense(messages, { targetTokens: 5000 });
    expectWhole(messages, result, "anthropic");
    expect(result.messages.slice(0, 10)).toEqual(messages.slice(0, 10));
    result.messages.slice(0, 10).forEach((message, index) => expect(message).toBe(messages[index]));
    expect(result.stats.finalTokens).toBeLessThanOrEqual(5000);
  });

  test("of OpenAI's counts nothing and stays", async () => {
    const item = ({ role, content }) => ({
      type: "message",
      role,
      content: [{ type: role === "user" ? "input_text" : "output_text", text: content }],
    });
    const messages = [...own(8).map(item), { type: "compaction", id: "cmp_1", encrypted_content: "gAAA" }, ...own(20).map(item)];
    expect(api.countTokens(messages)).toBe(api.countTokens(messages.slice(8)));
    const result = await condense(messages, { targetTokens: 5000 });
    expectWhole(messages, result, "openai-responses");
    result.messages.slice(0, 9).forEach((message, index) => expect(message).toBe(messages[index]));
  });
});

test("a reasoning item goes with the call that it led to", async () => {
  const messages = [
    { role: "user", content: "Look." },
    ...Array.from({ length: 20 }, (_, index) => [
      { type: "reasoning", id: `rs_${index}`, summary: [], encrypted_content: `enc${index}` },
      { type: "function_call", id: `fc_${index}`, call_id: `c${index}`, name: "read_file", arguments: `{"path":"src/${index}.ts"}` },
      { type: "function_call_output", call_id: `c${index}`, output: `${index} ${OUTPUT}` },
    ]).flat(),
    { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Done.", annotations: [] }] },
  ];
  for (const targetTokens of [8000, 3000, 1500]) {
    const result = await condense(messages, { targetTokens });
    expectWhole(messages, result, "openai-responses");
    const ids = (type) => result.messages.filter((item) => item.type === type).map(({ id }) => id?.slice(3));
    expect(ids("reasoning")).toEqual(ids("function_call"));
    for (const item of result.messages.filter(({ type }) => type === "reasoning")) expect(messages).toContain(item);
  }
});

test("objects that were changed meanwhile are told, and nothing is lost", async () => {
  const messages = chat(8);
  const manager = new api.CondensationManager({ provider: "truncation" });
  const promise = manager.condense({ messages });
  for (const message of messages) if (message.role === "tool") message.content = "changed";
  const result = await promise;
  expect(result.error?.code).toBe("unsupported_messages");
  expect(result.messages).toBe(messages);
});

test("data that is not of these messages is refused", async () => {
  const messages = chat(8);
  const { messages: condensed, restoreData } = await condense(messages, { targetTokens: 3000 });
  const refused = (changed) => expect(() => api.restore(changed)).toThrow(expect.objectContaining({ code: "invalid_restore_data" }));
  refused({ messages: condensed, restoreData: { ...restoreData, format: "nonsense" } });
  refused({ messages: condensed, restoreData: { ...restoreData, format: "gemini" } });
  refused({ messages: condensed.slice(1), restoreData });
  refused({ messages: condensed.map((message) => (message.role === "tool" ? { ...message, content: "x" } : message)), restoreData });
  const withField = condensed.map((message) => ({ ...message, savedAt: 1 }));
  expect(api.restore({ messages: withField, restoreData }).length).toBe(messages.length);
});
