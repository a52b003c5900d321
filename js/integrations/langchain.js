"use strict";

// `roo-condense/langchain`: condenses within LangChain, as an edit of the context or as a middleware of an agent.

const { answerOf } = require("../host-call.js");
const { toolIn } = require("../recall/tool.js");
const { KeptCondensations } = require("./kept.js");

const format = "langchain";
/** The mark of LangChain's own `createMiddleware`. Loading LangChain for it would load a second copy beside the ES modules. */
const BRAND = Symbol.for("AgentMiddleware");

function condensingEdit(options) {
  const kept = new KeptCondensations(options);
  return {
    async apply({ messages, model }) {
      const sent = await kept.messagesFor(messages, { format, model: nameOf(model) });
      if (sent !== messages) messages.splice(0, messages.length, ...sent);
    },
  };
}

function condensingMiddleware(options) {
  const kept = new KeptCondensations(options);
  return {
    [BRAND]: true,
    name: "CondensingMiddleware",
    ...toolsOfAgent(kept),
    async wrapModelCall(request, handler) {
      const { messages, model, systemMessage, tools, runtime } = request;
      const about = { format, model: nameOf(model), system: systemMessage?.content, tools: toolsOf(tools), signal: runtime?.signal };
      return handler({ ...request, messages: await kept.messagesFor(messages, about) });
    },
  };
}

/** Returns the tool, which agents add to theirs, if it is offered. They pass it the state that contains its call. */
const toolsOfAgent = ({ recall }) =>
  recall && { tools: [toolIn("langchain", (input, config) => recall(input, config?.state?.messages ?? [], format))] };

/** Chat models have their name as `model` or `modelName`. */
const nameOf = (model) => model?.model ?? model?.modelName;

/**
 * Returns tool descriptions as services receive them, for counting. Schemas of Zod 4 convert themselves to JSON
 * Schema; others count by their own JSON.
 */
const toolsOf = (tools) =>
  (tools ?? []).map(({ name, description, schema }) => ({ name, description, schema: answerOf(() => schema.toJSONSchema()) ?? schema }));

exports.condensingEdit = condensingEdit;
exports.condensingMiddleware = condensingMiddleware;
