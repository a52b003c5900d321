"use strict";

// Collects the answers that a page without a host needs.

/**
 * Returns the trials with the names that the page uses (ui/src/components/comparison.tsx): every provider, and the
 * first three presets of the smart one.
 */
const trialsOf = ({ providers }) => [
  "",
  ...providers.flatMap(({ id }) => (id === "smart" ? ["smart:conservative", "smart:balanced", "smart:aggressive"] : [id])),
];

/** Maximum number of characters of a text in a report, because reports are sent to other people. */
const MAX_SHOWN = 20_000;

const choiceOf = (name) => {
  if (name === "") return {};
  const preset = /^smart:(.+)$/.exec(name)?.[1];
  return preset === undefined ? { provider: name } : { provider: "smart", config: { preset } };
};

const cut = ({ kind, text, omitted }) => ({
  kind,
  text: text.slice(0, MAX_SHOWN),
  omitted: omitted + Math.max(0, text.length - MAX_SHOWN),
});

/** Roles that reveal nothing about a history. */
const ROLES = new Set(["user", "assistant", "system"]);

/** Removes the texts, and with them labels and reasons that quote them, such as paths and commands. */
function withoutWords(snapshot) {
  const { hello, inspect, condense } = snapshot;
  const { inspection } = inspect;
  for (const [at, history] of hello.histories.entries()) Object.assign(history, { name: `history ${at + 1}`, id: `history-${at + 1}` });
  for (const message of inspection.messages) {
    message.label = "";
    // A host may use any text as a role.
    if (!ROLES.has(message.role)) message.role = "other";
  }
  for (const block of inspection.largest) block.label = "";
  for (const [at, file] of inspection.byFile.entries()) file.path = `file ${at + 1}`;
  for (const [at, tool] of inspection.byTool.entries()) tool.tool = `tool ${at + 1}`;
  for (const waste of [inspection.repeated, inspection.stale, inspection.superseded]) for (const item of waste.items) item.label = "";
  for (const change of condense.changes) Object.assign(change, { reason: "", said: undefined });
  for (const pass of condense.passes ?? []) delete pass.said;
  condense.samples = [];
  condense.warnings = condense.warnings.map(({ code }) => ({ code, message: code }));
  const codeOnly = ({ code }) => ({ code, message: code });
  if (condense.error) condense.error = codeOnly(condense.error);
  for (const trial of snapshot.trials) if (trial.error) trial.error = codeOnly(trial.error);
  return snapshot;
}

/**
 * @param {{ answer(message: unknown): Promise<any> }} host
 * @param {{ history?: string, condense?: object, targetTokens?: number, redact?: boolean, signal?: AbortSignal }} options `history`: which one (default: the
 * first); `condense`: what it shows, where that was done already
 */
async function snapshot(host, { history: id, condense: done, targetTokens, redact = false, signal }) {
  let last = 0;
  const ask = async (method, params) => {
    signal?.throwIfAborted();
    last += 1;
    const { answer, error } = await host.answer({ id: last, method, params });
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return answer;
  };
  const hello = await ask("hello", {});
  hello.histories = hello.histories.filter((each, at) => (id === undefined ? at === 0 : each.id === id));
  // Reporting, finding sessions and changing settings need a host.
  for (const name of ["canReport", "canFind", "canSet"]) delete hello[name];
  const history = hello.histories[0].id;
  const given = targetTokens === undefined ? {} : { targetTokens };
  const inspect = await ask("inspect", { history, ...given });
  const advised = done || inspect.advice.targetTokens === undefined ? {} : { targetTokens: inspect.advice.targetTokens };
  const target = { ...advised, ...given };
  // Uses the recommended target unless the caller gives one. Redacting must not change the objects that the page
  // continues to use.
  const condense = done ? structuredClone(done) : await ask("condense", { history, ...target });
  const trials = [];
  const recalls = {};
  for (const id of trialsOf(hello)) {
    const { trial } = await ask("try", { history, id, ...choiceOf(id), ...target });
    trials.push(trial);
    if (!trial.error) recalls[id] = (await ask("recall", { history, ...choiceOf(id), ...target })).recall;
  }
  const found = { hello, inspect, condense, trials, recalls };
  if (redact) return withoutWords(found);
  const messages = [];
  const condensation = condense.exact ? { condensation: condense.id } : {};
  for (let index = 0; index < inspect.inspection.messages.length; index++) {
    const message = await ask("message", { history, index, ...condensation });
    messages.push({ ...message, texts: message.texts.map(cut) });
  }
  return { ...found, messages };
}

module.exports = { snapshot };
