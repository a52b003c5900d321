// Loads the package and does a bit of everything. Prints what came of each; where a call failed, its code. CommonJS, because Node reads modules
// on threads that there may not be.

const { createServer } = require("node:http");
const api = require("../../index.js");

const text = "a line of what it said\n".repeat(400);
const messages = [{ role: "user", content: "Look." }];
for (let id = 0; id < 60; id++) {
  messages.push({ role: "assistant", content: [{ type: "tool_use", id: `t${id}`, name: "read_file", input: { path: `a${id}` } }] });
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${id}`, content: `${id}\n${text}` }] });
}
const handler = {
  async *createMessage() {
    yield { type: "text", text: "Summary." };
  },
};
const answer = JSON.stringify({ choices: [{ message: { content: "Summary." }, finish_reason: "stop" }] });
const server = createServer((_, response) => response.end(answer)).listen(0, "127.0.0.1", main);

async function main() {
  const { port } = server.address();
  const manager = new api.CondensationManager({ fallback: false, handler });
  manager.registerProvider({ id: "own", condense: async (context) => ({ messages: context.messages.slice(0, 1) }) });
  const http = (host) =>
    api.httpHandler({ api: "openai", model: "m", baseUrl: `http://${host}:${port}/v1`, retries: 0, timeoutMs: 10_000 });
  const calls = {
    truncation: () => api.createTruncationProvider().condense({ messages }, { targetTokens: 2000 }),
    lossless: () => api.createLosslessProvider().condense({ messages }),
    handler: () => manager.condense({ messages }),
    own: () => manager.condense({ messages }, { provider: "own" }),
    address: () => manager.condense({ messages }, { condensingHandler: http("127.0.0.1") }),
    name: () => manager.condense({ messages }, { condensingHandler: http("localhost") }),
  };
  const came = {};
  for (const [name, call] of Object.entries(calls)) {
    const { error, didCondense } = await call();
    came[name] = error?.code ?? (didCondense ? "condensed" : "unchanged");
  }
  await api.warmUp("cl100k_base");
  came.tokens = api.countTokens(messages, { encoding: "cl100k_base" });
  console.log(JSON.stringify(came));
  server.close();
}
