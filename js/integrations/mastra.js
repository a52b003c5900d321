"use strict";

// `roo-condense/mastra`: condensing within Mastra, as a processor of what an agent sends to its model.

const { toolIn } = require("../recall/tool.js");
const { KeptCondensations } = require("./kept.js");
const { format, promptFor } = require("./prompt.js");

function condensingProcessor(options) {
  const kept = new KeptCondensations(options, ["maxOutputTokens"]);
  const prompts = new PromptsOfRuns();
  return {
    id: "roo-condense",
    ...(kept.recall && { recall: toolIn("mastra", (input, context) => kept.recall?.(input, prompts.of(context), format)) }),
    processLLMRequest: async ({ prompt, model, abortSignal: signal, requestContext, messageList }) => {
      prompts.note(requestContext, messageList, prompt);
      return { prompt: await promptFor(kept, prompt, { model: model?.modelId, signal }) };
    },
  };
}

/** The newest prompt of each run. Mastra hands tools the messages that a run began with, and the context of the request, which is also that of its prompts. */
class PromptsOfRuns {
  /** By context, and by list of messages, which each run has of its own. */
  #prompts = new WeakMap();

  note(context, run, prompt) {
    if (typeof context !== "object" || context === null) return;
    const runs = this.#prompts.get(context) ?? new Map();
    this.#prompts.set(context, runs.set(run, prompt));
  }

  /** The conversation that a tool was called in. An application may give several runs one context: then only what is certain counts. */
  of(context) {
    const runs = this.#prompts.get(context?.requestContext);
    if (runs?.size === 1) return runs.values().next().value;
    return context?.agent?.messages ?? context?.messages ?? [];
  }
}

exports.condensingProcessor = condensingProcessor;
