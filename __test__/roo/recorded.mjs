// Runs a recorded call of Roo-Code's: a line `{ era, fn, input, output, calls? }` of `fixtures/roo/*.jsonl` or of `../shared/vectors`.

import { readFileSync } from "node:fs";
import roo from "../../js/roo/index.js";

/** The clock of the recordings. */
export const CLOCK = 1_800_000_000_000;

export const readRecords = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const isImage = (block) => block.type === "image";

/** The services of the recordings: keys instead of texts, images described, prompts masked. */
export const host = {
  t: (key) => key.replace(/^[^:]*:/, ""),
  telemetry: () => ({ captureContextCondensed() {}, captureSlidingWindowTruncation() {} }),
  removeImages: (messages, apiHandler) =>
    apiHandler.getModel().info.supportsImages
      ? messages
      : messages.map((message) =>
          Array.isArray(message.content)
            ? {
                ...message,
                content: message.content.map((block) =>
                  isImage(block) ? { type: "text", text: "[Referenced image in conversation]" } : block,
                ),
              }
            : message,
        ),
  prompts: { summary: "<default prompt>", condense: "<default instructions>" },
  warn() {},
  error() {},
};

/** An ApiHandler that does what the record says, and writes down what it was asked. */
function scriptedHandler({ chunks = [], fail, perChar = 0.25, supportsImages = true, valid = true }, calls) {
  const handler = {
    getModel: () => ({ id: "scripted", info: { supportsImages } }),
    async countTokens(blocks) {
      const length = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 40), 0);
      const tokens = Math.ceil(perChar * length);
      calls.countTokens.push(tokens);
      return tokens;
    },
  };
  if (valid) {
    handler.createMessage = async function* (system, messages) {
      calls.createMessage.push({ system, messages });
      yield* chunks;
      if (fail !== undefined) throw new Error(fail);
    };
  }
  return handler;
}

function modules(era) {
  return era === "oct"
    ? { ...roo.createSlidingWindow(host), ...roo.createCondense(host) }
    : { ...roo.createContextManagement(host), ...roo.createTaggedCondense(host) };
}

/** How each function takes its recorded input, where that is not its only argument. */
const calling = {
  truncateConversation: (fn, { messages, frac }) => fn(messages, frac, "task"),
  getMessagesSinceLastSummary: (fn, { messages }) => fn(messages),
  getEffectiveApiHistory: (fn, { messages }) => fn(messages),
  cleanupAfterTruncation: (fn, { messages }) => fn(messages),
  injectSyntheticToolResults: (fn, { messages }) => fn(messages),
  transformMessagesForCondensing: (fn, { messages }) => fn(messages),
  extractCommandBlocks: (fn, { message }) => fn(message),
  willManageContext: (fn, input) => fn(input),
};

async function call({ era, fn, input }, calls) {
  const old = era === "oct";
  if (fn === "countTokens") return roo.countTokens(input.content, { toolBlocks: !old });
  if (fn.startsWith("calculateApiCost")) {
    const cost = roo[fn](input.price, ...input.use);
    return old ? cost.totalCost : cost;
  }
  const functions = modules(era);
  if (calling[fn]) return calling[fn](functions[fn], input);
  const { handler, condensingHandler, ...options } = input;
  const apiHandler = scriptedHandler(handler, calls);
  const condensing = condensingHandler && scriptedHandler(condensingHandler, calls);
  if (fn === "summarizeConversation" && old) {
    const { messages, systemPrompt, prevContextTokens, customCondensingPrompt } = options;
    return functions[fn](messages, apiHandler, systemPrompt, "task", prevContextTokens, false, customCondensingPrompt, condensing);
  }
  return functions[fn]({ taskId: "task", ...options, apiHandler, ...(condensing && { condensingApiHandler: condensing }) });
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The value as the recordings hold it: ids numbered in order of appearance, details of errors masked. */
function masked(value) {
  if (value === undefined) return undefined;
  const ids = new Map();
  const json = JSON.stringify(value, (key, inner) => (key === "errorDetails" ? "<details>" : inner)).replace(UUID, (id) => {
    if (!ids.has(id)) ids.set(id, `<id${ids.size + 1}>`);
    return ids.get(id);
  });
  return JSON.parse(json);
}

/** What the call gives now, in the shape of the record. */
export async function replay(record) {
  const calls = { createMessage: [], countTokens: [] };
  const output = await call(record, calls);
  // Results have to survive being cloned and stored: no functions, no proxies, and nothing that is `null` where it was absent.
  structuredClone(output);
  return masked(record.calls ? { output, calls } : { output });
}
