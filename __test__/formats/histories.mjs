// Real histories in the formats of other programs, from `../shared/formats`: { name, format, messages }.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

const read = (folder, name) => readFileSync(path.join(folder, name), "utf8");
const parsed = (folder, name) => JSON.parse(read(folder, name));
const linesOf = (folder, name) =>
  read(folder, name)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));

/** How the messages of each kind of file are found, and the format they are in. */
const KINDS = {
  "openai-chat": {
    format: "openai-chat",
    messages(folder, name) {
      if (name.endsWith(".traj.json")) return parsed(folder, name).history;
      const requests = linesOf(folder, name).filter(({ type }) => type === "request");
      return requests.at(-1).request_params.messages;
    },
  },
  codex: {
    format: "openai-responses",
    messages: (folder, name) =>
      linesOf(folder, name)
        .filter(({ type }) => type === "response_item")
        .map(({ payload }) => payload),
  },
  "openai-responses": {
    format: "openai-responses",
    messages: (folder, name) => (name.endsWith(".json") ? parsed(folder, name).output : undefined),
  },
  langchain: { format: "langchain", messages: (folder, name) => parsed(folder, name).values.messages },
  opencode: { format: "opencode", messages: (folder, name) => parsed(folder, name).messages },
  "ai-sdk": {
    format: "ai-sdk-model",
    messages(folder, name) {
      const { steps, sessions } = parsed(folder, name);
      if (steps) return JSON.parse(steps.at(-1).input).prompt;
      return { format: "ai-sdk-ui", messages: sessions.at(-1).uiMessages };
    },
  },
  "gemini-cli": { format: "gemini", messages: (folder, name) => contentsOf(parsed(folder, name).messages) },
};

/** What Gemini CLI sends of a chat that it has stored. */
function contentsOf(messages) {
  return messages.flatMap(({ type, content, toolCalls = [] }) => {
    const parts = [content].flat().flatMap((part) => (typeof part === "string" ? (part === "" ? [] : [{ text: part }]) : part));
    if (type === "user") return [{ role: "user", parts }];
    if (type !== "gemini") return [];
    const calls = toolCalls.filter(({ result }) => result);
    const called = calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
    const answered = { role: "user", parts: calls.flatMap(({ result }) => result) };
    return [{ role: "model", parts: [...parts, ...called] }, ...(calls.length > 0 ? [answered] : [])];
  });
}

export function historiesIn(folder) {
  return Object.entries(KINDS).flatMap(([kind, { format, messages }]) => {
    const files = readdirSync(path.join(folder, kind)).filter((name) => /\.jsonl?$/.test(name));
    return files.flatMap((name) => {
      const found = messages(path.join(folder, kind), name);
      if (found === undefined) return [];
      return Array.isArray(found) ? [{ name: `${kind}/${name}`, format, messages: found }] : [{ name: `${kind}/${name}`, ...found }];
    });
  });
}
