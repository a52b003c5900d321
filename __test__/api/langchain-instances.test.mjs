// Instances of LangChain's classes: what is put between them is one, too, so that LangChain's own functions take the list.

import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  filterMessages,
  getBufferString,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  mergeMessageRuns,
  trimMessages,
} from "@langchain/core/messages";
import { expect, test } from "vitest";
import { CondensationManager, callbackHandler, restore, validateMessages } from "../../index.js";

const handler = callbackHandler({
  async *createMessage() {
    yield { type: "text", text: "The files were read." };
    yield { type: "usage", inputTokens: 1, outputTokens: 1 };
  },
  getModel: () => ({ id: "x" }),
});
const code = (round) =>
  Array.from({ length: 40 }, (_, line) => `export const v${round}_${line} = f(${Math.sin(round * line + line)});`).join("\n");
const call = (round, Class = AIMessage) =>
  new Class({ content: "", tool_calls: [{ id: `c${round}`, name: "read", args: { path: `f${round}` }, type: "tool_call" }] });
const result = (round) => new ToolMessage({ tool_call_id: `c${round}`, name: "read", content: code(round) });
const rounds = (Class) => Array.from({ length: 10 }, (_, round) => [call(round, Class), result(round)]).flat();

class OwnMessage extends HumanMessage {
  constructor(text, author) {
    super({ content: text });
    this.author = author;
  }
}

/** Histories by what instances they have. */
const histories = {
  usual: [new SystemMessage("You code."), new HumanMessage("Read."), ...rounds(), new AIMessage("Read."), new HumanMessage("Go on.")],
  "chunks of a stream": [new HumanMessage("Read."), ...rounds(AIMessageChunk), new HumanMessage("Go on.")],
  "an application's class": [new OwnMessage("Read.", "me"), ...rounds(), new OwnMessage("Go on.", "me")],
  "none of the user's": [...rounds(), new AIMessage("Read.")],
};
const ways = [
  ["native", undefined],
  ["truncation", 400],
  ["smart", 500],
];

test.each(Object.keys(histories).flatMap((name) => ways.map(([provider, target]) => /** @type {const} */ ([name, provider, target]))))(
  "%s, %s to %s",
  async (name, provider, targetTokens) => {
    const messages = histories[name];
    const { error, ...done } = await new CondensationManager({ provider, handler }).condense(
      { messages },
      { targetTokens, format: "langchain" },
    );
    expect(error).toBeUndefined();
    const left = done.messages;
    expect(restore(done)).toEqual(messages);
    const added = left.filter((message) => !messages.includes(message) && message.getType() !== "tool");
    for (const message of left) expect(message).toBeInstanceOf(BaseMessage);
    for (const message of added) expect(message.constructor).not.toBe(OwnMessage);
    const stored = mapChatMessagesToStoredMessages(left);
    expect(mapStoredMessagesToChatMessages(stored).map((message) => message.text)).toEqual(left.map((message) => message.text));
    expect(getBufferString(left)).toContain("f9");
    expect(filterMessages(left, { includeTypes: ["human"] }).length).toBe(left.filter((message) => message.getType() === "human").length);
    const trimmed = await trimMessages(left, { maxTokens: 1e6, strategy: "last", tokenCounter: (list) => list.length });
    expect(trimmed.length).toBe(left.length);
    expect(mergeMessageRuns(left).length).toBeGreaterThan(0);
    expect(validateMessages(left, { format: "langchain" })).toEqual([]);
  },
);

test("between plain messages a plain one is put", async () => {
  const messages = histories.usual.map((message) => ({ type: message.getType(), content: message.content, ...pairing(message) }));
  const { messages: left } = await new CondensationManager({ provider: "native", handler }).condense({ messages });
  expect(left.some((message) => message.type === "ai" && String(message.content).startsWith("[Summary of "))).toBe(true);
  for (const message of left) expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
});
const pairing = ({ tool_calls, tool_call_id }) => ({ ...(tool_calls && { tool_calls }), ...(tool_call_id && { tool_call_id }) });
