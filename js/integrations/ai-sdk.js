"use strict";

// `roo-condense/ai-sdk`: condenses within the AI SDK, as a middleware of a language model, or before each step of an
// agent.

const { toolIn } = require("../recall/tool.js");
const { KeptCondensations } = require("./kept.js");
const { format, promptFor } = require("./prompt.js");

function condensingMiddleware(options) {
  const kept = new KeptCondensations(options);
  return {
    specificationVersion: "v3",
    ...toolOf(kept),
    async transformParams({ params, model }) {
      const { tools, maxOutputTokens: maxTokens, abortSignal: signal } = params;
      return { ...params, prompt: await promptFor(kept, params.prompt, { model: model?.modelId, tools, maxTokens, signal }) };
    },
  };
}

function condensingPrepareStep(options) {
  const kept = new KeptCondensations(options, "CondensingStepOptions");
  const prepare = async ({ messages, model }) => ({
    messages: await kept.messagesFor(messages, { format, model: model?.modelId ?? model }),
  });
  return Object.assign(prepare, toolOf(kept));
}

/** Returns the tool for `tools`, named `recall`, if it is offered. The AI SDK passes it the messages that contain its call. */
const toolOf = ({ recall }) => recall && { recall: toolIn("ai-sdk", (input, options) => recall(input, options?.messages ?? [], format)) };

exports.condensingMiddleware = condensingMiddleware;
exports.condensingPrepareStep = condensingPrepareStep;
