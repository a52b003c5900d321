// What is measured on: histories of a size, fresh copies of them, and texts.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { buildHistory } from "../../fixtures/history.mjs";
import { root } from "../../scripts/tools.mjs";

export const DIALECTS = ["claude-code", "roo-xml", "roo-native"];

/** A value as it is after reading it from a file: generated strings are ropes, which the first reader would have to flatten. */
const asRead = (value) => JSON.parse(JSON.stringify(value));

export const jsonLength = (value) => JSON.stringify(value).length;

/** A history of about `length` characters of JSON. */
export function historyOf(dialect, length, seed = 1) {
  const sample = buildHistory({ dialect, messages: 400, seed });
  const guess = Math.max(2, Math.round((length / jsonLength(sample)) * 400));
  const first = buildHistory({ dialect, messages: guess, seed });
  // Messages differ in size along the way, so a second guess lands closer.
  const messages = Math.max(2, Math.round((guess * length) / jsonLength(first)));
  return asRead(buildHistory({ dialect, messages, seed }));
}

/** A place to mark: the end of a line of content. Not after `:`, `]` or `>`, where dialects have their headers and tags. */
const LINE_END = /[\w;,{}]\n/g;

function markedText(text, mark) {
  let result = "";
  let copied = 0;
  LINE_END.lastIndex = 0;
  for (let match = LINE_END.exec(text); match; match = LINE_END.exec(text)) {
    result += `${text.slice(copied, match.index + 1)} ${mark}`;
    copied = match.index + 1;
    LINE_END.lastIndex = Math.max(LINE_END.lastIndex, copied + 500);
  }
  return result + text.slice(copied);
}

let marks = 100_000;

/**
 * A copy of a value as if it came for the first time: a number that was never used before stands every 500 characters or so in each of its texts, so no
 * count in a cache fits, while equal texts stay equal. It grows by about one percent.
 */
export function fresh(value) {
  const mark = String(++marks);
  const copy = (inner) => {
    if (typeof inner === "string") return markedText(inner, mark);
    if (Array.isArray(inner)) return inner.map(copy);
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, field]) => [key, copy(field)]));
  };
  return asRead(copy(value));
}

/** The largest real conversations in `folder`: name and messages. None when there is no such folder. */
export function largestConversations(folder, howMany) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({ name, json: readFileSync(path.join(folder, name), "utf8") }))
    .sort((a, b) => b.json.length - a.json.length)
    .slice(0, howMany)
    .map(({ name, json }) => {
      const value = JSON.parse(json);
      return { name: path.basename(name, ".json"), messages: Array.isArray(value) ? value : value.messages };
    });
}

/** Numbers below a bound; the same seed gives the same ones (xorshift). */
function numbers(seed) {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

let sources;

/** This package's own sources, each quarter of the lines with a name of its own, so that no part comes twice. */
export function codeText(length, seed) {
  sources ??= ["src", "js", "fixtures", "scripts"]
    .flatMap((folder) => readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(root, folder, name)))
    .filter((file) => /\.(rs|js|mjs)$/.test(file))
    .sort()
    .flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const next = numbers(seed);
  let text = "";
  while (text.length < length) {
    for (const line of sources) {
      text += next(4) === 0 ? `${line.replace(/\b[a-z_]{4,}\b/, (name) => `${name}_${next(100_000)}`)}\n` : `${line}\n`;
    }
  }
  return asRead(text.slice(0, length));
}

/** JSON lines and log lines in turn. */
export function jsonText(length, seed) {
  const next = numbers(seed);
  let text = "";
  while (text.length < length) {
    const record = {
      id: next(2 ** 31),
      user: `user-${next(9_999)}`,
      path: `/srv/app/module${next(99)}/file.rs`,
      ok: next(2) === 1,
      ms: next(999_999) / 1000,
    };
    text += `${JSON.stringify(record)}\n2026-03-${10 + next(20)} INFO request ${next(2 ** 30)} done in ${next(900)} ms\n`;
  }
  return asRead(text.slice(0, length));
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Texts on which tokenizers and regular expressions are slow. */
export const HOSTILE = {
  "one character": (length) => "a".repeat(length),
  blanks: (length) => " ".repeat(length),
  newlines: (length) => "\n".repeat(length),
  base64: (length) => {
    const next = numbers(7);
    return Array.from({ length }, () => BASE64[next(64)]).join("");
  },
};

/** A conversation whose first tool result is `text`, long enough that it is old. */
export function conversationWith(text) {
  const call = (id) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input: { command: `cat ${id}.txt` } }] });
  const result = (id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
  const messages = [{ role: "user", content: "Look at these files." }, call("file_0"), result("file_0", text)];
  for (let index = 1; index < 8; index++)
    messages.push(call(`file_${index}`), result(`file_${index}`, `line one of file ${index}\nline two`));
  return [...messages, { role: "assistant", content: "Done." }];
}
