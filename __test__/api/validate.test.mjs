// What is not legal in messages.

import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { conversationsIn, withShared } from "../shared.mjs";
import { api, conversation } from "./support.mjs";

const { CondensationManager, validateMessages } = api;

const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const call = (id, more) => ({ type: "tool_use", id, name: "run", input: {}, ...more });
const answer = (id) => ({ type: "tool_result", tool_use_id: id, content: "done" });
const text = (value) => ({ type: "text", text: value });

describe("legal", () => {
  test.each([
    ["nothing", []],
    ["one message", [user("hi")]],
    ["a conversation", conversation(3)],
    ["an open call at the end", [user("hi"), assistant([call("a")])]],
    [
      "several calls, answered in another order",
      [user("hi"), assistant([call("a"), call("b")]), user([answer("b"), answer("a"), text("and")])],
    ],
    [
      "a system message where the service takes it",
      [user("a"), { role: "system", content: "x" }, assistant("b"), user("c"), { role: "system", content: "y" }],
    ],
    [
      "a system message behind a tool of the service",
      [user("a"), assistant([{ type: "web_search_tool_result", tool_use_id: "s", content: [] }]), { role: "system", content: "x" }],
    ],
    ["unknown blocks", [user([{ type: "document", source: {} }]), assistant([{ type: "thinking", thinking: "" }])]],
    ...["claude-code", "roo-xml", "roo-native", "shell-only"].map((dialect) => [dialect, buildHistory({ dialect, messages: 40 })]),
  ])("%s", (_, messages) => {
    expect(validateMessages(messages)).toEqual([]);
  });
});

describe("not legal", () => {
  test.each([
    ["not_a_message", [null], 0, undefined],
    ["not_a_message", [user("a"), 5], 1, undefined],
    ["unknown_role", [{ role: "system", content: "x" }], 0, undefined],
    ["unknown_role", [user("a"), { role: "developer", content: "x" }], 1, undefined],
    ["misplaced_system", [user("a"), assistant("b"), { role: "system", content: "x" }], 2, undefined],
    ["misplaced_system", [user("a"), { role: "system", content: "x" }, user("b")], 2, undefined],
    ["first_not_user", [assistant("x")], 0, undefined],
    ["same_role_twice", [user("a"), user("b")], 1, undefined],
    ["empty_content", [user("")], 0, undefined],
    ["empty_content", [user(" \n\t\u00a0")], 0, undefined],
    ["empty_content", [user([])], 0, undefined],
    ["empty_content", [user(null)], 0, undefined],
    ["empty_content", [{ role: "user" }], 0, undefined],
    ["empty_text", [user([text("a"), text("  ")])], 0, 1],
    ["misplaced_tool_use", [user([call("a")])], 0, 0],
    ["misplaced_tool_result", [user("a"), assistant([call("a")]), user([answer("a")]), assistant([answer("a")])], 3, 0],
    ["invalid_tool_input", [user("a"), assistant([call("a", { input: "{}" })])], 1, 0],
    ["invalid_tool_input", [user("a"), assistant([call("a", { input: [] })])], 1, 0],
    ["invalid_tool_input", [user("a"), assistant([call("a", { input: undefined })])], 1, 0],
    ["unnamed_tool_use", [user("a"), assistant([call("a", { name: "" })])], 1, 0],
    ["unanswered_tool_use", [user("a"), assistant([call("a")]), user("b")], 2, undefined],
    ["orphan_tool_result", [user([answer("a")])], 0, 0],
    ["orphan_tool_result", [user("a"), assistant([call("a")]), user([answer("a")]), assistant("b"), user([answer("a")])], 4, 0],
    ["repeated_tool_result", [user("a"), assistant([call("a")]), user([answer("a"), answer("a")])], 2, 1],
    ["unreadable_block", [user([{ type: "text" }])], 0, 0],
  ])("%s", (code, messages, messageIndex, blockIndex) => {
    const found = validateMessages(messages).find((problem) => problem.code === code);
    const toolId = ["unanswered_tool_use", "orphan_tool_result", "repeated_tool_result"].includes(code) && { toolId: "a" };
    const block = blockIndex !== undefined && { blockIndex };
    expect(found).toEqual({ messageIndex, ...block, code, message: expect.stringMatching(/./), ...toolId });
  });
});

withShared(["tools", "corpus"], (tools, corpus) => {
  test("against the checker in ../shared: as many problems in every conversation of the corpus, whole and cut anywhere, and no more after condensing", {
    tags: ["long"],
  }, async () => {
    const { problems } = await import(pathToFileURL(path.join(tools, "conversation.mjs")).href);
    const manager = new CondensationManager();
    for (const { name, messages } of conversationsIn(corpus)) {
      expect(validateMessages(messages).length, name).toBe(problems(messages).length);
      // Without a message here and there, calls and results lose each other.
      const holes = messages.filter((_, index) => index % 7 !== 3);
      expect(validateMessages(holes).length, `${name}, with holes`).toBe(problems(holes).length);
      for (const [provider, targetTokens] of [["lossless"], ["truncation"], ["truncation", 5000]]) {
        for (const given of [messages, holes]) {
          const result = await manager.condense({ messages: given }, { provider, targetTokens });
          expect(result.error, name).toBeUndefined();
          expect(problems(result.messages).length, `${name}, ${provider}`).toBeLessThanOrEqual(problems(given).length);
          expect(JSON.stringify(api.restore(result)) === JSON.stringify(given), `${name}, ${provider}`).toBe(true);
        }
      }
    }
  });
});
