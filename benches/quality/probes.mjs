// What the condensed conversation still knows of the work that was done: facts of the older part, looked for in the condensed messages.
//
//   asked     what the user wrote: its first 160 characters together
//   answered  the assistant's last words before the user speaks again: the first 160 characters together
//   changed   a file that was edited, written or deleted: in a call that does so, or in a line that says so
//   check     how the last run of each kind of check ended: its last line with a verdict
//   failed    the telling line of a call that failed
//   plan      each item of the newest list of things to do, with its state
//
// What stands in the messages that every policy keeps is no fact to ask for.

import { blocksOf, textOf, withoutLineNumbers } from "./conversations.mjs";

export const KINDS = ["asked", "answered", "changed", "check", "failed", "plan"];

const MAX_FACT = 160;
const MAX_ITEM = 80;
const CHANGES_FILES =
  /^(?:edit|write|multiedit|notebookedit|apply_diff|apply_patch|write_to_file|replace_in_file|insert_content|search_and_replace|str_replace.*|create_file|patch|delete_file)$/i;
const PATCHED_FILE = /^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm;
const SAYS_CHANGED = /edit|writ|chang|creat|modif|delet|updat|patch/i;
const CHECK =
  /\b(test|tests|vitest|jest|pytest|cargo (?:test|check|build|clippy)|go (?:test|build|vet)|tsc|typecheck|lint|eslint|biome|build|make|mypy|ruff)\b/;
const VERDICT = [
  /\b\d+ (?:tests? )?(?:passed|failed|passing|failing|errors?|warnings?)\b/i,
  /\bexit(?:ed)?(?: with)?(?: code| status)?:? ?\d+/i,
  /^(?:ok|FAIL|PASS|--- FAIL|error(?:\[|:| TS))/i,
  /\bTests?:? +\d/i,
  /Found \d+ errors?/i,
];
const FAILED_RUN = /^Exit code [1-9]|exited with code [1-9]/m;
const TELLS_FAILURE = /error|fail|not found|cannot|denied|no such|invalid|unexpected|undefined/i;
/** Texts in a user's message that hosts put there. */
const BY_THE_HOST = /^\s*[<[]|^Base directory for|^This session is being continued|^# AGENTS\.md/;
const STATES = {
  completed: /completed|done|\[x\]|✓|☑/i,
  in_progress: /in[_ ]progress|doing|\[[-~>]\]|▶|◐/i,
  pending: /pending|open|to ?do|\[ \]|☐/i,
};

const together = (text) => text.replace(/\s+/g, " ").trim();
const linesOf = (text) => text.split("\n").map((line) => line.trim());

/** All strings in a value, in order. */
function stringsIn(value) {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(stringsIn) : [];
}

const readable = (block) => withoutLineNumbers(block.type === "tool_use" ? stringsIn(block.input).join("\n") : textOf(block));
const isCall = (block) => block.type === "tool_use";
const lastTwo = (path) => path.replaceAll("\\", "/").split("/").slice(-2).join("/");

/** The files that a call changes, by the last two elements of their paths. */
function changedFiles({ name, input }) {
  if (!CHANGES_FILES.test(name ?? "")) return [];
  const named = [input?.file_path, input?.path, input?.filePath].find((path) => typeof path === "string");
  const patched = stringsIn(input).flatMap((text) => [...text.matchAll(PATCHED_FILE)].map((match) => match[1].trim()));
  return [...(named === undefined ? [] : [named]), ...patched].map(lastTwo);
}

function commandOf({ input }) {
  const command = input?.command ?? input?.cmd;
  return Array.isArray(command) ? command.join(" ") : typeof command === "string" ? command : "";
}

const itemText = (item) => item?.content ?? item?.step ?? item?.text;
/** The lists of things to do in a call. */
const listsOf = ({ input }) => [input?.todos, input?.plan].filter(Array.isArray);

/** The facts of the older part, as `{ kind, text, isKnown }`; `isKnown` takes what `readingOf` gives. */
export function factsOf({ prefix, older, kept }) {
  const there = together(kept.flatMap(blocksOf).map(readable).join("\n"));
  const facts = [];
  const add = (kind, text, isKnown = (reading) => reading.whole.includes(together(text))) => {
    if (text && !there.includes(together(text))) facts.push({ kind, text, isKnown });
  };
  const answers = new Map(
    prefix
      .flatMap(blocksOf)
      .filter((block) => block.type === "tool_result")
      .map((block) => [block.tool_use_id, { text: readable(block), isError: block.is_error }]),
  );
  const files = new Set();
  const checks = new Map();
  let plan = [];
  for (const [index, message] of older.entries()) {
    for (const block of blocksOf(message)) {
      if (message.role === "user" && isRequest(block)) add("asked", together(block.text).slice(0, MAX_FACT));
      if (!isCall(block)) continue;
      for (const file of changedFiles(block)) files.add(file);
      const answer = answers.get(block.id);
      const check = CHECK.exec(commandOf(block))?.[1];
      if (check && answer) checks.set(check, answer.text);
      const list = block.input?.todos ?? block.input?.plan;
      if (Array.isArray(list)) plan = list;
      if (answer) add("failed", failureIn(answer));
    }
    if (older[index + 1]?.role === "user") add("answered", lastWords(message));
  }
  for (const file of files) add("changed", file, (reading) => saysChanged(reading, file));
  for (const text of checks.values()) add("check", verdictIn(text));
  for (const item of plan) {
    const text = itemText(item);
    if (typeof text !== "string" || !STATES[item?.status]) continue;
    const head = together(text).slice(0, MAX_ITEM);
    add("plan", head, (reading) => saysState(reading, head, item.status));
  }
  return facts;
}

const isRequest = (block) => block.type === "text" && !BY_THE_HOST.test(block.text) && block.text.trim().length > 15;

function lastWords(message) {
  const blocks = blocksOf(message);
  if (message.role !== "assistant" || blocks.some(isCall)) return undefined;
  const words = together(blocks.map(readable).join("\n")).slice(0, MAX_FACT);
  return words.length > 60 ? words : undefined;
}

function failureIn({ text, isError }) {
  if (!isError && !FAILED_RUN.test(text)) return undefined;
  return linesOf(text)
    .find((line) => line.length > 12 && TELLS_FAILURE.test(line))
    ?.slice(0, MAX_FACT);
}

function verdictIn(text) {
  const isVerdict = (line) => line.length > 3 && VERDICT.some((pattern) => pattern.test(line));
  return linesOf(text).findLast(isVerdict)?.slice(0, MAX_FACT);
}

/** A condensed conversation as the facts look at it. */
function readingOf(messages) {
  const blocks = messages.flatMap(blocksOf);
  const texts = blocks.map(readable);
  const split = texts.map((text) => text.split("\n").map(together));
  return { calls: blocks.filter(isCall), whole: together(texts.join("\n")), lines: split.flat(), headed: split.flatMap(underHeadings) };
}

/** Each line with the heading above it, so that "changed:" over a list of files counts for each. */
function underHeadings(lines) {
  let heading = "";
  return lines.map((line) => {
    if (line.endsWith(":") || line.startsWith("#")) heading = line;
    return `${heading} ${line}`;
  });
}

function saysChanged({ calls, headed }, file) {
  return calls.some((call) => changedFiles(call).includes(file)) || headed.some((line) => line.includes(file) && SAYS_CHANGED.test(line));
}

function saysState({ calls, lines }, head, state) {
  const isItem = (item) => item?.status === state && together(itemText(item) ?? "").startsWith(head);
  return (
    lines.some((line) => line.includes(head) && STATES[state].test(line.replace(head, ""))) ||
    calls.some((call) => listsOf(call).some((list) => list.some(isItem)))
  );
}

/** The share of the facts of each kind that is still known. */
export function keptFacts(messages, facts) {
  const reading = readingOf(messages);
  const kinds = new Set(facts.map((fact) => fact.kind));
  const known = (kind) => {
    const ofKind = facts.filter((fact) => fact.kind === kind);
    return ofKind.filter((fact) => fact.isKnown(reading)).length / ofKind.length;
  };
  return Object.fromEntries([...kinds].map((kind) => [kind, known(kind)]));
}
