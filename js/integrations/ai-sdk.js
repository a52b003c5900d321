"use strict";

// `roo-condense/ai-sdk`: condensing within the AI SDK, as a middleware of a language model, or before each step of an agent.

const { KeptCondensations } = require("./kept.js");
const { format, promptFor } = require("./prompt.js");

function condensingMiddleware(options) {
  const kept = new KeptCondensations(options);
  return {
    specificationVersion: "v3",
    async transformParams({ params, model }) {
      const { tools, maxOutputTokens: maxTokens, abortSignal: signal } = params;
      return { ...params, prompt: await promptFor(kept, params.prompt, { model: model?.modelId, tools, maxTokens, signal }) };
    },
  };
}

function condensingPrepareStep(options) {
  const kept = new KeptCondensations(options, ["maxOutputTokens"]);
  return async ({ messages, model }) => ({ messages: await kept.messagesFor(messages, { format, model: model?.modelId ?? model }) });
}

exports.condensingMiddleware = condensingMiddleware;
exports.condensingPrepareStep = condensingPrepareStep;
