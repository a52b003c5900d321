"use strict";

// The services of the host, with defaults for those that it does not provide.

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
/** The allowed values of the guard's options, the same as for the guard of a manager. */
const LIMITS = {
  attempts: ["a whole number, 1 or more", (value) => Number.isInteger(value) && value >= 1],
  windowMs: ["a whole number of milliseconds, 0 or more", (value) => Number.isInteger(value) && value >= 0],
  minGainPercent: ["a number from 0 to 100", (value) => Number.isFinite(value) && value >= 0 && value <= 100],
};

/**
 * Checks a host and fills in defaults. Throws a TypeError at once if a field has a wrong type.
 * @param {import("./index.js").RooHost} host
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
  // Looked up at each call, because tests and hosts replace console functions. A failing log cannot be reported
  // anywhere.
  const warn = (...values) => tell(() => (host.warn ? host.warn(...values) : console.warn(...values)));
  const told = new Set();
  return {
    host,
    prompts: host.prompts ?? {},
    fixes: host.fixes === true,
    guard: guardOf(host),
    /** Returns the host's text for a code, else the default text of `own`, a code that only the default texts distinguish. */
    translate: (code, parameters, own = code) => translate(host, code, parameters, own),
    /** Calls one of the host's telemetry functions. Its failure does not stop condensing. */
    capture: (name, ...values) =>
      tell(
        () => telemetryOf(host)?.[name]?.(...values),
        (error) => warn(`Telemetry failed: ${messageOf(error)}`),
      ),
    removeImages: (messages, apiHandler) => withoutImages(host, messages, apiHandler),
    /** Returns the messages to be sent for a history. */
    messagesForApi: (messages, apiHandler) => (host.messagesForApi ? sentOf(host, messages, apiHandler) : messages),
    warn,
    /** Warns once about something that would be the same at every call. */
    tellOnce(text) {
      if (!told.has(text)) warn(`${text}.`);
      told.add(text);
    },
    error: (...values) => tell(() => (host.error ? host.error(...values) : console.error(...values))),
    condensingHandler: (taskId) => asked(host, "condensingHandler", taskId, (error) => warn(`No condensing handler: ${messageOf(error)}`)),
    signal: (taskId) => signalOf(host, taskId),
    profileId: (taskId) => asked(host, "profileId", taskId, (error) => warn(`No profile: ${messageOf(error)}`)),
    /** Returns the options of a window, adjusted by the host's options. */
    usage: (options) => withProfileThreshold(host.manager, host.fixes === true ? withRoom(options) : options),
    /** True if the host or its manager protects something. */
    protects: () => host.protect !== undefined || answerOf(() => host.manager?.getEffectiveConfig?.())?.protects === true,
    /** True if all messages count that the last reported usage does not include; false if only the newest does, as in Roo-Code. */
    countsAllNew: host.countAllNew === true,
    /** Returns the rule for thinking after a change, for the model of a handler. */
    thinkingRule: (apiHandler) => ruleOf(host.thinking ?? thinkingOf(host.manager), modelOf(apiHandler)),
    /** Returns `after`, made from `before`, with that rule applied. */
    withThinkingSettled(before, after, apiHandler) {
      return settled(before, after, this.thinkingRule(apiHandler), (told) => warn(`${told}.`));
    },
  };
}

/** Returns the telemetry service, which is available at once or not at all. */
function telemetryOf(host) {
  const service = host.telemetry?.();
  if (typeof service?.then !== "function") return service;
  watch(service);
  throw notAllowed("host.telemetry()", service, "the telemetry service itself, not a promise of one");
}

/** Returns a value of the host for a task, given directly or by a function. `failed` receives an error of that function. */
const asked = (host, name, taskId, failed) => (typeof host[name] === "function" ? answerOf(() => host[name](taskId), failed) : host[name]);

/** Returns the manager's option for thinking after a change; undefined if it has none. */
const thinkingOf = (manager) => {
  const { thinking } = answerOf(() => manager?.getEffectiveConfig?.()) ?? {};
  return THINKING.includes(thinking) ? thinking : undefined;
};

/** Adds the manager's threshold for the profile to the options if the host has none for it. */
function withProfileThreshold(manager, options) {
  const { currentProfileId, profileThresholds } = options;
  if (typeof manager?.effectiveThreshold !== "function" || typeof currentProfileId !== "string" || currentProfileId === "") return options;
  const own = profileThresholds?.[currentProfileId];
  if (own !== undefined && own !== -1) return options;
  const threshold = answerOf(() => manager.effectiveThreshold(currentProfileId));
  // A threshold equal to the manager's global one was not set for the profile: the host's global one applies.
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
 * Returns the guard if the host asks for one, or for `fixes`: condensing again and again is one of the known faults.
 * @param {import("./index.js").RooHost} host
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

/** Returns the text of an error, in the host's language if the host has it. */
function translate(host, code, parameters, own) {
  const fallback = defaultMessage(own, parameters);
  if (!host.t) return fallback;
  const key = `common:errors.${code}`;
  const text = answerOf(() => (parameters === undefined ? host.t(key) : host.t(key, parameters)));
  return typeof text === "string" && text !== "" ? text : fallback;
}

module.exports = { resolveHost };
