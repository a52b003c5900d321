// Counting.

import { afterEach, describe, expect, test, vi } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { api, clone, conversation, lines, native } from "./support.mjs";

const { countTokens, warmUp } = api;

afterEach(() => vi.restoreAllMocks());

const spied = () => vi.spyOn(native, "countMessages");

describe("what it counts", () => {
  test("text", async () => {
    await warmUp();
    expect(countTokens("")).toBe(0);
    expect(countTokens("hello world")).toBe(2);
    expect(countTokens("hello world", { encoding: "cl100k_base" })).toBe(2);
    expect(countTokens("豆をまく".repeat(50))).not.toBe(countTokens("豆をまく".repeat(50), { encoding: "cl100k_base" }));
  });

  test("text counts the same alone and in a message", () => {
    for (const text of ["plain", "\ud83c", "a \udf31 b \udf31\ud83c", "\u0000\r\n", "\ufffd \ufeff", "<|endoftext|>", "👩‍👩‍👧‍👦"]) {
      expect(countTokens(text), JSON.stringify(text)).toBe(countTokens({ role: "user", content: text }));
      expect(countTokens(text)).toBe(countTokens({ type: "text", text }));
    }
  });

  test("nothing", () => {
    for (const value of [
      [],
      { role: "user", content: "" },
      { role: "user", content: [] },
      [{ role: "user", content: [] }],
      { type: "text", text: "" },
    ])
      expect(countTokens(value)).toBe(0);
  });

  test("messages are the sum of their blocks, and a conversation that of its messages", () => {
    for (const dialect of ["claude-code", "roo-xml", "roo-native"]) {
      const messages = buildHistory({ dialect, messages: 40 });
      let sum = 0;
      for (const message of messages) {
        const blocks = typeof message.content === "string" ? [] : message.content;
        if (blocks.length > 0) {
          const apart = blocks.map((block) => countTokens(block));
          expect(apart.reduce((a, b) => a + b)).toBe(countTokens(message));
          expect(countTokens(blocks)).toBe(countTokens(message));
        } else expect(countTokens(message.content)).toBe(countTokens(message));
        sum += countTokens(message);
      }
      expect(countTokens(messages)).toBe(sum);
      expect(countTokens(clone(messages))).toBe(sum);
    }
  });

  test("tool calls and results", () => {
    const text = lines(30);
    expect(countTokens({ type: "tool_result", tool_use_id: "t", content: text })).toBeGreaterThanOrEqual(countTokens(text));
    expect(countTokens({ type: "tool_use", id: "t", name: "run", input: { command: text } })).toBeGreaterThan(countTokens(text));
  });

  test("images: the square root of their data, rounded up, or 300", () => {
    const image = (source) => countTokens({ type: "image", source });
    expect(image({ type: "base64", media_type: "image/png", data: "A".repeat(10_000) })).toBe(100);
    expect(image({ type: "base64", media_type: "image/png", data: "A".repeat(10_001) })).toBe(101);
    expect(image({ type: "url", url: "https://example.invalid/x.png" })).toBe(300);
    expect(image({ type: "base64", media_type: "image/png", data: "" })).toBe(300);
  });

  test("the scale is applied once, to the sum", () => {
    const messages = conversation(5);
    const tokens = countTokens(messages);
    expect(countTokens(messages, { scale: 1.5 })).toBe(Math.ceil(tokens * 1.5));
    expect(countTokens(messages, { scale: "claude" })).toBe(Math.ceil(tokens * 1.25));
    expect(countTokens(messages, { scale: "auto" })).toBe(tokens);
    expect(countTokens(messages, { scale: 0.1 })).toBe(Math.ceil(tokens / 10));
    expect(countTokens("", { scale: 2 })).toBe(0);
    expect(countTokens(messages, { encoding: undefined, scale: undefined })).toBe(tokens);
  });

  test("hostile texts", () => {
    for (const text of [" ", "\t", "=", "a", "豆", "\ud83c", "AbC9"].map((part) => part.repeat(200_000 / part.length)))
      expect(countTokens(text)).toBeGreaterThan(0);
  });

  test("holes and what is no message", () => {
    const sparse = new Array(3);
    sparse[1] = { role: "user", content: "hello world" };
    expect(countTokens(sparse)).toBe(2);
    expect(countTokens([null, 5, { role: "user", content: "hello world" }])).toBe(2);
  });
});

describe("what it remembers", () => {
  test("a conversation is not counted again; what it has grown by is", () => {
    const messages = conversation(10);
    const count = spied();
    const tokens = countTokens(messages);
    expect(count).toHaveBeenCalledTimes(1);
    expect(countTokens(messages)).toBe(tokens);
    expect(countTokens(messages.slice())).toBe(tokens);
    for (const message of messages) countTokens(message);
    expect(count).toHaveBeenCalledTimes(1);
    const added = { role: "user", content: "One more." };
    expect(countTokens([...messages, added])).toBe(tokens + countTokens("One more."));
    expect(count).toHaveBeenCalledTimes(2);
    expect(JSON.parse(count.mock.lastCall[0].toString("utf16le"))).toEqual([added]);
  });

  test("blocks are remembered too", () => {
    const [block] = conversation(1)[2].content;
    const count = spied();
    const tokens = countTokens(block);
    expect([countTokens([block]), countTokens(block)]).toEqual([tokens, tokens]);
    expect(count).toHaveBeenCalledTimes(1);
    block.content = "shorter";
    expect(countTokens(block)).toBe(countTokens({ ...block }));
    expect(countTokens(block)).not.toBe(tokens);
  });

  test("by encoding", () => {
    const message = { role: "user", content: "豆をまく".repeat(20) };
    const first = countTokens(message);
    expect(countTokens(message, { encoding: "cl100k_base" })).toBe(countTokens(message.content, { encoding: "cl100k_base" }));
    expect(countTokens(message)).toBe(first);
  });

  const mutations = {
    text: (message) => (message.content[0].text += " and more words"),
    "a block added": (message) => message.content.push({ type: "text", text: "more words" }),
    "a block removed": (message) => message.content.pop(),
    "a block replaced": (message) => (message.content[1] = { type: "text", text: "quite different words" }),
    "a field deep inside": (message) => (message.content[1].input.list[1].name = "another name altogether"),
    "a field added deep inside": (message) => (message.content[1].input.list[1].more = ["many", "more", "words"]),
    "a field removed deep inside": (message) => delete message.content[1].input.list[1].name,
    "a key renamed": (message) => {
      message.content[1].input = { another_key_for_it: message.content[1].input.list };
    },
    "the content as a whole": (message) => (message.content = "a text"),
    "a value of another type": (message) => (message.content[1].input.list = "list"),
  };

  test.each(Object.entries(mutations))("a message changed in place is counted again: %s", (_, mutate) => {
    const message = {
      role: "assistant",
      content: [
        { type: "text", text: "words" },
        { type: "tool_use", id: "t", name: "run", input: { list: [1, { name: "x" }] } },
      ],
    };
    const before = countTokens(message);
    mutate(message);
    expect(countTokens(message)).toBe(countTokens(clone(message)));
    expect(countTokens(message)).not.toBe(before);
  });

  test("what moved within a message is seen", () => {
    const message = { role: "user", content: [{ type: "text", text: "a b c", note: ["x y z"] }] };
    countTokens(message);
    message.content[0].text = "a b c d";
    message.content[0].note = [];
    message.content[0].more = "x y z";
    expect(countTokens(message)).toBe(countTokens(clone(message)));
  });

  test("a toJSON is asked every time", () => {
    let text = "one";
    const message = { role: "user", content: [{ toJSON: () => ({ type: "text", text }) }] };
    expect(countTokens(message)).toBe(countTokens("one"));
    text = "one two three";
    expect(countTokens(message)).toBe(3);
    const whole = { role: "user", toJSON: () => ({ role: "user", content: text }) };
    expect(countTokens(whole)).toBe(3);
    text = "one";
    expect(countTokens(whole)).toBe(1);
  });

  test("a getter is asked every time", () => {
    let text = "one";
    const message = {
      role: "user",
      get content() {
        return text;
      },
    };
    expect(countTokens(message)).toBe(1);
    text = "one two three";
    expect(countTokens(message)).toBe(3);
  });

  test("a count that failed is not remembered", () => {
    const message = { role: "user", content: "words" };
    expect(() => countTokens(message, { encoding: "p50k_base" })).toThrow(TypeError);
    expect(countTokens(message)).toBe(1);
  });
});

test.each([
  ["messages", (array) => array],
  ["a message", (array) => ({ role: "user", content: array })],
])("an array that is nothing but a length is refused at once: %s", (_, of) => {
  const array = [];
  array.length = 2 ** 32 - 1;
  expect(() => countTokens(of(array))).toThrow(expect.objectContaining({ code: "not_serializable" }));
  expect(() => api.validateMessages(array)).toThrow(expect.objectContaining({ code: "not_serializable" }));
});

test("warmUp can be asked for as often as one likes", async () => {
  await Promise.all([warmUp(), warmUp("o200k_base"), warmUp("cl100k_base")]);
  expect(await warmUp()).toBeUndefined();
});
