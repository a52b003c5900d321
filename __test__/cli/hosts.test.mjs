// The command line on odd files, full disks and unreliable networks: what is written is whole, what is not is said.
// @module-tag long

import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { anthropicEvents, startFakeLlm, stream } from "../llm/fake-llm.mjs";

const main = path.join(root, "js", "cli", "main.js");
const source = path.join(root, "fixtures", "claude-code.json");
const isWindows = process.platform === "win32";
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$|_API_KEY$|^NODE_EXTRA/i.test(name)));

const folders = [];
/** A new folder for each test, with a history in it. */
let folder;
let file;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "roo-condense-cli-"));
  folders.push(folder);
  file = path.join(folder, "history.json");
  writeFileSync(file, readFileSync(source));
});
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })));

const names = () => readdirSync(folder).sort();
const text = (name) => readFileSync(path.join(folder, name), "utf8");

/** Runs a shell command in the folder of the test, in which `condense` is the program. */
function shell(command, env = {}) {
  const ended = spawnSync("bash", ["-c", `condense() { "${process.execPath}" "${main}" "$@"; }; ${command}`], {
    cwd: folder,
    env: { ...environment, ...env },
    encoding: "utf8",
    timeout: 150_000,
  });
  return { code: ended.status, stdout: ended.stdout, stderr: ended.stderr };
}

/** Runs the program without a shell. */
function run(args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: { ...environment, ...env } });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (data) => (said[name] += data));
    child.on("close", (code, signal) => resolve({ code, signal, ...said }));
  });
}

const oneLine = (pattern) => expect.stringMatching(new RegExp(`^roo-condense: [^\\n]*${pattern}[^\\n]*\\n$`));

describe.skipIf(isWindows)("--in-place", () => {
  test.each([
    ["a pipe", "mkfifo odd && condense odd --in-place", "odd is a pipe"],
    ["what a shell substitutes", "condense <(cat history.json) --in-place", "is a pipe"],
    ["a device", "condense /dev/null --in-place", "is a device"],
  ])("refuses %s before it reads it", (_, command, part) => {
    const { code, stdout, stderr } = shell(command);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(part);
    expect(stderr).toContain("use --out FILE to write the result elsewhere");
    expect(names().filter((name) => name !== "odd")).toEqual(["history.json"]);
  });

  test("of a file with several names: they keep the old content, which is said, also with --quiet and in the report", () => {
    const before = text("history.json");
    linkSync(file, path.join(folder, "other.json"));
    const { code, stderr } = shell("condense history.json --in-place --quiet");
    expect([code, stderr]).toEqual([
      0,
      "roo-condense: history.json has 1 other name (hard links), which keep the old content\n".replace("history.json", file),
    ]);
    expect(text("other.json")).toBe(before);
    expect(text("history.json.bak")).toBe(before);
    expect(text("history.json").length).toBeLessThan(before.length);
    linkSync(path.join(folder, "other.json"), path.join(folder, "third.json"));
    expect(JSON.parse(shell("condense other.json --in-place --json").stdout).output).toMatchObject({ otherNames: 1 });
  });

  test("through symbolic links the content reaches the file behind the last one", () => {
    mkdirSync(path.join(folder, "deep"));
    writeFileSync(path.join(folder, "deep", "real.json"), readFileSync(source));
    symlinkSync("deep/real.json", path.join(folder, "one"));
    symlinkSync("one", path.join(folder, "two"));
    expect(shell("condense two --in-place").code).toBe(0);
    expect(statSync(path.join(folder, "deep", "real.json")).size).toBeLessThan(statSync(source).size);
    expect(readdirSync(path.join(folder, "deep")).sort()).toEqual(["real.json", "real.json.bak", "real.restore.json"]);
    expect(names()).toEqual(["deep", "history.json", "one", "two"]);
  });
});

describe.skipIf(!existsSync("/dev/full"))("standard output on a full disk", () => {
  test.each([
    ["the result", "--out -"],
    ["the report", ""],
    ["the report as JSON", "--json"],
  ])("%s: 7, and one line", (_, args) => {
    const { code, stdout, stderr } = shell(`condense history.json ${args} > /dev/full`);
    expect([code, stdout]).toEqual([7, ""]);
    // With --out - the report goes where the failure goes; there is none then.
    expect(stderr).toEqual(oneLine("standard output: the disk is full"));
  });

  test("help and version too", () => {
    for (const option of ["--help", "--version"])
      expect(shell(`condense ${option} > /dev/full`)).toEqual({
        code: 7,
        stdout: "",
        stderr: oneLine("standard output: the disk is full"),
      });
  });

  test("a failure that cannot be printed as JSON is told on standard error", () => {
    const { code, stderr } = shell("condense nowhere.json --json > /dev/full");
    expect(code).toBe(3);
    expect(stderr).toBe(
      "roo-condense: nowhere.json: there is no such file\nFiles there: history.json\nThe newest session on this machine: roo-condense --last\n",
    );
  });

  test("where the result is written already, that is said", () => {
    const { code, stderr } = shell("condense history.json --in-place > /dev/full");
    expect(code).toBe(7);
    expect(stderr).toMatch(/standard output: the disk is full\nOnly the report is missing: the result was written to .*history\.json\.\n/);
    expect(names()).toEqual(["history.json", "history.json.bak", "history.restore.json"]);
    expect(JSON.parse(text("history.json"))).toBeTruthy();
  });

  test("standard error on a full disk stops nothing", () => {
    expect(shell("condense history.json --out shorter.json 2> /dev/full").code).toBe(0);
    expect(shell("condense history.json --target 1 2> /dev/full").code).toBe(6);
    expect(JSON.parse(text("shorter.json"))).toBeTruthy();
  });
});

describe.skipIf(isWindows)("a file that cannot be written whole is not written", () => {
  // What a process may write to one file stands in for a disk that fills up.
  const little = "trap '' XFSZ; ulimit -f 16;";
  test.each([
    ["the backup", "condense history.json --in-place"],
    ["a new file", "condense history.json --out new.json"],
    ["another file", "echo mine > there.json; condense history.json --out there.json --force"],
    ["a device", "condense history.json --out /dev/full"],
  ])("%s", (_, command) => {
    const before = text("history.json");
    const { code, stderr } = shell(`${little} ${command}`);
    expect(code).toBe(7);
    expect(stderr).toEqual(oneLine("(exceeds the size limit of this process|the disk is full)"));
    expect(text("history.json")).toBe(before);
    expect(names().filter((name) => name !== "there.json")).toEqual(["history.json"]);
    if (command.includes("there")) expect(text("there.json")).toBe("mine\n");
  });

  test("in a folder that nobody may write to", () => {
    const { code, stderr } = shell("condense history.json --out /proc/new.json");
    expect(code).toBe(7);
    // What leads back is written first.
    expect(stderr).toEqual(oneLine("/proc/new.restore.json"));
  });
});

describe.skipIf(isWindows)("endings", () => {
  test("a reader that stops early: the result is written all the same", () => {
    const { code, stderr } = shell("set -o pipefail; condense history.json --in-place --explain | true");
    expect([code, stderr]).toEqual([0, ""]);
    expect(names()).toEqual(["history.json", "history.json.bak", "history.restore.json"]);
    expect(shell("condense history.json --out - --target 20% | head -c 10").stderr).not.toMatch(/Error|EPIPE|node:/);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ])("%s while a model is asked: %i, and nothing is written", async (signal, expected) => {
    const server = await startFakeLlm(() => stream({ hang: true }));
    const child = spawn(
      process.execPath,
      [main, "history.json", "--in-place", "--llm", "anthropic", "--model", "m", "--base-url", server.url],
      { cwd: folder, env: { ...environment, ANTHROPIC_API_KEY: "sk-0123456789" } },
    );
    let stderr = "";
    child.stderr.on("data", (data) => (stderr += data));
    await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBeGreaterThan(0);
    child.kill(signal);
    const code = await new Promise((resolve) => child.on("close", resolve));
    await server.close();
    expect([code, stderr]).toEqual([expected, "roo-condense: interrupted; nothing was written\n"]);
    expect(names()).toEqual(["history.json"]);
  });

  test("a signal ends a program that waits for a pipe", async () => {
    spawnSync("mkfifo", [path.join(folder, "pipe")]);
    const child = spawn(process.execPath, [main, "pipe"], { cwd: folder, env: environment, stdio: "ignore" });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    child.kill("SIGTERM");
    expect(await new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)))).toBe("SIGTERM");
  });
});

describe("keys and networks", () => {
  const llm = ["--llm", "anthropic", "--model", "m"];
  const key = { ANTHROPIC_API_KEY: "sk-very-secret-0123456789" };

  test("a key goes over plain http to no other machine, unless that is asked for", async () => {
    const elsewhere = ["history.json", "-o", "other.json", ...llm, "--base-url", "http://llm.example.invalid/v1"];
    const refused = await run(elsewhere, key);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/unencrypted/);
    expect(refused.stderr).toMatch(/--insecure sends the key unencrypted/);
    expect(refused.stderr).not.toContain("very-secret");
    // Asked for, it is tried, and there is nobody of that name.
    expect((await run([...elsewhere, "--insecure", "--provider", "native"], key)).stderr).toMatch(
      /could not connect|connection|dns|resolve/i,
    );
    expect((await run(elsewhere.slice(0, 1).concat("--insecure"))).stderr).toMatch(/--insecure needs --llm/);
  });

  test("to this machine it goes", async () => {
    const server = await startFakeLlm(() => stream(...anthropicEvents(["What was done."])));
    const { code, stderr } = await run(
      ["history.json", ...llm, "--base-url", server.url, "--provider", "native", "--out", "new.json"],
      key,
    );
    await server.close();
    expect([code, stderr]).toEqual([0, ""]);
    expect(server.requests).toHaveLength(1);
    expect(text("new.json")).toContain("What was done.");
  });

  test.each(["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])("%s that is no address is an error, never a direct connection", async (name) => {
    for (const value of ["http://user:hunter22@ proxy", "ftp://proxy.example", "://", "proxy:port"]) {
      const { code, stderr } = await run(["history.json", "-o", "new.json", ...llm, "--base-url", "https://llm.example.invalid"], {
        ...key,
        [name]: value,
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining(name)]);
      expect(stderr).not.toContain("hunter22");
    }
  });

  const openssl = spawnSync("openssl", ["version"]).status === 0;
  test.skipIf(!openssl || isWindows)("a self-signed certificate in NODE_EXTRA_CA_CERTS is accepted, as Node does", async () => {
    const made = spawnSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        "key.pem",
        "-out",
        "cert.pem",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
      ],
      { cwd: folder },
    );
    expect(made.status).toBe(0);
    const behind = await startFakeLlm(() => stream(...anthropicEvents(["What was done."])));
    const server = https.createServer({ key: text("key.pem"), cert: text("cert.pem") }, (request, response) => {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", async () => {
        const answer = await fetch(behind.url + request.url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: Buffer.concat(chunks),
        });
        response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
        response.end(Buffer.from(await answer.arrayBuffer()));
      });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const address = /** @type {import("node:net").AddressInfo} */ (server.address());
    const args = ["history.json", ...llm, "--provider", "native", "--base-url", `https://localhost:${address.port}`, "--out"];
    const strange = await run([...args, "strange.json"], key);
    expect([strange.code, strange.stderr]).toEqual([1, expect.stringMatching(/certificate|NODE_EXTRA_CA_CERTS/)]);
    expect(behind.requests).toHaveLength(0);
    const trusted = await run([...args, "trusted.json"], { ...key, NODE_EXTRA_CA_CERTS: path.join(folder, "cert.pem") });
    expect([trusted.code, trusted.stderr]).toEqual([0, ""]);
    expect(text("trusted.json")).toContain("What was done.");
    server.close();
    server.closeAllConnections();
    await behind.close();
  });
});
