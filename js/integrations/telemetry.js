"use strict";

// `roo-condense/telemetry`: spans and metrics of a manager's condensations, by OpenTelemetry's conventions for
// generative AI. Everything is reported after a call has ended, with the times at which it happened: the addon sends
// requests over HTTP, where JavaScript does not see them.

const { notAllowed, readable, refuseUnknown } = require("../errors.js");
const { tell } = require("../host-call.js");
const isObject = require("../is-object.js");
const { CondensationManager } = require("../manager.js");
const { keepsContent } = require("../requests-content.js");
const { version } = require("../../package.json");

/** The version of the conventions for names and values: the last release with `gen_ai.client.token.usage`. */
const CONVENTIONS = "1.41.0";
const SCHEMA = `https://opentelemetry.io/schemas/${CONVENTIONS}`;

const TOKEN_BOUNDARIES = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const SECOND_BOUNDARIES = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** The reasons why a model stopped, in the conventions' words. */
const FINISH_REASONS = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool_call",
  refusal: "content_filter",
};

/** The methods of a manager that condense, and whether a call did: calls without work have no span. */
const OPERATIONS = {
  /** @param {any} _result */
  condense: (_result) => true,
  condenseIfNeeded: ({ trigger, decision, error }) => Boolean(error) || (decision ? decision.condense : trigger?.due === true),
  prepare: ({ reason, requests }) => reason === "done" || reason === "failed" || requests !== undefined,
};

const instrumented = new WeakSet();

function instrument(manager, options = {}) {
  if (!(manager instanceof CondensationManager)) throw notAllowed("manager", manager, "a CondensationManager");
  if (instrumented.has(manager)) throw notAllowed("manager", manager, "a manager that is not instrumented yet");
  const told = new Telemetry(checkedOptions(options));
  instrumented.add(manager);
  for (const [name, happened] of Object.entries(OPERATIONS)) {
    const method = manager[name];
    const value = async (context, given) => {
      const startedAt = Date.now();
      const call = { operation: name, context, given, startedAt };
      try {
        const result = await method.call(manager, context, told.capturesContent ? withContent(given) : given);
        if (happened(result)) tell(() => told.condensation(call, result));
        return result;
      } catch (error) {
        tell(() => told.condensation(call, { error }));
        throw error;
      }
    };
    Object.defineProperty(manager, name, { value, configurable: true, writable: true });
  }
  return manager;
}

function checkedOptions(options) {
  return readable("options", () => {
    if (!isObject(options)) throw notAllowed("options", options, "an object: { tracer?, meter?, captureContent? }");
    refuseUnknown("options", options, ["tracer", "meter", "captureContent"]);
    const { tracer, meter, captureContent = false } = options;
    if (tracer !== undefined && typeof tracer?.startSpan !== "function") throw notAllowed("options.tracer", tracer, "a Tracer");
    if (meter !== undefined && typeof meter?.createHistogram !== "function") throw notAllowed("options.meter", meter, "a Meter");
    if (typeof captureContent !== "boolean") throw notAllowed("options.captureContent", captureContent, "true or false");
    return { tracer, meter, captureContent };
  });
}

/** Returns the options of a call with the wish to keep request contents. The manager refuses values that are not objects. */
const withContent = (options) =>
  options === undefined || isObject(options) ? Object.create(options ?? null, { [keepsContent]: { value: true } }) : options;

/** Returns attributes without unknown ones. */
const known = (attributes) => Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

class Telemetry {
  #api;
  #tracer;
  #metrics;

  constructor({ tracer, meter, captureContent }) {
    // Loaded only now: code that loads the module may never use it, and the package is an optional peer.
    this.#api = require("@opentelemetry/api");
    this.capturesContent = captureContent;
    this.#tracer = tracer ?? this.#api.trace.getTracerProvider().getTracer("roo-condense", version, { schemaUrl: SCHEMA });
    const ours = meter ?? this.#api.metrics.getMeter("roo-condense", version, { schemaUrl: SCHEMA });
    const seconds = { unit: "s", advice: { explicitBucketBoundaries: SECOND_BOUNDARIES } };
    this.#metrics = {
      usage: ours.createHistogram("gen_ai.client.token.usage", {
        description: "Number of input and output tokens used.",
        unit: "{token}",
        advice: { explicitBucketBoundaries: TOKEN_BOUNDARIES },
      }),
      requests: ours.createHistogram("gen_ai.client.operation.duration", { description: "GenAI operation duration.", ...seconds }),
      condensations: ours.createHistogram("roo_condense.condensation.duration", { description: "Duration of a condensation.", ...seconds }),
      saved: ours.createCounter("roo_condense.tokens.saved", { description: "Tokens that condensations removed.", unit: "{token}" }),
    };
  }

  /** Reports a finished condensation and its requests. */
  condensation(call, result) {
    const { requests = [], metrics, providers = [], error } = result;
    const { operation, startedAt } = call;
    const endedAt = Math.max(Date.now(), ...requests.map(endOf));
    const provider = metrics?.providerId || providers[0]?.id;
    const named = known({ "roo_condense.operation": operation, "roo_condense.provider": provider, "error.type": codeOf(error) });
    const conversation = known({ "gen_ai.conversation.id": call.context?.taskId ?? undefined });
    const span = this.#tracer.startSpan(provider ? `condense ${provider}` : "condense", {
      kind: this.#api.SpanKind.INTERNAL,
      startTime: startedAt,
      attributes: { ...named, ...conversation, ...attributesOf(call, result) },
    });
    const within = this.#api.trace.setSpan(this.#api.context.active(), span);
    for (const request of requests) this.#request(request, conversation, within);
    this.#end(span, error, endedAt);
    this.#metrics.condensations.record((endedAt - startedAt) / 1000, named, within);
    for (const { id, tokensSaved } of providers)
      if (tokensSaved > 0) this.#metrics.saved.add(tokensSaved, { "roo_condense.provider": id }, within);
  }

  #request(request, conversation, within) {
    const { provider, api, model, startedAt, timeElapsed, attempts, stopReason, cost, error } = request;
    const named = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": api, "gen_ai.request.model": model };
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = request;
    const span = this.#tracer.startSpan(
      `chat ${model}`,
      {
        kind: this.#api.SpanKind.CLIENT,
        startTime: startedAt,
        attributes: known({
          ...named,
          ...conversation,
          ...(this.capturesContent && contentOf(request)),
          "gen_ai.usage.input_tokens": inputTokens,
          "gen_ai.usage.output_tokens": outputTokens,
          "gen_ai.usage.cache_read.input_tokens": cacheReadTokens || undefined,
          "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens || undefined,
          "gen_ai.response.finish_reasons": stopReason && [FINISH_REASONS[stopReason] ?? stopReason],
          "error.type": error,
          "roo_condense.provider": provider,
          "roo_condense.attempts": attempts,
          "roo_condense.cost": cost,
        }),
      },
      within,
    );
    this.#end(span, error && { code: error }, endOf(request));
    this.#metrics.requests.record(timeElapsed / 1000, known({ ...named, "error.type": error }), within);
    for (const [type, tokens] of Object.entries({ input: inputTokens, output: outputTokens }))
      if (tokens !== undefined) this.#metrics.usage.record(tokens, { ...named, "gen_ai.token.type": type }, within);
  }

  /** Ends a span. Error messages may quote content, so only their code is reported unless content is requested. */
  #end(span, error, endedAt) {
    const message = this.capturesContent ? error?.message : codeOf(error);
    if (error) span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message });
    span.end(endedAt);
  }
}

const endOf = ({ startedAt, timeElapsed }) => startedAt + timeElapsed;
const codeOf = (error) => error && (typeof error.code === "string" ? error.code : "_OTHER");

/** Returns the attributes of a condensation, as numbers and codes. */
function attributesOf({ context, given }, result) {
  const { messages, prevContextTokens: before, newContextTokens: after, didCondense, prepared, providers, choices, stats } = result;
  const failed = result.warnings?.filter(({ code }) => code === "provider_failed") ?? [];
  return known({
    "roo_condense.did_condense": didCondense ?? prepared,
    "roo_condense.tokens.before": before,
    "roo_condense.tokens.after": after,
    "roo_condense.tokens.saved": before === undefined ? result.tokensSaved : before - after,
    "roo_condense.tokens.target": given?.targetTokens ?? undefined,
    "roo_condense.messages.before": Array.isArray(context?.messages) ? context.messages.length : undefined,
    "roo_condense.messages.after": Array.isArray(messages) ? messages.length : undefined,
    "roo_condense.providers": providers?.map(({ id }) => id),
    "roo_condense.fallback": providers && failed.length > 0,
    "roo_condense.choices": choices?.map(({ strategy, provider }) => `${strategy}: ${provider}`),
    "roo_condense.changes": result.changes?.length,
    "roo_condense.operations": stats?.operationsPerformed,
    "roo_condense.warnings": result.warnings?.length > 0 ? result.warnings.map(({ code }) => code) : undefined,
    "roo_condense.trigger": result.trigger?.reason,
    "roo_condense.cost": result.cost,
  });
}

/** Returns the contents of request and response, as the conventions write them into attributes. */
function contentOf({ content, stopReason }) {
  if (!content) return {};
  const part = (text) => ({ type: "text", content: text });
  const { system, messages, text } = content;
  const answer = { role: "assistant", parts: [part(text)], finish_reason: FINISH_REASONS[stopReason] ?? stopReason };
  return {
    "gen_ai.system_instructions": system === "" ? undefined : JSON.stringify([part(system)]),
    "gen_ai.input.messages": JSON.stringify(messages.map((message) => ({ role: message.role, parts: [part(message.text)] }))),
    "gen_ai.output.messages": text === undefined ? undefined : JSON.stringify([answer]),
  };
}

exports.instrument = instrument;
exports.CONVENTIONS = CONVENTIONS;
