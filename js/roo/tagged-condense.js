"use strict";

// Condensing as in 2026: a summary is appended and replaces everything before it, which stays in the history, tagged.

const { randomUUID } = require("node:crypto");
const { Guard, guarded } = require("./guard.js");
const { resolveHost } = require("./host.js");
const { condenseByManager, prepare } = require("./managed.js");
const { CANCELLED } = require("./messages.js");
const { CONDENSE_2026, SUMMARY_2026 } = require("./prompts.js");
const { withPlaces } = require("./readable.js");
const { describeFailure, readAnswer } = require("./stream.js");
const { injectSyntheticToolResults } = require("./synthetic-results.js");
const {
  cleanupAfterTruncation,
  extractCommandBlocks,
  getEffectiveApiHistory,
  getMessagesSinceLastSummary,
} = require("./tagged-history.js");
const { appendArrived, appendCondensed, appendSummary } = require("./tagging.js");
const { hasThinking } = require("./thinking.js");
const { convertToolBlocksToText, toolResultToText, toolUseToText, transformMessagesForCondensing } = require("./tool-text.js");
const { MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD, blocksOf } = require("./trigger.js");
const { STOPPED, underWay } = require("./under-way.js");

const textBlock = (text) => ({ type: "text", text });

function createTaggedCondense(host) {
  const services = resolveHost(host);
  const guard = services.guard && new Guard(services.guard);

  async function summarizeConversation(options) {
    const { taskId, apiHandler, isAutomaticTrigger, customCondensingPrompt, condensingApiHandler } = options;
    const customPrompt = customCondensingPrompt?.trim();
    services.capture("captureContextCondensed", taskId, isAutomaticTrigger ?? false, Boolean(customPrompt));
    const condensingHandler = condensingApiHandler ?? services.condensingHandler(taskId);
    const given = { messages: options.messages, signal: services.signal(taskId), behind: arrivedBehind(services, apiHandler) };
    return underWay(given, (running) => {
      const { messages } = running;
      let before = 0;
      const request = { ...options, running, messages, customPrompt, condensingHandler, tellBefore: (tokens) => (before = tokens) };
      return guarded(
        guard,
        { taskId, isAutomatic: isAutomaticTrigger, before: () => before },
        () => {
          if (services.host.manager) prepare(services, { ...request, messages: getEffectiveApiHistory(messages) });
          return refuse(messages, "condensed_recently");
        },
        () => (services.host.manager ? throughManager(request) : summarize(request)),
      );
    });
  }

  const refuse = (messages, code, cost = 0) => ({ messages, summary: "", cost, error: services.translate(code) });

  async function summarize(request) {
    const {
      running,
      messages,
      apiHandler,
      systemPrompt,
      isAutomaticTrigger,
      metadata,
      environmentDetails,
      customPrompt,
      condensingHandler,
      tellBefore,
    } = request;
    const old = getMessagesSinceLastSummary(messages);
    if (old.length <= 1) return refuse(messages, messages.length <= 1 ? "condense_not_enough_messages" : "condensed_recently");
    if (old.length <= 2 && old.some((message) => message.isSummary)) return refuse(messages, "condensed_recently");

    const handler = chooseHandler(condensingHandler, apiHandler);
    if (!handler) {
      services.error("API handler is invalid for condensing, so nothing is condensed. Check the API configuration of the conversation.");
      return refuse(messages, "condense_handler_invalid");
    }
    const requestMessages = requestFor(old, customPrompt, handler);
    const prompt = services.prompts.summary || SUMMARY_2026;
    const answer = await readAnswer(() => handler.createMessage(prompt, requestMessages, metadata), {
      running,
      errorChunks: services.fixes,
    });
    const { cost } = answer;
    running.known.cost = cost;
    if (answer.cancelled) return { messages, summary: "", cost, error: CANCELLED, cancelled: true };
    if (answer.failure) {
      services.error("The request for a summary failed:", answer.failure.error);
      const { message, details } = describeFailure(answer.failure.error);
      return { messages, summary: "", cost, error: services.translate("condense_api_failed", { message }), errorDetails: details };
    }
    const summary = answer.text.trim();
    if (summary === "") return refuse(messages, "condense_failed", cost);

    const content = [
      textBlock(`## Conversation Summary\n${summary}`),
      ...workflows(messages[0]),
      ...(await foldedFiles(request)),
      ...(isAutomaticTrigger && environmentDetails?.trim() ? [textBlock(environmentDetails)] : []),
    ];
    const condenseId = randomUUID();
    const counting = running.counting(apiHandler);
    const tokens = await counting.countTokens([textBlock(systemPrompt), ...content]);
    const before =
      services.fixes || guard ? await countBefore(getEffectiveApiHistory(messages), systemPrompt, counting, tokens) : undefined;
    if (services.fixes && tokens >= before) return refuse(messages, "condense_context_grew", cost);
    const toolTokens = await countTools(metadata, counting);
    tellBefore(before + toolTokens);
    const newContextTokens = tokens + toolTokens;
    return { messages: appendSummary(messages, content, condenseId), summary, cost, newContextTokens, condenseId };
  }

  /** Returns the messages of the request: calls without a result get one, tool blocks become text, and so do images if the model cannot see them. */
  function requestFor(messages, customPrompt, handler) {
    const instructions = { role: "user", content: customPrompt || services.prompts.condense || CONDENSE_2026 };
    const cleaned = services.removeImages([...injectSyntheticToolResults(messages), instructions], handler);
    return transformMessagesForCondensing(cleaned).map(({ role, content }) => ({ role, content }));
  }

  /** Returns the handler of the call (Zoo-Code) or of the host. A handler that cannot create messages is ignored. */
  function chooseHandler(condensingHandler, apiHandler) {
    if (isValid(condensingHandler)) return condensingHandler;
    if (condensingHandler)
      services.warn("Chosen API handler for condensing does not support message creation; the one of the conversation is used.");
    return isValid(apiHandler) ? apiHandler : undefined;
  }

  /** Returns one block for each file that was read, with the structure of the file. */
  async function foldedFiles({ running, filesReadByRoo, cwd, rooIgnoreController }) {
    if (!services.host.foldFiles || !(filesReadByRoo?.length > 0) || !cwd) return [];
    try {
      const sections = await running.wait(services.host.foldFiles(filesReadByRoo, { cwd, rooIgnoreController }));
      return sections.filter((section) => section.trim() !== "").map(textBlock);
    } catch (error) {
      if (error === STOPPED) throw error;
      services.error("The files that were read could not be folded, so the summary goes without them:", error);
      return [];
    }
  }

  async function throughManager(request) {
    const {
      messages,
      running,
      apiHandler,
      systemPrompt,
      taskId,
      isAutomaticTrigger,
      metadata,
      customPrompt,
      condensingHandler,
      tellBefore,
    } = request;
    const { condensed, before, ...outcome } = await condenseByManager(services, {
      running,
      messages: getEffectiveApiHistory(messages),
      systemPrompt,
      taskId,
      apiHandler,
      condensingHandler,
      customCondensingPrompt: customPrompt,
      isAutomatic: isAutomaticTrigger ?? false,
      metadata,
    });
    if (outcome.error !== undefined) return { messages, summary: "", ...outcome };
    tellBefore(before);
    const condenseId = randomUUID();
    return { messages: appendCondensed(messages, condensed, condenseId), ...outcome, condenseId };
  }

  const functions = withPlaces({
    summarizeConversation,
    getMessagesSinceLastSummary,
    getEffectiveApiHistory,
    cleanupAfterTruncation,
    injectSyntheticToolResults,
    transformMessagesForCondensing,
    convertToolBlocksToText,
    toolUseToText,
    toolResultToText,
    extractCommandBlocks,
  });
  return { MIN_CONDENSE_THRESHOLD, MAX_CONDENSE_THRESHOLD, ...functions };
}

const isValid = (handler) => typeof handler?.createMessage === "function";

/** Returns the slash commands of the first message, so that the model continues to follow them. */
function workflows(firstMessage) {
  const commands = firstMessage ? extractCommandBlocks(firstMessage) : "";
  if (commands === "") return [];
  return [
    textBlock(
      `<system-reminder>\n## Active Workflows\nThe following directives must be maintained across all future condensings:\n${commands}\n</system-reminder>`,
    ),
  ];
}

/**
 * Counts the system prompt and the messages that the API got so far. Handlers of 2025 ignore calls and results: if
 * their count is no larger than `after`, calls and results are counted as text.
 */
async function countBefore(messages, systemPrompt, apiHandler, after) {
  const count = (history) => apiHandler.countTokens([textBlock(systemPrompt), ...history.flatMap(blocksOf)]);
  const before = await count(messages);
  const holdsTools = messages.some((message) => blocksOf(message).some(({ type }) => type === "tool_use" || type === "tool_result"));
  return before <= after && holdsTools ? Math.max(before, await count(transformMessagesForCondensing(messages))) : before;
}

async function countTools(metadata, apiHandler) {
  return metadata?.tools?.length > 0 ? apiHandler.countTokens([textBlock(JSON.stringify(metadata.tools))]) : 0;
}

/** Appends the messages that arrived during a condensation to its result. Tells the host about thinking that the model may refuse there. */
const arrivedBehind = (services, apiHandler) => (messages, arrived, before) => {
  const all = appendArrived(messages, arrived, services.thinkingRule(apiHandler));
  if (arrived.some(hasThinking))
    services.withThinkingSettled(getEffectiveApiHistory([...before, ...arrived]), getEffectiveApiHistory(all), apiHandler);
  return all;
};

module.exports = { arrivedBehind, createTaggedCondense };
