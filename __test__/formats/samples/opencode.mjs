// OpenCode's messages.

const openCode = (role, ...parts) => ({ info: { id: "msg_1", role }, parts });

function message(id, role, part) {
  return {
    info: { id, sessionID: "ses_1", role, time: { created: 1 } },
    parts: [{ id: `prt_${id}`, messageID: id, sessionID: "ses_1", ...part }],
  };
}

export default {
  user: (text, id) => message(`msg_${id}u`, "user", { type: "text", text }),
  said: (text, id) => message(`msg_${id}z`, "assistant", { type: "text", text }),
  round: (callID, name, input, output) => [
    message(`msg_${callID}`, "assistant", { type: "tool", callID, tool: name, state: { status: "completed", input, output } }),
  ],
  recognised: [[{ info: { id: "1", role: "user" }, parts: [{ type: "text", text: "Hello" }] }]],
  problems: [
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
