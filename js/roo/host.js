"use strict";

// What the host gives, with what stands in for the services it does not give.

const { isSignal } = require("../abort.js");
const { argumentError, messageOf, notAllowed, readable, unknown } = require("../errors.js");
const { answerOf, tell, watch } = require("../host-call.js");
const { describeImages } = require("./images.js");
const isObject = require("../is-object.js");
const { defaultMessage } = require("./messages.js");
const { WORDS: THINKING, modelOf, ruleOf, settled } = require("./thinking.js");
const { withRoom } = require("./trigger.js");

const FUNCTIONS = ["t", "telemetry", "removeImages", "messagesForApi", "foldFiles", "summarizeConversation", "warn", "error"];
const FLAGS = ["countAllNew"];
const GUARD = Object.freeze({ attempts: 3, windowMs: 60_000, minGainPercent: 5 });
/** What each of them may be, as for the guard of a manager. */
const LIMITS = {
  attempts: ["a whole number, 1 or more", (value) => Number.isInteger(value) && value >= 1],
  windowMs: ["a whole number of milliseconds, 0 or more", (value) => Number.isInteger(value) && value >= 0],
  minGainPercent: ["a number from 0 to 100", (value) => Number.isFinite(value) && value >= 0 && value <= 100],
};

/**
 * Checks a host; throws a TypeError at once when a field is not what it has to be.
 * @param {import("roo-condense/roo").RooHost} host
 */
function resolveHost(host = {}) {
  if (!isObject(host)) throw notAllowed("host", host, "an object of services");
  return readable("host", () => resolved(host));
}

function resolved(host) {
  for (const name of FUNCTIONS) {
    if (host[name] !== undefined && typeof host[name] !== "function") throw notAllowed(`host.${name}`, host[name], "a function");
  }
  if (host.prompts !== undefined && !isObject(host.prompts)) throw notAllowed("host.prompts", host.prompts, "{ summary?, condense? }");
  if (host.manager !== undefined && typeof host.manager?.condense !== "function") {
    throw notAllowed("host.manager", host.manager, "a CondensationManager, or an object with condense(context, options)");
  }
  if (host.protect !== undefined && host.manager === undefined)
    throw notAllowed("host.protect", host.protect, "absent without host.manager: Roo-Code's own rules apply then");
  for (const name of FLAGS) {
    if (host[name] !== undefined && typeof host[name] !== "boolean") throw notAllowed(`host.${name}`, host[name], "true or false");
  }
  if (host.thinking !== undefined && !THINKING.includes(host.thinking))
    throw notAllowed("host.thinking", host.thinking, `one of ${THINKING.join(", ")}`);
  // Looked up at the time of the call: tests and hosts replace console functions. A log that fails has nobody to be told to.
  const warn = (...values) => tell(() => (host.warn ? host.warn(...values) : console.warn(...values)));
  const told = new Set();
  return {
    host,
    prompts: host.prompts ?? {},
    fixes: host.fixes === true,
    guard: guardOf(host),
    /** The host's text of a code, else that of `own`, which is told apart only by the texts here. */
    translate: (code, parameters, own = code) => translate(host, code, parameters, own),
    /** Calls one of the host's telemetry functions; that it fails is no reason not to condense. */
    capture: (name, ...values) =>
      tell(
        () => telemetryOf(host)?.[name]?.(...values),
        (error) => warn(`Telemetry failed: ${messageOf(error)}`),
      ),
    removeImages: (messages, apiHandler) => withoutImages(host, messages, apiHandler),
    /** What is sent of a history. */
    messagesForApi: (messages, apiHandler) => (host.messagesForApi ? sentOf(host, messages, apiHandler) : messages),
    warn,
    /** Tells what would be the same every time. */
    tellOnce(text) {
      if (!told.has(text)) warn(`${text}.`);
      told.add(text);
    },
    error: (...values) => tell(() => (host.error ? host.error(...values) : console.error(...values))),
    condensingHandler: (taskId) => asked(host, "condensingHandler", taskId, (error) => warn(`No condensing handler: ${messageOf(error)}`)),
    signal: (taskId) => signalOf(host, taskId),
    profileId: (taskId) => asked(host, "profileId", taskId, (error) => warn(`No profile: ${messageOf(error)}`)),
    /** The options of a window, with what the host's options make of them. */
    usage: (options) => withProfileThreshold(host.manager, host.fixes === true ? withRoom(options) : options),
    /** Whether something is protected, by the host or by its manager. */
    protects: () => host.protect !== undefined || answerOf(() => host.manager?.getEffectiveConfig?.())?.protects === true,
    /** Whether all messages that the last reported usage leaves out count, or only the newest, as in Roo-Code. */
    countsAllNew: host.countAllNew === true,
    /** What is done with thinking behind a change, for the model of a handler. */
    thinkingRule: (apiHandler) => ruleOf(host.thinking ?? thinkingOf(host.manager), modelOf(apiHandler)),
    /** `after`, made of `before`, with that done. */
    withThinkingSettled(before, after, apiHandler) {
      return settled(before, after, this.thinkingRule(apiHandler), (told) => warn(`${told}.`));
    },
  };
}

/** The telemetry service, which is there at once or not at all. */
function telemetryOf(host) {
  const service = host.telemetry?.();
  if (typeof service?.then !== "function") return service;
  watch(service);
  throw notAllowed("host.telemetry()", service, "the telemetry service itself, not a promise of one");
}

/** What the host has for a task under this name, as it is or from a function. `failed` is told what that throws. */
const asked = (host, name, taskId, failed) => (typeof host[name] === "function" ? answerOf(() => host[name](taskId), failed) : host[name]);

/** What the manager does with thinking behind a change; undefined where it does not say. */
const thinkingOf = (manager) => {
  const { thinking } = answerOf(() => manager?.getEffectiveConfig?.()) ?? {};
  return THINKING.includes(thinking) ? thinking : undefined;
};

/** The options with the threshold that the manager has for the profile, where the host has none of its own for it. */
function withProfileThreshold(manager, options) {
  const { currentProfileId, profileThresholds } = options;
  if (typeof manager?.effectiveThreshold !== "function" || typeof currentProfileId !== "string" || currentProfileId === "") return options;
  const own = profileThresholds?.[currentProfileId];
  if (own !== undefined && own !== -1) return options;
  const threshold = answerOf(() => manager.effectiveThreshold(currentProfileId));
  // What is no different from the manager's global one says nothing: the host's global one applies.
  if (typeof threshold !== "number" || threshold === answerOf(() => manager.effectiveThreshold())) return options;
  return { ...options, profileThresholds: { ...profileThresholds, [currentProfileId]: threshold } };
}

function signalOf(host, taskId) {
  const signal = asked(host, "signal", taskId, (error) => {
    throw argumentError("invalid_argument", `host.signal() threw: ${messageOf(error)}`, { field: "host.signal", cause: error });
  });
  const isUsable = signal === undefined || signal === null || readable("host.signal", () => isSignal(signal));
  if (!isUsable) throw notAllowed("host.signal", signal, "an AbortSignal");
  return signal ?? undefined;
}

function withoutImages(host, messages, apiHandler) {
  if (!host.removeImages) return describeImages(messages, apiHandler);
  const cleaned = answerOf(
    () => host.removeImages(messages, apiHandler),
    (error) => {
      throw error;
    },
  );
  if (!Array.isArray(cleaned)) throw notAllowed("host.removeImages()", cleaned, "the array of messages");
  return cleaned;
}

async function sentOf(host, messages, apiHandler) {
  const sent = await host.messagesForApi(messages, apiHandler);
  if (Array.isArray(sent) && sent.every(isObject)) return sent;
  throw notAllowed("host.messagesForApi()", sent, "the array of messages that is sent");
}

/**
 * Off unless asked for, or unless the known faults are to be mended: the loop is one of them.
 * @param {import("roo-condense/roo").RooHost} host
 */
function guardOf({ guard, fixes }) {
  if (guard === false || (guard === undefined && fixes !== true)) return undefined;
  if (guard !== undefined && !isObject(guard)) throw notAllowed("host.guard", guard, "{ attempts?, windowMs?, minGainPercent? } or false");
  const limits = { ...GUARD, ...guard };
  for (const name of Object.keys(limits)) {
    if (!Object.hasOwn(GUARD, name)) throw unknown("host.guard", name, Object.keys(GUARD));
    const [allowed, isAllowed] = LIMITS[name];
    if (!isAllowed(limits[name])) throw notAllowed(`host.guard.${name}`, limits[name], allowed);
  }
  return limits;
}

/** The text of an error, in the host's language where the host has it. */
function translate(host, code, parameters, own) {
  const fallback = defaultMessage(own, parameters);
  if (!host.t) return fallback;
  const key = `common:errors.${code}`;
  const text = answerOf(() => (parameters === undefined ? host.t(key) : host.t(key, parameters)));
  return typeof text === "string" && text !== "" ? text : fallback;
}

module.exports = { resolveHost };
