// The examples run as they are, each in a Node of its own, with a service on loopback.

import { execFile } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { json, startFakeLlm } from "../llm/fake-llm.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** What the agent reads; together they are several times the window. */
const FILES = ["lossless", "manager", "smart", "agent-loop", "survival", "errors", "studio", "roo", "faq", "formats"].map(
  (name) => `docs/${name}.md`,
);

/** The next call, or the last words, as a service answers with them. */
const answers = {
  messages(index) {
    const isLast = index === FILES.length;
    const call = { type: "tool_use", id: `call_${index}`, name: "read_file", input: { path: FILES[index] } };
    return {
      id: `msg_${index}`,
      type: "message",
      role: "assistant",
      model: "m",
      content: isLast ? [{ type: "text", text: "Done." }] : [call],
      stop_reason: isLast ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 2 },
    };
  },
  completions(index) {
    const isLast = index === FILES.length;
    const call = {
      id: `call_${index}`,
      type: "function",
      function: { name: "read_file", arguments: JSON.stringify({ path: FILES[index] }) },
    };
    const message = isLast ? { content: "Done." } : { content: null, tool_calls: [call] };
    return {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: isLast ? "stop" : "tool_calls" }],
      usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    };
  },
};

test.each(["ai-sdk", "anthropic", "langchain", "mastra", "openai"])("%s", async (name) => {
  const server = await startFakeLlm(({ path: asked }, index) =>
    json(200, answers[/** @type {string} */ (asked.split(/[/?]/).find((part) => part in answers))](index)),
  );
  servers.push(server);
  const key = "key-0123456789";
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [path.join("examples", `${name}.mjs`), "Read the docs."], {
    cwd: root,
    env: {
      ...process.env,
      ...{ CONTEXT_WINDOW: "24000", BASE_URL: `${server.url}/v1`, OPENAI_BASE_URL: `${server.url}/v1`, ANTHROPIC_BASE_URL: server.url },
      ...{ API_KEY: key, OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key },
    },
  });
  expect([stdout, stderr]).toEqual(["Done.\n", ""]);
  expect(server.requests.length).toBe(FILES.length + 1);
  // It was condensed on the way: some request is shorter than the one before.
  const lengths = server.requests.map(({ text }) => text.length);
  expect(lengths.some((length, index) => length < lengths[index - 1])).toBe(true);
  expect(server.requests.every(({ text }) => text.includes("Read the docs."))).toBe(true);
});
