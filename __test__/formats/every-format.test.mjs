// What holds in every format alike: summaries are known again, custom providers and advice read them all.

import { describe, expect, test } from "vitest";
import { api, clone, conversation, managerWith } from "../api/support.mjs";
import { FORMATS, rounds, task } from "./rounds.mjs";

/** A model that says what it is told to, and remembers what it was asked. */
function modelOf(...answers) {
  const asked = [];
  const handler = {
    async *createMessage(system, messages) {
      asked.push(JSON.stringify([system, messages]));
      yield { type: "text", text: answers[Math.min(asked.length, answers.length) - 1] };
    },
  };
  return { asked, handler };
}

const others = FORMATS.filter((format) => format !== "anthropic");
const historyOf = (format, count = 8) => [...task(format), ...rounds(format, 1, count)];
const summariesIn = (messages) => messages.filter((message) => JSON.stringify(message).includes("[Summary of ")).length;

describe.each(others)("%s", (format) => {
  test("a summary is known as one when it is condensed again", async () => {
    const { asked, handler } = modelOf("Files one to six were read.", "All files were read.");
    const manager = new api.CondensationManager({ provider: "native", fallback: false, guard: false, handler });
    const options = { format, config: { summaryCheck: "off" } };
    const messages = historyOf(format);
    const first = await manager.condense({ messages }, { format });
    expect(first.error).toBeUndefined();
    expect(api.validateMessages(first.messages, { format })).toEqual([]);
    expect(summariesIn(first.messages)).toBe(1);
    expect(JSON.stringify(first.messages)).toMatch(/\[Summary of \d+ messages?\]\\nFiles one to six were read\./);
    expect(api.countTokens(first.messages, { format })).toBe(first.newContextTokens);
    // With nothing new there is nothing to tell.
    expect((await manager.condense({ messages: first.messages }, { format })).error?.code).toBe("condensed_recently");
    const more = [...first.messages, ...rounds(format, 8, 16)];
    const second = await manager.condense({ messages: more }, { format });
    expect(second.error).toBeUndefined();
    expect(summariesIn(second.messages)).toBe(1);
    expect(JSON.stringify(second.messages)).toContain("All files were read.");
    expect(JSON.stringify(second.messages)).not.toContain("Files one to six");
    // It is updated, not told as something that was said.
    expect(asked.at(-1)).toContain("Files one to six were read.");
    expect(asked.at(-1)).not.toBe(asked[0]);
    const inspected = await api.inspect({ messages: second.messages }, { format });
    expect(inspected.tokens.byKind?.summaries ?? JSON.stringify(inspected)).toBeTruthy();
    expect(JSON.stringify(api.restore(clone({ messages: second.messages, restoreData: second.restoreData })))).toBe(JSON.stringify(more));
    expect(JSON.stringify(api.restore(clone({ messages: first.messages, restoreData: first.restoreData })))).toBe(JSON.stringify(messages));
    expect(options.format).toBe(format);
  });

  test("a custom provider is given Anthropic's messages, and its result is carried back", async () => {
    const messages = historyOf(format);
    const seen = [];
    const manager = managerWith((context) => {
      seen.push(context.messages);
      const [first, ...rest] = context.messages;
      const kept = rest.slice(-3);
      const told = { role: kept[0].role === "user" ? "assistant" : "user", content: "The files were read." };
      // A result that is shortened, and a message of its own.
      const shorter = kept.map((message) =>
        Array.isArray(message.content)
          ? { ...message, content: message.content.map((block) => (block.type === "tool_result" ? { ...block, content: "0007" } : block)) }
          : message,
      );
      return { messages: [first, ...(told.role === first.role ? [] : [told]), ...shorter] };
    });
    const result = await manager.condense({ messages }, { format });
    expect(result.error).toBeUndefined();
    expect(result.didCondense).toBe(true);
    expect(seen[0].every(({ role }) => role === "user" || role === "assistant")).toBe(true);
    expect(seen[0].flatMap(({ content }) => content).filter(({ type }) => type === "tool_use" || type === "tool_result")).toHaveLength(14);
    expect(api.validateMessages(result.messages, { format })).toEqual([]);
    expect(result.messages.at(-1)).toBe(messages.at(-1));
    const stored = clone({ messages: result.messages, restoreData: result.restoreData });
    expect(JSON.stringify(api.restore(stored))).toBe(JSON.stringify(messages));
  });

  test("what a format cannot hold is refused, and the next provider runs", async () => {
    const messages = historyOf(format);
    const add = ({ messages: all }) => ({
      messages: [
        all[0],
        { role: "assistant", content: [{ type: "tool_use", id: "new", name: "x", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "new", content: "y" }] },
        ...all.slice(-2),
      ],
    });
    const refused = await managerWith(add).condense({ messages }, { format });
    expect(refused.error).toMatchObject({
      code: "provider_failed",
      message: expect.stringContaining(`messages of format "${format}" cannot hold`),
    });
    expect(refused.messages).toBe(messages);
    const next = await managerWith(add, { fallback: ["truncation"] }).condense({ messages }, { format, targetTokens: 1500 });
    expect([next.error, next.didCondense]).toEqual([undefined, true]);
  });

  test("estimates of a custom provider are about Anthropic's messages", async () => {
    const manager = new api.CondensationManager({ provider: "mine" });
    const given = [];
    manager.registerProvider({
      id: "mine",
      condense: ({ messages }) => ({ messages }),
      estimateCost: ({ messages }) => given.push(messages) && 0.25,
    });
    expect(await manager.estimateCost({ messages: historyOf(format) }, { format })).toBe(0.25);
    expect(given[0].every(({ role }) => role === "user" || role === "assistant")).toBe(true);
  });

  test("the recommendation is that for Anthropic's messages", async () => {
    const answers = { targetTokens: 1500, hasHandler: false };
    const wanted = await api.recommend({ ...answers, messages: historyOf("anthropic", 20) });
    const found = await api.recommend({ ...answers, messages: historyOf(format, 20), format });
    expect(found.provider).toBe(wanted.provider);
    expect(found.config).toEqual(wanted.config);
  });
});

test("thresholds are learned from histories of any format", async () => {
  const output = Array.from({ length: 90 }, (_, at) => `export function part${at}(value: number) { return value * ${at}; }`).join("\n");
  const history = (format) => [...task(format), ...rounds(format, 1, 20, output), ...rounds(format, 1, 20)];
  const learned = async (format) => api.calibrateThresholds([history(format)], { maxCuts: 1, format });
  const wanted = await learned("anthropic");
  for (const format of ["openai-chat", "gemini"]) {
    const found = await learned(format);
    expect(found.thresholds, format).toEqual(wanted.thresholds);
    expect(found.cuts, format).toBe(wanted.cuts);
  }
});

test("messages of two formats are refused by advice, too", async () => {
  const both = [...historyOf("openai-chat"), ...historyOf("gemini")];
  await expect(api.recommend({ messages: both })).rejects.toMatchObject({ code: "unsupported_format", field: "answers.messages[31]" });
  await expect(api.calibrateThresholds([both])).rejects.toMatchObject({ code: "unsupported_format" });
  await expect(api.recommend({ messages: conversation(3), format: "gpt" })).rejects.toMatchObject({ code: "invalid_argument" });
});
