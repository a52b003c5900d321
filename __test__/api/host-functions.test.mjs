// Functions and objects of the host, each wrong in its own way: the process goes on, and what is wrong has a code and a place.

import { spawnSync } from "node:child_process";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { api, conversation, expectFailed, expectRefused, managerWith, packageFile } from "./support.mjs";

const { CondensationManager, callbackHandler, countTokens, createSmartProvider, createTruncationProvider, httpHandler } = api;

const boom = new Error("boom");
const messages = conversation(6);
const manager = (options) => new CondensationManager({ provider: "truncation", fallback: false, ...options });

/** What throws whatever is done with it. */
function revoked(target = {}) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** `value` with a field that throws when it is read. */
function throwing(field, value = {}) {
  return Object.defineProperty(value, field, {
    enumerable: true,
    get() {
      throw boom;
    },
  });
}

const prelude = `
const api = require(${JSON.stringify(packageFile)});
const { CondensationManager, callbackHandler, createNativeProvider, createSmartProvider, createTruncationProvider } = api;
const messages = Array.from({ length: 21 }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: "a line of what was said\\n".repeat(100) + index }));
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const rejects = async () => { throw new Error("boom"); };
const asks = (createMessage, options, more) =>
  createNativeProvider().condense({ messages }, { handler: callbackHandler({ createMessage, ...more }, { timeoutMs: 300, idleTimeoutMs: 200, ...options }) });
const answering = async function* () { yield { type: "text", text: "What was said." }; };
const said = ({ error, didCondense, warnings }) => [error?.code ?? didCondense, ...warnings.map(({ code }) => code).filter((code) => code !== "target_not_met")].join();
`;

/** Runs the body of an async function in a Node of its own, as Node is by default: whatever is unhandled ends it. */
function run(program) {
  const whole = `${prelude}(async () => {${program}})().then((out) => { console.log(out); });`;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, ["-e", whole], { encoding: "utf8", timeout: 40_000 });
  return { status, signal, stdout: stdout.trim(), stderr };
}

describe("a process outlives", () => {
  test.each([
    [
      "a progress listener whose promise rejects",
      "return said(await createTruncationProvider().condense({ messages }, { targetTokens: 900, onProgress: rejects }));",
      "true,progress_listener_failed",
    ],
    [
      "a progress listener whose promise rejects later",
      "let open; const gate = new Promise((resolve) => (open = resolve)); const r = await createTruncationProvider().condense({ messages }, { targetTokens: 900, onProgress: () => gate.then(rejects) }); open(); await later(10); return said(r);",
      "true",
    ],
    [
      "a progress listener that answers with a thenable that throws",
      "return said(await createTruncationProvider().condense({ messages }, { targetTokens: 900, onProgress: () => ({ then() { throw 5; } }) }));",
      "true,progress_listener_failed",
    ],
    [
      "a signal that cannot be listened to, and ends by itself",
      "const signal = { aborted: false, addEventListener() { throw new Error('boom'); }, removeEventListener() {} };" +
        "try { await createTruncationProvider().condense({ messages }, { signal }); } catch ({ name, code, field }) { return [name, code, field].join(); }",
      "TypeError,invalid_argument,options.signal",
    ],
    [
      "a signal whose functions reject and throw",
      "const signal = { aborted: false, addEventListener: rejects, removeEventListener() { throw new Error('boom'); } };" +
        "const one = await createTruncationProvider().condense({ messages }, { targetTokens: 900, signal });" +
        "return said(one) + said(await createTruncationProvider().condense({ messages }, { targetTokens: 900, signal: { ...signal, removeEventListener: rejects } }));",
      "truetrue",
    ],
    [
      "a signal that fires at once when it is listened to",
      "const signal = { aborted: false, addEventListener(_, listener) { listener(); listener(); }, removeEventListener() {} };" +
        "return said(await createTruncationProvider().condense({ messages }, { signal }));",
      "aborted",
    ],
    ["getModel() that rejects", "return said(await asks(answering, {}, { getModel: rejects }));", "true"],
    ["countTokens() that rejects", "return said(await asks(answering, {}, { countTokens: rejects }));", "true,count_tokens_failed"],
    [
      "getCapabilities() that rejects",
      "const m = new CondensationManager(); m.registerProvider({ id: 'mine', condense() {}, getCapabilities: rejects }); await later(10); return m.listProviders().length;",
      "12",
    ],
    [
      "getConfigSchema() and validateConfig() that reject",
      "const m = new CondensationManager(); m.registerProvider({ id: 'mine', condense() {}, getConfigSchema: rejects, validateConfig: rejects });" +
        "const said = JSON.stringify([m.getConfigSchema('mine'), m.validateConfig('mine', {}).valid]); await later(10); return said;",
      "[{},true]",
    ],
    [
      "a function that protects messages and rejects",
      "try { await createTruncationProvider().condense({ messages }, { protect: { messages: rejects } }); } catch ({ code }) { await later(10); return code; }",
      "invalid_argument",
    ],
    [
      "a studio whose histories are watched by functions that reject, and whose port rejects",
      "const { createStudioHost } = api; let listener; const source = (id, watch) => ({ id, read: () => ({ messages }), watch });" +
        "const stops = []; const host = createStudioHost(new CondensationManager(), { histories: [source('a', rejects), source('b', async () => () => stops.push('b')), source('c', () => rejects)] });" +
        "host.connect({ postMessage: rejects, onMessage: (told) => { listener = told; return rejects; } });" +
        "await listener({ studio: 1, id: 1, method: 'hello', params: {} }); host.dispose(); await later(10); return stops.join();",
      "b",
    ],
    [
      "a function that selects messages and rejects",
      "try { await createSmartProvider({ passes: [{ id: 'p', selection: { type: 'custom', customSelector: rejects }, mode: 'batch', batchConfig: { operation: 'keep' } }] }).condense({ messages }); }" +
        "catch ({ code }) { await later(10); return code; }",
      "invalid_argument",
    ],
    [
      "a store that rejects with what cannot be shown",
      "const odd = async () => { throw { get message() { throw new Error('again'); } }; };" +
        "const m = new CondensationManager({ cache: { get: odd, set: odd }, handler: { createMessage: answering } });" +
        "return said(await m.condense({ messages }));",
      "true,cache_failed",
    ],
    [
      "next() and return() that reject",
      "return said(await asks(() => ({ [Symbol.asyncIterator]: () => ({ next: rejects, return: rejects }) })));",
      "llm_callback_failed",
    ],
    [
      "return() that throws after a late answer",
      "const stream = { next: () => later(20).then(() => ({ done: false, value: 5 })), return() { throw new Error('boom'); } };" +
        "return said(await asks(() => ({ [Symbol.asyncIterator]: () => stream }), { timeoutMs: 100 }));",
      "llm_timeout",
    ],
    [
      "return() that never ends",
      "const stream = { next: () => new Promise(() => {}), return: () => new Promise(() => {}) };" +
        "setTimeout(() => {}, 1000); return said(await asks(() => ({ [Symbol.asyncIterator]: () => stream })));",
      "llm_timeout",
    ],
    [
      "a provider whose promise calls both of its callbacks",
      "const m = new CondensationManager({ provider: 'mine', fallback: false });" +
        "m.registerProvider({ id: 'mine', condense: ({ messages }) => ({ then(yes, no) { yes({ messages: messages.slice(0, 1) }); no(new Error('boom')); throw 5; } }) });" +
        "return said(await m.condense({ messages }));",
      "true",
    ],
    [
      "createMessage() that answers with such a promise",
      "return said(await asks(() => ({ then(yes, no) { yes(answering()); no(new Error('boom')); yes(5); } })));",
      "true",
    ],
    [
      "createMessage() whose promise is never kept",
      "setTimeout(() => {}, 1000); return said(await asks(() => ({ then() {} })));",
      "llm_timeout",
    ],
  ])("%s", (_, program, stdout) => {
    expect(run(program)).toEqual({ status: 0, signal: null, stdout, stderr: "" });
  });
});

describe("a generator that never pauses leaves the main thread to others", () => {
  const streams = [
    ["chunks without text", "async function* () { for (;;) yield { type: 'text', text: '' }; }"],
    ["what is no chunk", "async function* () { for (;;) yield Symbol(); }"],
    ["an iterator that is not async", "function* () { for (;;) yield 5; }"],
    ["an iterator by hand", "() => ({ [Symbol.iterator]: () => ({ next: () => ({ value: { type: 'usage' } }) }) })"],
  ];
  test.each(streams)("%s: a timeout ends it", (_, stream) => {
    const program = `let ticks = 0; const timer = setInterval(() => ticks++, 5);
      const result = await asks(${stream}); clearInterval(timer); return said(result) + (ticks > 10);`;
    expect(run(program)).toEqual({ status: 0, signal: null, stdout: "llm_timeouttrue", stderr: "" });
  });

  test.each(streams)("%s: a signal ends it, in Roo-Code's modules too", (_, stream) => {
    const program = `
      const { createTaggedCondense } = require(${JSON.stringify(packageFile.replace("index.js", "js/roo/index.js"))});
      const own = AbortSignal.timeout(100);
      const result = await createNativeProvider().condense({ messages }, { signal: own, handler: { createMessage: ${stream} } });
      const signal = AbortSignal.timeout(100);
      const made = ${stream};
      const apiHandler = { createMessage: async function* () { yield* made(); }, countTokens: async () => 5 };
      const { error } = await createTaggedCondense({ signal }).summarizeConversation({ messages, apiHandler, systemPrompt: "s", taskId: "t" });
      return said(result) + /cancelled/.test(error);`;
    expect(run(program)).toEqual({ status: 0, signal: null, stdout: "abortedtrue", stderr: "" });
  });
});

describe("what cannot be read is named", () => {
  const deep = () => [
    ...messages.slice(0, 2),
    { role: "user", content: [{ type: "text", text: "x" }, throwing("text", { type: "text" })] },
  ];
  const cases = [
    ["a message", () => createTruncationProvider().condense({ messages: deep() }), "context.messages[2].content[1].text"],
    ["a message that was revoked", () => manager().condense({ messages: [messages[0], revoked()] }), "context.messages[1]"],
    ["messages that were revoked", () => manager().condense({ messages: revoked([]) }), "context.messages"],
    ["a field of the context", () => manager().condense(throwing("taskId", { messages })), "context.taskId"],
    ["the messages of the context", () => manager().condense(throwing("messages")), "context.messages"],
    ["an option", () => manager().condense({ messages }, throwing("targetTokens")), "options.targetTokens"],
    ["a configuration", () => manager().condense({ messages }, { config: throwing("mode") }), "options.config.mode"],
    ["a signal", () => manager().condense({ messages }, { signal: throwing("aborted") }), "options.signal"],
    ["a handler", () => manager().condense({ messages }, { handler: throwing("createMessage") }), "options.handler"],
    ["the name of a provider", () => manager().condense({ messages }, throwing("provider")), "options.provider"],
    ["options of a manager", () => new CondensationManager(throwing("provider")), "options.provider"],
    ["a handler of a manager", () => new CondensationManager({ handler: throwing("createMessage") }), "createMessage"],
    ["a configuration of a provider", () => createTruncationProvider(throwing("mode")), "config.mode"],
    ["a configuration with functions", () => createSmartProvider({ passes: [throwing("selection")] }), "config.passes[0].selection"],
    ["a handler of the host", () => callbackHandler(throwing("createMessage")), "api.createMessage"],
    ["options of a handler of the host", () => callbackHandler({ createMessage() {} }, throwing("timeoutMs")), "options.timeoutMs"],
    ["options of a handler", () => httpHandler({ api: "openai", model: "m", headers: throwing("x-own") }), "options.headers"],
    ["a provider of the host", () => manager().registerProvider(throwing("id", { condense() {} })), "provider"],
    [
      "its capabilities",
      () => manager().registerProvider({ id: "mine", condense() {}, getCapabilities: () => throwing("supportsLossy") }),
      "",
    ],
    ["a usage", () => manager().shouldCondense(throwing("totalTokens")), "usage"],
    ["a report", () => manager().calibrate(throwing("model")), "report"],
    [
      "what is counted",
      () => countTokens([{ role: "user", content: [throwing("text", { type: "text" })] }]),
      "messages[0].content[0].text",
    ],
    ["what is counted and was revoked", () => countTokens(revoked()), "value"],
    ["options of counting", () => countTokens("x", throwing("scale")), "options"],
    ["what is validated", () => api.validateMessages([throwing("content", { role: "user" })]), "messages[0].content"],
    ["what is restored", () => api.restore(throwing("restoreData", { messages })), "result"],
  ];
  test.each(cases)("%s", async (_, call, place) => {
    const error = await expectRefused(call, TypeError, "not_serializable", place);
    if (place) expect(error.field).toContain(place);
  });

  test.each([
    ["context", () => manager().condense(revoked())],
    ["options", () => manager().condense({ messages }, revoked())],
    ["options", () => new CondensationManager(revoked())],
    ["config", () => createTruncationProvider(revoked())],
    ["options", () => httpHandler(revoked())],
    ["api", () => callbackHandler(revoked())],
    ["provider", () => manager().registerProvider(revoked())],
    ["usage", () => manager().shouldCondense(revoked())],
  ])("a revoked proxy as %s", async (field, call) => {
    const error = await expectRefused(call, TypeError, "invalid_argument", field, "a revoked proxy");
    expect(error.field).toBe(field);
  });

  test("a field is read once: a getter that changes its mind does not get past the check", () => {
    const turning = (first, then) => {
      let reads = 0;
      return { enumerable: true, get: () => (reads++ === 0 ? first : then()) };
    };
    const fail = () => {
      throw boom;
    };
    const options = Object.defineProperties(
      {},
      { isAutomatic: turning(true, fail), onProgress: turning(() => {}, fail), signal: turning(new AbortController().signal, fail) },
    );
    const context = Object.defineProperties({}, { messages: turning(messages, fail), taskId: turning("t", fail) });
    return createTruncationProvider()
      .condense(context, options)
      .then((result) => expect(result).toMatchObject({ didCondense: true, warnings: [] }));
  });
});

describe("what a provider of the host returns and cannot be read is named", () => {
  test.each([
    ["the messages", () => throwing("messages"), "messages that cannot be read"],
    ["the summary", () => throwing("summary", { messages }), "summary that cannot be read"],
    ["the warnings", () => ({ messages: messages.slice(0, 1), warnings: [throwing("code")] }), "warnings that cannot be read"],
    ["messages that were revoked", () => ({ messages: revoked([]) }), "messages that cannot be read"],
    ["an error that was revoked", () => ({ error: revoked() }), "without a message"],
    ["a message that was revoked", () => ({ messages: [revoked()] }), "messages[0] that is a revoked proxy"],
    ["a result that was revoked", () => revoked(), "proxy that has been revoked"],
    ["a field of a message", () => ({ messages: [throwing("content", { role: "user" })] }), "messages[0].content that cannot be written"],
    [
      "a block of a message",
      () => ({ messages: [{ role: "user", content: [throwing("text")] }] }),
      "messages[0].content[0].text that cannot be written",
    ],
  ])("%s", async (_, make, part) => {
    const result = await managerWith(make).condense({ messages });
    expectFailed(result, "provider_failed", messages);
    expect(result.error.message).toContain(part);
  });

  test("warnings without end are not all passed on", async () => {
    const warnings = Array.from({ length: 5000 }, (_, index) => `number ${index}`);
    const result = await managerWith(({ messages: given }) => ({ messages: given.slice(0, 1), warnings })).condense({ messages });
    expect(result.warnings).toHaveLength(1000);
  });
});

test("what getModel() says is used as far as it can be", async () => {
  const infos = [
    throwing("contextWindow"),
    revoked(),
    throwing("tiers", { inputPrice: 3 }),
    { inputPrice: 3, tiers: [{ inputPrice: 5n }] },
    7,
  ];
  for (const info of infos) {
    const api = {
      getModel: () => ({ id: "m", info }),
      async *createMessage() {
        yield { type: "text", text: "What was said." };
      },
    };
    const { error, didCondense, cost } = await manager({ provider: "native", handler: api }).condense({ messages: conversation(12) });
    expect([error, didCondense, Number.isFinite(cost)]).toEqual([undefined, true, true]);
  }
});
