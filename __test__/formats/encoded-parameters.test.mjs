// Where the parameters of a call are a text of JSON, what stands elsewhere is restored, too.

import { expect, test } from "vitest";
import { createLosslessProvider, restore } from "../../index.js";

const lines = Array.from({ length: 60 }, (_, line) => `export const setting${line} = compute("value ${line}", ${line});`).join("\n");
const write = JSON.stringify({ path: "src/settings.ts", content: lines });
const read = JSON.stringify({ path: "src/settings.ts" });

const HISTORIES = {
  "openai-chat": [
    { role: "user", content: "Write the settings." },
    { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "write_file", arguments: write } }] },
    { role: "tool", tool_call_id: "a", content: "Written." },
    { role: "assistant", content: null, tool_calls: [{ id: "b", type: "function", function: { name: "read_file", arguments: read } }] },
    { role: "tool", tool_call_id: "b", content: lines },
    { role: "assistant", content: "Done." },
  ],
  "openai-responses": [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Write the settings." }] },
    { type: "function_call", call_id: "a", name: "write_file", arguments: write },
    { type: "function_call_output", call_id: "a", output: "Written." },
    { type: "function_call", call_id: "b", name: "read_file", arguments: read },
    { type: "function_call_output", call_id: "b", output: lines },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
  ],
};

test.each(Object.entries(HISTORIES))("%s: what was written and read is said once, and restored", async (format, messages) => {
  const provider = createLosslessProvider({ preserveRecentCount: 0, minTokensSaved: 1 });
  const { messages: condensed, restoreData } = await provider.condense({ messages }, { format });
  const text = JSON.stringify(condensed);
  expect(text.split("setting30 ").length, "said once").toBe(2);
  expect(restore(JSON.parse(JSON.stringify({ messages: condensed, restoreData })))).toEqual(messages);
});
