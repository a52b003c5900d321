// Old tool results in what is sent: Zoo-Code's rules of what is old and long, the same bytes each time, and the way back.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { createLosslessProvider, expand, restore } from "../../index.js";
import { compressOldToolResults, restoreDataOf } from "../../js/roo/index.js";
import { root } from "../../scripts/tools.mjs";
import { assistant, brokenPairs, call, result, text, user } from "./support.mjs";

const history = JSON.parse(readFileSync(new URL("../../fixtures/roo-native-2026.json", import.meta.url), "utf8"));
const lines = (name, count = 60) =>
  Array.from({ length: count }, (_, line) => `export function ${name}${line}() { return ${line} }`).join("\n");

/** Turns of a call and its result; `contents` are those of the results. */
const turns = (contents, name = "read_file") =>
  contents.flatMap((content, index) => [
    assistant([call(`c${index}`, name, { path: `${index}.ts` })]),
    user([result(`c${index}`, content)]),
  ]);

const resultsOf = (messages) =>
  messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === "tool_result");
const lengths = (messages) => resultsOf(messages).map(({ content }) => (typeof content === "string" ? content : content[0].text).length);
const five = ["a", "b", "c", "d", "e"].map((name) => lines(name));

describe("which results", () => {
  test("those of three answers ago and more, of more than 500 characters", async () => {
    const messages = turns(five);
    const before = structuredClone(messages);
    const sent = await compressOldToolResults(messages);
    expect(messages).toEqual(before);
    expect(sent).not.toBe(messages);
    expect(sent.map((message, index) => message === messages[index])).toEqual([true, false, true, false, ...Array(6).fill(true)]);
    for (const length of lengths(sent).slice(0, 2)) expect(length).toBeLessThan(800);
    expect(await compressOldToolResults(turns(five.slice(0, 3)))).toEqual(turns(five.slice(0, 3)));
    const short = turns(five.map((content) => content.slice(0, 500)));
    expect(await compressOldToolResults(short)).toEqual(short);
    expect(await compressOldToolResults([])).toEqual([]);
  });

  test("of tools that can be called again, or that are not known", async () => {
    const asked = turns(five, "mcp_docs_search");
    expect(await compressOldToolResults(asked)).toEqual(asked);
    expect(lengths(await compressOldToolResults(asked, { tools: ["mcp_docs_search"] }))[0]).toBeLessThan(800);
    const [, ...rest] = turns(five, "attempt_completion");
    const unknown = [assistant("I read"), ...rest];
    expect(lengths(await compressOldToolResults(unknown)).map((length) => length < 800)).toEqual([true, false, false, false, false]);
  });

  test("texts inside results too; other blocks and the calls stay", async () => {
    const messages = turns(five.map((content) => [text(content)]));
    messages[1].content.push(text("a remark of the user ".repeat(40)));
    const sent = await compressOldToolResults(messages);
    expect(lengths(sent)[0]).toBeLessThan(800);
    expect(sent[1].content[1]).toBe(messages[1].content[1]);
    expect(brokenPairs(sent)).toEqual([]);
  });

  test("one line without end, too", async () => {
    const [sent] = resultsOf(await compressOldToolResults(turns(five.with(0, JSON.stringify(five)))));
    expect(sent.content.length).toBeLessThan(2000);
  });
});

describe("pointers", () => {
  /** Plays a history from `from` messages on: what was shortened never changes again, and every pointer stands for what it stands for in the history. */
  async function play(messages, from, see = () => {}) {
    let before = [];
    let pointers = 0;
    let shortened = 0;
    for (let length = from; length <= messages.length; length++) {
      const history = messages.slice(0, length);
      const sent = await compressOldToolResults(history);
      const now = sent.map((message) => JSON.stringify(message));
      before.forEach((message, index) => {
        if (message !== now[index]) expect(message, `message ${index} of ${length}`).toBe(JSON.stringify(history[index]));
      });
      const [read, meant] = [expand(sent), expand(history)];
      expect(read.unresolved.length, `${length} messages`).toBeLessThanOrEqual(meant.unresolved.length);
      sent.forEach((message, index) => {
        if (message === history[index]) return expect(read.messages[index], `message ${index} of ${length}`).toEqual(meant.messages[index]);
        shortened++;
        message.content.forEach((block, at) => {
          if (block === history[index].content[at]) return;
          const was = meant.messages[index].content[at].content;
          const lines = new Set((typeof was === "string" ? was : was.map(({ text }) => text).join("\n")).split("\n").map(unnumbered));
          const is = read.messages[index].content[at].content;
          for (const line of (typeof is === "string" ? is : is.map(({ text }) => text).join("\n")).split("\n"))
            if (!/\[… ?[\d]|^\[The line above/.test(line)) expect(lines, line).toContain(unnumbered(line));
        });
      });
      pointers = JSON.stringify(sent).split(" as below from ").length + JSON.stringify(sent).split(" as above from ").length - 2;
      see(length, sent);
      before = now;
    }
    expect(shortened).toBeGreaterThan(0);
    return pointers;
  }
  const unnumbered = (line) => line.replace(/^\s*\d+(?:→|\t| \| |:)/, "");

  test("none leads to what gets old later, and none is wrong at any time", async () => {
    const short = ["one", "two", "three", "four"].map((name) => `ok ${name}`);
    expect(await play(turns([lines("a", 40), lines("a", 200), ...short]), 1)).toBe(0);
    expect(await play(history, 1)).toBe(0);
  });

  test.each(["last", "first"])("what those of an earlier condensation lead to stays: keep %s", async (keep) => {
    const shown = turns([lines("a", 80), lines("b", 30), `${lines("a", 70)}\n${lines("b", 25)}`, lines("c"), lines("b", 30)]);
    const { messages } = await createLosslessProvider({ keep }).condense({ messages: [user("task"), ...shown] });
    expect(expand(messages).unresolved).toEqual([]);
    const later = ["d", "e", "f", "g", "h", "i"].map((name) => lines(name));
    const more = turns(later).map((message) => JSON.parse(JSON.stringify(message).replaceAll('"c', '"later')));
    expect(await play([...messages, ...more], messages.length)).toBeGreaterThan(0);
  });
});

describe("before every request", () => {
  test("the same history gives the same bytes, also in another process", async () => {
    const sent = JSON.stringify(await compressOldToolResults(history));
    expect(sent.length).toBeLessThan(0.8 * JSON.stringify(history).length);
    expect(JSON.stringify(await compressOldToolResults(structuredClone(history)))).toBe(sent);
    const script = `
      const { compressOldToolResults } = require("./js/roo/index.js");
      compressOldToolResults(require("./fixtures/roo-native-2026.json")).then((sent) => process.stdout.write(JSON.stringify(sent)));`;
    const { stdout } = spawnSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
    expect(stdout).toBe(sent);
  });

  test("a message that was shortened never changes again, whatever follows", async () => {
    const sentOf = async (length) => (await compressOldToolResults(history.slice(0, length))).map((message) => JSON.stringify(message));
    let before = [];
    let shortened = 0;
    for (let length = 1; length <= history.length; length++) {
      const now = await sentOf(length);
      for (const [index, message] of before.entries()) {
        if (message === now[index]) continue;
        expect(message, `message ${index} of ${length}`).toBe(JSON.stringify(history[index]));
        shortened++;
      }
      before = now;
    }
    expect(shortened).toBeGreaterThan(10);
    expect(before.join()).not.toMatch(/in message \d/);
  });

  test("what the host does with what it was given does not come back", async () => {
    const messages = turns(five.map((content) => [text(content)]));
    const sent = await compressOldToolResults(messages);
    const before = JSON.stringify(sent);
    resultsOf(sent)[0].content[0].text = "changed";
    sent.push(user("more"));
    expect(JSON.stringify(await compressOldToolResults(messages))).toBe(before);
  });

  test("fields that are no content stay, and make no difference to it", async () => {
    const messages = turns(five);
    messages[1].content[0] = { ...messages[1].content[0], cache_control: { type: "ephemeral" } };
    const [marked] = resultsOf(await compressOldToolResults(messages));
    const [plain] = resultsOf(await compressOldToolResults(turns(five)));
    expect(marked).toEqual({ ...plain, cache_control: { type: "ephemeral" } });
  });
});

describe("the way back", () => {
  test("restore makes the history of it, also after a round trip through JSON", async () => {
    const sent = await compressOldToolResults(history);
    const restoreData = restoreDataOf(sent);
    expect(restore({ messages: sent, restoreData })).toEqual(history);
    expect(restore(JSON.parse(JSON.stringify({ messages: sent, restoreData })))).toEqual(history);
    const unchanged = await compressOldToolResults(history.slice(0, 3));
    expect(restore({ messages: unchanged, restoreData: restoreDataOf(unchanged) })).toEqual(history.slice(0, 3));
  });

  test("only of what it was returned for", async () => {
    const sent = await compressOldToolResults(history);
    for (const other of [history, sent.slice(), null, "sent"]) {
      expect(() => restoreDataOf(other)).toThrow(expect.objectContaining({ name: "TypeError", code: "invalid_argument" }));
    }
  });
});

describe("wrong arguments", () => {
  test.each([
    ["history", undefined, undefined],
    ["history", { messages: [] }, undefined],
    ["options", [], null],
    ["options.minChars", [], { minChars: -1 }],
    ["options.turns", [], { turns: 0 }],
    ["options.tools", [], { tools: "read_file" }],
    ["options.minChar", [], { minChar: 1 }],
  ])("%s", async (place, messages, options) => {
    const expected = { name: "TypeError", code: "invalid_argument", field: place };
    await expect(compressOldToolResults(messages, options)).rejects.toMatchObject(expected);
  });

  test("a number is no option, as in Zoo-Code", async () => {
    expect(await compressOldToolResults(turns(five), 7)).toEqual(await compressOldToolResults(turns(five)));
  });

  test("a history that cannot be read says where", async () => {
    const messages = turns(five);
    Object.defineProperty(messages[1].content[0], "content", {
      enumerable: true,
      get() {
        throw new Error("no");
      },
    });
    await expect(compressOldToolResults(messages)).rejects.toMatchObject({
      code: "not_serializable",
      message: expect.stringContaining("messages[1].content[0].content"),
    });
    for (const other of [null, 5, []]) {
      const expected = { code: "invalid_argument", field: "history[1]" };
      await expect(compressOldToolResults([user("task"), other, ...turns(five)])).rejects.toMatchObject(expected);
    }
  });
});
