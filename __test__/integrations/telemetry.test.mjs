// Spans and metrics, read with the published SDKs of OpenTelemetry; the service is on loopback.

import { InMemorySpanExporter, BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { SpanKind, SpanStatusCode, metrics as globalMetrics, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CondensationManager, createNativeProvider, httpHandler } from "../../index.js";
import { CONVENTIONS, instrument } from "../../js/integrations/telemetry.js";
import { anthropicEvents, json, openaiEvents, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { talk } from "../llm/histories.mjs";

const servers = [];
const serve = async (script) => {
  const server = await startFakeLlm(script);
  servers.push(server);
  return server;
};
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

let exporter;
let tracer;
let metricExporter;
let reader;
let meter;
beforeEach(() => {
  exporter = new InMemorySpanExporter();
  tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("test");
  metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  meter = new MeterProvider({ readers: [reader] }).getMeter("test");
});
afterEach(() => reader.shutdown());

const SUMMARY = "The parser in src/parse.ts is to be fixed.";
const http = (server, api, more) =>
  httpHandler({ api, model: "model-1", baseUrl: server.url, apiKey: "key-0123456789", retryDelayMs: 1, ...more });
const manager = (handler, options, more) =>
  instrument(new CondensationManager({ provider: "native", handler, ...options }), { tracer, meter, ...more });

const spans = () => exporter.getFinishedSpans();
/** The data points of each metric, by its name. */
async function measured() {
  await reader.forceFlush();
  const all =
    metricExporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  return Object.fromEntries(all.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]));
}
const at = ([seconds, nanoseconds]) => seconds * 1e9 + nanoseconds;

test.each([
  ["anthropic", () => stream(...anthropicEvents([SUMMARY], { inputTokens: 900, outputTokens: 40 }))],
  ["openai", () => stream(...openaiEvents([SUMMARY], { inputTokens: 900, outputTokens: 40 }))],
])("a condensation over HTTP (%s) is a span with one for the request, within its time", async (api, answered) => {
  const server = await serve(answered);
  const messages = talk(40);
  const began = Date.now();
  const result = await manager(http(server, api)).condense({ messages, taskId: "task-1" }, { targetTokens: 2000 });
  expect(result).toMatchObject({
    didCondense: true,
    requests: [{ api, model: "model-1", inputTokens: 900, outputTokens: 40, attempts: 1 }],
  });

  const [request, condensation] = spans();
  expect(spans()).toHaveLength(2);
  expect(condensation).toMatchObject({ name: "condense native", kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } });
  expect(condensation.attributes).toMatchObject({
    "gen_ai.conversation.id": "task-1",
    "roo_condense.operation": "condense",
    "roo_condense.provider": "native",
    "roo_condense.providers": ["native"],
    "roo_condense.fallback": false,
    "roo_condense.did_condense": true,
    "roo_condense.tokens.before": result.prevContextTokens,
    "roo_condense.tokens.after": result.newContextTokens,
    "roo_condense.tokens.saved": result.prevContextTokens - result.newContextTokens,
    "roo_condense.tokens.target": 2000,
    "roo_condense.messages.before": 40,
    "roo_condense.messages.after": result.messages.length,
    "roo_condense.operations": result.stats.operationsPerformed,
  });
  expect(request).toMatchObject({ name: "chat model-1", kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
  expect(request.parentSpanContext.spanId).toBe(condensation.spanContext().spanId);
  expect(request.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": api,
    "gen_ai.request.model": "model-1",
    "gen_ai.conversation.id": "task-1",
    "gen_ai.usage.input_tokens": 900,
    "gen_ai.usage.output_tokens": 40,
    "gen_ai.response.finish_reasons": ["stop"],
    "roo_condense.provider": "native",
    "roo_condense.attempts": 1,
    "roo_condense.cost": 0,
  });
  // In this order, and none longer than the call took.
  const times = [began * 1e6, ...[condensation.startTime, request.startTime, request.endTime, condensation.endTime].map(at)];
  expect(times.every((time, index) => index === 0 || time >= times[index - 1])).toBe(true);
  expect(times.at(-1)).toBeLessThanOrEqual((Date.now() + 1) * 1e6);

  // Nothing of what was said is told.
  const told = JSON.stringify(spans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events })));
  for (const said of [SUMMARY, "src/parse.ts", "word"]) expect(told).not.toContain(said);
});

test("metrics have the names, units and buckets of the conventions", async () => {
  const server = await serve(() => stream(...anthropicEvents([SUMMARY], { inputTokens: 900, outputTokens: 40 })));
  const { metrics } = await manager(http(server, "anthropic")).condense({ messages: talk(40) }, { targetTokens: 2000 });
  const found = await measured();
  const named = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "model-1" };
  const usage = found["gen_ai.client.token.usage"];
  expect(usage.map(({ attributes, value }) => [attributes, value.sum])).toEqual([
    [{ ...named, "gen_ai.token.type": "input" }, 900],
    [{ ...named, "gen_ai.token.type": "output" }, 40],
  ]);
  expect(usage[0].value.buckets.boundaries).toEqual(Array.from({ length: 14 }, (_, index) => 4 ** index));
  const [duration] = found["gen_ai.client.operation.duration"];
  expect(duration).toMatchObject({ attributes: named, value: { count: 1 } });
  expect(duration.value.buckets.boundaries).toEqual(Array.from({ length: 14 }, (_, index) => 2 ** index / 100));
  const [condensing] = found["roo_condense.condensation.duration"];
  expect(condensing.attributes).toEqual({ "roo_condense.operation": "condense", "roo_condense.provider": "native" });
  expect(condensing.value.sum).toBeGreaterThanOrEqual(duration.value.sum);
  expect(found["roo_condense.tokens.saved"]).toMatchObject([
    { attributes: { "roo_condense.provider": "native" }, value: metrics.tokensSaved },
  ]);
  const units = metricExporter
    .getMetrics()
    .at(-1)
    .scopeMetrics[0].metrics.map(({ descriptor }) => descriptor.unit);
  expect(units).toEqual(["{token}", "s", "s", "{token}"]);
  expect(CONVENTIONS).toBe("1.41.0");
});

test("content is told where it is asked for", async () => {
  const server = await serve(() => stream(...anthropicEvents([SUMMARY])));
  await manager(http(server, "anthropic"), {}, { captureContent: true }).condense({ messages: talk(40) }, { targetTokens: 2000 });
  const { attributes } = spans()[0];
  const sent = server.requests[0].body;
  expect(JSON.parse(attributes["gen_ai.system_instructions"])[0].type).toBe("text");
  const said = JSON.parse(attributes["gen_ai.input.messages"]);
  expect(said.map(({ role }) => role)).toEqual(sent.messages.map(({ role }) => role));
  expect(JSON.stringify(said)).toContain("src/parse.ts");
  expect(JSON.parse(attributes["gen_ai.output.messages"])).toEqual([
    { role: "assistant", parts: [{ type: "text", content: SUMMARY }], finish_reason: "stop" },
  ]);
});

test("a request that fails, and the provider that stands in", async () => {
  const server = await serve(() => json(400, { type: "error", error: { type: "invalid_request_error", message: "the word is parse.ts" } }));
  const result = await manager(http(server, "anthropic"), { fallback: ["truncation"] }).condense(
    { messages: talk(40) },
    { targetTokens: 1000 },
  );
  expect(result).toMatchObject({ didCondense: true, metrics: { providerId: "truncation" } });
  const [request, condensation] = spans();
  const code = result.requests[0].error;
  expect(request).toMatchObject({ attributes: { "error.type": code }, status: { code: SpanStatusCode.ERROR, message: code } });
  expect(request.attributes).not.toHaveProperty("gen_ai.usage.input_tokens");
  expect(condensation).toMatchObject({ name: "condense truncation", status: { code: SpanStatusCode.UNSET } });
  expect(condensation.attributes).toMatchObject({ "roo_condense.fallback": true, "roo_condense.providers": ["native", "truncation"] });
  expect(JSON.stringify(spans().map(({ status, attributes }) => [status, attributes]))).not.toContain("parse.ts");
  const [duration] = (await measured())["gen_ai.client.operation.duration"];
  expect(duration.attributes["error.type"]).toBe(code);
});

test("retries are one request", async () => {
  const server = await serve((_, index) => (index === 0 ? json(529, {}) : stream(...anthropicEvents([SUMMARY]))));
  const { requests } = await manager(http(server, "anthropic")).condense({ messages: talk(40) }, { targetTokens: 2000 });
  expect(requests).toMatchObject([{ attempts: 2 }]);
  expect(spans()[0].attributes["roo_condense.attempts"]).toBe(2);
});

test("a custom handler's requests have its model and its usage", async () => {
  const handler = {
    getModel: () => ({ id: "host-model" }),
    async *createMessage() {
      yield { type: "text", text: SUMMARY };
      yield { type: "usage", inputTokens: 100, outputTokens: 40, cacheReadTokens: 700 };
    },
  };
  await manager(handler).condense({ messages: talk(40) }, { targetTokens: 2000 });
  expect(spans()[0]).toMatchObject({
    name: "chat host-model",
    attributes: {
      "gen_ai.provider.name": "callback",
      "gen_ai.usage.input_tokens": 800,
      "gen_ai.usage.output_tokens": 40,
      "gen_ai.usage.cache_read.input_tokens": 700,
    },
  });
});

test("a call that is not due has no span; one that fails has its code", async () => {
  const own = manager(undefined, { fallback: false });
  const messages = talk(10);
  const usage = { totalTokens: 10, contextWindow: 200_000 };
  expect((await own.condenseIfNeeded({ messages, ...usage })).didCondense).toBe(false);
  expect(spans()).toEqual([]);
  const { error } = await own.condense({ messages });
  expect(spans()).toMatchObject([{ attributes: { "error.type": error.code }, status: { code: SpanStatusCode.ERROR } }]);
  exporter.reset();
  await expect(own.condense(/** @type {any} */ (7))).rejects.toMatchObject({ code: "invalid_argument" });
  expect(spans()).toMatchObject([{ name: "condense", attributes: { "error.type": "invalid_argument" } }]);
});

test("what is prepared ahead is a span, with its request", async () => {
  const server = await serve(() => stream(...anthropicEvents([SUMMARY])));
  const own = manager(http(server, "anthropic"));
  const usage = { totalTokens: 140_000, contextWindow: 200_000 };
  const prepared = await own.prepare({ messages: talk(40), taskId: "t", ...usage });
  expect(prepared).toMatchObject({ prepared: true, requests: [{ model: "model-1" }] });
  expect(spans().map(({ name }) => name)).toEqual(["chat model-1", "condense"]);
  expect(spans()[1].attributes).toMatchObject({
    "roo_condense.operation": "prepare",
    "roo_condense.tokens.saved": prepared.tokensSaved,
  });
});

test("a tracer that throws fails no condensation", async () => {
  const broken = {
    startSpan() {
      throw new Error("broken");
    },
  };
  const own = instrument(new CondensationManager({ provider: "truncation" }), { tracer: broken, meter });
  expect((await own.condense({ messages: talk(40) }, { targetTokens: 500 })).didCondense).toBe(true);
});

test("without a tracer and a meter, the global ones are used", async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const other = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  globalMetrics.setGlobalMeterProvider(new MeterProvider({ readers: [other] }));
  try {
    const own = instrument(new CondensationManager({ provider: "truncation" }));
    await own.condense({ messages: talk(40) }, { targetTokens: 500 });
    expect(spans()[0].instrumentationScope).toMatchObject({
      name: "roo-condense",
      schemaUrl: `https://opentelemetry.io/schemas/${CONVENTIONS}`,
    });
    await other.forceFlush();
    const [{ scope }] = metricExporter.getMetrics().at(-1).scopeMetrics;
    expect(scope).toMatchObject({ name: "roo-condense" });
  } finally {
    await other.shutdown();
    trace.disable();
    globalMetrics.disable();
  }
});

test("wrong arguments are refused", () => {
  const own = new CondensationManager();
  /** @type {[any, any, RegExp][]} */
  const wrong = [
    [{}, {}, /manager must be a CondensationManager/],
    [createNativeProvider(), {}, /manager must be a CondensationManager/],
    [own, { tracer: {} }, /options\.tracer must be a Tracer/],
    [own, { meter: 1 }, /options\.meter must be a Meter/],
    [own, { captureContent: "yes" }, /options\.captureContent must be true or false/],
    [own, { content: true }, /options\.content/],
  ];
  for (const [manager, options, message] of wrong) expect(() => instrument(manager, options)).toThrow(message);
  instrument(own, { tracer, meter });
  expect(() => instrument(own, { tracer, meter })).toThrow(/not instrumented yet/);
});
