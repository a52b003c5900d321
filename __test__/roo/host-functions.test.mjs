// What the host gives the drop-in, wrong in its own way: condensing goes on, or the error says where.

import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { createCondense, createContextManagement, createSlidingWindow, createTaggedCondense } from "../../js/roo/index.js";
import { root } from "../../scripts/tools.mjs";
import { conversation, handler, recordingHost, user, windowOptions } from "./support.mjs";

const boom = new Error("boom");
const fail = () => {
  throw boom;
};
const request = (more) => ({ messages: conversation(8), apiHandler: handler(), systemPrompt: "system", taskId: "task", ...more });

describe("services that throw", () => {
  test.each([
    ["telemetry", { telemetry: fail }, "Telemetry failed: boom"],
    [
      "an async telemetry",
      { telemetry: async () => fail() },
      "Telemetry failed: host.telemetry() must be the telemetry service itself, not a promise of one; got an object",
    ],
    ["a telemetry function", { telemetry: () => ({ captureContextCondensed: fail }) }, "Telemetry failed: boom"],
    ["condensingHandler", { condensingHandler: fail }, "No condensing handler: boom"],
  ])("%s: it is condensed all the same, and the host is warned", async (_, services, warning) => {
    const { host, told } = recordingHost(services);
    const { summary } = await createTaggedCondense(host).summarizeConversation(request());
    expect([summary, told.warnings]).toEqual(["a short summary", [warning]]);
  });

  test("texts: the English ones stand in", async () => {
    for (const t of [fail, () => ({}), () => ""]) {
      const { error } = await createTaggedCondense({ t }).summarizeConversation(request({ messages: conversation(1) }));
      expect(error).toMatch(/^There are not enough messages/);
    }
  });

  test.each([
    ["a signal that is none", { signal: {} }, "invalid_argument", "host.signal"],
    ["a function without a signal", { signal: () => 5 }, "invalid_argument", "host.signal"],
    ["a function that throws", { signal: fail }, "invalid_argument", "host.signal"],
    ["images later", { removeImages: async () => fail() }, "invalid_argument", "host.removeImages()"],
    ["images", { removeImages: () => undefined }, "invalid_argument", "host.removeImages()"],
  ])("%s is a coded error", async (_, services, code, field) => {
    const { summarizeConversation } = createTaggedCondense(recordingHost(services).host);
    await expect(summarizeConversation(request())).rejects.toMatchObject({
      code,
      field,
      message: expect.stringContaining(field.replace("()", "")),
    });
  });

  test.each([
    ["the window of 2025", (host) => createSlidingWindow(host).truncateConversationIfNeeded],
    ["the window of 2026", (host) => createContextManagement(host).manageContext],
  ])("%s: a summary of the host's that is no response is a coded error", async (_, of) => {
    const manage = of({ summarizeConversation: async () => undefined });
    const options = windowOptions(conversation(8), handler(), { totalTokens: 99_000 });
    await expect(manage(options)).rejects.toMatchObject({ code: "invalid_argument", name: "TypeError" });
  });

  test.each([
    ["nothing", () => undefined],
    [
      "what cannot be read",
      () => ({
        get cost() {
          return fail();
        },
      }),
    ],
  ])("a manager that answers with %s is a failed request", async (_, condense) => {
    const { host } = recordingHost({ manager: { condense } });
    const { error, messages } = await createCondense(host).summarizeConversation(conversation(8), handler(), "system", "task", 1000, false);
    expect(error).toMatch(/condense_api_failed/);
    expect(messages).toHaveLength(8);
  });
});

describe("histories that cannot be read are named", () => {
  const unreadable = (field, value) => Object.defineProperty(value, field, { enumerable: true, get: fail });
  const history = () => [...conversation(7), user([unreadable("type", {})], 9000)];
  test.each([
    ["summarizeConversation, 2025", () => createCondense().summarizeConversation(history(), handler(), "s", "t", 9, false), "messages[7]"],
    [
      "summarizeConversation, 2026",
      () => createTaggedCondense().summarizeConversation(request({ messages: history() })),
      "options.messages[7].content[0].type",
    ],
    [
      "manageContext",
      () => createContextManagement().manageContext(windowOptions(history(), handler())),
      "options.messages[7].content[0].type",
    ],
    [
      "getMessagesSinceLastSummary",
      async () => createCondense().getMessagesSinceLastSummary([unreadable("isSummary", {})]),
      "messages[0].isSummary",
    ],
    ["options", async () => createContextManagement().manageContext(unreadable("messages", {})), "options"],
  ])("%s", async (_, call, place) => {
    const error = await call().catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "TypeError", code: "not_serializable", cause: boom });
    expect(error.field).toContain(place);
  });

  test("what a handler throws is the caller's, the same object", async () => {
    const apiHandler = { ...handler(), countTokens: fail };
    await expect(createContextManagement().manageContext(windowOptions(conversation(8), apiHandler))).rejects.toBe(boom);
  });
});

test("a process outlives services whose promises reject", () => {
  const program = `
    const { createTaggedCondense, createContextManagement } = require(${JSON.stringify(path.join(root, "js/roo/index.js"))});
    const rejects = async () => { throw new Error("boom"); };
    const messages = Array.from({ length: 8 }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: "said", ts: index }));
    const apiHandler = { createMessage: async function* () { yield { type: "text", text: "short" }; }, countTokens: async () => 5 };
    const host = { t: rejects, warn: rejects, error: rejects, telemetry: () => ({ captureContextCondensed: rejects, captureSlidingWindowTruncation: rejects }) };
    (async () => {
      const said = [];
      for (const more of [{}, { condensingHandler: rejects }, { foldFiles: rejects }, { telemetry: rejects }]) {
        const { summary } = await createTaggedCondense({ ...host, ...more })
          .summarizeConversation({ messages, apiHandler, systemPrompt: "s", taskId: "t", filesReadByRoo: ["a"], cwd: "/" });
        said.push(summary);
      }
      const refused = createTaggedCondense({ ...host, removeImages: rejects }).summarizeConversation({ messages, apiHandler, systemPrompt: "s", taskId: "t" });
      said.push(await refused.catch(({ code }) => code));
      const manager = { condense: async ({ messages }) => ({ messages: messages.slice(4), didCondense: true }), getEffectiveConfig: rejects, hasHandler: rejects, effectiveThreshold: rejects };
      const window = { totalTokens: 9000, contextWindow: 10000, autoCondenseContext: true, autoCondenseContextPercent: 50, profileThresholds: {}, currentProfileId: "p" };
      const managed = await createContextManagement({ ...host, manager }).manageContext({ messages, apiHandler, systemPrompt: "s", taskId: "t", ...window });
      said.push(managed.summary.slice(0, 9));
      said.push((await createTaggedCondense(host).summarizeConversation({ messages: [], apiHandler: { ...apiHandler, getModel: rejects } })).error.slice(0, 5));
      createContextManagement(host).truncateConversation(messages, 0.5, "t");
      await new Promise((resolve) => setTimeout(resolve, 20));
      console.log(said.join());
    })();`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8", timeout: 20_000 });
  expect({ status, stdout: stdout.trim(), stderr }).toEqual({
    status: 0,
    stdout: "short,short,short,short,invalid_argument,Condensed,There",
    stderr: "",
  });
});
