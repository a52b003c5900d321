// A day of an agent's requests, as the pieces for frameworks are tested: sixty, each with all that was said before.

import { expect } from "vitest";
import { validateMessages } from "../../index.js";
import { json } from "../llm/fake-llm.mjs";

export const REQUESTS = 60;
/** Tokens. A day has more than twice as many, so it is condensed some times. */
export const WINDOW = 30_000;

const words = (count, seed) => Array.from({ length: count }, (_, index) => `word${(seed * 31 + index * 7) % 997}`).join(" ");

/** What the agent read in one of its rounds: every file is another, and long. */
export const fileOf = (round) =>
  Array.from({ length: 48 }, (_, line) => `export const value${round}_${line} = compute(${line}, "${words(6, round * 48 + line)}");`).join(
    "\n",
  );

/** What was said until a request, in no format: the user's task, then calls and results. */
export const rounds = Array.from({ length: REQUESTS }, (_, round) => ({
  id: `call_${round}`,
  said: `Reading file ${round}.`,
  path: `src/part${round}/file${round}.ts`,
  file: fileOf(round),
}));
export const TASK = "Make the tests of the parser pass, and keep its public names.";

const completion = (message, finish_reason = "stop") =>
  json(200, {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  });
/** Answers chat completions for an agent that reads a file each time, and then is done. */
export const agent = (_, index) => {
  if (index === REQUESTS - 1) return completion({ content: "Done." });
  const { id, said, path } = rounds[index];
  const call = { id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path }) } };
  return completion({ content: said, tool_calls: [call] }, "tool_calls");
};

/** Answers chat completions with the call that `callAt` gives for the number of a request (`{ id, name, input }`), and is done where it gives none. */
export const chatAgent = (callAt) => (_, index) => {
  const call = callAt(index);
  if (!call) return completion({ content: "Done." });
  const { id, name, input } = call;
  return completion({ tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }] }, "tool_calls");
};

/** The same for the Messages API. */
export const anthropicAgent = (callAt) => (_, index) => {
  const call = callAt(index);
  return json(200, {
    id: `msg_${index}`,
    type: "message",
    role: "assistant",
    model: "claude-test",
    content: call ? [{ type: "tool_use", ...call }] : [{ type: "text", text: "Done." }],
    stop_reason: call ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 2 },
  });
};

/** How often the messages that a service received do not begin with those of the request before, byte for byte. */
function condensationsOf(received) {
  let count = 0;
  for (let index = 1; index < received.length; index++) {
    const [before, now] = [received[index - 1], received[index]].map((messages) => messages.map((message) => JSON.stringify(message)));
    const isPrefix = before.every((text, at) => text === now[at]);
    // What is appended is what is new: a call, and its result.
    if (isPrefix) expect(now.length).toBeGreaterThan(before.length);
    else count++;
  }
  return count;
}

/** Holds what a service received in a day to what the pieces promise. `lastOf` finds the text of the newest result in the last messages. */
export function expectGoodDay(received, { format, warnings }) {
  expect(received.length).toBe(REQUESTS);
  for (const messages of received) expect(validateMessages(messages, { format })).toEqual([]);
  const condensations = condensationsOf(received);
  // Seldom, and by much: more than half of what was there is free again each time.
  expect(condensations).toBeGreaterThan(1);
  expect(condensations).toBeLessThan(REQUESTS / 6);
  received.forEach((messages, index) => {
    const text = JSON.stringify(messages);
    expect(text).toContain(TASK);
    if (index > 0) expect(text).toContain(JSON.stringify(rounds[index - 1].file).slice(1, -1));
  });
  const sizes = received.map((messages) => JSON.stringify(messages).length);
  expect(Math.max(...sizes)).toBeLessThan(JSON.stringify(rounds).length / 2);
  expect(warnings.filter(({ code }) => code !== "target_not_met")).toEqual([]);
  return condensations;
}
