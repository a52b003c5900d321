// Recall over sessions that were condensed in place: what was left out is found by the restore data beside them.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { put, run, runJson } from "./support.mjs";

const filler = buildHistory({ dialect: "claude-code", messages: 60, seed: 5 });
const said = "The relay of the harbour office listens on port 7431.";
const messages = [
  filler[0],
  { role: "assistant", content: [{ type: "tool_use", id: "call_port", name: "Bash", input: { command: "cat relay.conf" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "call_port", content: said }] },
  ...filler.slice(1),
];

/** A session of Claude Code with these messages. */
const session = () =>
  messages
    .map(({ role, content }, at) => {
      const parentUuid = at === 0 ? null : `u${at - 1}`;
      const message = role === "assistant" ? { id: `m${at}`, role, content } : { role, content };
      return JSON.stringify({
        type: role,
        uuid: `u${at}`,
        parentUuid,
        sessionId: "s",
        cwd: "/home/me/shop",
        timestamp: new Date(at * 1000),
        message,
      });
    })
    .join("\n");

const found = (name, words) => run(["recall", name, ...words]).stdout;

test.each([
  ["session.jsonl", () => `${session()}\n`],
  ["history.json", () => JSON.stringify(messages)],
])("%s, condensed twice", (name, content) => {
  const file = put(name, content());
  for (const target of ["40%", "10%"]) {
    const { code, report } = runJson([name, "--target", target, "--in-place"]);
    expect([code, report.didCondense]).toEqual([0, true]);
  }
  expect(readFileSync(file, "utf8")).not.toContain(said);
  expect(found(name, ["harbour", "relay"])).toContain(said);
});

test("with what the program has written since", () => {
  const file = put("session.jsonl", `${session()}\n`);
  expect(runJson(["session.jsonl", "--target", "20%", "--in-place"]).code).toBe(0);
  const message = { role: "user", content: "Now rename the lighthouse module." };
  appendFileSync(
    file,
    `${JSON.stringify({ type: "user", uuid: "later", parentUuid: `u${messages.length - 1}`, sessionId: "s", message })}\n`,
  );
  expect(found("session.jsonl", ["harbour", "relay"])).toContain(said);
  expect(found("session.jsonl", ["lighthouse"])).toContain("rename the lighthouse module");
});

test("of JSON, with the messages that were added between and since", () => {
  const file = put("history.json", JSON.stringify(messages));
  const add = (text) => {
    const answer = { role: "assistant", content: "Done." };
    writeFileSync(file, JSON.stringify([...JSON.parse(readFileSync(file, "utf8")), answer, { role: "user", content: text }]));
  };
  const earlier = `Paint the beacon green. ${said}`;
  for (const text of [earlier, "Now rename the lighthouse module."]) {
    expect(runJson(["history.json", "--target", "8%", "--in-place"]).report.didCondense).toBe(true);
    add(text);
  }
  expect(readFileSync(file, "utf8")).not.toContain("cat relay.conf");
  expect(found("history.json", ["cat", "relay", "conf"])).toContain("cat relay.conf");
  expect(found("history.json", ["beacon", "green"])).toContain("Paint the beacon green");
  expect(found("history.json", ["lighthouse"])).toContain("rename the lighthouse module");
});

test("restore data of another text changes nothing", () => {
  put("history.json", JSON.stringify(messages));
  expect(runJson(["history.json", "--target", "8%", "--in-place"]).code).toBe(0);
  put("history.json", JSON.stringify([{ role: "user", content: "The lighthouse is another conversation." }]));
  expect(found("history.json", ["harbour", "relay"])).not.toContain(said);
  expect(found("history.json", ["lighthouse"])).toContain("another conversation");
});

test("of a session in lines that was condensed to a file of JSON", () => {
  put("session.jsonl", `${session()}\n`);
  expect(run(["session.jsonl", "--target", "10%", "--out", "condensed.json"]).code).toBe(0);
  expect(found("condensed.json", ["harbour", "relay"])).toContain(said);
});
