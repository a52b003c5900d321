"use strict";

// `roo-condense/mastra`: condenses within Mastra, as a processor of what an agent sends to its model.

const { toolIn } = require("../recall/tool.js");
const { KeptCondensations } = require("./kept.js");
const { format, promptFor } = require("./prompt.js");

function condensingProcessor(options) {
  const kept = new KeptCondensations(options, "CondensingStepOptions");
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

/**
 * The newest prompt of each run. Mastra passes tools the messages with which a run began, and the context of the
 * request, which its prompts have too.
 */
class PromptsOfRuns {
  /** The prompts by context, and then by the list of messages, which is different for each run. */
  #prompts = new WeakMap();

  note(context, run, prompt) {
    if (typeof context !== "object" || context === null) return;
    const runs = this.#prompts.get(context) ?? new Map();
    this.#prompts.set(context, runs.set(run, prompt));
  }

  /** Returns the conversation in which a tool was called. An application may give several runs one context; then only an unambiguous one counts. */
  of(context) {
    const runs = this.#prompts.get(context?.requestContext);
    if (runs?.size === 1) return runs.values().next().value;
    return context?.agent?.messages ?? context?.messages ?? [];
  }
}

exports.condensingProcessor = condensingProcessor;
