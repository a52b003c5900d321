// What the service behind each format refuses, and what it takes.

import { describe, expect, test } from "vitest";
import { api } from "../api/support.mjs";

const chatCall = (...ids) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "run", arguments: "{}" } })),
});
const chatResult = (id) => ({ role: "tool", tool_call_id: id, content: "done" });
const item = (id) => ({ type: "function_call", call_id: id, name: "run", arguments: "{}" });
const output = (id) => ({ type: "function_call_output", call_id: id, output: "done" });
const modelCall = (id) => ({ role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "run", input: {} }] });
const modelResult = (id) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: id, toolName: "run", output: { type: "text", value: "done" } }],
});
const uiTool = (state, more) => ({ type: "tool-run", toolCallId: "a", state, input: {}, ...more });
const human = { type: "human", content: "Go." };
const ai = (...ids) => ({ type: "ai", content: "", tool_calls: ids.map((id) => ({ id, name: "run", args: {} })) });
const toolMessage = (id) => ({ type: "tool", content: "done", tool_call_id: id });
const contents = (role, ...parts) => ({ role, parts });
const functionCall = { functionCall: { name: "run", args: {} } };
const functionResponse = { functionResponse: { name: "run", response: { output: "done" } } };
const bedrock = (role, ...content) => ({ role, content });
const toolUse = (id) => ({ toolUse: { toolUseId: id, name: "run", input: {} } });
const toolResult = (id) => ({ toolResult: { toolUseId: id, content: [{ text: "done" }] } });
const goose = (role, ...content) => ({ role, created: 1, content });
const word = { type: "text", text: "Go." };
const request = (id) => ({ type: "toolRequest", id, toolCall: { status: "success", value: { name: "run", arguments: {} } } });
const response = (id) => ({ type: "toolResponse", id, toolResult: { status: "success", value: [{ type: "text", text: "done" }] } });
const openCode = (role, ...parts) => ({ info: { id: "msg_1", role }, parts });
const user = { role: "user", content: "Go." };
const said = { role: "assistant", content: "Done." };

/** Histories, and the codes of what is wrong with each with the index of the message. */
const CASES = {
  "openai-chat": [
    [[user, chatCall("a", "b"), chatResult("b"), chatResult("a"), said], []],
    [[user, chatCall("a")], []],
    [[user, chatCall("a"), said], ["unanswered_tool_use 2"]],
    [
      [user, chatCall("a", "b"), chatResult("a"), user, chatResult("b")],
      ["unanswered_tool_use 3", "orphan_tool_result 4"],
    ],
    [[user, chatResult("a")], ["orphan_tool_result 1"]],
    [[user, chatCall("a"), chatResult("a"), chatResult("a")], ["repeated_tool_result 3"]],
    [[user, chatCall("a"), { ...chatResult("a"), content: [{ type: "image_url", image_url: { url: "x" } }] }], ["unreadable_block 2"]],
    [[user, { role: "assistant", content: null }], ["empty_content 1"]],
    [[user, { ...said, tool_calls: [] }], ["empty_tool_calls 1"]],
    [
      [{ role: "robot", content: "Hi" }, null],
      ["unknown_role 0", "not_a_message 1"],
    ],
  ],
  "openai-responses": [
    [[user, item("a"), item("b"), output("a"), said, output("b")], []],
    [[user, item("a")], []],
    [[user, item("a"), said], ["unanswered_tool_use 1"]],
    [[user, output("a")], ["orphan_tool_result 1"]],
    [[user, { type: "reasoning", id: "rs_1", summary: [] }, user], ["reasoning_without_item 1"]],
    [[user, { type: "reasoning", id: "rs_1", summary: [] }, item("a"), output("a")], []],
    [[user, { ...item("a"), id: "call_1" }, output("a")], ["invalid_id 1"]],
    [[{ summary: [] }], ["unsupported_format 0", "not_a_message 0"]],
  ],
  "ai-sdk-model": [
    [[user, modelCall("a"), modelResult("a"), said], []],
    [[user, modelCall("a"), user], ["unanswered_tool_use 2"]],
    [[user, modelResult("a")], ["orphan_tool_result 1"]],
    [
      [user, modelCall("a"), { role: "tool", content: [{ type: "text", text: "Hi" }, ...modelResult("a").content] }],
      ["unreadable_block 2"],
    ],
    [[{ role: "system", content: [{ type: "text", text: "Hi" }] }], ["empty_content 0", "unreadable_block 0"]],
    [
      [
        user,
        { role: "assistant", content: [modelCall("a").content[0], { type: "tool-approval-request", approvalId: "1", toolCallId: "a" }] },
        { role: "tool", content: [{ type: "tool-approval-response", approvalId: "1", approved: true }] },
        user,
      ],
      [],
    ],
  ],
  "ai-sdk-ui": [
    [[{ id: "1", role: "assistant", parts: [uiTool("output-available", { output: 1 }), uiTool("output-error", { errorText: "no" })] }], []],
    [
      [
        { id: "1", role: "assistant", parts: [uiTool("input-available")] },
        { id: "2", role: "user", parts: [] },
      ],
      ["unanswered_tool_use 0"],
    ],
    [[{ id: "1", role: "assistant", parts: [uiTool("input-available")] }], []],
    [[{ id: "1", role: "robot", parts: [{ type: "text", text: "Hi" }] }], ["unknown_role 0"]],
    [[{ id: "1", role: "user" }], ["empty_content 0"]],
  ],
  langchain: [
    [[human, ai("a", "b"), toolMessage("b"), toolMessage("a"), { type: "system", content: "x" }, human], []],
    [[human, ai("a"), { type: "system", content: "x" }, toolMessage("a")], []],
    [[human, ai("a"), human], ["unanswered_tool_use 2"]],
    [[human, toolMessage("a")], ["orphan_tool_result 1"]],
    [[human, ai("call of run"), { type: "tool", content: "done", name: "run" }], ["unnamed_tool_result 2"]],
  ],
  gemini: [
    [
      [
        contents("user", { text: "Go." }),
        contents("model", functionCall, functionCall),
        contents("user", functionResponse, functionResponse),
      ],
      [],
    ],
    [
      [contents("user", { text: "Go." }), contents("model", functionCall, functionCall), contents("user", functionResponse)],
      ["unanswered_tool_use 2"],
    ],
    [[contents("user", functionResponse)], ["orphan_tool_result 0"]],
    [[contents("model", functionCall)], ["first_not_user 0"]],
    [
      [contents("robot", { text: "Hi" }), { role: "user" }],
      ["unknown_role 0", "empty_content 1"],
    ],
  ],
  goose: [
    [[goose("user", word), goose("assistant", request("a"), request("b")), goose("user", response("b")), goose("user", response("a"))], []],
    [[goose("user", word), goose("assistant", request("a"))], []],
    [[goose("user", word), goose("assistant", request("a")), goose("user", word)], ["unanswered_tool_use 2"]],
    [[goose("user", response("a"))], ["orphan_tool_result 0"]],
    [
      [goose("robot", word), { role: "user" }],
      ["unknown_role 0", "empty_content 1"],
    ],
  ],
  "bedrock-converse": [
    [[bedrock("user", { text: "Go." }), bedrock("assistant", toolUse("a")), bedrock("user", toolResult("a"))], []],
    [[bedrock("assistant", { text: "Hi" })], ["first_not_user 0"]],
    [[bedrock("user", { text: "Go." }), bedrock("assistant", toolUse("a")), bedrock("user", { text: "Go." })], ["unanswered_tool_use 2"]],
    [
      [bedrock("user", toolResult("a")), bedrock("user", { text: "Go." })],
      ["orphan_tool_result 0", "same_role_twice 1"],
    ],
    [
      [bedrock("user", { text: "" }), bedrock("assistant")],
      ["empty_text 0", "empty_content 1"],
    ],
  ],
  opencode: [
    [
      [
        openCode("user", { type: "text", text: "Go." }),
        openCode("assistant", { type: "tool", callID: "a", tool: "run", state: { status: "running", input: {} } }),
      ],
      [],
    ],
    [[openCode("user", { type: "tool", callID: "a", tool: "run", state: {} })], ["misplaced_tool_use 0"]],
    [[openCode("assistant", { type: "tool", tool: "run" })], ["unreadable_block 0"]],
    [
      [openCode("robot"), { info: {} }],
      ["unknown_role 0", "not_a_message 1"],
    ],
  ],
};

describe.each(Object.entries(CASES))("%s", (format, cases) => {
  test.each(cases.map(([messages, expected]) => [expected.join(", ") || "legal", messages, expected]))(
    "%s",
    async (_, messages, expected) => {
      const problems = api.validateMessages(messages, { format });
      expect(problems.map(({ code, messageIndex }) => `${code} ${messageIndex}`)).toEqual(expected);
      for (const { message } of problems) expect(message).not.toBe("");
      // Whatever is wrong, it is carried through, but for what is no message at all.
      if (messages.includes(null) || expected[0]?.startsWith("unsupported_format")) return;
      const result = await new api.CondensationManager({ provider: "smart" }).condense({ messages }, { format, targetTokens: 1 });
      expect(api.restore(result)).toEqual(messages);
    },
  );
});
