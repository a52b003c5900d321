// One advice: the page's answer, its comparison, `recommend` and the command line say the same for one file and window. On all histories:
// node benches/advice.mjs FILE-OR-FOLDER...

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { advicesFor, differing } from "../../benches/advice.mjs";
import { folder, put, run } from "../cli/support.mjs";
import { root } from "../../scripts/tools.mjs";
import { asking } from "./asking.mjs";

const require = createRequire(import.meta.url);
const { CondensationManager, countTokens, createStudioHost, restore } = require("../../index.js");
const { adviceFor } = require("../../js/advice.js");

const fixture = (name) => {
  const value = JSON.parse(readFileSync(path.join(root, "fixtures", `${name}.json`), "utf8"));
  return Array.isArray(value) ? value : value.messages;
};

const HISTORIES = {
  "an agent's": buildHistory({ dialect: "claude-code", messages: 40, seed: 9 }),
  "a shell's": fixture("shell-only").slice(0, 60),
  "Roo-Code's of 2025": fixture("roo-xml-2025").slice(0, 60),
};

describe.each(Object.entries(HISTORIES))("%s", (_, messages) => {
  const tokens = countTokens(messages);
  test.each([
    ["over its window", Math.round(tokens / 1.57), false],
    ["over its window, with recall", Math.round(tokens / 1.57), true],
    ["with room in it", tokens * 9, false],
  ])("%s", async (__, contextWindow, recall) => {
    const found = await advicesFor(put("history.json", JSON.stringify(messages)), contextWindow, recall);
    expect(differing(found)).toEqual([]);
    expect([found.isMet, found.says.answer.left]).toEqual([true, expect.any(Number)]);
  });
});

test("arguments of calls count as they are written, not as compact JSON", async () => {
  const call = (id) => ({
    id,
    type: "function",
    function: { name: "write_file", arguments: `{ "path" : "${id}.ts",  "content" : "const a = 1;" }` },
  });
  const ids = Array.from({ length: 20 }, (_, at) => `call_${at}`);
  const messages = [
    { role: "user", content: "Write them." },
    ...ids.flatMap((id) => [
      { role: "assistant", content: null, tool_calls: [call(id)] },
      { role: "tool", tool_call_id: id, content: "written" },
    ]),
  ];
  expect(differing(await advicesFor(put("history.json", JSON.stringify(messages)), 128_000))).toEqual([]);
});

test("half of the window, a tenth with recall, and no target where there is room", () => {
  const window = { tokens: 314_000, contextWindow: 200_000, limit: 171_808 };
  expect(adviceFor(window)).toMatchObject({ advised: "balanced", targetTokens: 100_000 });
  expect(adviceFor({ ...window, recall: true })).toMatchObject({ advised: "small", targetTokens: 20_000 });
  expect(adviceFor({ tokens: 22_000, contextWindow: 200_000, recall: true })).toMatchObject({ advised: "safest", targetTokens: undefined });
  expect(adviceFor({ tokens: 50_000 }).steps.map(({ targetTokens }) => targetTokens)).toEqual([undefined, 25_000, 12_500, 5000]);
});

test("nothing has to be lost where what is repeated or replaced is enough", () => {
  const window = { tokens: 195_000, contextWindow: 200_000, limit: 171_808 };
  // A tenth of the window stays free below the limit: 151,808.
  expect(adviceFor({ ...window, safest: 151_808 })).toMatchObject({ advised: "safest", targetTokens: undefined });
  expect(adviceFor({ ...window, safest: 151_809 })).toMatchObject({ advised: "balanced", targetTokens: 100_000 });
  // Content within reach of recall is not lost, and a tenth of the window is cheaper.
  expect(adviceFor({ ...window, recall: true, safest: 20_001 })).toMatchObject({ advised: "small", targetTokens: 20_000 });
  expect(adviceFor({ ...window, recall: true, safest: 20_000 })).toMatchObject({ advised: "safest", targetTokens: undefined });
});

test.each([65_536, 80_000, 128_000])("the guide's conversation loses nothing in a window of %i tokens", async (contextWindow) => {
  const messages = fixture("claude-code");
  const host = createStudioHost(new CondensationManager(), { histories: [{ id: "a", read: () => ({ messages }) }], contextWindow });
  const ask = asking(host);
  const { advice, inspection } = await ask("inspect", { history: "a" });
  const { fate, tokensAfter } = await ask("condense", { history: "a" });
  expect([advice.advised, advice.targetTokens, fate.lost]).toEqual(["safest", undefined, 0]);
  expect(tokensAfter + contextWindow / 10).toBeLessThanOrEqual(inspection.window.atLimit.tokens);
  host.dispose();
});

describe("what is downloaded can be undone", () => {
  const messages = HISTORIES["an agent's"];

  test("by the command line, from the files as they are downloaded", async () => {
    put("history.json", JSON.stringify(messages, null, 1));
    const { hostOf } = require("../../js/cli/studio-command.js");
    const host = hostOf(require("../../index.js"), [path.join(folder, "history.json")], { write: false });
    const ask = asking(host);
    const { histories } = await ask("hello", {});
    const { id } = await ask("condense", { history: histories[0].id, targetTokens: 2000 });
    const { name, text, restore: data } = await ask("export", { condensation: id });
    for (const file of [{ name, text }, data]) writeFileSync(path.join(folder, file.name), file.text);
    expect(run(["restore", name, "--in-place"]).code).toBe(0);
    expect(readFileSync(path.join(folder, name), "utf8")).toBe(JSON.stringify(messages, null, 1));
    host.dispose();
  });

  test("by `restore`, of a host that knows no files", async () => {
    const host = createStudioHost(new CondensationManager(), { histories: [{ id: "a", read: () => ({ messages }) }] });
    const ask = asking(host);
    const { id } = await ask("condense", { history: "a", targetTokens: 2000 });
    const { text, restore: data } = await ask("export", { condensation: id });
    expect(data.name).toBe("a.condensed.restore.json");
    expect(restore({ messages: JSON.parse(text), restoreData: JSON.parse(data.text) })).toEqual(messages);
    host.dispose();
  });
});

test("sessions are listed by what the user said, not by what the program put before it", async () => {
  const said = (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  const messages = [
    said("# AGENTS.md instructions for /home/me/shop\n\n<INSTRUCTIONS>\nUse tabs.\nTest all.\n</INSTRUCTIONS>"),
    said("<environment_context>\n  <cwd>/home/me/shop</cwd>\n</environment_context>"),
    said("Why does the cart forget its coupons?"),
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I will look." }] },
  ];
  const sessions = {
    find: () => ({ folders: [], sessions: [{ id: "s", agent: "codex", name: "s", changed: 1, bytes: 1 }] }),
    open: () => ({ id: "s", read: () => ({ messages }) }),
  };
  const host = createStudioHost(new CondensationManager(), { histories: [], sessions });
  const ask = asking(host);
  await ask("sessions", {});
  expect((await ask("session", { id: "s" })).title).toBe("Why does the cart forget its coupons?");
  host.dispose();
});
