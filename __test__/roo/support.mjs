// What the tests of the drop-in share: a host that keeps what it is told, and handlers that answer as told.

export const user = (content, ts, more = {}) => ({ role: "user", content, ts, ...more });
export const assistant = (content, ts, more = {}) => ({ role: "assistant", content, ts, ...more });
export const text = (value) => ({ type: "text", text: value });
export const call = (id, name = "read_file", input = { path: "a.ts" }) => ({ type: "tool_use", id, name, input });
export const result = (id, content = "1 | const a = 1") => ({ type: "tool_result", tool_use_id: id, content });

/** A conversation of `length` messages, the user first, of about `size` characters each. */
export function conversation(length, size = 200) {
  return Array.from({ length }, (_, index) => (index % 2 ? assistant : user)(`message ${index} `.padEnd(size, "x"), 1000 * (index + 1)));
}

/** A host in which keys stand for texts; `told` holds what it was told. */
export function recordingHost(more = {}) {
  /** @type {{ warnings: string[], errors: string[], condensed: unknown[][], truncated: unknown[][] }} */
  const told = { warnings: [], errors: [], condensed: [], truncated: [] };
  const host = {
    t: (key, parameters) => (parameters?.message === undefined ? key : `${key} ${parameters.message}`),
    telemetry: () => ({
      captureContextCondensed: (...values) => told.condensed.push(values),
      captureSlidingWindowTruncation: (...values) => told.truncated.push(values),
    }),
    warn: (...values) => told.warnings.push(values.join(" ")),
    error: (...values) => told.errors.push(values.join(" ")),
    ...more,
  };
  return { host, told };
}

const lengthOf = (block) => (block.type === "text" ? block.text.length : JSON.stringify(block).length);

/**
 * An ApiHandler; `chunks` may be a function that makes the stream. A token is four characters.
 * @param {object[] | ((...values: unknown[]) => AsyncIterable<object>)} chunks
 */
export function handler(
  chunks = [text("a short summary"), { type: "usage", inputTokens: 10, outputTokens: 4, totalCost: 0.25 }],
  info = {},
) {
  const requests = [];
  return {
    requests,
    getModel: () => ({ id: "model", info: { supportsImages: true, ...info } }),
    countTokens: async (blocks) => Math.ceil(blocks.reduce((sum, block) => sum + lengthOf(block), 0) / 4),
    createMessage(...values) {
      requests.push(values);
      return typeof chunks === "function" ? chunks(...values) : streamOf(chunks);
    },
  };
}

async function* streamOf(chunks) {
  yield* chunks;
}

/** The arguments of `truncateConversationIfNeeded` and `manageContext`. */
export const windowOptions = (messages, apiHandler, more = {}) => ({
  messages,
  totalTokens: 90_000,
  contextWindow: 100_000,
  apiHandler,
  autoCondenseContext: true,
  autoCondenseContextPercent: 80,
  systemPrompt: "You are careful.",
  taskId: "task",
  profileThresholds: {},
  currentProfileId: "default",
  ...more,
});

/** The ids of calls without a result and of results without a call in an earlier message. */
export function brokenPairs(messages) {
  const calls = new Set();
  const results = new Set();
  const broken = [];
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const block of content) {
      if (block.type === "tool_use") calls.add(block.id);
      if (block.type === "tool_result") {
        results.add(block.tool_use_id);
        if (!calls.has(block.tool_use_id)) broken.push(block.tool_use_id);
      }
    }
  }
  return [...broken, ...[...calls].filter((id) => !results.has(id))];
}
