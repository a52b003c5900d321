"use strict";

// Condenses by the host's CondensationManager instead of by a single request for a summary.

const { notAllowed } = require("../errors.js");
const { answerOf } = require("../host-call.js");
const isObject = require("../is-object.js");
const { SUMMARY_OF_12 } = require("../markers.js");
const { origins } = require("../origins.js");
const { rulesFor } = require("../protect.js");
const { CANCELLED } = require("./messages.js");
const { describeFailure, isError } = require("./stream.js");
const { modelOf, toldAs } = require("./thinking.js");
const { blocksOf } = require("./trigger.js");
const { STOPPED } = require("./under-way.js");
const { asWindowCall, windowCall } = require("./window-call.js");

/** The share of the limit to use as target: the manager's counts are not exactly proportional to the host's, and the next turn needs tokens, too. */
const AIM = 0.95;
/** A counter that reports less than this share of the tokens of calls and results counts only their frames. */
const BLIND = 0.2;
/** The provider that shortens a result further if it meets the target by the manager's count but not by the host's. It calls no model, so it costs nothing. */
const CORRECTING = "truncation";
/** The configurations of successive corrections. */
const CORRECTIONS = [{}, {}, {}];
/** The configurations of corrections that also shorten the newest messages, which providers normally leave alone. */
const DEEPER = [3, 1].map((preserveRecentCount) => ({ preserveRecentCount }));

/** Roo-Code's codes for the manager's error codes. Every other failure is reported as a failed request. */
const ROO_CODES = {
  not_enough_messages: "condense_not_enough_messages",
  condensed_recently: "condensed_recently",
  condense_loop: "condensed_recently",
  handler_invalid: "condense_handler_invalid",
  summary_empty: "condense_failed",
  context_grew: "condense_context_grew",
};

/**
 * Has the manager condense `history` in the form in which it is sent, that is, after the host's `messagesForApi`. This form
 * has to fit, and savings in another form would be undone by the next request. Resolves to `{ condensed, summary,
 * cost, newContextTokens }` or to `{ error, errorDetails?, cost, cancelled? }`. Rejects only if the host's own
 * `countTokens` or `messagesForApi` does.
 *
 * @param {object} services See `host.js`.
 * @param {{ running: any, messages: object[], systemPrompt: string, taskId: string, apiHandler: object, condensingHandler?: object,
 *   customCondensingPrompt?: string, isAutomatic?: boolean, metadata?: object, prevContextTokens?: number, provider?: string }} call
 *   `provider`: used instead of the manager's provider.
 * @returns {Promise<{ cost: number, condensed?: readonly object[], summary?: string, newContextTokens?: number, before?: number,
 *   error?: string, errorDetails?: string, cancelled?: boolean }>}
 */
async function condenseByManager(
  services,
  {
    running,
    messages: history,
    systemPrompt,
    taskId,
    apiHandler,
    condensingHandler,
    customCondensingPrompt,
    isAutomatic,
    metadata,
    prevContextTokens,
    provider,
  },
) {
  const { signal } = running;
  const { window, profileId, measure } = prepare(services, { running, messages: history, systemPrompt, taskId, apiHandler, metadata });
  const sendsAnother = services.host.messagesForApi !== undefined;
  const messages = sendsAnother ? await measure.sent(history) : history;
  const contextWindow = window?.contextWindow ?? windowOf(apiHandler);
  // The model that reads the conversation may refuse its thinking, whichever model writes the summary.
  const model = modelOf(apiHandler);
  // With the tools, the manager knows the host's whole request, and can append the request for a summary to it.
  const tools = Array.isArray(metadata?.tools) ? metadata.tools : undefined;
  const context = present({ messages, systemPrompt, tools, taskId, contextWindow, profileId, model });
  const options = present({
    running,
    thinking: services.host.thinking,
    protectedIn: protectedAmong(history, messages, services.host.protect),
    isAutomatic,
    provider,
    signal,
    customCondensingPrompt: customCondensingPrompt || undefined,
    // A handler in the call would override the profile's own.
    handler: hasHandler(services.host.manager, profileId) ? undefined : asking(apiHandler, metadata),
    condensingHandler: asking(condensingHandler, metadata),
  });
  const targetTokens = window && (await measure.target(window));
  // Counting takes time; a signal that fires later reaches the manager.
  if ((window || sendsAnother) && signal?.aborted) return { error: CANCELLED, cancelled: true, cost: 0 };
  const given = window ? await newestShortened(services, context, options, targetTokens, { window, measure }) : messages;
  const first = await askManager(services, { ...context, messages: given }, present({ ...options, targetTokens }));
  running.known.cost = first.cost ?? 0;
  tellOfRules(services, first);
  const isMet = window && (await metItsTarget(first, targetTokens, measure));
  const lower = (left) => measure.target(window, left);
  const fitting = isMet ? await shortened(services, context, options, first, { lower, configs: CORRECTIONS, measure }) : first;
  const gained = given === messages || signal?.aborted ? fitting : await atLeast(given, fitting, measure);
  const result = window ? await fitted(services, context, options, gained, { window, measure }) : gained;
  const cost = result.cost ?? 0;
  if (result.failure) return { ...result.failure, cost };
  if (signal?.aborted) return { error: CANCELLED, cancelled: true, cost };
  if (result.error) return { ...inRooWords(services, result.error), cost };
  if (!result.didCondense || result.messages === messages || result.messages.length === 0) {
    return { error: services.translate("condense_context_grew", undefined, whatGainedNothing(result)), cost };
  }
  // A custom manager of the host may not handle thinking.
  const condensed = withSummaryMarked(messages, services.withThinkingSettled(messages, result.messages, apiHandler));
  const [before, after, toolTokens] = await measure.totals({ ...result, messages: condensed });
  // Equal counts are not an error: handlers of 2025 count nothing for calls and results, where most tokens are saved.
  if (after > before) return { error: services.translate("condense_context_grew"), cost };
  // The reported tokens are scaled by the counts before and after. If none were reported, the host's count is used.
  const reported = window?.prevContextTokens ?? prevContextTokens ?? 0;
  const left = reported > 0 ? await measure.inContext({ prevContextTokens: reported }, condensed) : after + toolTokens;
  if (window) window.tokensLeft = left;
  const [tokensBefore, tokensAfter] = [reported > 0 ? reported : before + toolTokens, Math.ceil(left)];
  // Roo-Code tells the user about a condensation only if there is a summary, and finds it by that message when
  // rewinding.
  return {
    condensed,
    summary: result.summary || report(result, tokensBefore, tokensAfter),
    cost,
    newContextTokens: tokensAfter,
    before: tokensBefore,
  };
}

/**
 * Prepares the measurements for a window's call. From here on, the window truncates until the rest fits, even if the
 * manager is not called in the end.
 *
 * @param {any} services
 * @param {{ running: any, messages: any[], systemPrompt: string, taskId?: string, apiHandler: any, metadata?: any }} call
 */
function prepare(services, { running, messages, systemPrompt, taskId, apiHandler, metadata }) {
  const window = windowCall();
  const profileId = profileOf(window?.currentProfileId ?? services.profileId(taskId));
  const own = window && ownCounter(services.host.manager, messages, systemPrompt, profileId);
  const sent = (history) => running.wait(services.messagesForApi(history, apiHandler));
  const measure = measureOf({ own, running, messages, systemPrompt, apiHandler, tools: metadata?.tools, sent });
  if (window) window.tokensWith = (left) => measure.inContext(window, left);
  return { window, profileId, measure };
}

/**
 * Prepares a truncation by the window's own rule. With automatic condensing off, the window is measured as if it had
 * called the manager, so that it truncates until the rest fits. The window's rule ignores protection. So if something is
 * protected, the manager truncates, unless it already did. Resolves to the same as `condenseByManager`, else to undefined.
 */
async function prepareWindow(services, call, given, isDue) {
  const { manager } = services.host;
  if (manager && services.protects() && !call.keepsAll && isOwn(manager))
    return asWindowCall(call, () => condenseByManager(services, { ...given, provider: CORRECTING }));
  if (manager && !isDue) await asWindowCall(call, async () => void prepare(services, given));
}

/**
 * Turns the host's rules for `messages` into options of a call. Indices refer to `messages`, and a function receives only
 * these. In the messages that are `sent`, and in the remaining ones, the same messages have other indices and may be
 * other objects.
 */
function protectedAmong(messages, sent, protect) {
  if (protect === undefined) return undefined;
  const isOfMessages = isObject(protect) && (typeof protect.messages === "function" || Array.isArray(protect.messages));
  if (!isOfMessages) return () => ({ protect });
  let chosen;
  return (left) => {
    // The manager itself reports invalid indices.
    const hasSameIndices = left === messages || (left === sent && sent.length === messages.length && Array.isArray(protect.messages));
    if (hasSameIndices || chosen === "unknown") return { protect };
    try {
      chosen ??= new Set(rulesFor({ messages: protect.messages }, messages, "protect", []).messages);
    } catch {
      // The manager itself reports the error.
      chosen = "unknown";
      return { protect };
    }
    const indices = origins(messages, left).flatMap((origin, index) => (chosen.has(origin) ? [index] : []));
    return { protect: { ...protect, messages: indices } };
  };
}

/** Calls the manager once. A thrown error, or a result that cannot be read, becomes a `failure` with Roo-Code's text. */
async function askManager(services, context, given) {
  /** @type {{ running?: any, protectedIn?: (messages: any[]) => { protect: object } }} */
  const { running, protectedIn, ...options } = given;
  try {
    const { manager } = services.host;
    const asked = manager.condense(context, { ...options, ...protectedIn?.(context.messages) });
    const result = await running.waitForEnd(asked);
    if (!isObject(result)) throw notAllowed("host.manager.condense()", result, "a result");
    // Each field is read once, so that a field that cannot be read becomes a failure.
    const read = { ...result };
    const { error, messages } = read;
    const isReadable = Array.isArray(messages) && messages.every(isObject);
    if (!error && !isReadable) throw notAllowed("messages of host.manager.condense()", messages, "an array of messages");
    return read;
  } catch (error) {
    if (error === STOPPED) throw error;
    const { message, details } = describeFailure(error);
    return { failure: { error: services.translate("condense_api_failed", { message }), errorDetails: details } };
  }
}

/** Matches the line above a summary. */
const HEAD = new RegExp(`^${SUMMARY_OF_12.replace(/[[\]]/g, "\\$&").replace("12 messages", "(?:1 message|\\d+ messages)")}\n`);
const isSummary = ({ role, content }) => role === "assistant" && typeof content === "string" && HEAD.test(content);

/**
 * Sets the field by which Roo-Code finds a summary. The manager does not write it, because other hosts send messages
 * as they are and services refuse unknown fields.
 */
function withSummaryMarked(before, condensed) {
  const known = new Set(before);
  const isMarked = (message) => !known.has(message) && isSummary(message);
  if (!condensed.some(isMarked)) return condensed;
  return toldAs(
    condensed,
    condensed.map((message) => (isMarked(message) ? { ...message, isSummary: true } : message)),
  );
}

/** Returns the error code of a condensation without gain. Its advice concerns the prompt for summaries only if a model was called. */
const whatGainedNothing = ({ cost, metrics }) =>
  cost > 0 || metrics?.providerId === "native" ? "condense_context_grew" : "condense_nothing_saved";

/** Warns about protection rules that match nothing, because a typing error in a path would otherwise be noticed too late. */
function tellOfRules({ tellOnce }, { warnings }) {
  if (!Array.isArray(warnings)) return;
  for (const { code, message } of warnings.filter(isObject)) if (code === "protect_unmatched") tellOnce(String(message));
}

/** Shortens a result that is over the limit by the host's count; `lower` gives the next target in the manager's tokens, if any. */
async function shortened(services, context, options, first, { lower, configs, measure }) {
  let result = first;
  for (const config of configs) {
    const targetTokens = await lower(result.messages);
    if (targetTokens === undefined) break;
    const next = await askManager(
      services,
      { ...context, messages: await measure.sent(result.messages) },
      { ...options, provider: CORRECTING, config, targetTokens },
    );
    if (next.failure) break;
    if (next.error) continue;
    if (next.didCondense) result = { ...result, didCondense: true, messages: next.messages, newContextTokens: next.newContextTokens };
  }
  return result;
}

/**
 * Shortens a result that does not fit the window, including its newest messages. The window would otherwise drop
 * messages without regard to protection and pointers.
 */
async function fitted(services, context, options, result, { window, measure }) {
  const protects = services.protects();
  const isRefused = result.failure || (result.error && !protects);
  if (isRefused || !(await measure.isOwn()) || options.signal?.aborted) return result;
  const limits = { ...window, limitTokens: window.fittingTokens };
  const isOver = async (left) => (await measure.inContext(window, left)) > window.fittingTokens;
  const lower = async (left) => ((await isOver(left)) ? measure.target(limits, left) : undefined);
  window.keepsAll = protects;
  const deeper = await shortened(services, context, options, result, { lower, configs: DEEPER, measure });
  // Truncation replaces a provider that failed, as in the manager's own chains.
  const { error, ...rest } = deeper;
  return error && deeper.messages !== result.messages ? rest : deeper;
}

/**
 * Returns the messages with the newest one shortened if it does not fit alone: providers leave the newest messages
 * alone, so the task would be stuck, and all older messages would be lost for nothing. The usual cause is a tool
 * result larger than the window. Half of the limit is left for the other messages.
 */
async function newestShortened(services, context, options, targetTokens, { window, measure }) {
  const { messages } = context;
  const newest = messages.slice(-1);
  if (!(await measure.isOwn()) || newest[0]?.role !== "user" || (await measure.inContext(window, newest)) <= window.fittingTokens)
    return messages;
  // With a message after it, it is no longer the newest message; its call is placed before it.
  const after = { role: "assistant", content: "…" };
  const alone = messages.length > 3 ? [messages[0], ...messages.slice(-2), after] : [...messages, after];
  const others = (await measure.byManager(alone)) - (await measure.byManager(newest)) + (await measure.byManager([]));
  const shorter = await askManager(
    services,
    { ...context, messages: alone },
    {
      ...options,
      provider: CORRECTING,
      config: { preserveRecentCount: 1 },
      targetTokens: Math.floor(others + targetTokens / 2),
    },
  );
  if (shorter.failure || shorter.error || !shorter.didCondense || shorter.messages.at(-1) !== after) return messages;
  const shortest = shorter.messages.at(-2);
  // If one of its results was removed, the call before it would be left without an answer.
  return hasSameBlocks(newest[0], shortest) ? [...messages.slice(0, -1), shortest] : messages;
}

function hasSameBlocks(one, other) {
  const kinds = (message) => blocksOf(message).map(({ type, tool_use_id }) => `${type} ${tool_use_id}`);
  return one.role === other?.role && kinds(one).join("\n") === kinds(other).join("\n");
}

/** Returns the manager's result for messages whose newest one was shortened; those messages if it gained nothing more. */
async function atLeast(given, result, measure) {
  if (result.didCondense && !result.error && !result.failure) return result;
  const { failure, error, ...rest } = result;
  return { ...rest, didCondense: true, messages: given, newContextTokens: await measure.byManager(given) };
}

/**
 * Returns true if a manager of this package met its target by its own count, so that it can be called with a smaller one. Its
 * warning `target_not_met` is based on the handler's count if there is one, which may be twice its own.
 */
async function metItsTarget({ failure, error, didCondense, messages }, targetTokens, measure) {
  if (failure || error || !didCondense || !(targetTokens > 0) || !(await measure.isOwn())) return false;
  return (await measure.byManager(messages)) <= targetTokens;
}

/** Returns the profile id if it is a text; the manager refuses other values, which hosts without profiles may pass. */
const profileOf = (id) => (typeof id === "string" && id !== "" ? id : undefined);

const hasHandler = (manager, profileId) => profileId !== undefined && answerOf(() => manager.hasHandler?.(profileId)) === true;

/**
 * Returns the handler for the manager, which adds Roo-Code's third argument if there is one. A handler that cannot create
 * messages is left out; providers without a model still work.
 */
function asking(handler, metadata) {
  if (typeof handler?.createMessage !== "function") return undefined;
  if (metadata === undefined) return handler;
  const bound = { createMessage: (systemPrompt, messages) => handler.createMessage(systemPrompt, messages, metadata) };
  for (const name of ["countTokens", "getModel"]) {
    if (typeof handler[name] === "function") bound[name] = (...values) => handler[name](...values);
  }
  return bound;
}

/** Returns the size of the model's window, as its handler reports it. */
function windowOf(apiHandler) {
  const size = answerOf(() => apiHandler?.getModel?.())?.info?.contextWindow;
  return Number.isFinite(size) && size > 0 ? size : undefined;
}

const present = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function inRooWords(services, { code, message, cause }) {
  if (code === "aborted") return { error: CANCELLED, cancelled: true };
  if (code in ROO_CODES) return { error: services.translate(ROO_CODES[code]), errorDetails: `${code}: ${message}` };
  const details = isError(cause) ? `\n\n${describeFailure(cause).details}` : "";
  return { error: services.translate("condense_api_failed", { message }), errorDetails: `${code}: ${message}${details}` };
}

/**
 * Creates the counters for one condensation. The host's handler counts numbers for the host, so that they compare
 * with its others; targets for the manager are in the manager's tokens. Both count a history as it is sent, because
 * the reported tokens do, too.
 */
function measureOf({ own, running, messages, systemPrompt, apiHandler, tools, sent: makeSent }) {
  const system = { type: "text", text: systemPrompt };
  const countsTokens = typeof apiHandler?.countTokens === "function";
  const counting = running.counting(apiHandler);
  const byHost = remembered((history) => counting.countTokens([system, ...history.flatMap(blocksOf)]));
  const countTools = remembered((list) => (list?.length > 0 ? counting.countTokens([{ type: "text", text: JSON.stringify(list) }]) : 0));
  const toolTokens = () => (countsTokens ? countTools(tools) : 0);
  const sentOf = remembered(makeSent);

  /** Returns the messages sent for a history. A history that is already in its sent form is returned unchanged. */
  const sent = async (history) => (history === (await sentOf(messages)) ? history : sentOf(history));

  /**
   * True if the host's handler ignores calls and results, as handlers of 2025 did. Its counts then say little about
   * the savings, and an added note weighs more than everything removed.
   */
  const isBlindTo = remembered(async (history) => {
    const count = await own;
    if (!countsTokens || !count) return false;
    const content = history.flatMap(blocksOf).filter(({ type }) => type === "tool_use" || type === "tool_result");
    if (content.length === 0) return false;
    const rounds = [{ role: "user", content }];
    return (await byHost(rounds)) - (await byHost([])) < BLIND * (count(rounds) - count([]));
  });

  /** Returns the share of the tokens that is left with other messages. */
  async function shareLeft(left) {
    const count = await own;
    const [before, after] = [await sent(messages), await sent(left)];
    const isSeen = countsTokens && !(await isBlindTo(before));
    const [was, is] = isSeen ? [await byHost(before), await byHost(after)] : [0, 0];
    if (was > 0 && is !== was) return is / was;
    return count ? count(after) / count(before) : 1;
  }

  /** Returns the tokens that the host would find in the context: the reported ones less the saved ones. The tools do not change. */
  async function inContext({ prevContextTokens }, left) {
    const fixed = Math.min(prevContextTokens, await toolTokens());
    return fixed + (prevContextTokens - fixed) * (await shareLeft(left));
  }

  return {
    sent,
    /** True if the manager is one of this package. */
    isOwn: async () => (await own) !== undefined,
    /** Counts a history and the system prompt as a manager of this package counts them. */
    byManager: async (history) => (await own)(history),
    /** Returns the tokens before, after, and of the tools. */
    async totals(result) {
      const before = await sent(messages);
      if (!countsTokens || (await isBlindTo(before))) return [result.prevContextTokens, result.newContextTokens, 0];
      return [await byHost(before), await byHost(await sent(result.messages)), await toolTokens()];
    },
    inContext,
    /** Returns the target in the manager's tokens; undefined if `left` already is within the limit. */
    async target(limits, left = messages) {
      const { limitTokens, prevContextTokens } = limits;
      const now = left === messages ? prevContextTokens : await inContext(limits, left);
      if (left !== messages && now <= limitTokens) return undefined;
      const fixed = await toolTokens();
      const share = Math.min(1, Math.max(0, AIM * limitTokens - fixed) / Math.max(1, now - fixed));
      const [count, given] = [await own, await sent(left)];
      if (count) return Math.floor(share * count(given));
      return Math.floor(share * (countsTokens ? await byHost(given) : now));
    },
  };
}

/** Returns true for a manager of this package. */
const isOwn = (manager) => typeof manager.getEffectiveConfig === "function";

/** Returns a counter that counts as a manager of this package does; undefined for other managers, or if it cannot count. */
async function ownCounter(manager, messages, systemPrompt, profileId) {
  if (!isOwn(manager)) return undefined;
  try {
    const { encoding, scale } = /** @type {any} */ (answerOf(() => manager.getEffectiveConfig(profileId)) ?? {});
    if (encoding === undefined || !Number.isFinite(scale)) return undefined;
    const { countTokens, warmUp } = require("../count.js");
    // The encoding is loaded on another thread, which takes some hundred milliseconds once.
    await warmUp(encoding);
    const count = (history) => scale * (countTokens(history, { encoding }) + countTokens(systemPrompt, { encoding }));
    // For messages that cannot be counted, the manager itself reports the error.
    count(messages);
    return count;
  } catch {
    return undefined;
  }
}

/** Caches the answers of a function: a host may count by asking an API. */
function remembered(count) {
  const known = new Map();
  return (value) => {
    if (!known.has(value)) known.set(value, Promise.resolve(count(value)));
    return known.get(value);
  };
}

function report(result, before, after) {
  const provider = result.metrics?.providerId;
  const percent = Math.round((100 * (before - after)) / before);
  return `Condensed without a summary${provider ? ` by the provider "${provider}"` : ""}: about ${before} tokens became ${after} (${percent}% less).`;
}

module.exports = { condenseByManager, prepare, prepareWindow };
