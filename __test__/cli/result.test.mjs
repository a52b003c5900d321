// `roo-condense result`: the output of a command, shortened before a model reads it.

import { existsSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync, mkdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { environment, expectFailure, folder, isWindows, library, main, put, run } from "./support.mjs";

const log = (lines = 3000) =>
  Array.from({ length: lines }, (_, at) => (at === 1500 ? "error: cannot find the thing" : `   Compiling part_${at} v0.${at}.0`)).join(
    "\n",
  );

const own = () => ({ env: { XDG_CACHE_HOME: path.join(folder, "cache"), LOCALAPPDATA: path.join(folder, "cache") } });
const wholeOf = (stdout) => /; whole result: (.+)\]\n$/.exec(stdout)?.[1];

test("the failure stays, the exit code is said and passed on, and the whole is kept in a file", () => {
  const { code, stdout, stderr } = run(["result", "--budget", "400", "--exit-code", "101"], { input: log(), ...own() });
  expect({ code, stderr }).toEqual({ code: 101, stderr: "" });
  expect(stdout).toContain("\nerror: cannot find the thing\n");
  expect(stdout).toMatch(/\[Left out of this result: \d+ of 3000 lines, \d+ of \d+ tokens; exit code 101; whole result: .+\]\n$/);
  expect(library.countTokens(stdout.trimEnd())).toBeLessThanOrEqual(400);
  const file = wholeOf(stdout);
  expect(path.dirname(file)).toBe(path.join(folder, "cache", "roo-condense", "results"));
  expect(readFileSync(file, "utf8")).toBe(log());
  if (!isWindows) expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(readdirSync(path.dirname(file))).toHaveLength(1);
});

test.each(["256", "4294967296"])("exit code %s does not end as a success", (exitCode) => {
  const { code, stdout } = run(["result", "--budget", "400", "--exit-code", exitCode], { input: log(), ...own() });
  expect(code).toBe(1);
  expect(stdout).toContain(`exit code ${exitCode};`);
});

test("the note names a folder as it is called", () => {
  const { stdout } = run(["result", "--budget", "400", "--store", path.join(folder, "two  blanks")], { input: log() });
  expect(readFileSync(wholeOf(stdout), "utf8")).toBe(log());
});

test("a file, a folder of one's own, JSON", () => {
  const output = put("build.log", log());
  const { code, stdout } = run(["result", output, "--store", "kept", "--json", "--budget=400"]);
  const report = JSON.parse(stdout);
  expect([code, report.exitCode, report.fits, report.of]).toEqual([0, 0, true, 3000]);
  expect(readFileSync(report.file, "utf8")).toBe(log());
  expect(path.dirname(report.file)).toBe(path.join(folder, "kept"));
  expect(report.result).toContain("error: cannot find the thing");
});

test("any bytes: what fits leaves as it came, the whole is kept as it was", () => {
  const broken = Buffer.concat([Buffer.from([0xff, 0x80, 0x00, 0x41]), Buffer.from("short\r\n")]);
  const short = run(["result"], { input: broken, encoding: "buffer", ...own() });
  expect(short.stdout.equals(broken)).toBe(true);
  expect(existsSync(path.join(folder, "cache"))).toBe(false);
  const long = Buffer.concat([Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(log())]);
  const cut = run(["result", "--budget", "400"], { input: long, ...own() });
  expect(cut.stdout).toContain("error: cannot find the thing");
  expect(readFileSync(wholeOf(cut.stdout)).equals(long)).toBe(true);
  for (const encoded of [
    Buffer.from(log(), "utf16le"),
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(log(), "utf16le")]),
    Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(log(), "utf16le").swap16()]),
  ]) {
    const { stdout } = run(["result", "--budget", "400"], { input: encoded, ...own() });
    expect(stdout).toContain("\nerror: cannot find the thing\n");
    expect(readFileSync(wholeOf(stdout)).equals(encoded)).toBe(true);
  }
  expect(run(["result"], { input: "" })).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

test("characters on the borders of what is read at once are whole, in every encoding", () => {
  const text = `${Array.from({ length: 60_000 }, (_, at) => `строка ${at} \u{1f600} ${"a".repeat(at % 3)}\n`).join("")}error: всё\n`;
  const outputs = [Buffer.from(text), Buffer.from(`\ufeff${text}`, "utf16le")].map((input) => {
    const { stdout } = run(["result", "--store", "kept", "--budget", "400"], { input });
    expect(readFileSync(wholeOf(stdout)).equals(input)).toBe(true);
    return stdout;
  });
  expect(outputs[0]).toContain("\nerror: всё\n");
  expect(outputs[0]).not.toContain("\ufffd");
  const shown = outputs.map((output) => output.slice(0, output.lastIndexOf("\n[")));
  expect(shown[1]).toBe(shown[0]);
  expect(run(["result", "--budget", "9000000"], { input: text }).stdout).toBe(text);
});

test("a folder that cannot keep it is told, and the note names none", () => {
  put("kept", "a file");
  const { code, stdout, stderr } = run(["result", "--store", "kept", "--budget", "400"], { input: log() });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^roo-condense: the whole output is not kept: .*\n$/);
  expect(stdout).toMatch(/of 3000 lines, \d+ of \d+ tokens\]\n$/);
  expect(stdout).toContain("error: cannot find the thing");
});

test.runIf(existsSync("/proc/self"))("a file system that refuses folders as if the one above were missing", () => {
  const { code, stderr } = run(["result", "--store", "/proc/kept/here", "--budget", "400"], { input: log() });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^roo-condense: the whole output is not kept: \/proc\/kept\/here: .+\n$/);
});

test.skipIf(isWindows)("a full disk: the note names no file, and no draft is left", () => {
  const output = put("build.log", log(20_000));
  const { stdout, stderr, status } = spawnSync(
    "sh",
    ["-c", `trap '' XFSZ; ulimit -f 16; "${process.execPath}" "${main}" result "${output}" --store kept --budget 400`],
    { cwd: folder, env: environment, encoding: "utf8" },
  );
  expect(status).toBe(0);
  expect(stderr).toMatch(/^roo-condense: the whole output is not kept: .*exceeds the size limit of this process.*\n$/);
  expect(stdout).toMatch(/of 20000 lines, \d+ of \d+ tokens\]\n$/);
  expect(readdirSync(path.join(folder, "kept"))).toEqual([]);
});

test("drafts that a killed process left are removed, not those that may be written still; a new one replaces what another kept", () => {
  const [old, fresh] = [1, 2].map((at) => `.r0123456789abcde.txt.0c08ac2c-e2f4-473c-b9d2-ebf3bd6c003${at}.tmp`);
  mkdirSync(path.join(folder, "kept"));
  for (const name of [old, fresh, "mine.tmp"]) put(path.join("kept", name), "half");
  const before = new Date(Date.now() - 2 * 3_600_000);
  for (const name of [old, "mine.tmp"]) utimesSync(path.join(folder, "kept", name), before, before);
  for (let time = 0; time < 2; time++) run(["result", "--store", "kept", "--budget", "400"], { input: log() });
  const [result, ...others] = readdirSync(path.join(folder, "kept")).sort().reverse();
  expect(others).toEqual(["mine.tmp", fresh]);
  expect(readFileSync(path.join(folder, "kept", result), "utf8")).toBe(log());
});

test("in the default folder old results go, and nothing else", () => {
  const results = path.join(folder, "cache", "roo-condense", "results");
  mkdirSync(results, { recursive: true });
  const old = new Date(Date.now() - 40 * 24 * 3_600_000);
  for (const name of ["r0123456789abcde.txt", "notes.txt", "r0123456789abcdf.txt"]) {
    writeFileSync(path.join(results, name), "x");
    if (!name.endsWith("f.txt")) utimesSync(path.join(results, name), old, old);
  }
  run(["result", "--budget", "400"], { input: "short", ...own() });
  expect(readdirSync(results).sort()).toEqual(["notes.txt", "r0123456789abcdf.txt"]);
});

test.each([
  [["result", "--budget", "0"], /--budget must be a whole number of tokens from 1 to 999999999; got "0"/],
  [["result", "--budget", "4.5"], /--budget must be/],
  [["result", "--exit-code", "x"], /--exit-code must be a whole number; got "x"/],
  [["result", "--target", "50%"], /result has no flag --target/],
])("%j is wrong", (args, message) => {
  expectFailure(args, 2, message);
});

test("outputs of other bytes are kept apart, though they are the same text", () => {
  const [one, other] = [0xfe, 0xff].map((byte) => Buffer.concat([Buffer.from(log()), Buffer.from([byte])]));
  const files = [one, other].map((output) => wholeOf(run(["result", "--budget", "400"], { input: output, ...own() }).stdout));
  expect(files.map((file) => readFileSync(file))).toEqual([one, other]);
});

test.skipIf(isWindows)("a reader that has enough before the end changes no exit code", () => {
  const command = `seq 1 400000 | "$@" | head -1; echo "\${PIPESTATUS[1]}"`;
  const args = [process.execPath, main, "result", "--budget", "999999999", "--exit-code", "7"];
  const { stdout } = spawnSync("bash", ["-c", command, "bash", ...args], {
    encoding: "utf8",
    cwd: folder,
    env: { ...environment, ...own().env },
  });
  expect(stdout).toBe("1\n7\n");
});

test("without a binary the output goes on as it came", () => {
  const env = { ...own().env, ROO_CONDENSE_BINARY: path.join(folder, "none.node") };
  const { code, stdout, stderr } = run(["result", "--budget", "400", "--exit-code", "3"], { input: log(), env });
  expect([code, stdout === log()]).toEqual([3, true]);
  expect(stderr).toContain("the output is not shortened: ");
});

test("a file is no folder to keep outputs in", () => {
  const store = put("a-file", "");
  const { code, stderr } = run(["result", "--budget", "400", "--store", store], { input: log() });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/not kept: .*a-file: a part of the path is not a folder\n$/)]);
});

test("a file that is not there, or may not be read", () => {
  expectFailure(["result", "missing.log"], 3, /missing\.log: there is no such file/);
  expectFailure(["result", "."], 3, /is a folder/);
});
