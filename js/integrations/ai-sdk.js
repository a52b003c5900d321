"use strict";

// `roo-condense/ai-sdk`: condensing within the AI SDK, as a middleware of a language model, or before each step of an agent.

const { KeptCondensations } = require("./kept.js");

const format = "ai-sdk-model";

/** In a prompt, other than in messages of an application, all but the system's have parts; what a condensation adds may be a text. */
const inParts = (message) =>
  message.role !== "system" && typeof message.content === "string"
    ? { ...message, content: [{ type: "text", text: message.content }] }
    : message;

function condensingMiddleware(options) {
  const kept = new KeptCondensations(options);
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const { tools, maxOutputTokens: maxTokens, abortSignal: signal } = params;
      const prompt = await kept.messagesFor(params.prompt, { format, tools, maxTokens, signal });
      return { ...params, prompt: prompt.map(inParts) };
    },
  };
}

function condensingPrepareStep(options) {
  const kept = new KeptCondensations(options);
  return async ({ messages }) => ({ messages: await kept.messagesFor(messages, { format }) });
}

exports.condensingMiddleware = condensingMiddleware;
exports.condensingPrepareStep = condensingPrepareStep;
