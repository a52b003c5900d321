"use strict";

// `roo-condense/mastra`: condensing within Mastra, as a processor of what an agent sends to its model.

const { toolIn } = require("../recall/tool.js");
const { KeptCondensations } = require("./kept.js");
const { promptFor } = require("./prompt.js");

function condensingProcessor(options) {
  const kept = new KeptCondensations(options);
  return {
    id: "roo-condense",
    // The tool for `tools`, where it is offered. Mastra hands it the messages that its call stands in.
    ...(kept.recall && { recall: toolIn("mastra", (input, context) => kept.recall?.(input, context?.agent?.messages ?? [])) }),
    processLLMRequest: async ({ prompt, model, abortSignal: signal }) => ({
      prompt: await promptFor(kept, prompt, { model: model?.modelId, signal }),
    }),
  };
}

exports.condensingProcessor = condensingProcessor;
