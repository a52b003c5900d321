"use strict";

// `roo-condense/openai`: the official client of OpenAI, which condenses its requests, and writes summaries.

const { callbackHandler } = require("../handlers.js");
const { condensingClient } = require("./clients.js");
const { abortable, requireModel } = require("./model.js");

/** The place of the history in each kind of request. With Responses, the service may keep the history; only new items are sent then. */
const HISTORIES = {
  "/chat/completions": ({ model, tools, max_completion_tokens, max_tokens }) => ({
    field: "messages",
    request: { format: "openai-chat", model, tools, maxTokens: max_completion_tokens ?? max_tokens },
  }),
  "/responses": ({ model, instructions, tools, max_output_tokens: maxTokens, previous_response_id, conversation }) =>
    previous_response_id || conversation
      ? undefined
      : { field: "input", request: { format: "openai-responses", model, system: instructions, tools, maxTokens } },
};

const condensing = (client, options) => condensingClient(client, options, (path, body) => HISTORIES[path]?.(body));

function clientHandler(client, options) {
  const { model, maxTokens, ...known } = requireModel(client?.chat?.completions?.create, options);
  async function* chunksOf(system, messages, signal) {
    const request = {
      model,
      ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
      messages: system ? [{ role: "system", content: system }, ...messages] : messages,
      stream: true,
      stream_options: { include_usage: true },
    };
    let reason;
    for await (const { choices, usage } of await client.chat.completions.create(request, { signal })) {
      const text = choices[0]?.delta?.content;
      if (text) yield { type: "text", text };
      reason = choices[0]?.finish_reason ?? reason;
      if (!usage) continue;
      const cacheReadTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
      yield { type: "usage", inputTokens: usage.prompt_tokens - cacheReadTokens, outputTokens: usage.completion_tokens, cacheReadTokens };
    }
    if (reason === "length" || reason === "content_filter")
      yield { type: "error", message: `the response ended with finish_reason ${reason}` };
  }
  const createMessage = (system, messages) => abortable((signal) => chunksOf(system, messages, signal));
  return callbackHandler({ createMessage, getModel: () => ({ id: model }) }, known);
}

exports.condensing = condensing;
exports.clientHandler = clientHandler;
