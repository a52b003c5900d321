// Services refuse unknown fields of messages; the results of this package have none.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CondensationManager, callbackHandler, validateMessages } from "../../index.js";
import SERVICE_FIELDS from "../../js/service-fields.js";
import { refusals, schemaFile } from "../services/strict.mjs";

const said = (result) =>
  validateMessages(result, { service: "anthropic" }).map(({ messageIndex, blockIndex, code }) => [messageIndex, blockIndex, code]);

describe("the service anthropic", () => {
  test("takes what its types have", () => {
    const messages = [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "x", signature: "s" },
          { type: "tool_use", id: "a", name: "n", input: { any: [{ field: 1 }] }, cache_control: { type: "ephemeral", ttl: "1h" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x" }], is_error: true }] },
    ];
    expect(validateMessages(messages, { service: "anthropic" })).toEqual([]);
    expect(refusals("/v1/messages", { model: "m", max_tokens: 1, messages })).toEqual([]);
  });

  test("refuses fields of messages, of blocks and of blocks in results, types and marks", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    expect(said([{ role: "user", content: "x", isSummary: true }])).toEqual([[0, undefined, "unknown_field"]]);
    expect(said([{ role: "user", content: [{ type: "text", text: "x", ts: 1 }] }])).toEqual([[0, 0, "unknown_field"]]);
    const call = { type: "tool_use", id: "a", name: "n", input: {} };
    const result = { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x", own: 1 }] };
    const pair = [
      { role: "user", content: "x" },
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ];
    expect(said(pair)).toEqual([[2, 0, "unknown_field"]]);
    expect(said([{ role: "user", content: [{ type: "tool_call", id: "a" }] }])).toEqual([[0, 0, "unknown_block"]]);
    const marked = { role: "user", content: Array.from({ length: 5 }, () => ({ type: "text", text: "x", ...mark })) };
    expect(said([marked])).toEqual([[0, 4, "too_many_cache_marks"]]);
    expect(validateMessages([{ role: "user", content: "x", isSummary: true }], { service: "anthropic" })[0].message).toBe(
      'has a field "isSummary"; the service takes "role", "content"',
    );
    expect(validateMessages([{ role: "user", content: "x", isSummary: true }])).toEqual([]);
  });

  test("a role that nobody knows is one problem; another service is another format", () => {
    expect(
      said([
        { role: "user", content: "x" },
        { role: "robot", content: "x" },
      ]),
    ).toEqual([[1, undefined, "unknown_role"]]);
    const chat = [{ role: "tool", tool_call_id: "a", content: "x" }];
    expect(said(chat)[0][2]).toBe("unsupported_format");
    expect(() => validateMessages(chat, { service: "grpc" })).toThrow(/options\.service must be "anthropic", "openai-chat"/);
    expect(() => validateMessages(chat, { service: "gemini", format: "anthropic" })).toThrow(/options\.format must be "gemini"/);
  });
});

test.each([
  ["openai-chat", { role: "assistant", content: "x", isSummary: true }, "unknown_field"],
  ["openai-chat", { role: "user", content: [{ type: "text", text: "x", cache_control: {} }] }, "unknown_field"],
  ["openai-responses", { type: "message", role: "user", content: "x", condenseId: "1" }, "unknown_field"],
  ["openai-responses", { type: "teleport_call", id: "1" }, "unknown_block"],
  ["gemini", { role: "user", parts: [{ text: "x", isSummary: true }] }, "unknown_field"],
  ["bedrock-converse", { role: "user", content: [{ text: "x", note: 1 }] }, "unknown_field"],
])("%s refuses %j", (service, message, code) => {
  expect(validateMessages([message], { service }).map((problem) => problem.code)).toEqual([code]);
});

test("Gemini takes both forms of names", () => {
  const parts = [{ function_call: { name: "n", args: {} }, thought_signature: "s" }];
  const found = validateMessages([{ role: "model", parts }], { service: "gemini" }).filter(({ code }) => code === "unknown_field");
  expect(found).toEqual([]);
});

describe("the table is that of the published types", () => {
  const shapesOf = (service, field) => {
    const { definitions, $ref } = JSON.parse(readFileSync(schemaFile(service), "utf8"));
    const own = (schema) => (schema.$ref ? definitions[schema.$ref.split("/").at(-1)] : schema);
    const found = [];
    const seen = new Set();
    const collect = (schema) => {
      const shape = own(schema);
      if (seen.has(shape)) return;
      seen.add(shape);
      if (shape.anyOf) return shape.anyOf.forEach(collect);
      if (shape.type === "array") return collect(shape.items);
      if (shape.type !== "object") return;
      found.push(shape);
      for (const name of ["content", "output", "summary"]) if (shape.properties[name]) collect(shape.properties[name]);
    };
    collect(own({ $ref }).properties[field]);
    return found;
  };
  const namesOf = ({ properties }, key) => {
    const { const: one, anyOf = [] } = properties[key] ?? {};
    return [one, ...anyOf.map((each) => each.const)].filter((name) => typeof name === "string");
  };
  /** The results of a service's own tools are the service's, and not checked. */
  const own = /_(?:error|result_error)$|_result$|_output$|^(?:computer_screenshot|tab_opened|download_\w+)$/;

  test.each([
    ["anthropic", "anthropic-beta", "messages"],
    ["anthropic", "anthropic", "messages"],
    ["openai-chat", "openai-chat", "messages"],
    ["openai-responses", "openai-responses", "input"],
  ])("%s, by %s", (service, schema, field) => {
    const { key, messages, parts } = SERVICE_FIELDS[service];
    const known = { ...parts, ...(key === "type" && messages) };
    let compared = 0;
    for (const shape of shapesOf(schema, field)) {
      const fields = Object.keys(shape.properties);
      const roles = key === "role" ? namesOf(shape, "role") : [];
      for (const name of roles) expect(messages[name], name).toEqual(expect.arrayContaining(fields));
      for (const name of roles.length > 0 ? [] : namesOf(shape, "type")) {
        if (!(name in known) && own.test(name)) continue;
        expect(known[name], name).toEqual(expect.arrayContaining(fields));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(4);
  });
});

describe("what is condensed", () => {
  const code = (round) =>
    Array.from({ length: 60 }, (_, line) => `export const v${round}_${line} = f(${Math.sin(round * line + line)});`).join("\n");
  const messages = [{ role: "user", content: "Go." }];
  for (let round = 0; round < 12; round++) {
    messages.push({ role: "assistant", content: [{ type: "tool_use", id: `t${round}`, name: "read_file", input: { path: `f${round}` } }] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${round}`, content: code(round) }] });
  }
  messages.push({ role: "assistant", content: "Done." });
  const handler = callbackHandler({
    async *createMessage() {
      yield { type: "text", text: "The files were read." };
      yield { type: "usage", inputTokens: 1, outputTokens: 1 };
    },
    getModel: () => ({ id: "x" }),
  });

  test.each([
    ["native", undefined],
    ["smart", 3000],
    ["smart", 1000],
    ["truncation", 1000],
    ["lossless", undefined],
  ])("%s to %s has no field of ours", async (provider, targetTokens) => {
    const manager = new CondensationManager({ provider, handler });
    const first = await manager.condense({ messages }, { targetTokens });
    expect(first.error).toBeUndefined();
    expect(validateMessages(first.messages, { service: "anthropic" })).toEqual([]);
    expect(refusals("/v1/messages", { model: "m", max_tokens: 1, messages: first.messages })).toEqual([]);
  });

  test("a summary is known by its head: it is not summarised again, and told as one", async () => {
    const manager = new CondensationManager({ provider: "native", handler, fallback: false });
    const { messages: short } = await manager.condense({ messages });
    expect(short[1]).toEqual({ role: "assistant", content: expect.stringMatching(/^\[Summary of \d+ messages\]\nThe files were read\.$/) });
    const again = await manager.condense({ messages: short });
    expect(again.error?.code).toBe("condensed_recently");
    // The user's own words that begin so are no summary.
    const pasted = messages.with(2, { role: "user", content: [...messages[2].content, { type: "text", text: "x" }] });
    pasted.splice(
      messages.length - 1,
      1,
      { role: "assistant", content: "Go on?" },
      { role: "user", content: "[Summary of 3 messages]\nis what I see." },
      messages.at(-1),
    );
    expect((await manager.condense({ messages: pasted })).error).toBeUndefined();
  });
});
