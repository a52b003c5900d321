"use strict";

// `roo-condense/langchain`: condensing within LangChain, as an edit of the context or as a middleware of an agent.

const { answerOf } = require("../host-call.js");
const { toolIn } = require("../recall/tool.js");
const { KeptCondensations } = require("./kept.js");

const format = "langchain";
/** By which LangChain's own `createMiddleware` marks what it makes; loading LangChain for it would load a second copy beside the ES modules. */
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

/** The tool, which agents add to theirs, where it is offered. They hand it the state that its call stands in. */
const toolsOfAgent = ({ recall }) =>
  recall && { tools: [toolIn("langchain", (input, config) => recall(input, config?.state?.messages ?? [], format))] };

/** Chat models have it as `model` or `modelName`. */
const nameOf = (model) => model?.model ?? model?.modelName;

/** What services are told of tools, to be counted. Schemas of Zod 4 say what they are as JSON Schema; others count as the JSON that they are. */
const toolsOf = (tools) =>
  (tools ?? []).map(({ name, description, schema }) => ({ name, description, schema: answerOf(() => schema.toJSONSchema()) ?? schema }));

exports.condensingEdit = condensingEdit;
exports.condensingMiddleware = condensingMiddleware;
