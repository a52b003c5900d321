// A fake LLM service: real HTTP on loopback, answers from a script, remembers what it was asked.

import { createServer } from "node:http";
import { refusals } from "../services/strict.mjs";

/** What a service does with one request. */
export const answer = (status, headers, ...steps) => ({ status, headers, steps });

export const json = (status, body, headers = {}) =>
  answer(status, { "content-type": "application/json", ...headers }, JSON.stringify(body));

export const stream = (...steps) => answer(200, { "content-type": "text/event-stream; charset=utf-8", "request-id": "req_1" }, ...steps);

/** Waits before the next step. */
export const wait = (ms) => ({ wait: ms });
/** Silence until the client goes. */
export const HANG = { hang: true };
/** Ends the connection in the middle of the answer. */
export const CUT = { cut: true };

const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

/** An answer of the Anthropic Messages API as a list of events. */
export function anthropicEvents(pieces, { inputTokens = 1000, outputTokens = 50, stopReason = "end_turn", model = "claude-test" } = {}) {
  return [
    event("message_start", {
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: inputTokens, output_tokens: 1 },
      },
    }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("ping", {}),
    ...pieces.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: outputTokens } }),
    event("message_stop", {}),
  ];
}

export const anthropicEvent = event;

/** An answer of OpenAI-compatible chat completions as a list of events. */
export function openaiEvents(pieces, { inputTokens = 1000, outputTokens = 50, finishReason = "stop", model = "gpt-test" } = {}) {
  const chunk = (choices, extra) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, choices, ...extra })}\n\n`;
  return [
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
    ...pieces.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: finishReason }]),
    chunk([], { usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens } }),
    "data: [DONE]\n\n",
  ];
}

/** The answer to a request with something that the service does not know. Every service has these fields, each beside others. */
/** @param {any[]} faults */
const refusal = ([message]) => json(400, { type: "error", error: { type: "invalid_request_error", message, param: null, code: null } });

/**
 * Starts a service. `script(request, index)` says what it does; `request` is `{ path, headers, text, body }`: the body as it came, and parsed. What the real service at such a path
 * refuses is refused.
 */
export async function startFakeLlm(script) {
  const requests = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const request = { path: incoming.url, headers: incoming.headers, text, body: JSON.parse(text || "null") };
    requests.push(request);
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    response.on("close", () => underWay--);
    try {
      const faults = request.body === null ? [] : refusals(request.path, request.body);
      await play(faults.length > 0 ? refusal(faults) : await script(request, requests.length - 1), response);
    } catch (error) {
      response.destroy(error);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get underWay() {
      return underWay;
    },
    get mostUnderWay() {
      return mostUnderWay;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

async function play({ status, headers, steps }, response) {
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const step of steps) {
    if (step.wait !== undefined) await new Promise((resolve) => setTimeout(resolve, step.wait));
    else if (step.hang) return;
    else if (step.cut) return void response.destroy();
    else await new Promise((resolve) => response.write(step, resolve));
  }
  response.end();
}
