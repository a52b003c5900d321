// A manager or provider is told of the messages of its last calls by a number. Whatever a host does to them between two calls, the result is that of a new one.

import { describe, expect, test, vi } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { api, clone, conversation, native } from "./support.mjs";

const { createLosslessProvider, createTruncationProvider, restore } = api;

/** What a result says, and that it leads back. */
async function said(provider, messages, options) {
  const before = JSON.stringify(messages);
  const result = await provider.condense({ messages }, options);
  expect(JSON.stringify(result.error ? messages : restore(result))).toBe(before);
  const { timeElapsed: _, ...metrics } = result.metrics;
  return JSON.parse(JSON.stringify({ ...result, metrics }));
}

/** The UTF-16 units of JSON that a call passes. */
function passedUnits() {
  const add = vi.spyOn(native.MessageParts.prototype, "add");
  return () => {
    const units = add.mock.calls.reduce((sum, [json]) => sum + json.length, 0);
    add.mockClear();
    return units;
  };
}

/** Numbers that look random, the same in each run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("what was passed before is not passed again, and what is new is", async () => {
  const messages = buildHistory({ dialect: "claude-code", messages: 120 });
  const whole = JSON.stringify(messages).length;
  const provider = createLosslessProvider();
  const passed = passedUnits();
  await provider.condense({ messages });
  expect(passed()).toBeGreaterThan(whole * 0.95);
  await provider.condense({ messages: [...messages] });
  expect(passed()).toBe(0);
  const more = conversation(1).slice(1);
  await provider.condense({ messages: [...messages, ...more] });
  expect(passed()).toBeLessThan(JSON.stringify(more).length + 100);
  // Other objects with the same content are passed: nothing else tells that they contain the same.
  await provider.condense({ messages: clone(messages) });
  expect(passed()).toBeGreaterThan(whole * 0.95);
});

describe("a message that changed is passed again", () => {
  const tool = () => conversation(30);
  test.each([
    ["a text in place", (messages) => (messages[9].content[0].text = "Another word.")],
    ["the order of its fields", (messages) => (messages[9] = Object.assign(messages[9], { content: move(messages[9], "content") }))],
    ["a field of its own JSON", (messages) => (messages[9].content[0].toJSON = () => ({ type: "text", text: "Its own." }))],
    ["a function", (messages) => (messages[9].content[0].extra = () => 1)],
    ["a number in an object", (messages) => (messages[9].content[1].input.line = Object(3))],
    ["a hole", (messages) => messages[9].content.splice(1, 0, ...new Array(1))],
    ["another object in its place", (messages) => (messages[9] = { ...clone(messages[9]), ts: 5 })],
    ["nothing in its place", (messages) => messages.splice(8, 2)],
    ["a message between", (messages) => messages.splice(9, 0, clone(messages[9]), clone(messages[8]))],
    ["two that change places", (messages) => ([messages[1], messages[3]] = [messages[3], messages[1]])],
    ["the end", (messages) => messages.pop()],
    ["the same message twice", (messages) => messages.push(messages[1], messages[2])],
  ])("%s", async (_, change) => {
    const messages = tool();
    const provider = createLosslessProvider();
    await said(provider, messages);
    change(messages);
    for (let again = 0; again < 2; again++) expect(await said(provider, messages)).toEqual(await said(createLosslessProvider(), messages));
  });

  /** Takes a field out of an object, so that it becomes the last. */
  function move(object, name) {
    const value = object[name];
    delete object[name];
    return value;
  }
});

test("a number in an object that changes is read anew", async () => {
  const messages = conversation(4);
  const provider = createLosslessProvider();
  const passed = passedUnits();
  for (const line of [1, 2]) {
    messages[1].content[1].input.line = Object(line);
    passed();
    await provider.condense({ messages });
    expect(passed()).toBeGreaterThan(0);
  }
});

test("whatever a host does between calls, the result is that of a new provider", async () => {
  const random = numbers(7);
  const history = buildHistory({ dialect: "roo-native", messages: 90 });
  let messages = clone(history).slice(0, 40);
  const provider = createTruncationProvider();
  for (let call = 0; call < 40; call++) {
    const at = 1 + random(messages.length - 1);
    const change = random(9);
    const target = messages[at];
    if (change === 0)
      messages = [
        ...messages,
        ...clone(history)
          .slice(40 + random(40))
          .slice(0, 2),
      ];
    if (change === 1) messages[at] = clone(target);
    if (change === 2) messages.splice(at, 1 + random(3));
    if (change === 3) messages.splice(at, 0, clone(messages[random(messages.length)]));
    if (change === 4 && Array.isArray(target.content)) target.content.push({ type: "text", text: `A word more ${call}.` });
    if (change === 5) messages = clone(messages);
    if (change === 6) [messages[at], messages[random(messages.length)]] = [messages[random(messages.length)], target];
    if (change === 7) target.ts = call;
    if (change === 8) messages = (await provider.condense({ messages }, { targetTokens: 9000 })).messages;
    if (messages.length < 8) messages = clone(history).slice(0, 40);
    const options = { targetTokens: 3000 + random(4000) };
    expect([call, change, await said(provider, messages, options)]).toEqual([
      call,
      change,
      await said(createTruncationProvider(), messages, options),
    ]);
  }
}, 60_000);
