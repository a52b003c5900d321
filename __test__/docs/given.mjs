// What the examples of the documentation take as given, when they are run: a conversation, a prompt, a handler of the host; and services that are not asked, because
// requests go to a fake one (`FAKE_LLM`). Loaded before the example.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const api = require("../../index.js");

const { httpHandler } = api;
api.httpHandler = (options) => httpHandler({ ...options, baseUrl: process.env.FAKE_LLM });

const { messages } = JSON.parse(readFileSync(fileURLToPath(new URL("../../fixtures/claude-code.json", import.meta.url)), "utf8"));
const ask = async () => "In short: the parser of dates was mended.";
Object.assign(globalThis, {
  messages,
  histories: [messages],
  systemPrompt: "You are a coding agent.",
  tools: [{ name: "read_file", description: "Reads a file.", input_schema: { type: "object" } }],
  ask,
  apiHandler: {
    async *createMessage() {
      yield { type: "text", text: await ask() };
    },
    getModel: () => ({ id: "of-the-host", info: { contextWindow: 200_000, inputPrice: 3, outputPrice: 15 } }),
  },
  handler: {
    async *createMessage() {
      yield { type: "text", text: await ask() };
    },
    getModel: () => ({ id: "of-the-host", info: { contextWindow: 200_000, inputPrice: 3, outputPrice: 15 } }),
  },
  cleanConversationHistory: [{ role: "user", content: "Mend it." }],
  output: "$ make\nerror: no rule\n",
  path: "history.json",
  read: async () => ({ messages: [] }),
  save: undefined,
  watch: undefined,
  panel: { webview: { postMessage() {}, onDidReceiveMessage: () => ({ dispose() {} }), html: "", cspSource: "https://file" } },
  scriptUri: "https://file/studio.js",
  styleUri: "https://file/studio.css",
});
