// Summaries that leave out what must survive: asked for again over real HTTP, completed, counted, taken back.

import { afterEach, expect, test } from "vitest";
import { CondensationManager, createNativeProvider, createSmartProvider, httpHandler, restore, validateMessages } from "../../index.js";
import { anthropicEvents, startFakeLlm, stream } from "./fake-llm.mjs";

const CONSTRAINT = "Never push to main without asking.";
const GOOD = `${CONSTRAINT} Open: make the parser of due dates faster, src/due_date.ts was changed: parseDueDate(time_zone).`;
/** Dollars for one answer. */
const EACH = (1000 * 3 + 50 * 15) / 1e6;

const servers = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function handlerSaying(...answers) {
  const server = await startFakeLlm((_, index) => stream(...anthropicEvents([answers[Math.min(index, answers.length - 1)]])));
  servers.push(server);
  const price = { inputPrice: 3, outputPrice: 15 };
  const handler = httpHandler({ api: "anthropic", model: "claude-test", baseUrl: server.url, apiKey: "sk-test-0123456789", price });
  return { server, handler };
}

function history() {
  const input = { file_path: "src/due_date.ts", old_string: "a", new_string: "parseDueDate(time_zone)" };
  const messages = [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "What is to be done?" },
    { role: "user", content: `Make the parser of due dates faster. ${CONSTRAINT}` },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Edit", input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "The file has been updated." }] },
  ];
  for (let step = 0; step < 8; step++) {
    messages.push({ role: "assistant", content: `step ${step} ${"word ".repeat(80)}` }, { role: "user", content: "ok" });
  }
  return messages;
}

test("a summary below the mark is asked for once more, and costs are counted once each", async () => {
  const { server, handler } = await handlerSaying("It went well.", GOOD);
  const manager = new CondensationManager({ handler, fallback: false });
  manager.registerProvider(createNativeProvider({ summaryCheck: true }));
  const messages = history();
  const result = await manager.condense({ messages });
  expect(result.summary).toBe(GOOD);
  expect(result.summaryQuality).toEqual({ score: 1, missing: [], writtenScore: 1, askedAgain: true, completed: 0 });
  expect(JSON.stringify(server.requests[1].body.messages)).toContain(CONSTRAINT);
  expect(result.cost).toBeCloseTo(2 * EACH, 12);
  expect(manager.getMetrics().total.cost).toBeCloseTo(2 * EACH, 12);
  expect(restore(result)).toEqual(messages);

  const again = await manager.condense({ messages });
  expect([server.requests.length, again.cost, again.messages]).toEqual([2, 0, result.messages]);
});

test("metrics have the score of the summary and the share of the tokens that is not lost, where they were measured", async () => {
  const { handler } = await handlerSaying("It went well.");
  const manager = new CondensationManager({ handler, fallback: false, profiles: { cheap: {} } });
  const messages = history();
  const result = await manager.condense({ messages, profileId: "cheap" }, { provider: "native" });
  const { before, lost } = result.survival.total;
  const quality = {
    summaryQualityScore: result.summaryQuality.score,
    informationPreservation: expect.closeTo(1 - lost.tokens / before.tokens, 12),
  };
  expect(quality.summaryQualityScore).toBeLessThan(1);
  expect(result.metrics).toMatchObject(quality);
  const { total, providers, profiles, records } = manager.getMetrics();
  for (const measured of [total, providers.native, profiles.cheap, records[0]]) expect(measured).toMatchObject(quality);

  // Without a summary there is no score, and without a change nothing is measured.
  const cut = await manager.condense({ messages }, { provider: "truncation", targetTokens: 300 });
  expect(cut.metrics).toMatchObject({ informationPreservation: expect.any(Number) });
  expect(cut.metrics).not.toHaveProperty("summaryQualityScore");
  const none = await manager.condense({ messages: messages.slice(0, 3) }, { provider: "lossless" });
  expect([none.didCondense, Object.keys(none.metrics).includes("informationPreservation")]).toEqual([false, false]);
  const shares = [result, cut].map(({ metrics }) => metrics.informationPreservation);
  expect(manager.getMetrics().total).toMatchObject({
    summaryQualityScore: quality.summaryQualityScore,
    informationPreservation: expect.closeTo((shares[0] + shares[1]) / 2, 12),
  });
});

test("what the model leaves out twice is put behind its words, and taken back with them", async () => {
  const { handler } = await handlerSaying("It went well.");
  const messages = history();
  const result = await createNativeProvider({ summaryCheck: { minScore: 0.9 } }).condense({ messages }, { handler });
  const { content } = result.messages[1];
  for (const text of [
    "It went well.\n\n",
    "[Word for word from what is summarised above]",
    CONSTRAINT,
    "- src/due_date.ts",
    "- parseDueDate",
  ]) {
    expect(content).toContain(text);
  }
  expect(result.summaryQuality).toMatchObject({ score: 1, missing: [], writtenScore: 0, askedAgain: true });
  expect(validateMessages(result.messages)).toEqual([]);
  expect(restore(result)).toEqual(messages);
});

test("without the option a result only tells; where nobody wrote a summary there is nothing to tell", async () => {
  const { server, handler } = await handlerSaying("It went well.");
  const manager = new CondensationManager({ handler });
  const { summaryQuality } = await manager.condense({ messages: history() });
  expect([server.requests.length, summaryQuality.score]).toEqual([1, 0]);
  expect(summaryQuality.missing).toContainEqual({ kind: "file", text: "src/due_date.ts" });
  expect(await manager.condense({ messages: history() }, { provider: "truncation", targetTokens: 400 })).not.toHaveProperty(
    "summaryQuality",
  );
});

test("a preview asks nobody, and says what may come", async () => {
  const { server, handler } = await handlerSaying(GOOD);
  const manager = new CondensationManager({ handler });
  const preview = await manager.preview({ messages: history() }, { config: { summaryCheck: true } });
  expect(preview).not.toHaveProperty("summaryQuality");
  expect(server.requests).toHaveLength(0);
  expect(preview.warnings.map(({ code }) => code)).toContain("summary_incomplete");
});

test.each([
  [{ summaryCheck: "yes" }, "config.summaryCheck"],
  [{ summaryCheck: { minScore: 2 } }, "summaryCheck.minScore"],
  [{ summaryCheck: { score: 1 } }, "summaryCheck.score"],
])("%j is refused", (config, place) => {
  expect(() => createNativeProvider(config)).toThrow(place.replace("config.", ""));
});

test("batches of the smart provider are checked", async () => {
  const { handler } = await handlerSaying("It went well.", GOOD);
  const summarizationConfig = { summaryCheck: { askAgain: true } };
  const pass = {
    id: "all",
    mode: "batch",
    selection: { type: "preserve_recent", keepRecentCount: 2 },
    batchConfig: { operation: "summarize", summarizationConfig },
  };
  const smart = createSmartProvider({ losslessPrelude: { enabled: false }, passes: [pass] });
  expect((await smart.condense({ messages: history() }, { handler })).summaryQuality).toMatchObject({ score: 1, askedAgain: true });
});
