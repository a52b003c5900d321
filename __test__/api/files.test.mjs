// Files count by what they are, in every format, and a window that they do not fill is not cut for them.

import { describe, expect, test } from "vitest";
import { CondensationManager, countTokens, restore, validateMessages } from "../../index.js";

const bytes = (length) => Buffer.from(Array.from({ length }, (_, index) => (Math.imul(index, 2_654_435_761) >>> 13) & 255));
const data = bytes(250 * 1024).toString("base64");
const url = (media) => `data:${media};base64,${data}`;
const SHOT = Math.ceil(Math.sqrt(data.length));
const PAGES = 6;
const user = (part) => [{ role: "user", content: [{ type: "text", text: "Look at it." }, part] }];
const source = { type: "base64", media_type: "application/pdf", data };

/** Messages with one file, and the tokens of the file. The rest of the part is a few words of JSON. */
const cases = {
  "anthropic document": ["anthropic", user({ type: "document", title: "A paper", source }), PAGES * 3000],
  "anthropic document in a result": [
    "anthropic",
    [
      { role: "user", content: "Go." },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "document", source }] }] },
    ],
    PAGES * 3000,
  ],
  "chat file": ["openai-chat", user({ type: "file", file: { filename: "a.pdf", file_data: url("application/pdf") } }), PAGES * 1500],
  "chat input_audio": ["openai-chat", user({ type: "input_audio", input_audio: { data, format: "mp3" } }), 160],
  "responses input_file": [
    "openai-responses",
    [{ role: "user", content: [{ type: "input_file", filename: "a.pdf", file_data: url("application/pdf") }] }],
    PAGES * 1500,
  ],
  "responses computer_call_output": [
    "openai-responses",
    [
      { role: "user", content: "Go." },
      { type: "computer_call", id: "cu_1", call_id: "c", action: { type: "screenshot" }, pending_safety_checks: [], status: "completed" },
      { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url: url("image/png") } },
    ],
    SHOT,
  ],
  "responses image_generation_call": [
    "openai-responses",
    [
      { role: "user", content: "Draw." },
      {
        type: "image_generation_call",
        id: "ig_1",
        status: "completed",
        result: Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), bytes(250 * 1024 - 8)]).toString("base64"),
      },
    ],
    SHOT,
  ],
  "gemini inlineData": [
    "gemini",
    [{ role: "user", parts: [{ text: "Look." }, { inlineData: { mimeType: "application/pdf", data } }] }],
    PAGES * 560,
  ],
  "gemini fileData": [
    "gemini",
    [{ role: "user", parts: [{ text: "Look." }, { fileData: { mimeType: "video/mp4", fileUri: "https://example.com/v" } }] }],
    60 * 263,
  ],
  "gemini functionResponse.parts": [
    "gemini",
    [
      { role: "user", parts: [{ text: "Go." }] },
      { role: "model", parts: [{ functionCall: { name: "shot", args: {} } }] },
      {
        role: "user",
        parts: [
          {
            functionResponse: { name: "shot", response: { output: "done" }, parts: [{ inlineData: { mimeType: "image/png", data } }] },
          },
        ],
      },
    ],
    SHOT,
  ],
  "bedrock document": [
    "bedrock-converse",
    [{ role: "user", content: [{ text: "Look." }, { document: { format: "pdf", name: "a", source: { bytes: data } } }] }],
    PAGES * 3000,
  ],
  "bedrock document in bytes": [
    "bedrock-converse",
    [
      {
        role: "user",
        content: [{ text: "Look." }, { document: { format: "pdf", name: "a", source: { bytes: new Uint8Array(bytes(5000)) } } }],
      },
    ],
    3000,
  ],
  "bedrock video": [
    "bedrock-converse",
    [{ role: "user", content: [{ text: "Look." }, { video: { format: "mp4", source: { bytes: data } } }] }],
    2 * 288,
  ],
  "model message file": ["ai-sdk-model", user({ type: "file", mediaType: "application/pdf", data }), PAGES * 3000],
  "model message file in a buffer": ["ai-sdk-model", user({ type: "file", mediaType: "application/pdf", data: bytes(3000) }), 3000],
  ...Object.fromEntries(
    [
      ["media", { type: "media", mediaType: "image/png", data }, SHOT],
      ["file-data", { type: "file-data", mediaType: "application/pdf", data }, PAGES * 3000],
      ["image-data", { type: "image-data", mediaType: "image/png", data }, SHOT],
    ].map(([name, part, tokens]) => [
      `model message ${name} in a result`,
      [
        "ai-sdk-model",
        [
          { role: "user", content: "Go." },
          { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "shot", input: {} }] },
          {
            role: "tool",
            content: [{ type: "tool-result", toolCallId: "c", toolName: "shot", output: { type: "content", value: [part] } }],
          },
        ],
        tokens,
      ],
    ]),
  ),
  "ui file": [
    "ai-sdk-ui",
    [{ id: "u", role: "user", parts: [{ type: "file", mediaType: "application/pdf", url: url("application/pdf") }] }],
    PAGES * 3000,
  ],
  "ui output of an MCP tool": [
    "ai-sdk-ui",
    [
      { id: "u", role: "user", parts: [{ type: "text", text: "Go." }] },
      {
        id: "a",
        role: "assistant",
        parts: [
          {
            type: "dynamic-tool",
            toolName: "shot",
            toolCallId: "c",
            state: "output-available",
            input: {},
            output: {
              content: [
                { type: "text", text: "A picture." },
                { type: "image", data, mimeType: "image/png" },
              ],
            },
          },
        ],
      },
    ],
    SHOT,
  ],
  "langchain file": [
    "langchain",
    [{ type: "human", content: [{ type: "file", source_type: "base64", mime_type: "application/pdf", data }] }],
    PAGES * 3000,
  ],
  "langchain audio": ["langchain", [{ type: "human", content: [{ type: "audio", mimeType: "audio/mpeg", data }] }], 16 * 32],
  "langchain image": ["langchain", [{ type: "human", content: [{ type: "image", mimeType: "image/png", data }] }], SHOT],
  "opencode attachments": [
    "opencode",
    [
      { info: { id: "m0", role: "user", sessionID: "s" }, parts: [{ id: "p", type: "text", text: "Go." }] },
      {
        info: { id: "m1", role: "assistant", sessionID: "s" },
        parts: [
          {
            id: "q",
            type: "tool",
            callID: "c",
            tool: "read",
            state: {
              status: "completed",
              input: {},
              output: "Image read successfully",
              title: "a",
              metadata: {},
              time: { start: 1, end: 2 },
              attachments: [{ id: "r", type: "file", mime: "image/png", url: url("image/png") }],
            },
          },
        ],
      },
    ],
    SHOT,
  ],
  "a part that nobody knows": ["anthropic", user({ type: "hologram", payload: { body: data } }), Math.ceil((data.length * 3) / 16)],
};

describe("a file counts by what it is", () => {
  test.each(Object.entries(cases))("%s", async (_, [format, messages, tokens]) => {
    const counted = countTokens(messages, { format });
    expect(counted).toBeGreaterThanOrEqual(tokens);
    expect(counted).toBeLessThan(tokens + 90);
    const manager = new CondensationManager();
    const result = await manager.condense({ messages }, { format, targetTokens: 10 });
    expect(result.prevContextTokens).toBe(counted);
    expect(result.newContextTokens).toBe(countTokens(result.messages, { format }));
    expect(validateMessages(result.messages, { format })).toEqual([]);
    expect(restore(result)).toEqual(messages);
    // It stays whole or goes as a whole.
    const json = JSON.stringify(result.messages);
    if (/[A-Za-z0-9+/]{300}/.test(json))
      expect(json).toContain(/** @type {string} */ (/[A-Za-z0-9+/=]{300,}/.exec(JSON.stringify(messages))?.[0]));
  });

  test("text in a document is text", () => {
    const words = "The quick brown fox jumps over the lazy dog. ".repeat(200);
    const document = { type: "document", source: { type: "text", media_type: "text/plain", data: words } };
    expect(countTokens(user(document))).toBeGreaterThan(countTokens(words));
  });

  test("base64 that is text to the model counts as text", () => {
    expect(countTokens([{ role: "user", content: data.slice(0, 4000) }])).toBe(countTokens(data.slice(0, 4000)));
  });
});

describe("a count of the result is that of its messages", () => {
  const code = (seed) =>
    Array.from({ length: 25 }, (_, line) => `export function f${seed}x${line}(a: number) { return a * ${seed * 31 + line}; }`).join("\n");
  const round = {
    gemini: (output, at) => [
      { role: "model", parts: [{ functionCall: { name: "f", args: { at } } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: output } }] },
    ],
    "ai-sdk-model": (output, at) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${at}`, toolName: "f", input: { at } }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: `c${at}`, toolName: "f", output: { type: "json", value: output } }] },
    ],
    "ai-sdk-ui": (output, at) => [
      {
        id: `a${at}`,
        role: "assistant",
        parts: [
          { type: "text", text: "I look." },
          { type: "dynamic-tool", toolName: "f", toolCallId: `c${at}`, state: "output-available", input: { at }, output },
          { type: "text", text: "It is fine." },
        ],
      },
      { id: `u${at}`, role: "user", parts: [{ type: "text", text: `Next ${at}.` }] },
    ],
  };
  const first = {
    gemini: { role: "user", parts: [{ text: "Go." }] },
    "ai-sdk-model": { role: "user", content: "Go." },
    "ai-sdk-ui": { id: "u", role: "user", parts: [{ type: "text", text: "Go." }] },
  };

  test.each(Object.keys(round))("%s", async (format) => {
    const messages = [first[format]];
    for (let at = 0; at < 12; at++) messages.push(...round[format]({ note: code(at), ok: true, n: at, list: ["a", code(at + 50)] }, at));
    const total = countTokens(messages, { format });
    for (let share = 0.08; share < 0.9; share += 0.06) {
      const targetTokens = Math.floor(total * share);
      const result = await new CondensationManager().condense({ messages }, { format, targetTokens });
      expect(countTokens(result.messages, { format })).toBe(result.newContextTokens);
      if (result.warnings.length === 0) expect(result.newContextTokens).toBeLessThanOrEqual(targetTokens);
      expect(restore(result)).toEqual(messages);
    }
  });
});
