// `roo-condense studio` and `roo-condense report`.
// @module-tag long

import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { afterEach, describe, expect, test } from "vitest";
import {
  copyOf,
  environment,
  expectFailure,
  fixture,
  folder,
  isWindows,
  library,
  main,
  messagesOf,
  put,
  readJson,
  run,
} from "./support.mjs";

const children = [];
afterEach(() => children.splice(0).forEach((child) => child.kill("SIGKILL")));

/** Starts the studio. Resolves to its address, a way to ask it, and to how it ends. */
async function start(...args) {
  const child = spawn(process.execPath, [main, "studio", ...args, "--no-open"], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
  let [told, warned] = ["", ""];
  const address = await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      told += text;
      const [found] = /^http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/$/m.exec(told) ?? [];
      if (found && told.includes("Ctrl+C")) resolve(found);
    });
    child.stderr.on("data", (text) => {
      warned += text;
    });
    child.on("exit", () => reject(new Error(warned)));
  });
  const ask = async (method, params = {}) => {
    const response = await fetch(new URL("call", address), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const { answer, error } = await response.json();
    if (error) throw Object.assign(new Error(error.message), error);
    return answer;
  };
  return { child, ended, address, ask, told: () => told, warned: () => warned };
}

describe("studio", () => {
  test("serves what is to be looked at, writes nothing, and ends when it is told to", async () => {
    const file = copyOf("claude-code");
    const before = readFileSync(file);
    const { child, ended, address, ask, told } = await start(file, "--window", "100k");
    expect(told()).toMatch(/The page writes nothing/);
    expect(await (await fetch(address)).text()).toContain('<div id="studio">');
    const { histories, canWrite, contextWindow } = await ask("hello");
    expect([histories.length, histories[0].messages, canWrite, contextWindow]).toEqual([1, 200, false, 100_000]);
    const { id } = await ask("condense", { history: histories[0].id, provider: "lossless" });
    await expect(ask("save", { condensation: id })).rejects.toMatchObject({ code: "read_only" });
    expect(readFileSync(file)).toEqual(before);
    child.kill("SIGINT");
    expect(await ended).toBe(isWindows ? null : 0);
  });

  test("follows the file, and saves with a backup and what leads back", async () => {
    const file = copyOf("claude-code");
    const { ask } = await start(file, "--write");
    const [{ id: history, revision }] = (await ask("hello")).histories;
    const messages = messagesOf(readJson(file));
    const news = ask("wait", { revisions: { [history]: revision } });
    writeFileSync(file, JSON.stringify([...messages, { role: "user", content: "One more." }], null, 2));
    expect((await news).histories[0]).toMatchObject({ messages: 201, canWrite: true });
    const now = readFileSync(file);
    const { id } = await ask("condense", { history, provider: "truncation", targetTokens: 5000 });
    const saved = await ask("save", { condensation: id });
    expect(readFileSync(saved.backup)).toEqual(now);
    expect(library.countTokens(messagesOf(readJson(file)))).toBeLessThanOrEqual(5000);
    expect(existsSync(saved.restoreData)).toBe(true);
    expect(run(["restore", file, "--in-place"]).code).toBe(0);
    expect(readFileSync(file)).toEqual(now);
  });

  test("of several files one that cannot be read ends nothing, and is there when it can", async () => {
    const good = copyOf("claude-code");
    const empty = put("empty.json", "");
    const { ask, warned } = await start(good, empty, "--write");
    expect(warned()).toMatch(/^roo-condense: .*empty\.json is empty\n$/);
    const { histories } = await ask("hello");
    expect(histories).toMatchObject([
      { messages: 200, canWrite: true },
      { messages: 0, canWrite: false, problem: { message: expect.stringMatching(/empty\.json: is empty|empty/) } },
    ]);
    await expect(ask("inspect", { history: histories[1].id })).rejects.toMatchObject({ code: "unreadable" });
    const news = ask("wait", { revisions: Object.fromEntries(histories.map(({ id, revision }) => [id, revision])) });
    writeFileSync(empty, readFileSync(good));
    expect((await news).histories[1]).toMatchObject({ messages: 200, canWrite: true });
  });

  test("refuses what is no history", () => {
    expectFailure(["studio", "absent.json"], 3, /no such file/);
    expectFailure(["studio", put("five.json", "5")], 5, /is not a history/);
    expectFailure(["studio", "-"], 2, /studio needs files/);
    expectFailure(["studio", "--redact"], 2, /studio has no flag --redact/);
  });
});

describe("report", () => {
  const dataOf = (page) => JSON.parse(/<script type="application\/json" id="studio-data">(.*?)<\/script>/s.exec(page)[1]);

  test("one file that loads nothing and holds the history as data", () => {
    const hostile = "</script><script>alert(1)</script><!-- \u202e";
    const file = put(
      "history.json",
      JSON.stringify([
        { role: "user", content: hostile },
        { role: "assistant", content: "No." },
      ]),
    );
    expect(run(["report", file, "--html", "page.html"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^page\.html: \d+ KB\n$/),
    });
    const page = readFileSync(`${folder}/page.html`, "utf8");
    expect(page.includes("<script>alert")).toBe(false);
    const markup = page.replace(/(<(script|style)[^>]*>).*?<\/\2>/gs, "$1");
    expect(markup.match(/<script/g)).toHaveLength(2);
    expect(page.includes("<!--")).toBe(false);
    expect(markup).toMatch(/Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;sha256-/);
    expect(markup).not.toMatch(/\ssrc="|href="(?!data:)/);
    const data = dataOf(page);
    expect(data.messages[0].texts[0].text).toBe(hostile);
    expect(data.inspect.inspection.messages).toHaveLength(2);
    expect(data.trials.map(({ id }) => id)).toContain("smart:balanced");
  });

  test("--redact leaves every text out, and what quotes them", () => {
    const { code, stdout } = run(["report", fixture("claude-code"), "--html", "page.html", "--redact", "--target", "50%"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/without texts/);
    const data = dataOf(readFileSync(`${folder}/page.html`, "utf8"));
    expect(data.messages).toBeUndefined();
    const json = JSON.stringify(data);
    const messages = messagesOf(readJson(fixture("claude-code")));
    const words = new Set(JSON.stringify(messages).match(/[\w-]+\/[\w/-]+\.\w+/g));
    expect(words.size).toBeGreaterThan(5);
    for (const word of words) expect(json).not.toContain(word);
    expect(json).not.toContain("claude-code.json");
  });

  test("needs a place, and replaces nothing by itself", () => {
    const file = copyOf("claude-code");
    expectFailure(["report", file], 2, /report needs --html FILE/);
    expectFailure(["report", file, "--html", file, "--force"], 2, /--html is the input itself: choose another file/);
    expect(run(["report", file, "--html", "-"]).stdout).toMatch(/^<!doctype html>/i);
    put("page.html", "mine");
    expectFailure(["report", file, "--html", "page.html"], 7, /page\.html/);
    expectFailure(["report", file, "--html", file, "--force"], 2, /input itself/);
    expect(run(["report", file, "--html", "page.html", "--force", "--quiet"])).toMatchObject({ code: 0, stdout: "" });
  });
});
