// One trial: condensations after each other, and everything that has to hold of each.

import { isDeepStrictEqual } from "node:util";
import { createRandom } from "../fixtures/random.mjs";
import { createProvider } from "./configurations.mjs";
import { moreMessages } from "./histories.mjs";
import { modelOf } from "./models.mjs";
import { api } from "./package.mjs";

const copy = (value) => JSON.parse(JSON.stringify(value));
/** Milliseconds after which a condensation that was stopped has to be over, on a busy machine too. */
const ABORT_LIMIT = 5000;

/** How often each problem occurs. */
function problemCounts(messages) {
  const counts = new Map();
  for (const { code } of api.validateMessages(messages)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

/** The paths in a report where something is null, which in JSON is what is left of a number that is none. */
function nulls(value, path = "") {
  if (value === null) return [path];
  if (typeof value !== "object") return [];
  // A change of a whole message has none.
  const entries = Object.entries(value).filter(([name, inner]) => !(name === "blockIndex" && inner === null));
  return entries.flatMap(([name, inner]) => nulls(inner, `${path}.${name}`));
}

const reportOf = ({ messages, restoreData, summary, ...report }) => report;
const withoutTimes = (result) => JSON.stringify(result, (key, value) => (key === "timeElapsed" ? undefined : value));

/** Whoever asks a model may be refused by it, or refuse to ask it. */
const EXPECTED_ERRORS = new Set([
  "aborted",
  "not_enough_messages",
  "condensed_recently",
  "handler_invalid",
  "summary_empty",
  "summary_refused",
  "context_window_too_small",
  "context_grew",
  "llm_callback_failed",
  "llm_timeout",
  "llm_stream_error",
  "llm_truncated",
  "condense_loop",
]);

class Checks {
  count = 0;
  /** @type {string[]} */
  faults = [];

  hold(holds, what) {
    this.count += 1;
    if (!holds && !this.faults.includes(what)) this.faults.push(what);
  }
}

const blocksOf = ({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

/** What is left as the one counts who decides about the target: the handler where it can, in which everything is counted at once. */
function tokensLeft(result, plan, counting) {
  if (!counting) return result.stats.finalTokens;
  const system = plan.systemPrompt ? [{ type: "text", text: plan.systemPrompt }] : [];
  return counting([...system, ...result.messages.flatMap(blocksOf)]);
}

/** What holds of every result. */
function checkResult(checks, before, frozen, result, target, plan, counting) {
  checks.hold(JSON.stringify(before) === frozen, "the messages that came in were changed");
  const missing = nulls(copy(reportOf(result)));
  checks.hold(missing.length === 0, `null in the report: ${missing.slice(0, 3).join(", ")}`);
  checks.hold(result.cost >= 0, "a negative cost");
  if (result.error) checks.hold(EXPECTED_ERRORS.has(result.error.code), `error ${result.error.code}: ${result.error.message}`);
  if (!result.didCondense) {
    checks.hold(result.messages === before, "nothing was condensed, but the messages are others");
    checks.hold(result.changes.length === 0 && result.firstChangedIndex === -1, "nothing was condensed, but there are changes");
  } else {
    const allowed = problemCounts(before);
    for (const [code, count] of problemCounts(result.messages)) {
      checks.hold(count <= (allowed.get(code) ?? 0), `${count} x ${code}, before ${allowed.get(code) ?? 0}`);
    }
    const kept = result.messages.slice(0, result.firstChangedIndex);
    checks.hold(
      kept.every((message, index) => message === before[index]),
      "messages before the first change are others",
    );
    checks.hold(result.changes.length > 0, "condensed without a change");
    checks.hold(result.stats.finalTokens < result.stats.originalTokens || plan.counts !== undefined, "condensed without a gain");
  }
  const left = tokensLeft(result, plan, counting);
  if (target !== undefined && left > target) {
    const said = result.error || result.warnings.some(({ code }) => code === "target_not_met");
    checks.hold(said, `${left} tokens of ${target}, and nothing says so`);
  }
  checks.hold(isDeepStrictEqual(api.restore(result), before), "restore does not give back what came in");
  const stored = copy({ messages: result.messages, restoreData: result.restoreData });
  checks.hold(JSON.stringify(api.restore(stored)) === frozen, "restore from JSON does not give back what came in");
}

/** The providers that ask models or other providers. */
const ASKING = new Set(["native", "smart", "pipeline", "adaptive", "cost_aware", "quality_first", "per_user", "ab_test", "progressive"]);

/**
 * Whether a provider leaves its own result as it is. The window without a target drops half each time that it is asked, and indices of protected messages are
 * about others in a result. Strategies may ask those that do not.
 */
const settles = ({ provider, config, target }) =>
  !ASKING.has(provider) && !(config.mode === "window" && target === undefined) && !(config.protect?.messages?.length > 0);

/** Runs a trial; never throws. */
export async function runTrial(plan) {
  const checks = new Checks();
  const outcome = { condensed: false, aborted: false, failed: false };
  const random = createRandom(plan.seed ^ 0x5eed);
  const local = (content) => api.countTokens(content);
  const counting = plan.counts === undefined ? undefined : (content) => Math.ceil(local(content) * plan.counts);
  const model = plan.model && modelOf(plan.model, counting);
  const handler = model && api.callbackHandler(model, { idleTimeoutMs: 60, timeoutMs: 2000 });
  let messages = plan.history;
  try {
    for (const step of plan.steps) {
      const context = { messages, ...(plan.systemPrompt !== undefined && { systemPrompt: plan.systemPrompt }) };
      const total = api.countTokens(messages);
      const target = step.target && (step.target.tokens ?? Math.floor(total * step.target.share));
      const condense = (options = {}, of = context) => {
        const call = { ...(target !== undefined && { targetTokens: target }), ...(handler && { handler }), ...options };
        if (!plan.byManager) return createProvider(step.provider, step.config).condense(of, call);
        return new api.CondensationManager({ provider: step.provider, cache: false }).condense(of, { ...call, config: step.config });
      };
      const frozen = JSON.stringify(messages);
      const controller = new AbortController();
      if (plan.abortAfter === 0) controller.abort();
      else if (plan.abortAfter) setTimeout(() => controller.abort(), plan.abortAfter);
      const start = performance.now();
      const result = await condense(plan.abortAfter === undefined ? {} : { signal: controller.signal });
      checkResult(checks, messages, frozen, result, target, plan, model && counting);
      outcome.condensed ||= result.didCondense;
      outcome.failed ||= Boolean(result.error);
      if (result.error?.code === "aborted") {
        outcome.aborted = true;
        checks.hold(performance.now() - start < ABORT_LIMIT, "an abort took seconds");
      } else if (!result.error && !model) {
        const again = await condense();
        if (plan.abortAfter === undefined) checks.hold(withoutTimes(again) === withoutTimes(result), "the same call gives another result");
        if (settles(step) && plan.counts === undefined) {
          const second = await condense({}, { ...context, messages: result.messages });
          checks.hold(!second.didCondense, `${step.provider} changes its own result`);
        }
      }
      messages = result.messages;
      if (plan.appended > 0) messages = [...messages, ...moreMessages(random, plan.appended, messages)];
    }
  } catch (error) {
    checks.hold(false, `threw ${error?.code ?? ""} ${error?.stack ?? error}`);
  }
  return { ...outcome, checks: checks.count, faults: checks.faults };
}
