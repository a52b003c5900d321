// Going back in a history of 2025 that a condensation has left pointers in.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createLosslessProvider, expand } from "../../index.js";
import { createCondense, createSlidingWindow } from "../../js/roo/index.js";
import { createRandom } from "../../fixtures/random.mjs";
import { assistant, call, conversation, handler, recordingHost, result, text, user, windowOptions } from "./support.mjs";

const { rewindTo } = createCondense();
const fixture = (name) => JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), "utf8"));
const messagesOf = (name) => (Array.isArray(fixture(name)) ? fixture(name) : fixture(name).messages);
const condensed = async (messages) => (await createLosslessProvider().condense({ messages })).messages;

const file = (from) => Array.from({ length: 40 }, (_, line) => `${line + 1} | export const value${line} = ${line + from};`).join("\n");
const reading = (id, ts, content) => [assistant([text("Reading."), call(id)], ts), user([result(id, content)], ts + 1)];
const twice = () => [user("Look.", 1), ...reading("a", 2, file(0)), ...reading("b", 4, file(0)), assistant("Done.", 6)];

test("lines that are cut off stand in the place of the pointer to them", async () => {
  const history = await condensed(twice());
  expect(history[2].content[0].content).toMatch(/lines as below from/);
  const kept = rewindTo(history, 3);
  expect(kept).toEqual(twice().slice(0, 3));
  expect([kept[0], kept[1]]).toEqual([history[0], history[1]]);
  expect(kept[1]).toBe(history[1]);
  expect(expand(kept).unresolved).toEqual([]);
});

test("where nothing is led to that is cut off, the messages are the same objects", async () => {
  const history = await condensed(twice());
  const kept = rewindTo(history, 5);
  expect(kept.every((message, index) => message === history[index])).toBe(true);
  expect(rewindTo(history, 6)).toBe(history);
  expect(rewindTo(history, 60)).toBe(history);
  expect(rewindTo(history, 0)).toEqual([]);
});

test.each(["claude-code", "claude-code-with-logs", "cline-with-logs", "codex", "roo-native-2026", "roo-xml-2025", "shell-with-logs"])(
  "%s: what is left reads as it did, wherever it is cut off",
  async (name) => {
    const history = await condensed(messagesOf(name));
    const whole = expand(history).messages;
    const { integer } = createRandom(7);
    for (let cut = 0; cut < 25; cut++) {
      const length = integer(0, history.length - 1);
      expect(expand(rewindTo(history, length)).messages).toEqual(whole.slice(0, length));
    }
  },
);

describe("a history that was cut off in another way", () => {
  const told = /^\d+ lines? of the history points? to lines that are no longer there: .* rewindTo\(\)/;

  test.each([
    ["the window", (host) => createSlidingWindow(host).truncateConversationIfNeeded],
    ["condensing", (host) => createCondense(host).summarizeConversation],
  ])("%s: the host is warned, once", async (name, of) => {
    const { host, told: heard } = recordingHost();
    const call = of(host);
    const ask = (messages) =>
      name === "the window"
        ? call(windowOptions(messages, handler(), { totalTokens: 10 }))
        : call(messages, handler(), "system", "task", 10_000);
    const history = await condensed(twice());
    await ask(history);
    await ask(conversation(8));
    expect(heard.warnings).toEqual([]);
    await ask(history.slice(0, 3));
    await ask(history.slice(0, 3));
    expect(heard.warnings).toEqual([expect.stringMatching(told)]);
    await ask(rewindTo(history, 3));
    expect(heard.warnings).toHaveLength(1);
  });
});

test.each([
  [undefined, 1, "messages"],
  [[5], 1, "messages"],
  [[], -1, "length"],
  [[], 1.5, "length"],
  [[], "1", "length"],
])("rewindTo(%j, %j) is refused", (messages, length, field) => {
  expect(() => rewindTo(messages, length)).toThrow(
    expect.objectContaining({ field, code: expect.stringMatching(/^(invalid_argument|out_of_range)$/) }),
  );
});
