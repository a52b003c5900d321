"use strict";

// `roo-condense/mastra`: condensing within Mastra, as a processor of what an agent sends to its model.

const { KeptCondensations } = require("./kept.js");
const { promptFor } = require("./prompt.js");

function condensingProcessor(options) {
  const kept = new KeptCondensations(options, ["maxOutputTokens"]);
  return {
    id: "roo-condense",
    processLLMRequest: async ({ prompt, model, abortSignal: signal }) => ({
      prompt: await promptFor(kept, prompt, { model: model?.modelId, signal }),
    }),
  };
}

exports.condensingProcessor = condensingProcessor;
