"use strict";

// Supports the official clients of OpenAI and Anthropic: both are generated alike, and call `prepareOptions` with the
// body of each request before it is written and signed.

const { notAllowed, readable } = require("../errors.js");
const isObject = require("../is-object.js");
const { answerTo, toolIn } = require("../recall/tool.js");
const { KeptCondensations } = require("./kept.js");

/** Returns the options that `withOptions` of Azure's client omits from its copy. */
const leftOut = ({ apiVersion, deploymentName }) => (apiVersion ? { apiVersion, deployment: deploymentName } : {});

/**
 * Returns a copy of `client` that condenses the histories it sends.
 * @param {any} client
 * @param {any} options
 * @param {(path: string, body: any) => { field: string, request: object } | undefined} historyIn returns the place of a request's history
 */
function condensingClient(client, options, historyIn) {
  const kept = new KeptCondensations(options);
  // A request is prepared again for each retry.
  const done = new WeakSet();
  async function condense(request) {
    const { path, body, method, signal } = request;
    const found = method === "post" && isObject(body) && !done.has(body) ? historyIn(String(path).split("?")[0], body) : undefined;
    if (!found || !Array.isArray(body[found.field])) return;
    const messages = await kept.messagesFor(body[found.field], { ...found.request, signal });
    request.body = { ...body, [found.field]: messages };
    done.add(request.body);
  }
  /** Makes a copy of a client condense, and also the copies made from it. */
  function hook(copy) {
    const { prepareOptions, withOptions } = copy;
    copy.prepareOptions = async function prepare(request) {
      await prepareOptions.call(this, request);
      await condense(request);
    };
    copy.withOptions = (changed) => hook(withOptions.call(copy, { ...leftOut(copy), ...changed }));
    return copy;
  }
  return readable("client", () => {
    if (typeof client?.withOptions !== "function" || typeof client.prepareOptions !== "function")
      throw notAllowed("client", client, "a client of the official package");
    return withRecall(hook(client.withOptions(leftOut(client))), kept.recall);
  });
}

/** Adds the functions for the recall tool to the client, if recall is offered. */
function withRecall(client, recall) {
  if (!recall) return client;
  return Object.assign(client, {
    recall: {
      /** Returns the tool's definition in the form of a format. */
      tool: (format) => toolIn(format, recall),
      /** Returns the result of a call, from the messages of the request that it answers. */
      answer: (call, messages) => answerTo(call, (input) => recall(input, messages)),
    },
  });
}

module.exports = { condensingClient };
