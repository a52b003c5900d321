// Stand-ins for the services that coding agents send their requests to, for scripts/try-mcp-clients.mjs. Each speaks one protocol, and answers by a script: the first question with a
// fact and much else, a request for a summary with a summary that lacks the fact, the second question with a call of the tool whose name ends with `recall`.

import { createServer } from "node:http";

/** A fact that the model says only once. */
export const FACT = "the staging database listens on port 6543";
/** The questions that a trial asks. */
export const QUESTIONS = Object.freeze({ first: "Please look up where staging listens.", second: "Which port was it again?" });
/** The query of the model. */
export const QUERY = Object.freeze({ query: "staging database port" });

const FILLER = Array.from(
  { length: 400 },
  (_, line) => `Line ${line}: the deployment of service ${line % 17} was checked and is as it should be.`,
);
const ANSWER = [...FILLER.slice(0, 200), `I looked it up: ${FACT}.`, ...FILLER.slice(200)].join("\n");
const SUMMARY = "<summary><state_snapshot>The user asked about staging. The answer was given.</state_snapshot></summary>";

/** The model's response to a request: `{ text }`, or `{ call: true }`. */
function replyTo({ asked, hasTool, results }, seen) {
  if (asked.includes(QUESTIONS.second)) {
    if (results.length > 0) {
      seen.results.push(...results);
      return { text: "It is the one above." };
    }
    if (hasTool) return { call: true };
    return { text: "I do not know." };
  }
  return { text: asked.includes(QUESTIONS.first) && !/summar|snapshot|handoff/i.test(asked) ? ANSWER : SUMMARY };
}

/** All texts in a value, in order. */
const textsIn = (value) => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
const textOf = (value) => textsIn(value).join("\n");

/** The last of the messages that a user wrote, and the results behind it. */
function lastTurn(messages, { isUser, resultOf }) {
  const at = messages.findLastIndex((message) => isUser(message) && resultOf(message).length === 0);
  return { asked: textOf(messages[at] ?? ""), results: messages.slice(at + 1).flatMap(resultOf) };
}

const toolNamed = (tools) => /"name":"([^"]*recall)"/.exec(JSON.stringify(tools ?? []))?.[1];

const blocksOf = ({ content }) => (Array.isArray(content) ? content : []);

const PROTOCOLS = {
  anthropic: {
    isRequest: (url) => url.startsWith("/v1/messages") && !url.includes("count_tokens"),
    read: (body) => ({
      name: toolNamed(body.tools),
      ...lastTurn(body.messages, {
        isUser: ({ role }) => role === "user",
        resultOf: (message) =>
          blocksOf(message)
            .filter(({ type }) => type === "tool_result")
            .map(textOf),
      }),
    }),
    write(send, { text, call, name, id, body }) {
      const event = (type, data) => send(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
      const usage = { input_tokens: 100, output_tokens: 10 };
      event("message_start", {
        message: { id: `msg_${id}`, type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, usage },
      });
      const block = call ? { type: "tool_use", id: `toolu_${id}`, name, input: {} } : { type: "text", text: "" };
      const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify(QUERY) } : { type: "text_delta", text };
      event("content_block_start", { index: 0, content_block: block });
      event("content_block_delta", { index: 0, delta });
      event("content_block_stop", { index: 0 });
      event("message_delta", { delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null }, usage });
      event("message_stop", {});
    },
    other: (url) => (url.includes("count_tokens") ? '{"input_tokens":100}' : "{}"),
  },
  responses: {
    isRequest: (url) => url.includes("/responses"),
    read(body) {
      const found = JSON.stringify(body.tools ?? []).includes('"recall"') ? "recall" : undefined;
      // In code mode the only tool is a program, which calls the others.
      const isProgram = JSON.stringify(body.input).includes('"name":"exec"');
      return {
        name: found ?? (isProgram ? "exec" : undefined),
        namespace: (body.tools ?? []).find((tool) => tool.type === "namespace" && JSON.stringify(tool).includes('"recall"'))?.name,
        ...lastTurn(body.input, {
          isUser: ({ type, role }) => type === "message" && role === "user",
          resultOf: (item) => (/_call_output$/.test(item.type) ? [textOf(item.output)] : []),
        }),
      };
    },
    write(send, { text, call, name, namespace, id, usage, body }) {
      const event = (type, data) => send(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
      const program = `const r = await tools.mcp__recall__recall(${JSON.stringify(QUERY)}); text(JSON.stringify(r));`;
      const called =
        name === "exec"
          ? { type: "custom_tool_call", id: `ctc_${id}`, call_id: `call_${id}`, name, namespace: "functions", input: program }
          : {
              type: "function_call",
              id: `fc_${id}`,
              call_id: `call_${id}`,
              name,
              ...(namespace && { namespace }),
              arguments: JSON.stringify(QUERY),
            };
      const said = { type: "message", id: `m_${id}`, role: "assistant", content: [{ type: "output_text", text }] };
      event("response.created", { response: { id: `resp_${id}` } });
      // Codex has the service compact, which answers with what only the service can read.
      const compacted = body.input.at(-1)?.type === "compaction_trigger" && {
        type: "compaction",
        id: `cmp_${id}`,
        encrypted_content: "bm90aGluZw==",
      };
      event("response.output_item.done", { output_index: 0, item: compacted || (call ? called : said) });
      event("response.completed", { response: { id: `resp_${id}`, usage } });
    },
    usage: (text) => {
      // More than the limit of the configuration, so that Codex compacts before the next turn.
      const input = text === ANSWER ? 60_000 : 100;
      return { input_tokens: input, output_tokens: 10, total_tokens: input + 10 };
    },
    other: () => '{"data":[],"models":[]}',
  },
  gemini: {
    isRequest: (url) => url.includes("enerateContent"),
    read: (body) => ({
      name: toolNamed(body.tools),
      ...lastTurn(body.contents, {
        isUser: ({ role }) => role === "user",
        resultOf: ({ parts = [] }) =>
          parts.flatMap(({ functionResponse }) => (functionResponse ? [textOf(functionResponse.response)] : [])),
      }),
    }),
    write(send, { text, call, name, url, body }) {
      const isJson = body.generationConfig?.responseMimeType === "application/json";
      const part = call
        ? { functionCall: { name, args: QUERY }, thoughtSignature: "c2ln" }
        : { text: isJson ? '{"complexity_reasoning":"","complexity_score":1,"model_choice":"flash","reasoning":""}' : text };
      const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
      const answer = { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata };
      send(url.includes("stream") ? `data: ${JSON.stringify(answer)}\n\n` : JSON.stringify(answer));
    },
    other: (url) => (url.includes("countTokens") ? '{"totalTokens":10}' : "{}"),
  },
  chat: {
    isRequest: (url) => url.includes("/chat/completions"),
    read: (body) => ({
      name: toolNamed(body.tools),
      ...lastTurn(body.messages, {
        isUser: ({ role }) => role === "user",
        resultOf: ({ role, content }) => (role === "tool" ? [textOf(content)] : []),
      }),
    }),
    write(send, { text, call, name, id, usage }) {
      const called = {
        role: "assistant",
        tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: { name, arguments: JSON.stringify(QUERY) } }],
      };
      const chunk = (choice, more = {}) =>
        send(
          `data: ${JSON.stringify({ id: `c${id}`, object: "chat.completion.chunk", created: 1, model: "fake", choices: [{ index: 0, ...choice }], ...more })}\n\n`,
        );
      chunk({ delta: call ? called : { role: "assistant", content: text }, finish_reason: null });
      chunk({ delta: {}, finish_reason: call ? "tool_calls" : "stop" }, { usage });
      send("data: [DONE]\n\n");
    },
    usage: (text) => {
      const input = text === ANSWER ? 30_000 : 100;
      return { prompt_tokens: input, completion_tokens: 10, total_tokens: input + 10 };
    },
    other: () => "{}",
  },
};

/** Starts a service of a protocol: `{ url, seen, close }`. `seen`: requests to the model, and what the tool answered. */
export async function startService(name) {
  const protocol = PROTOCOLS[name];
  const seen = { requests: /** @type {any[]} */ ([]), results: /** @type {string[]} */ ([]) };
  let id = 0;
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const url = request.url ?? "";
      // Codex asks for a WebSocket first.
      if (request.method === "GET" && url.includes("/responses")) return response.writeHead(426).end();
      if (request.method !== "POST" || !protocol.isRequest(url)) {
        response.setHeader("content-type", "application/json");
        return response.end(protocol.other(url));
      }
      const text = Buffer.concat(parts).toString("utf8");
      const body = JSON.parse(text);
      id += 1;
      const read = protocol.read(body);
      const reply = replyTo({ ...read, hasTool: read.name !== undefined }, seen);
      seen.requests.push({ url, text, asked: read.asked, reply });
      response.setHeader("content-type", /stream|responses|messages|chat/.test(url) ? "text/event-stream" : "application/json");
      protocol.write((part) => response.write(part), { ...read, ...reply, id, url, body, usage: protocol.usage?.(reply.text) });
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, seen, close: () => server.close() };
}
