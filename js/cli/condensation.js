"use strict";

// Turns arguments into calls of the package: the provider, its options and its result.

const fs = require("node:fs");
const { KEY_VARIABLES, wrong } = require("./arguments.js");
const { condensingSteps } = require("./condensing-steps.js");
const { countByKind, recountByKind, totalOf } = require("./content-kinds.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { unreadable } = require("./history-file.js");
const { describe, parse } = require("./history-text.js");
const { inOwnWords } = require("./own-words.js");
const { isRooCondenseError } = require("../errors.js");
const isObject = require("../is-object.js");

/** Returns true for JSON that is no object, unless a file has this name. */
const isOtherJson = (given) => /^\s*(?:[["]|(?:-?\d+(?:\.\d+)?|true|false|null)\s*$)/.test(given) && !fs.existsSync(given);

/** Returns the object given by a flag: JSON, or a file with JSON. */
function readObject(option, given) {
  if (given === undefined) return undefined;
  const isJson = given.trimStart().startsWith("{") || isOtherJson(given);
  let text = given;
  if (!isJson) {
    try {
      text = fs.readFileSync(given, "utf8").replace(/^\ufeff/, "");
    } catch (error) {
      throw unreadable(given, error, { flag: option });
    }
  }
  let object;
  try {
    object = parse(text, isJson ? option : given);
  } catch (error) {
    throw error instanceof Failure ? new Failure(EXIT.usage, error.message, { hints: error.hints, cause: error }) : error;
  }
  if (!isObject(object)) throw wrong(`${option} must be a JSON object, or a file that holds one; got ${describe(object)}`, option);
  return object;
}

/** Creates the handler for `--llm`. `price`: dollars per million tokens, for calls that pass none. */
function createHandler(library, model, env, price) {
  if (!model) return undefined;
  if (typeof library.httpHandler !== "function") throw wrong("--llm: this build of roo-condense cannot call language models", "--llm");
  const variable = KEY_VARIABLES[model.api];
  const apiKey = env[variable];
  // The user's own server often needs no key.
  if (!apiKey && model.baseUrl === undefined)
    throw wrong(`--llm ${model.api} needs the environment variable ${variable}, which is not set`, "--llm");
  const options = {
    api: model.api,
    model: model.model,
    ...(model.baseUrl !== undefined && { baseUrl: model.baseUrl }),
    ...(apiKey && { apiKey }),
    ...(model.insecure && { insecure: true }),
    ...(price && { price }),
  };
  return reportAsUsage(() => library.httpHandler(options), unencryptedHints(model, apiKey));
}

/** Returns advice if a key would be sent over plain http. */
const unencryptedHints = ({ baseUrl, insecure }, apiKey) =>
  baseUrl?.startsWith("http:") && apiKey && !insecure
    ? ["--insecure sends the key unencrypted, so others on the network can read it. Unset the variable if the server needs no key."]
    : [];

/** Returns the provider to use, and whether it has fallbacks. */
function chooseProvider({ provider, preset, model, target }) {
  if (provider !== undefined) return { id: provider, fallback: false };
  if (preset !== undefined) return { id: "smart" };
  if (model) return { id: "native" };
  return target ? { id: "lossless" } : { id: "lossless", fallback: false };
}

/** Creates a manager for the arguments, and returns it with the id of the provider. */
function prepare(library, settings, env) {
  const { id, fallback } = chooseProvider(settings);
  const { preset } = settings;
  if (preset !== undefined && typeof library.createSmartProvider !== "function")
    throw wrong("--preset: this build of roo-condense has no smart provider", "--preset");
  const handler = createHandler(library, settings.model, env);
  const tools = readObject("--tools", settings.tools);
  return reportAsUsage(() => {
    const manager = new library.CondensationManager({
      ...(fallback === undefined ? {} : { fallback }),
      ...(handler && { handler }),
      ...(tools && { tools }),
    });
    if (preset !== undefined) manager.registerProvider(library.createSmartProvider(preset));
    return { manager, id };
  });
}

/** Returns the failure for an error of the package: the arguments are wrong, so it is the user's. */
function usageFailure(error, hints) {
  if (error instanceof Failure || !isRooCondenseError(error)) return error;
  const exitCode = error.code === "not_serializable" ? EXIT.failed : EXIT.usage;
  return new Failure(exitCode, inOwnWords(error, "condense"), {
    code: error.code,
    cause: error,
    hints: exitCode === EXIT.usage ? hints : [],
  });
}

/** Calls the package; an error that it throws or rejects with becomes a failure of usage. */
function reportAsUsage(call, hints = []) {
  try {
    const answer = call();
    return answer instanceof Promise
      ? answer.catch((error) => {
          throw usageFailure(error, hints);
        })
      : answer;
  } catch (error) {
    throw usageFailure(error, hints);
  }
}

const withOwnWords = (warnings) => warnings.map((warning) => ({ ...warning, message: inOwnWords(warning, "condense") }));

/** Returns the failure for an error. The reason of `signal` is the exit code. */
function failureOf(error, signal, cost = 0) {
  if (signal.aborted) return new Failure(signal.reason, "interrupted; nothing was written");
  const { code } = error;
  const spent = cost > 0 ? `; $${cost.toFixed(4)} was spent` : "";
  const exitCode = ["invalid_config", "out_of_range", "unknown_provider", "handler_invalid"].includes(code) ? EXIT.usage : EXIT.failed;
  return new Failure(exitCode, `${inOwnWords(error, "condense")}${spent}`, { code });
}

/** Codes of errors that mean that a model gave no usable response. */
const UNANSWERED = /^(?:llm_|summary_empty$|handler_invalid$)/;

/** Returns the failure of a model that gave no usable response, if no fallback ran. Single texts may fail if others were summarised. */
function unanswered({ warnings, changes, cost }, { model, fallback }) {
  if (!model || fallback) return undefined;
  const wrote = changes.some(({ operation }) => operation === "summarize");
  const told = warnings.find(({ code, errorCode }) => UNANSWERED.test(errorCode ?? "") && !(code === "summary_failed" && wrote));
  if (!told) return undefined;
  const spent = cost > 0 ? `; $${cost.toFixed(4)} was spent` : "";
  const message = `${inOwnWords(told, "condense").replace(/\s+/g, " ")}${spent}; nothing was written (--fallback condenses without the model)`;
  return new Failure(EXIT.failed, message, { code: told.errorCode, hints: keyHints(told.errorCode, model) });
}

/** Returns a hint about the source of the key that a service refused. */
const keyHints = (code, model) =>
  code === "llm_unauthorized" && model ? [`The key comes from the environment variable ${KEY_VARIABLES[model.api]}.`] : [];

/**
 * Condenses, or makes a dry run with the setting `preview`. `choose(result)`, if given, resolves to the result with
 * the changes that the user wants. `step(label, done, total, isLong)` receives the progress. Returns the result with
 * further facts for the report: `tokens` by kind before and, except in a dry run, after, `target`, `problems` of the
 * input, and the id of the provider that was called.
 * @param {any} library
 * @param {any} history
 * @param {any} settings
 * @param {{ env: any, interruption: any, step: any, choose?: (result: any) => Promise<any> }} run
 */
async function condense(library, history, settings, { env, interruption, step, choose }) {
  const { signal } = interruption;
  const { messages, format } = history;
  const { manager, id } = prepare(library, settings, env);
  const config = readObject("--config", settings.config);
  const price = readObject("--price", settings.price);
  const isLong = history.bytes.length > 5e6;
  await library.warmUp();
  step("counting tokens", 1, 20, isLong);
  const before = await reportAsUsage(() => countByKind(history, library));
  const target = settings.target && {
    requested: settings.target.text,
    tokens: settings.target.tokens ?? Math.floor((totalOf(before) * settings.target.percent) / 100),
  };
  const onProgress = condensingSteps((label, share) => step(label, 2 + 16 * share, 20));
  const begun = performance.now();
  step(`condensing (${id})`, 2, 20);
  const options = {
    provider: id,
    signal,
    onProgress,
    format,
    ...(config && { config }),
    ...(settings.protect && { protect: settings.protect }),
    ...(settings.frozenMessages !== undefined && { frozenMessages: settings.frozenMessages }),
    ...(price && { price }),
    ...(target && { targetTokens: target.tokens }),
  };
  // The studio and `calibrate` write such configurations.
  const hints = config?.passes !== undefined && id !== "smart" ? ["passes belong to the provider smart: add --provider smart."] : [];
  if (settings.preview) {
    const preview = await interruption.during(() => reportAsUsage(() => manager.preview({ messages }, options), hints));
    if (preview.error) throw failureOf(preview.error, signal);
    if (target) target.met = preview.stats.finalTokens <= target.tokens;
    return {
      ...preview,
      warnings: withOwnWords(preview.warnings),
      didCondense: preview.wouldCondense,
      id,
      tokens: { before },
      target,
      isMissed: target !== undefined && !target.met,
      condensingMs: performance.now() - begun,
      problems: library.validateMessages(messages, { format }),
    };
  }
  const found = await interruption.during(() => reportAsUsage(() => manager.condense({ messages }, options), hints));
  const condensingMs = performance.now() - begun;
  if (found.error) throw failureOf(found.error, signal, found.cost);
  const failure = unanswered(found, settings);
  if (failure) throw failure;
  const result = choose && found.didCondense ? await interruption.during(() => choose(found)) : found;
  const isChosen = result !== found;
  step("counting the result", 18, 20);
  const after = await recountByKind(before, history, result.messages, library);
  // If the user rejects changes, the target is checked again on the new result.
  if (target) target.met = result.stats.finalTokens <= target.tokens;
  const warnings = withOwnWords(result.warnings);
  return {
    ...result,
    warnings,
    id,
    tokens: { before, after },
    target,
    isChosen,
    // A user who rejected changes accepts a result above the target.
    isMissed: target !== undefined && !target.met && !isChosen,
    condensingMs,
    problems: library.validateMessages(messages, { format }),
  };
}

/** Returns for each operation the number of changes and the tokens saved, in order of appearance. */
function byOperation(changes) {
  const operations = new Map();
  for (const { operation, tokensBefore, tokensAfter } of changes) {
    const sum = operations.get(operation) ?? { operation, changes: 0, tokensSaved: 0 };
    sum.changes++;
    sum.tokensSaved += tokensBefore - tokensAfter;
    operations.set(operation, sum);
  }
  return [...operations.values()];
}

module.exports = { byOperation, condense, createHandler, readObject };
