// `roo-condense/ai-sdk` with the AI SDK, its provider for chat completions, and a service on loopback.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { condensingMiddleware, condensingPrepareStep } from "../../js/integrations/ai-sdk.js";
import { openaiEvents, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { REQUESTS, TASK, WINDOW, agent, expectGoodDay, rounds } from "./day.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));
const serve = async (script) => {
  const server = await startFakeLlm(script);
  servers.push(server);
  const provider = createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1`, apiKey: "key-0123456789" });
  return { server, model: provider("m") };
};
const tools = {
  read_file: tool({
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => /** @type {any} */ (rounds.find((round) => round.path === path)).file,
  }),
};
const system = "You are an agent.";

const pieces = {
  middleware: (model, options) => ({ model: wrapLanguageModel({ model, middleware: condensingMiddleware(options) }) }),
  prepareStep: (model, options) => ({ model, prepareStep: condensingPrepareStep(options) }),
};

test.each(["middleware", "prepareStep"])("%s: a day of an agent's steps", async (name) => {
  const { server, model } = await serve(agent);
  const warnings = [];
  const piece = pieces[name](model, { contextWindow: WINDOW, onWarning: (warning) => warnings.push(warning) });
  const { text, steps } = await generateText({ ...piece, system, tools, prompt: TASK, stopWhen: stepCountIs(REQUESTS) });
  expect([text, steps.length]).toEqual(["Done.", REQUESTS]);
  for (const { body } of server.requests) expect(body.messages[0]).toEqual({ role: "system", content: system });
  expectGoodDay(
    server.requests.map(({ body }) => body.messages),
    { format: "openai-chat", warnings },
  );
  // What the agent has of its own work is whole.
  const results = steps.flatMap((step) => step.toolResults.map(({ output }) => output));
  expect(results).toEqual(rounds.slice(0, -1).map(({ file }) => file));
});

test("a day of questions of one's own, streamed, under system prompts that change", async () => {
  const { server, model } = await serve(() => stream(...openaiEvents(["Done."])));
  const warnings = [];
  const middleware = condensingMiddleware({ contextWindow: WINDOW, onWarning: (warning) => warnings.push(warning) });
  const messages = /** @type {any[]} */ ([{ role: "user", content: TASK }]);
  for (const [index, { id, said, path, file }] of rounds.entries()) {
    const result = streamText({
      model: wrapLanguageModel({ model, middleware }),
      system: `It is request ${index}.`,
      messages: [...messages],
    });
    expect(await result.text).toBe("Done.");
    const call = { toolCallId: id, toolName: "read_file" };
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: said },
          { type: "tool-call", ...call, input: { path } },
        ],
      },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: file } }] },
    );
  }
  const received = server.requests.map(({ body }, index) => {
    expect(body.messages[0]).toEqual({ role: "system", content: `It is request ${index}.` });
    return body.messages.slice(1);
  });
  expectGoodDay(received, { format: "openai-chat", warnings });
});

test("wrong options are errors with a code and a field", () => {
  for (const make of [condensingMiddleware, condensingPrepareStep])
    expect(() => make(/** @type {any} */ ({ contextWindow: "200k" }))).toThrow(
      expect.objectContaining({ code: "invalid_argument", field: "options.contextWindow" }),
    );
});
