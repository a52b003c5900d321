// `roo-condense/langchain` with an agent of LangChain, its model of Anthropic, and a service on loopback.

import { ChatAnthropic } from "@langchain/anthropic";
import { contextEditingMiddleware, createAgent, createMiddleware, tool } from "langchain";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { validateMessages } from "../../index.js";
import { condensingEdit, condensingMiddleware } from "../../js/integrations/langchain.js";
import { json, startFakeLlm } from "../llm/fake-llm.mjs";
import { REQUESTS, TASK, WINDOW, expectGoodDay, rounds } from "./day.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** The agent reads a file each time, and then is done. */
const answer = (_, index) => {
  const { id, said, path } = rounds[index];
  const isLast = index === REQUESTS - 1;
  const call = { type: "tool_use", id, name: "read_file", input: { path } };
  return json(200, {
    id: `msg_${index}`,
    type: "message",
    role: "assistant",
    model: "claude-test",
    content: [{ type: "text", text: isLast ? "Done." : said }, ...(isLast ? [] : [call])],
    stop_reason: isLast ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 2 },
  });
};

/** Messages as the service reads them: it takes consecutive ones of a role for one, and LangChain writes a tool message and one of the user behind it as two. */
function combined(messages) {
  const turns = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (turns.at(-1)?.role === role) turns.at(-1).content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  }
  return turns;
}

const pieces = {
  middleware: condensingMiddleware,
  edit: (options) => contextEditingMiddleware({ edits: [condensingEdit(options)], tokenCountMethod: "approx" }),
};

test.each(["middleware", "edit"])("%s: a day of an agent's steps", async (name) => {
  const server = await startFakeLlm(answer);
  servers.push(server);
  const warnings = [];
  const model = new ChatAnthropic({
    model: "claude-test",
    apiKey: "key-0123456789",
    anthropicApiUrl: server.url,
    maxRetries: 0,
    maxTokens: 500,
  });
  const readFile = tool(async ({ path }) => /** @type {any} */ (rounds.find((round) => round.path === path)).file, {
    name: "read_file",
    description: "Reads a file.",
    schema: z.object({ path: z.string() }),
  });
  const problems = [];
  const checks = createMiddleware({
    name: "checks",
    wrapModelCall(request, handler) {
      problems.push(...validateMessages(/** @type {any[]} */ (request.messages), { format: "langchain" }));
      return handler(request);
    },
  });
  const agent = createAgent({
    model,
    tools: [readFile],
    systemPrompt: "You are an agent.",
    middleware: [pieces[name]({ contextWindow: WINDOW, onWarning: (warning) => warnings.push(warning) }), checks],
  });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: TASK }] }, { recursionLimit: 1000 });
  expect(problems).toEqual([]);
  expectGoodDay(
    server.requests.map(({ body }) => combined(body.messages)),
    { format: "anthropic", warnings },
  );
  for (const { body } of server.requests) expect(JSON.stringify(body.system)).toContain("You are an agent.");
  // The agent's own state is whole. LangChain hands that to edits, and so do its own edits change it.
  if (name === "edit") return expect(messages.length).toBeLessThan(2 * REQUESTS);
  expect(messages.length).toBe(2 * REQUESTS);
  expect(messages.filter((message) => message.getType() === "tool").map(({ content }) => content)).toEqual(
    rounds.slice(0, -1).map(({ file }) => file),
  );
});

test("wrong options are errors with a code and a field", () => {
  for (const make of [condensingMiddleware, condensingEdit])
    expect(() => make({ contextWindow: 1000, targetPercent: 101 })).toThrow(
      expect.objectContaining({ code: "out_of_range", field: "options.targetPercent" }),
    );
});
