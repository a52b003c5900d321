// `roo-condense batch`: folders and data sets into a folder, on all cores; killed and continued.

import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { anthropicEvents, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { environment, expectFailure, fixture, folder, history, isWindows, main, put, readJson, run, runJson } from "./support.mjs";

const require = createRequire(import.meta.url);
const { inOrder } = require("../../js/cli/in-order.js");
const { linesIn, wholeLines } = require("../../js/cli/whole-lines.js");
const { WorkerPool } = require("../../js/cli/worker-pool.js");

const OWN = ".roo-condense-batch";
const journalOf = (out) => path.join(folder, out, OWN, "journal.jsonl");
const servers = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** Runs a batch without lines of progress, which a slow machine gets. */
const batch = (...args) => run(["batch", ...args, "--no-progress"]);
const batchJson = (...args) => runJson(["batch", ...args, "--no-progress"]);

/** All results in a folder, by path. */
function treeOf(out) {
  const names = readdirSync(path.join(folder, out), { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith(OWN));
  const files = names.filter((name) => statSync(path.join(folder, out, name)).isFile());
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(path.join(folder, out, name), "latin1")]));
}

/** Which file each result is: another one if it was written again. */
const filesOf = (out) => Object.fromEntries(Object.keys(treeOf(out)).map((name) => [name, statSync(path.join(folder, out, name)).ino]));

const line = (index, changes = {}) => {
  const messages = history({ content: `Task ${index}.` });
  return JSON.stringify(index % 2 ? { id: index, messages, ...changes } : messages);
};

/** A folder of histories: files at several depths, a session, a file that is none, and data sets. */
function makeInputs({ files = 6, lines = 40 } = {}) {
  mkdirSync(path.join(folder, "in", "deep", "er"), { recursive: true });
  for (let index = 0; index < files; index++) {
    const place = ["in", "in/deep", "in/deep/er"][index % 3];
    put(`${place}/task-${index}.json`, JSON.stringify(history({ content: `Task ${index}.` }), null, 2));
  }
  put(
    "in/lines.jsonl",
    history()
      .map((message) => `${JSON.stringify(message)}\n`)
      .join(""),
  );
  put("in/settings.json", '{"theme":"dark"}');
  put("in/set.jsonl", Array.from({ length: lines }, (_, index) => `${line(index)}\n`).join(""));
  put("in/deep/windows.jsonl", Array.from({ length: 5 }, (_, index) => line(index)).join("\r\n"));
}

/** Starts a batch, and ends it as soon as `isTime()`. */
async function killWhen(args, isTime, signal = "SIGKILL", env = {}) {
  const child = spawn(process.execPath, [main, "batch", ...args, "--no-progress"], {
    cwd: folder,
    env: { ...environment, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (part) => (stderr += part));
  const ended = new Promise((resolve) => child.on("close", (code, by) => resolve({ code, signal: by, stderr })));
  const timer = setInterval(() => {
    if (!isTime()) return;
    clearInterval(timer);
    child.kill(/** @type {NodeJS.Signals} */ (signal));
  }, 2);
  const outcome = await ended;
  clearInterval(timer);
  return outcome;
}

describe("a batch", () => {
  test("writes the results of files and folders, as the default command does, and a report", () => {
    makeInputs();
    const { code, report, stderr } = batchJson("in", fixture("shell-only"), "--target", "60%", "--out", "out");
    // It names inputs, and says what failed.
    if (!isWindows) expect(statSync(journalOf("out")).mode & 0o777).toBe(0o600);
    expect([code, stderr]).toEqual([0, ""]);
    expect(report.total).toMatchObject({ inputs: 10, histories: 6 + 1 + 40 + 5 + 1, failed: 0, skipped: 1, failures: {} });
    expect(report.skipped).toEqual([{ file: path.join("in", "settings.json"), reason: expect.stringContaining("is not a history") }]);
    expect(report.files.map(({ tokens }) => tokens.saved).every((saved) => saved > 0)).toBe(true);
    expect(report.total.tokensBefore).toBe(report.files.reduce((sum, { tokens }) => sum + tokens.before, 0));
    expect(report.files.find(({ file }) => file.endsWith("set.jsonl"))).toMatchObject({ lines: 40, histories: 40, failed: 0 });

    const alone = (file, name) => {
      expect(run([file, "--target", "60%", "--out", name]).code).toBe(0);
      return readFileSync(path.join(folder, name), "latin1");
    };
    const tree = treeOf("out");
    expect(tree["deep/task-1.json".replace("/", path.sep)]).toBe(alone("in/deep/task-1.json", "alone.json"));
    expect(tree["shell-only.json"]).toBe(alone(fixture("shell-only"), "shell.json"));
    expect(tree["lines.jsonl"]).toBe(alone("in/lines.jsonl", "lines.jsonl"));
    const results = tree["set.jsonl"].split("\n");
    expect(results).toHaveLength(41);
    put("one.json", line(3));
    expect(results[3]).toBe(alone("one.json", "one-alone.json"));
    expect(tree[path.join("deep", "windows.jsonl")].split("\r\n")).toHaveLength(5);
    // Nothing else is left.
    expect(readdirSync(path.join(folder, "out", OWN))).toEqual(["journal.jsonl"]);

    const restored = run(["restore", path.join("out", "shell-only.json"), "--out", "again.json"]);
    expect(restored.code).toBe(0);
    expect(readFileSync(path.join(folder, "again.json"))).toEqual(readFileSync(fixture("shell-only")));
  });

  test("prints a table, or with --quiet nothing", () => {
    makeInputs();
    const { stdout, stderr } = batch("in", "--out", "out");
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      /^9 inputs with 52 histories, and 1 file that is no history\n\nTokens +before +after +saved\n {2}total +[\d,]+ +[\d,]+ +[\d,]+ +\d+\.\d%\n\nTime /,
    );
    expect(batch("in", "--out", "out", "--quiet")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(batch("in", "--out", "out").stdout).toContain("An earlier run had finished 10 of them.");
  });

  test("names a damaged line, and goes on with the others", () => {
    mkdirSync(path.join(folder, "in"));
    const lines = Array.from({ length: 9 }, (_, index) => line(index));
    lines[0] = '{"messages": [';
    lines[4] = '{"messages": "none"}';
    const bytes = Buffer.concat([
      Buffer.from(`${lines.slice(0, 7).join("\n")}\n\n`),
      Buffer.from([0xff]),
      Buffer.from(`\n${lines.slice(7).join("\n")}\n`),
    ]);
    put("in/set.jsonl", bytes);
    put("in/z.json", JSON.stringify(history()));
    const { code, report, stderr } = batchJson("in", "absent.json", "--out", "out");
    expect(code).toBe(4);
    const [set, z, absent] = report.files;
    expect(set).toMatchObject({ exitCode: 4, lines: 11, histories: 7, failed: 3 });
    expect(set.failures.map(({ line: number, error }) => [number, error.code])).toEqual([
      [1, "not_json"],
      [5, "not_messages"],
      [9, "not_json"],
    ]);
    expect(z.exitCode).toBe(0);
    expect(absent).toMatchObject({ exitCode: 3, error: { code: "unreadable" } });
    expect(report.total).toMatchObject({ failed: 4, failures: { not_json: 2, not_messages: 1, unreadable: 1 } });
    expect(stderr).toMatch(/set\.jsonl:1:15: not JSON/);
    expect(stderr).toMatch(/set\.jsonl:5 is not a history/);
    expect(stderr).toMatch(/set\.jsonl:9:1: not UTF-8/);
    expect(treeOf("out")["set.jsonl"].match(/\n/g)).toHaveLength(7);
    // What failed as a whole is tried again.
    put("absent.json", JSON.stringify(history()));
    expect(batchJson("in", "absent.json", "--out", "out").report.total).toMatchObject({ failed: 3, histories: 9 });
  });

  test("a target that cannot be reached is a failure of that history", () => {
    put("a.json", JSON.stringify(history()));
    put("b.json", JSON.stringify([{ role: "user", content: "Do it." }]));
    const { code, report } = batchJson("a.json", "b.json", "--target", "5", "--provider", "lossless", "--out", "out");
    expect(code).toBe(6);
    expect(report.files).toMatchObject([{ exitCode: 6, error: { code: "target_not_met" } }, { exitCode: 0 }]);
    expect(Object.keys(treeOf("out"))).toEqual(["b.json"]);
  });

  test("refuses what it cannot do safely", () => {
    put("a.json", "[]");
    mkdirSync(path.join(folder, "mine"));
    put("mine/a.json", "[]");
    expectFailure(["batch", "a.json"], 2, /batch needs --out FOLDER/);
    expectFailure(["batch", "a.json", "--out", "-"], 2, /batch needs --out FOLDER/);
    expectFailure(["batch", "-", "--out", "new"], 2, /it cannot go on with standard input/);
    expectFailure(
      ["batch", "a.json", "--out", "mine"],
      2,
      /--out must be a new or empty folder, or one that batch has written; got "mine"/,
    );
    expectFailure(["batch", "mine", "--out", "mine"], 2, /"mine" lies in "mine"/);
    expectFailure(["batch", "a.json", "mine/a.json", "--out", "new"], 2, /two of the histories would be written to "new.a\.json"/);
    expectFailure(["batch", "a.json", "--out", "a.json"], 2, /"a.json" lies in "a.json"/);
    put("file.txt", "mine");
    expectFailure(["batch", "a.json", "--out", "file.txt"], 2, /--out must be a folder; got "file.txt"/);
    expectFailure(
      ["batch", "a.json", "--out", "new", "--provider", "truncation", "--config", '{"keep":1}'],
      2,
      /--config: keep is unknown|--config.*unknown/,
    );
    expectFailure(["batch", "a.json", "--out", "new", "--llm", "anthropic", "--model", "m"], 2, /ANTHROPIC_API_KEY/);
    expectFailure(["a.json", "mine/a.json", "--out", "new"], 2, /--out takes one history, not 2: .*; roo-condense batch/);
    expectFailure(["mine", "--out", "new"], 2, /--out takes one history; for a folder, or several: roo-condense batch/);
  });

  test("does not take its own results for inputs", () => {
    mkdirSync(path.join(folder, "in"));
    put("in/a.json", JSON.stringify(history()));
    for (let time = 0; time < 2; time++) expect(batchJson("in", "--out", "in/condensed").report.total.inputs).toBe(1);
  });
});

describe("the same command again", () => {
  const args = ["in", "--target", "60%", "--out", "out"];

  test("does nothing twice; what has changed is done anew", () => {
    makeInputs();
    const first = batchJson(...args).report;
    const before = filesOf("out");
    expect(batchJson(...args).report).toEqual(first);
    expect(filesOf("out")).toEqual(before);

    put("in/task-0.json", JSON.stringify(history({ content: "Another task." })));
    put("in/deep/task-1.json", "damaged");
    rmSync(path.join(folder, "out", "task-3.json"));
    appendFileSync(path.join(folder, "in", "set.jsonl"), `${line(40)}\n`);
    const { report } = batchJson(...args);
    expect(report.total).toMatchObject({ histories: first.total.histories, skipped: 2 });
    const after = filesOf("out");
    const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
    const redone = ["task-0", "task-3", path.join("deep", "task-1")].flatMap((name) => [`${name}.json`, `${name}.restore.json`]);
    expect(changed.sort()).toEqual([...redone, "set.jsonl"].sort());
    expect(after[path.join("deep", "task-1.json")]).toBeUndefined();
    expect(report).toEqual({ ...batchJson("in", "--target", "60%", "--out", "anew").report });
    expect(treeOf("out")).toEqual(treeOf("anew"));
  });

  test("with other settings does everything anew", () => {
    makeInputs({ files: 2, lines: 3 });
    put("config.json", '{"strategy":"head_tail"}');
    const all = [...args, "--provider", "truncation", "--config", "config.json"];
    batch(...all);
    const before = filesOf("out");
    batch(...all);
    expect(filesOf("out")).toEqual(before);
    // The name of the file is the same, its content is not.
    put("config.json", "{}");
    batch(...all);
    for (const [name, file] of Object.entries(filesOf("out"))) expect(file, name).not.toBe(before[name]);
  });

  test("goes on from a journal whose last line is torn, or that is no journal at all", { tags: ["long"] }, () => {
    makeInputs();
    batch(...args);
    const whole = treeOf("out");
    const journal = journalOf("out");
    const text = readFileSync(journal, "utf8");
    for (const end of [text.length - 40, text.indexOf("\n") + 30, 10]) {
      truncateSync(journal, end);
      expect(batchJson(...args).report.total).toMatchObject({ histories: 52, failed: 0 });
      expect(treeOf("out")).toEqual(whole);
    }
    writeFileSync(journal, "\0\0\0\n{}\n");
    expect(batch(...args).code).toBe(0);
    expect(treeOf("out")).toEqual(whole);
  });

  test.skipIf(isWindows)("after SIGKILL at any moment, writes what a run without it does", { tags: ["long"] }, async () => {
    makeInputs({ files: 12, lines: 300 });
    const { report } = batchJson("in", "--target", "60%", "--out", "expected");
    const expected = treeOf("expected");
    const count = () => (existsSync(path.join(folder, "out")) ? readdirSync(path.join(folder, "out"), { recursive: true }).length : 0);
    const part = () =>
      existsSync(path.join(folder, "out", OWN)) && readdirSync(path.join(folder, "out", OWN)).find((name) => name.endsWith(".part"));
    const partBytes = () => statSync(path.join(folder, "out", OWN, part() || "none"), { throwIfNoEntry: false })?.size ?? 0;
    const moments = [() => count() >= 1, () => count() >= 6, () => partBytes() > 0, () => partBytes() > 100_000, () => count() >= 16];
    let kills = 0;
    for (const isTime of moments) {
      const { signal } = await killWhen(args, isTime);
      if (signal === "SIGKILL") kills++;
      // A result is whole, or not there.
      for (const [name, content] of Object.entries(treeOf("out"))) expect(content, name).toBe(expected[name]);
    }
    expect(kills).toBeGreaterThan(2);
    const last = batchJson(...args);
    expect(last.code).toBe(0);
    expect(treeOf("out")).toEqual(expected);
    expect(last.report).toEqual(report);
    expect(readdirSync(path.join(folder, "out", OWN))).toEqual(["journal.jsonl"]);
  });

  test("goes on within a data set, from what is noted, whatever was written behind that", () => {
    makeInputs({ files: 0, lines: 30 });
    batch(...args);
    const result = treeOf("out")["set.jsonl"];
    const journal = journalOf("out");
    const entries = readFileSync(journal, "utf8").trimEnd().split("\n");
    const done = JSON.parse(entries.find((entry) => entry.includes('"name":"set.jsonl"')));
    const input = readFileSync(path.join(folder, "in", "set.jsonl"), "utf8").split(/(?<=\n)/);
    const sizeOf = (lines) => Buffer.byteLength(lines.join(""));
    const at = sizeOf(input.slice(0, 10));
    const out = sizeOf(result.split(/(?<=\n)/).slice(0, 10));
    const noted = { ...done, at, lines: 10, out, sums: { ...done.sums, histories: 10 } };
    const others = entries.filter((entry) => !entry.includes('"name":"set.jsonl"'));
    writeFileSync(journal, `${[...others, JSON.stringify(noted)].join("\n")}\n`);
    rmSync(path.join(folder, "out", "set.jsonl"));
    const name = require("node:crypto").createHash("sha256").update("set.jsonl").digest("hex");
    // Its first ten lines are kept as they are, even marked; what follows is not.
    const marked = result.slice(0, out).replace("Task 0.", "TASK 0.");
    writeFileSync(path.join(folder, "out", OWN, `${name}.part`), `${marked}half a li`);
    writeFileSync(path.join(folder, "out", OWN, "9.tmp"), "left by a killed thread");
    expect(batch(...args).code).toBe(0);
    expect(treeOf("out")["set.jsonl"]).toBe(result.replace("Task 0.", "TASK 0."));
    expect(readdirSync(path.join(folder, "out", OWN))).toEqual(["journal.jsonl"]);
  });

  test("begins a data set anew if what was written is gone, and counts each failure once", () => {
    const lines = Array.from({ length: 20 }, (_, index) => line(index));
    lines[2] = "damaged";
    put("set.jsonl", `${lines.join("\n")}\n`);
    const own = ["set.jsonl", "--target", "60%", "--out", "out"];
    const { report } = batchJson(...own);
    const [header, ...entries] = readFileSync(journalOf("out"), "utf8").trimEnd().split("\n");
    const done = JSON.parse(entries[0]);
    const at = Buffer.byteLength(lines.slice(0, 5).join("\n")) + 1;
    const failures = [{ line: 3, exitCode: 4, code: "not_json", message: "damaged" }];
    const noted = { ...done, at, from: 0, lines: 5, out: 500, sums: { ...done.sums, histories: 4 }, failures };
    writeFileSync(journalOf("out"), `${header}\n${JSON.stringify(noted)}\n`);
    rmSync(path.join(folder, "out", "set.jsonl"));
    expect(batchJson(...own).report).toEqual(report);
    expect(report.files[0].failures).toHaveLength(1);
  });

  test.skipIf(isWindows)(
    "Ctrl+C ends it in order, a second batch is refused meanwhile, and a model that failed is asked again",
    async () => {
      let hangs = true;
      const server = await startFakeLlm(() => (hangs ? stream({ hang: true }) : stream(...anthropicEvents(["What was done."]))));
      servers.push(server);
      const env = { ANTHROPIC_API_KEY: "key-1" };
      put("history.json", readFileSync(fixture("claude-code")));
      const llm = ["history.json", "--llm", "anthropic", "--model", "m", "--base-url", server.url, "--out", "out"];
      let second;
      const { code, stderr } = await killWhen(
        llm,
        () => {
          if (server.requests.length === 0) return false;
          second ??= run(["batch", ...llm, "--no-progress"], { env });
          return true;
        },
        "SIGINT",
        env,
      );
      expect(second).toMatchObject({
        code: 7,
        stderr: expect.stringMatching(
          /another batch \(process \d+\) is writing to out; if there is none, remove out.\.roo-condense-batch.lock\n/,
        ),
      });
      expect([code, stderr]).toEqual([130, "roo-condense: interrupted; the same command goes on from here\n"]);
      expect(Object.keys(treeOf("out"))).toEqual([]);
      hangs = false;
      const asked = server.requests.length;
      const last = await new Promise((resolve) => {
        const child = spawn(process.execPath, [main, "batch", ...llm, "--json", "--no-progress"], {
          cwd: folder,
          env: { ...environment, ...env },
        });
        let said = "";
        child.stdout.on("data", (part) => (said += part));
        child.on("close", (ended) => resolve({ code: ended, report: JSON.parse(said) }));
      });
      expect(last).toMatchObject({ code: 0, report: { total: { histories: 1, failed: 0 } } });
      expect(server.requests.length).toBeGreaterThan(asked);
      expect(JSON.stringify(readJson(path.join(folder, "out", "history.json")))).toContain("What was done.");
      expect(readFileSync(journalOf("out"), "utf8")).not.toContain("key-1");
    },
  );
});

describe("whole lines of a file", () => {
  async function piecesOf(text, options) {
    const handle = await open(put("lines.txt", text));
    const pieces = [];
    try {
      for await (const piece of wholeLines(handle, options)) pieces.push({ ...piece, bytes: piece.bytes?.toString() });
    } finally {
      await handle.close();
    }
    return pieces;
  }

  test.each(["", "a", "a\n", "\n\n", "one\ntwo\nthree", `${"x".repeat(50)}\nshort\n${"y".repeat(30)}\nz`, "ab\n".repeat(40)])(
    "%j",
    async (text) => {
      for (const block of [1, 2, 3, 7, 16, 1000]) {
        const pieces = await piecesOf(text, { block });
        expect(pieces.map(({ bytes }) => bytes).join("")).toBe(text);
        let at = 0;
        let line = 1;
        for (const piece of pieces) {
          expect(piece).toMatchObject({ at, line, end: at + piece.bytes.length });
          expect(piece.bytes.slice(0, -1).split("\n")).toHaveLength(piece.count);
          // A line alone, or no more than was read at once.
          expect(piece.count === 1 || piece.bytes.length <= block).toBe(true);
          at = piece.end;
          line += piece.count;
        }
        // From any piece on, the rest is the same.
        for (const { at: from, line: first } of pieces) {
          const rest = await piecesOf(text, { block, at: from, line: first });
          expect(rest.map(({ bytes }) => bytes).join("")).toBe(text.slice(from));
          expect(rest[0].line).toBe(first);
        }
      }
    },
  );

  test("a line that is too long is skipped, and no further than `size` is read", async () => {
    const text = `ab\n${"x".repeat(20)}\ncd\n`;
    const pieces = await piecesOf(text, { block: 4, longest: 10 });
    expect(pieces.map(({ bytes, line: number }) => [bytes, number])).toEqual([
      ["ab\n", 1],
      [undefined, 2],
      ["cd\n", 3],
    ]);
    expect((await piecesOf(text, { block: 4, longest: 10, size: 10 })).map(({ bytes, end }) => [bytes, end])).toEqual([
      ["ab\n", 3],
      ["xxxxxxx", 10],
    ]);
  });

  test("are told apart with their breaks", () => {
    const lines = [...linesIn({ bytes: Buffer.from("a\r\n\nb\n\r\nc"), line: 7 })];
    expect(lines.map(({ number, bytes, lineBreak }) => [number, `${bytes}`, `${lineBreak}`])).toEqual([
      [7, "a", "\r\n"],
      [8, "", "\n"],
      [9, "b", "\n"],
      [10, "", "\r\n"],
      [11, "c", ""],
    ]);
  });
});

describe("work in order", () => {
  const { signal } = new AbortController();
  async function* numbers(count) {
    for (let index = 0; index < count; index++) yield index;
  }

  test("is committed in order, with no more under way than the limit", async () => {
    const committed = [];
    let held = 0;
    let most = 0;
    await inOrder(numbers(50), {
      async work(index) {
        most = Math.max(most, ++held);
        await new Promise((resolve) => setTimeout(resolve, (index * 7) % 5));
        return index * 2;
      },
      async commit(item, answer) {
        held--;
        committed.push([item, answer]);
      },
      weightOf: () => 1,
      limit: 6,
      signal,
    });
    expect(committed).toEqual(Array.from({ length: 50 }, (_, index) => [index, index * 2]));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(7);
  });

  test("an item heavier than the limit goes alone; a failure ends all", async () => {
    const committed = [];
    const how = { commit: async (item) => committed.push(item), weightOf: () => 100, limit: 6, signal };
    await inOrder(numbers(3), { ...how, work: async (index) => index });
    expect(committed).toEqual([0, 1, 2]);
    const work = async (index) => {
      if (index === 1) throw new Error("no");
    };
    await expect(inOrder(numbers(3), { ...how, work })).rejects.toThrow("no");
  });
});

describe("threads", () => {
  test("one that dies fails its job alone", async () => {
    const file = put(
      "worker.cjs",
      `const { parentPort } = require("node:worker_threads");
parentPort.on("message", (what) => {
  if (what === "exit") process.exit(3);
  if (what === "throw") throw new Error("thrown");
  if (what === "fill") { const all = []; for (;;) all.push(new Array(1e5).fill(1.5)); }
  parentPort.postMessage("did " + what);
});`,
    );
    const pool = new WorkerPool(file, { size: 2, data: undefined });
    const jobs = ["a", "exit", "b", "throw", "c", "d"].map((what) => pool.run(what));
    const told = (await Promise.allSettled(jobs)).map((each) => (each.status === "fulfilled" ? each.value : each.reason.message));
    expect(told).toEqual(["did a", "the thread ended", "did b", "thrown", "did c", "did d"]);
    await pool.close();
  });
});
