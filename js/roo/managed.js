"use strict";

// A condensation that goes through the host's CondensationManager instead of a single request for a summary.

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

/** The share of what may be left that is aimed at: the manager's counts are not quite in proportion to the host's, and the next turn needs room, too. */
const AIM = 0.95;
/** Of the tokens of calls and results a counter sees less than this share that sees nothing of them but their frames. */
const BLIND = 0.2;
/** What shortens a result that meets the target by the manager's count and not by the host's. It asks no model, and so costs nothing. */
const CORRECTING = "truncation";
/** Configurations of one correction after the other. */
const CORRECTIONS = [{}, {}, {}];
/** The same where the newest messages, which providers leave alone, do not fit as they are. */
const DEEPER = [3, 1].map((preserveRecentCount) => ({ preserveRecentCount }));

/** What the manager's error codes are in Roo-Code's words. Every other failure is told as a failed request. */
const ROO_CODES = {
  not_enough_messages: "condense_not_enough_messages",
  condensed_recently: "condensed_recently",
  condense_loop: "condensed_recently",
  handler_invalid: "condense_handler_invalid",
  summary_empty: "condense_failed",
  context_grew: "condense_context_grew",
};

/**
 * Asks the manager to condense `history`, as it is sent: what the host makes of it before every request is what fits or does not, and what a condensation
 * of anything else would save is made again by the next request. Resolves to `{ condensed, summary, cost, newContextTokens }` or to
 * `{ error, errorDetails?, cost, cancelled? }`; rejects only when the host's own `countTokens` or `messagesForApi` does.
 *
 * @param {object} services See `host.js`.
 * @param {{ running: any, messages: object[], systemPrompt: string, taskId: string, apiHandler: object, condensingHandler?: object,
 *   customCondensingPrompt?: string, isAutomatic?: boolean, metadata?: object, prevContextTokens?: number, provider?: string }} call
 *   `provider`: this one instead of the manager's.
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
  // Whoever writes a summary: this is the model that reads the conversation, and so may refuse its thinking.
  const model = modelOf(apiHandler);
  // With its tools the host's own request is known, and a summary can be asked for behind it.
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
    // A handler of the call would win over that of the profile.
    handler: hasHandler(services.host.manager, profileId) ? undefined : asking(apiHandler, metadata),
    condensingHandler: asking(condensingHandler, metadata),
  });
  const targetTokens = window && (await measure.target(window));
  // That took its time; a signal that fires later reaches the manager.
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
  // A manager of the host's own may know nothing of thinking.
  const condensed = withSummaryMarked(messages, services.withThinkingSettled(messages, result.messages, apiHandler));
  const [before, after, toolTokens] = await measure.totals({ ...result, messages: condensed });
  // Equal is no growth: handlers of 2025 count nothing for calls and results, which is where most is saved.
  if (after > before) return { error: services.translate("condense_context_grew"), cost };
  // What was reported is scaled by what one counter says before and after; where nothing was, the host's count is what there is.
  const reported = window?.prevContextTokens ?? prevContextTokens ?? 0;
  const left = reported > 0 ? await measure.inContext({ prevContextTokens: reported }, condensed) : after + toolTokens;
  if (window) window.tokensLeft = left;
  const [tokensBefore, tokensAfter] = [reported > 0 ? reported : before + toolTokens, Math.ceil(left)];
  // Roo-Code tells the user of a condensation only when there is a summary, and finds it again by that message when rewinding.
  return {
    condensed,
    summary: result.summary || report(result, tokensBefore, tokensAfter),
    cost,
    newContextTokens: tokensAfter,
    before: tokensBefore,
  };
}

/**
 * What a call of the window is measured by. From here on the window truncates until what is left fits, also where the manager is not asked after all.
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
 * Before the window truncates by its own rule. With automatic condensing off it is measured as a call that asks the manager: it truncates until what is
 * left fits, too. Where something is protected, of which the rule knows nothing, the manager truncates, unless it did: resolves to what
 * `condenseByManager` does, else to undefined.
 */
async function prepareWindow(services, call, given, isDue) {
  const { manager } = services.host;
  if (manager && services.protects() && !call.keepsAll && isOwn(manager))
    return asWindowCall(call, () => condenseByManager(services, { ...given, provider: CORRECTING }));
  if (manager && !isDue) await asWindowCall(call, async () => void prepare(services, given));
}

/**
 * The rules of the host for messages that were made of `messages`, as options of a call. Indices are those of `messages`, and a function is asked about
 * them alone: in what is `sent` of them, and in what is left of that, the same messages stand elsewhere, and may be others by identity.
 */
function protectedAmong(messages, sent, protect) {
  if (protect === undefined) return undefined;
  const isOfMessages = isObject(protect) && (typeof protect.messages === "function" || Array.isArray(protect.messages));
  if (!isOfMessages) return () => ({ protect });
  let chosen;
  return (left) => {
    // What is wrong with indices the manager says, in its own words.
    const hasSameIndices = left === messages || (left === sent && sent.length === messages.length && Array.isArray(protect.messages));
    if (hasSameIndices || chosen === "unknown") return { protect };
    try {
      chosen ??= new Set(rulesFor({ messages: protect.messages }, messages, "protect", []).messages);
    } catch {
      // The manager says so, in its own words.
      chosen = "unknown";
      return { protect };
    }
    const indices = origins(messages, left).flatMap((origin, index) => (chosen.has(origin) ? [index] : []));
    return { protect: { ...protect, messages: indices } };
  };
}

/** Asks once. What the manager throws, or what cannot be read of its result, is a `failure` in Roo-Code's words. */
async function askManager(services, context, given) {
  /** @type {{ running?: any, protectedIn?: (messages: any[]) => { protect: object } }} */
  const { running, protectedIn, ...options } = given;
  try {
    const { manager } = services.host;
    const asked = manager.condense(context, { ...options, ...protectedIn?.(context.messages) });
    const result = await running.waitForEnd(asked);
    if (!isObject(result)) throw notAllowed("host.manager.condense()", result, "a result");
    // Each field once, so that one that cannot be read is a failure like any other.
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

/** The line above a summary. */
const HEAD = new RegExp(`^${SUMMARY_OF_12.replace(/[[\]]/g, "\\$&").replace("12 messages", "(?:1 message|\\d+ messages)")}\n`);
const isSummary = ({ role, content }) => role === "assistant" && typeof content === "string" && HEAD.test(content);

/** Roo-Code finds a summary by a field, which the manager does not write: other hosts send messages as they are, and services refuse it. */
function withSummaryMarked(before, condensed) {
  const known = new Set(before);
  const isMarked = (message) => !known.has(message) && isSummary(message);
  if (!condensed.some(isMarked)) return condensed;
  return toldAs(
    condensed,
    condensed.map((message) => (isMarked(message) ? { ...message, isSummary: true } : message)),
  );
}

/** What is said of a condensation without gain: the prompt for summaries can be shortened only where a model was asked. */
const whatGainedNothing = ({ cost, metrics }) =>
  cost > 0 || metrics?.providerId === "native" ? "condense_context_grew" : "condense_nothing_saved";

/** Rules of what is protected that are about nothing: a slip in a path would otherwise be noticed when it is too late. */
function tellOfRules({ tellOnce }, { warnings }) {
  if (!Array.isArray(warnings)) return;
  for (const { code, message } of warnings.filter(isObject)) if (code === "protect_unmatched") tellOnce(String(message));
}

/** A result of which the host counts more than may be left, shortened; `lower` says to how many of the manager's tokens, if at all. */
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
 * A result that does not fit the window, shortened up to the newest message. What the window drops after that would be dropped without regard to what is
 * protected and where pointers lead.
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
  // Truncation stands in for a provider that failed, as in the manager's own chains.
  const { error, ...rest } = deeper;
  return error && deeper.messages !== result.messages ? rest : deeper;
}

/**
 * The messages with the newest one shortened, where that alone does not fit: providers leave the newest messages alone, the task would be stuck, and all
 * older ones would go for nothing. A result of a tool larger than the window is the usual cause. Half of what may be left stays for the others.
 */
async function newestShortened(services, context, options, targetTokens, { window, measure }) {
  const { messages } = context;
  const newest = messages.slice(-1);
  if (!(await measure.isOwn()) || newest[0]?.role !== "user" || (await measure.inContext(window, newest)) <= window.fittingTokens)
    return messages;
  // With a message after it the newest is no longer the newest; its call stands before it.
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
  // Where one of its results went, the call before it would stand without an answer.
  return hasSameBlocks(newest[0], shortest) ? [...messages.slice(0, -1), shortest] : messages;
}

function hasSameBlocks(one, other) {
  const kinds = (message) => blocksOf(message).map(({ type, tool_use_id }) => `${type} ${tool_use_id}`);
  return one.role === other?.role && kinds(one).join("\n") === kinds(other).join("\n");
}

/** What the manager has made of messages whose newest one was shortened; where it gained nothing more, those. */
async function atLeast(given, result, measure) {
  if (result.didCondense && !result.error && !result.failure) return result;
  const { failure, error, ...rest } = result;
  return { ...rest, didCondense: true, messages: given, newContextTokens: await measure.byManager(given) };
}

/**
 * Whether a manager of this package did what it was asked by its own count, so that more can be done. Its warning that the target is missed goes by the
 * handler's count where it has one, which may be twice its own.
 */
async function metItsTarget({ failure, error, didCondense, messages }, targetTokens, measure) {
  if (failure || error || !didCondense || !(targetTokens > 0) || !(await measure.isOwn())) return false;
  return (await measure.byManager(messages)) <= targetTokens;
}

/** The manager refuses an id that is no text; a host that has none may give anything. */
const profileOf = (id) => (typeof id === "string" && id !== "" ? id : undefined);

const hasHandler = (manager, profileId) => profileId !== undefined && answerOf(() => manager.hasHandler?.(profileId)) === true;

/**
 * The handler as the manager is to ask it: with Roo-Code's third argument, where there is one. One that cannot create messages is left out;
 * the providers that need none still do their work.
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

/** The size of the model's window, as its handler tells it. */
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
 * Counts for one condensation: the host's numbers by the host's own handler where it counts, so that they compare with its others; what the manager is
 * told in the manager's tokens. Both are of what is sent of a history, as the reported tokens are.
 */
function measureOf({ own, running, messages, systemPrompt, apiHandler, tools, sent: makeSent }) {
  const system = { type: "text", text: systemPrompt };
  const countsTokens = typeof apiHandler?.countTokens === "function";
  const counting = running.counting(apiHandler);
  const byHost = remembered((history) => counting.countTokens([system, ...history.flatMap(blocksOf)]));
  const countTools = remembered((list) => (list?.length > 0 ? counting.countTokens([{ type: "text", text: JSON.stringify(list) }]) : 0));
  const toolTokens = () => (countsTokens ? countTools(tools) : 0);
  const sentOf = remembered(makeSent);

  /** What is sent of a history. What was made of the one at hand so is sent as it is. */
  const sent = async (history) => (history === (await sentOf(messages)) ? history : sentOf(history));

  /**
   * Whether the host's handler sees nothing of calls and results, as handlers of 2025 did: then its counts say little of what is saved, and a note that is
   * put somewhere weighs more than all that went.
   */
  const isBlindTo = remembered(async (history) => {
    const count = await own;
    if (!countsTokens || !count) return false;
    const content = history.flatMap(blocksOf).filter(({ type }) => type === "tool_use" || type === "tool_result");
    if (content.length === 0) return false;
    const rounds = [{ role: "user", content }];
    return (await byHost(rounds)) - (await byHost([])) < BLIND * (count(rounds) - count([]));
  });

  /** The share of the tokens that is left with other messages. */
  async function shareLeft(left) {
    const count = await own;
    const [before, after] = [await sent(messages), await sent(left)];
    const isSeen = countsTokens && !(await isBlindTo(before));
    const [was, is] = isSeen ? [await byHost(before), await byHost(after)] : [0, 0];
    if (was > 0 && is !== was) return is / was;
    return count ? count(after) / count(before) : 1;
  }

  /** Tokens that the host would find in the context: what was reported, less what is saved. The tools stay as they are. */
  async function inContext({ prevContextTokens }, left) {
    const fixed = Math.min(prevContextTokens, await toolTokens());
    return fixed + (prevContextTokens - fixed) * (await shareLeft(left));
  }

  return {
    sent,
    /** Whether the manager is one of this package. */
    isOwn: async () => (await own) !== undefined,
    /** Tokens of a history and the system prompt as a manager of this package counts them. */
    byManager: async (history) => (await own)(history),
    /** Before, after and the tools. */
    async totals(result) {
      const before = await sent(messages);
      if (!countsTokens || (await isBlindTo(before))) return [result.prevContextTokens, result.newContextTokens, 0];
      return [await byHost(before), await byHost(await sent(result.messages)), await toolTokens()];
    },
    inContext,
    /** What the manager may leave of what is sent of a history, in its tokens; undefined when what is left of one already is within the limit. */
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

/** Whether it is a manager of this package. */
const isOwn = (manager) => typeof manager.getEffectiveConfig === "function";

/** Counts as a manager of this package counts; undefined for another, or where that cannot be done. */
async function ownCounter(manager, messages, systemPrompt, profileId) {
  if (!isOwn(manager)) return undefined;
  try {
    const { encoding, scale } = /** @type {any} */ (answerOf(() => manager.getEffectiveConfig(profileId)) ?? {});
    if (encoding === undefined || !Number.isFinite(scale)) return undefined;
    const { countTokens, warmUp } = require("../count.js");
    // The vocabulary is built on another thread: it takes some hundred milliseconds once.
    await warmUp(encoding);
    const count = (history) => scale * (countTokens(history, { encoding }) + countTokens(systemPrompt, { encoding }));
    // What cannot be counted the manager refuses, in its own words.
    count(messages);
    return count;
  } catch {
    return undefined;
  }
}

/** The function with its answers kept: a host may count by asking an API. */
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
