"use strict";

// `roo-condense/anthropic`: the official client of Anthropic, condensing what it sends, and writing summaries.

const { callbackHandler } = require("../handlers.js");
const { condensingClient } = require("./clients.js");
const { abortable, requireModel } = require("./model.js");

/** Maximum tokens of a summary, because the protocol requires a number. */
const MAX_TOKENS = 8192;

const condensing = (client, options) =>
  condensingClient(client, options, (path, { model, system, tools, max_tokens: maxTokens }) =>
    path === "/v1/messages" ? { field: "messages", request: { format: "anthropic", model, system, tools, maxTokens } } : undefined,
  );

function clientHandler(client, options) {
  const { model, maxTokens = MAX_TOKENS, ...known } = requireModel(client?.messages?.create, options);
  async function* chunksOf(system, messages, signal) {
    const request = { model, max_tokens: maxTokens, ...(system && { system }), messages, stream: true };
    const used = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    let reason;
    for await (const { type, message, delta, usage } of await client.messages.create(request, { signal })) {
      if (type === "message_start") {
        used.inputTokens = message.usage.input_tokens;
        used.cacheReadTokens = message.usage.cache_read_input_tokens ?? 0;
        used.cacheWriteTokens = message.usage.cache_creation_input_tokens ?? 0;
      }
      if (type === "message_delta") {
        used.outputTokens = usage.output_tokens;
        reason = delta.stop_reason;
      }
      if (type === "content_block_delta" && delta.type === "text_delta") yield { type: "text", text: delta.text };
    }
    yield { type: "usage", ...used };
    if (reason === "max_tokens" || reason === "refusal") yield { type: "error", message: `the response ended with stop_reason ${reason}` };
  }
  const createMessage = (system, messages) => abortable((signal) => chunksOf(system, messages, signal));
  return callbackHandler({ createMessage, getModel: () => ({ id: model }) }, known);
}

exports.condensing = condensing;
exports.clientHandler = clientHandler;
