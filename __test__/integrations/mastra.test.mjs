// `roo-condense/mastra` with an agent of Mastra, a provider of the AI SDK, and a service on loopback.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { condensingProcessor } from "../../js/integrations/mastra.js";
import { startFakeLlm } from "../llm/fake-llm.mjs";
import { REQUESTS, TASK, WINDOW, agent, expectGoodDay, rounds } from "./day.mjs";

const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

test("a day of an agent's steps", async () => {
  const server = await startFakeLlm(agent);
  servers.push(server);
  const warnings = [];
  const readFile = createTool({
    id: "read_file",
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => /** @type {any} */ (rounds.find((round) => round.path === path)).file,
  });
  const coder = new Agent({
    id: "coder",
    name: "Coder",
    instructions: "You are an agent.",
    model: createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1`, apiKey: "key-0123456789" })("m"),
    tools: { read_file: readFile },
    inputProcessors: [condensingProcessor({ contextWindow: WINDOW, onWarning: (warning) => warnings.push(warning) })],
  });
  const { text, steps } = await coder.generate(TASK, { maxSteps: REQUESTS });
  expect(text).toMatch(/Done\.$/);
  for (const { body } of server.requests) expect(body.messages[0]).toEqual({ role: "system", content: "You are an agent." });
  expectGoodDay(
    server.requests.map(({ body }) => body.messages),
    { format: "openai-chat", warnings },
  );
  // What the agent has of its own work is whole.
  const results = steps.flatMap((step) => step.toolResults.map(({ payload }) => payload.result));
  expect(results).toEqual(rounds.slice(0, -1).map(({ file }) => file));
});

test("wrong options are errors with a code and a field", () => {
  expect(() => condensingProcessor(/** @type {any} */ ({ contextWindow: 1000, maxTokens: 5 }))).toThrow(
    expect.objectContaining({ code: "invalid_argument", field: "options.maxTokens" }),
  );
});
