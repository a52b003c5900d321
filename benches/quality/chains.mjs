// How much is still readable after a conversation was condensed again and again as it grew.
//
//   node benches/quality/chains.mjs [DIR]        DIR: conversations as JSON (default: fixtures/)
//
// Each conversation grows by its own messages, is condensed to a target at every limit, up to ten times, and goes on from the result. `beginning` is the share of a
// result that equals the beginning of the request before: a prompt cache still holds it. The facts are those of `npm run quality`, asked of all messages so far after the
// last condensation; `names` and `edits` are asked after each, of what follows.

import { createRequire } from "node:module";
import process from "node:process";
import { buildRelease } from "../../scripts/build.mjs";
import { ensureDependencies, isProgram, isStale, main, releaseAddon, root } from "../../scripts/tools.mjs";
import { record, table } from "../results.mjs";
import { readConversations } from "./conversations.mjs";
import { mean } from "./evaluate.mjs";
import { factsOf, keptFacts, KINDS } from "./probes.mjs";
import { keptEdits, neededEdits } from "../../js/future-use/edits.js";
import { keptNames, neededNames } from "../../js/future-use/names.js";

/** Targets with the limits at which they are condensed to. */
const WINDOWS = [
  { target: 10_000, limit: 20_000 },
  { target: 8000, limit: 32_000 },
];
const MOST_STEPS = 10;
/** Cuts after which fewer names are needed are ignored, as in `npm run quality`. */
const MIN_NAMES = 10;
const COLUMNS = ["beginning", ...KINDS, "names", "edits"];

const json = (messages) => messages.map((message) => JSON.stringify(message)).join("");

/** The share of a text that begins like another. */
function sameBeginning(text, before) {
  let at = 0;
  while (at < text.length && text[at] === before[at]) at++;
  return at / text.length;
}

/** Condenses a conversation as it grows, and calls `found` with the name and value of each measure. */
async function chain(messages, { target, limit }, addon, found) {
  const manager = new addon.CondensationManager();
  let history = [];
  let steps = 0;
  let end = 0;
  while (end < messages.length && steps < MOST_STEPS) {
    history = [...history, messages[end++]];
    if (messages[end - 1].role !== "user" || addon.countTokens(history) < limit) continue;
    const result = await manager.condense({ messages: history }, { targetTokens: target });
    if (steps++ > 0) found("beginning", sameBeginning(json(result.messages), json(history)));
    history = result.messages;
    const cut = { older: messages.slice(0, end - 2), kept: messages.slice(end - 2, end), future: messages.slice(end) };
    const [names, edits] = [neededNames(cut), neededEdits(cut)];
    if (names.length >= MIN_NAMES) found("names", keptNames(history, names));
    if (edits.length > 0) found("edits", keptEdits(history, edits));
  }
  if (steps < 2) return;
  const prefix = messages.slice(0, end);
  const facts = factsOf({ prefix, older: prefix.slice(0, -2), kept: prefix.slice(-2) });
  for (const [kind, share] of Object.entries(keptFacts(history, facts))) found(kind, share);
}

async function chains() {
  const folder = process.argv[2] ?? "fixtures";
  ensureDependencies();
  if (!process.env.ROO_CONDENSE_BINARY && isStale(releaseAddon)) buildRelease();
  const addon = createRequire(import.meta.url)(root);
  const conversations = readConversations(folder);
  const rows = [];
  for (const window of WINDOWS) {
    /** @type {Record<string, number[]>} */
    const values = Object.fromEntries(COLUMNS.map((name) => [name, []]));
    for (const { messages } of conversations) await chain(messages, window, addon, (name, value) => values[name]?.push(value));
    const cell = (name) => {
      const share = mean(values[name] ?? []);
      return share === undefined ? "" : `${share.toFixed(3)} of ${values[name]?.length}`;
    };
    rows.push([`${window.limit} to ${window.target}`, ...COLUMNS.map(cell)]);
  }
  const text = table([["tokens", ...COLUMNS], ...rows]);
  console.log(text);
  record("chains", ["node benches/quality/chains.mjs", ...process.argv.slice(2)].join(" "), text);
}

if (isProgram(import.meta.url)) await main(chains);
