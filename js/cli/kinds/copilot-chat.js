"use strict";

// Conversations of Copilot Chat in VS Code, as `Chat: Export Chat...` writes them and as VS Code stores them
// (workspaceStorage/*/chatSessions/*.json). The messages sent to the model are in the metadata of each request's
// result; `response` is for the screen. VS Code shows an imported conversation but does not send it, so nothing is
// written back.

const isObject = require("../../is-object.js");

const sees = (root) =>
  isObject(root) && Array.isArray(root.requests) && root.requests.length > 0 && ("responderUsername" in root || "initialLocation" in root);

/** Returns the texts of a result: directly, or from the leaves of the prompt that they were rendered to. */
const textsIn = (value) => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return typeof value.text === "string" ? [value.text] : [...textsIn(value.node), ...textsIn(value.children), ...textsIn(value.value)];
};

const partsText = (parts) => (Array.isArray(parts) ? parts.flatMap(({ text }) => text ?? []).join("\n") : "");

/** Returns the text on the screen, used if the text sent to the model is unknown. */
const shownText = (response) =>
  Array.isArray(response)
    ? response
        .filter((part) => isObject(part) && part.kind === undefined)
        .flatMap(({ value }) => textsIn(value))
        .join("")
    : "";

function messagesOf({ message, result, response }) {
  const { toolCallRounds, toolCallResults = {}, renderedUserMessage } = result?.metadata ?? {};
  const user = { role: "user", content: partsText(renderedUserMessage) || message.text };
  if (!Array.isArray(toolCallRounds)) {
    const text = shownText(response);
    return [user, ...(text === "" ? [] : [{ role: "assistant", content: text }])];
  }
  return [user, ...toolCallRounds.flatMap((round) => roundOf(round, toolCallResults))];
}

/** Returns an answer, and the results of its calls. Cancelled calls have none. */
function roundOf({ response, toolCalls = [] }, results) {
  const calls = toolCalls.map(({ id, name, arguments: input }) => ({ id, type: "function", function: { name, arguments: input ?? "{}" } }));
  if (!response && calls.length === 0) return [];
  const answered = calls.filter(({ id }) => isObject(results[id]));
  return [
    { role: "assistant", content: response || null, ...(calls.length > 0 && { tool_calls: calls }) },
    ...answered.map(({ id }) => ({ role: "tool", tool_call_id: id, content: textsIn(results[id].content).join("") })),
  ];
}

const faultOf = (request) => {
  if (!isObject(request) || !isObject(request.message)) return "message";
  return typeof request.message.text === "string" ? undefined : "message.text";
};

function read({ root, refuse }) {
  root.requests.forEach((request, index) => {
    const fault = faultOf(request);
    if (fault) refuse(`requests[${index}]`, fault);
  });
  return { messages: root.requests.flatMap(messagesOf) };
}

/** Reads the whole conversation: `take(request)` returns the pieces of a request. */
const whole = () => (request) => (faultOf(request) ? undefined : messagesOf(request).map((message) => ({ message })));

module.exports = { program: "Copilot Chat", format: "openai-chat", sees, read, elementsOf: ({ requests }) => requests, whole };
