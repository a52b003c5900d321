// The command line against a fake service: the key comes from the environment and is never shown.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { anthropicEvents, json, openaiEvents, startFakeLlm, stream } from "./fake-llm.mjs";
import { talk } from "./histories.mjs";

const program = fileURLToPath(new URL("../../js/cli/main.js", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-llm-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const history = path.join(folder, "history.json");
writeFileSync(history, JSON.stringify(talk(21)));

const KEY = "sk-from-the-environment-123";

function run(args) {
  const env = { ...process.env, ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
  const child = spawn(process.execPath, [program, history, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (output += data));
  return new Promise((resolve) => child.on("exit", (code) => resolve({ code, output })));
}

test.each([
  ["anthropic", anthropicEvents, "x-api-key", KEY],
  ["openai", openaiEvents, "authorization", `Bearer ${KEY}`],
])("--llm %s writes a summary", async (api, events, header, value) => {
  const server = await startFakeLlm(() => stream(...events(["What happened."])));
  const out = path.join(folder, `${api}.json`);
  const { code, output } = await run(["--llm", api, "--model", "m", "--base-url", server.url, "--out", out]);
  await server.close();
  expect(output).not.toContain(KEY);
  expect(code).toBe(0);
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0].headers[header]).toBe(value);
  const messages = JSON.parse(readFileSync(out, "utf8"));
  expect(messages[1]).toMatchObject({ content: expect.stringMatching(/^\[Summary of \d+ messages\]\nWhat happened\.$/) });
  expect(messages).toHaveLength(5);
});

test("a refused key is told without it", async () => {
  const server = await startFakeLlm(() => json(401, { error: { type: "authentication_error", message: `bad key ${KEY}` } }));
  const { output } = await run(["--llm", "anthropic", "--model", "m", "--base-url", server.url, "--json"]);
  await server.close();
  expect(output).toContain("refused the key");
  expect(output).not.toContain(KEY);
});
