// Long outputs, as Codex sends them: codex-outputs.json has hashes of what a stand-in for its service got when Codex went on from a session with these outputs.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { asSent, limitFor } from "../../js/cli/kinds/codex-outputs.js";
import { outputs } from "./codex-outputs.mjs";

const recorded = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "codex-outputs.json"), "utf8"));
const asText = (output) => (typeof output === "string" ? output : JSON.stringify(output.map((part) => part.text ?? part.type)));

test.each(["gpt-5", "gpt-5.5"])("are cut for %s exactly as it cuts them", (model) => {
  const sent = outputs().map((output, index) =>
    asSent({ type: index % 3 ? "function_call_output" : "custom_tool_call_output", output }, limitFor(model)),
  );
  const hashes = sent.map(({ output }) => createHash("sha256").update(asText(output)).digest("hex").slice(0, 12));
  expect(hashes).toEqual(recorded.sent[model]);
});

test("what is sent whole is the same object, and other items are", () => {
  for (const model of ["gpt-5", "gpt-5.5", undefined]) {
    const policy = limitFor(model);
    for (const item of [
      { type: "function_call_output", call_id: "a", output: "short" },
      { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "short" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "x".repeat(100_000) }] },
      { type: "function_call_output", call_id: "a", output: [7] },
      { type: "function_call_output", call_id: "a" },
    ])
      expect(asSent(item, policy)).toBe(item);
  }
});
