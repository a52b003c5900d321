"use strict";

// Condensing as in 2025: one request for a summary, which replaces the messages it summarises.

const { Guard, guarded } = require("./guard.js");
const { resolveHost } = require("./host.js");
const { condenseByManager, prepare } = require("./managed.js");
const { CANCELLED } = require("./messages.js");
const { SUMMARY_2025 } = require("./prompts.js");
const { withPlaces } = require("./readable.js");
const { readAnswer } = require("./stream.js");
const { lastSummaryIndex } = require("./tagged-history.js");
const { MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD, blocksOf } = require("./trigger.js");
const { Rewinds, rewindTo } = require("./rewind.js");
const { hasThinking } = require("./thinking.js");
const { unbrokenRemoval } = require("./truncation.js");
const { underWay } = require("./under-way.js");
const { SUMMARY_ABOVE } = require("../markers.js");

/** The number of newest messages that are kept unchanged. */
const N_MESSAGES_TO_KEEP = 3;
const REQUEST = "Summarize the conversation so far, as described in the prompt instructions.";
const CONTINUE = "Please continue from the following summary:";

/**
 * Returns the messages since the last summary, with a user message in front, because some APIs refuse a conversation
 * that begins with the assistant.
 */
function getMessagesSinceLastSummary(messages) {
  const index = lastSummaryIndex(messages);
  if (index === -1) return messages;
  const recent = messages.slice(index);
  if (recent[0].role === "user") return recent;
  const [first] = messages;
  if (first.role === "user") return [first, ...recent];
  return [{ role: "user", content: CONTINUE, ts: first.ts ? first.ts - 1 : Date.now() }, ...recent];
}

function createCondense(host) {
  const services = resolveHost(host);
  const guard = services.guard && new Guard(services.guard);
  const rewinds = new Rewinds(services.tellOnce);

  async function summarizeConversation(
    history,
    apiHandler,
    systemPrompt,
    taskId,
    prevContextTokens,
    isAutomaticTrigger,
    customCondensingPrompt,
    condensingApiHandler,
  ) {
    const customPrompt = customCondensingPrompt?.trim();
    services.capture("captureContextCondensed", taskId, isAutomaticTrigger ?? false, Boolean(customPrompt), Boolean(condensingApiHandler));
    const condensingHandler = condensingApiHandler ?? services.condensingHandler(taskId);
    const given = { messages: history, signal: services.signal(taskId), behind: arrivedBehind(services, apiHandler) };
    return underWay(given, (running) => {
      const { messages } = running;
      rewinds.notice(taskId, messages);
      const request = { running, messages, apiHandler, systemPrompt, taskId, prevContextTokens, customPrompt, condensingHandler };
      return guarded(
        guard,
        { taskId, isAutomatic: isAutomaticTrigger, before: () => prevContextTokens },
        () => {
          if (services.host.manager) prepare(services, request);
          return refuse(messages, "condensed_recently");
        },
        () => (services.host.manager ? throughManager({ ...request, isAutomaticTrigger }) : summarize(request)),
      );
    });
  }

  const refuse = (messages, code, cost = 0) => ({ messages, summary: "", cost, error: services.translate(code) });

  async function summarize({ running, messages, apiHandler, systemPrompt, prevContextTokens, customPrompt, condensingHandler }) {
    const wanted = Math.max(-1, messages.length - 1 - N_MESSAGES_TO_KEEP);
    const kept = messages.slice(1 + (services.fixes ? unbrokenRemoval(messages, wanted) : wanted));
    const old = getMessagesSinceLastSummary(messages.slice(0, -kept.length));
    if (old.length <= 1)
      return refuse(messages, messages.length <= N_MESSAGES_TO_KEEP + 1 ? "condense_not_enough_messages" : "condensed_recently");
    if (kept.some((message) => message.isSummary)) return refuse(messages, "condensed_recently");

    const cleaned = services.removeImages([...old, { role: "user", content: REQUEST }], apiHandler);
    const handler = chooseHandler(condensingHandler, apiHandler);
    if (!handler) return refuse(messages, "condense_handler_invalid");

    const prompt = customPrompt || services.prompts.summary || SUMMARY_2025;
    const requestMessages = cleaned.map(({ role, content }) => ({ role, content }));
    const answer = await readAnswer(() => handler.createMessage(prompt, requestMessages), {
      running,
      errorChunks: services.fixes,
    });
    const { cost, outputTokens } = answer;
    running.known.cost = cost;
    if (answer.cancelled) return { messages, summary: "", cost, error: CANCELLED, cancelled: true };
    // Errors that the handler throws reach the caller, as in Roo-Code; failures that it reports end like an empty
    // summary.
    if (answer.failure && !answer.failure.reported) throw answer.failure.error;
    if (answer.failure) services.error(`Condensing failed: ${answer.failure.error.message}`);
    const summary = answer.failure ? "" : answer.text.trim();
    if (summary === "") return refuse(messages, "condense_failed", cost);

    const time = kept[0].ts !== undefined && { ts: kept[0].ts };
    const summaryMessage = { role: "assistant", content: summary, ...time, isSummary: true };
    // In a tool loop the kept messages begin with a call. Without a user message in between, two assistant messages
    // would meet.
    const bridge = services.fixes && kept[0].role === "assistant" ? [{ role: "user", content: SUMMARY_ABOVE, ...time }] : [];
    const condensed = services.withThinkingSettled(messages, [messages[0], summaryMessage, ...bridge, ...kept], apiHandler);
    // The reported output tokens are those of the summary; if none are reported, the summary is counted like the
    // rest.
    const counted = [{ content: systemPrompt }, ...(outputTokens ? [] : [summaryMessage]), ...condensed.slice(2)];
    const newContextTokens = outputTokens + (await running.counting(apiHandler).countTokens(counted.flatMap(blocksOf)));
    if (newContextTokens >= prevContextTokens) return refuse(messages, "condense_context_grew", cost);
    return { messages: condensed, summary, cost, newContextTokens };
  }

  /** Returns the condensing handler if it can create messages, else the conversation's own; undefined if neither can. */
  function chooseHandler(condensingHandler, apiHandler) {
    const handler = condensingHandler || apiHandler;
    if (isValid(handler)) return handler;
    services.warn(
      "Chosen API handler for condensing does not support message creation; the one of the conversation is used. Choose another in the condensing settings.",
    );
    if (isValid(apiHandler)) return apiHandler;
    services.error(
      "Main API handler is also invalid for condensing, so nothing is condensed. Check the API configuration of the conversation.",
    );
    return undefined;
  }

  async function throughManager(request) {
    const { running, messages, apiHandler, systemPrompt, taskId, prevContextTokens, isAutomaticTrigger, customPrompt, condensingHandler } =
      request;
    const { condensed, before, errorDetails, ...outcome } = await condenseByManager(services, {
      running,
      messages,
      systemPrompt,
      taskId,
      apiHandler,
      condensingHandler,
      customCondensingPrompt: customPrompt,
      isAutomatic: isAutomaticTrigger ?? false,
      prevContextTokens,
    });
    if (outcome.error === undefined) return { messages: condensed, ...outcome };
    if (errorDetails) services.warn(`Condensing failed: ${errorDetails}`);
    return { messages, summary: "", ...outcome };
  }

  const functions = withPlaces({ summarizeConversation, getMessagesSinceLastSummary, rewindTo });
  return { N_MESSAGES_TO_KEEP, MIN_CONDENSE_THRESHOLD, MAX_CONDENSE_THRESHOLD, ...functions };
}

/** Appends the messages that arrived during a condensation to its result. Leaves out thinking that a model would refuse there. */
const arrivedBehind = (services, apiHandler) => (messages, arrived, before) => {
  const all = [...messages, ...arrived];
  return arrived.some(hasThinking) ? services.withThinkingSettled([...before, ...arrived], all, apiHandler) : all;
};

const isValid = (handler) => typeof handler?.createMessage === "function";

module.exports = { arrivedBehind, createCondense };
