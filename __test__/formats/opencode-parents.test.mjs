// OpenCode's answers name the user's message that they are to. Where that is left out, they name another that is there.

import { expect, test } from "vitest";
import { CondensationManager, callbackHandler, restore } from "../../index.js";

const handler = callbackHandler({
  async *createMessage() {
    yield { type: "text", text: "The files were read." };
    yield { type: "usage", inputTokens: 1, outputTokens: 1 };
  },
  getModel: () => ({ id: "x" }),
});

/** Questions, each with three answers that read a file. */
function session() {
  const messages = [];
  const add = (role, info, parts) => {
    const id = `msg_${String(messages.length).padStart(4, "0")}`;
    const ids = { id: id.replace("msg", "prt"), messageID: id, sessionID: "ses_1" };
    messages.push({
      info: { id, sessionID: "ses_1", role, agent: "build", time: { created: messages.length }, ...info },
      parts: parts.map((part) => ({ ...ids, ...part })),
    });
    return id;
  };
  for (let question = 0; question < 6; question++) {
    const model = { providerID: "p", modelID: "m" };
    const parentID = add("user", { model }, [{ type: "text", text: `Question ${question}: ${"what of this? ".repeat(30)}` }]);
    for (let step = 0; step < 3; step++) {
      const name = `${question}${step}`;
      const output = Array.from({ length: 60 }, (_, line) => `line ${name} ${line} ${Math.sin(line * question + step)}`).join("\n");
      const state = { status: "completed", input: { filePath: name }, output, title: "", metadata: {}, time: { start: 1, end: 2 } };
      add("assistant", { parentID, mode: "build", ...model, path: { cwd: "/", root: "/" }, cost: 0, finish: "tool-calls" }, [
        { type: "tool", callID: `c${name}`, tool: "read", state },
      ]);
    }
  }
  return messages;
}

test.each([
  ["native", undefined],
  ["smart", 2000],
  ["smart", 800],
  ["truncation", 1500],
  ["truncation", 300],
])("%s to %s", async (provider, targetTokens) => {
  const messages = session();
  const config = provider === "truncation" && targetTokens === 300 ? { mode: "window" } : undefined;
  const result = await new CondensationManager({ provider, handler }).condense({ messages }, { targetTokens, config });
  expect(result.didCondense).toBe(true);
  const users = new Set();
  for (const { info } of result.messages) {
    if (info.role === "user") users.add(info.id);
    // A message of the user's above it, as OpenCode has them.
    else expect([...users]).toContain(info.parentID);
  }
  expect(JSON.stringify(result.messages)).not.toContain("isSummary");
  expect(restore({ messages: result.messages, restoreData: JSON.parse(JSON.stringify(result.restoreData)) })).toEqual(messages);
});
