// The command line with a language model: what it costs nobody, what it shows, and what it says when there is no answer.
// @module-tag long

import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { HANG, anthropicEvents, json, startFakeLlm, stream } from "../llm/fake-llm.mjs";
import { copyOf, environment, expectFailure, fixture, folder, isWindows, main, readJson, snapshot } from "./support.mjs";

const services = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

async function serviceThat(script) {
  const service = await startFakeLlm(script);
  services.push(service);
  return service;
}

const model = (service) => ["--llm", "anthropic", "--model", "claude-test", "--base-url", service.url];

/** Runs the program while the service of this process answers. `during` is given the child. */
function start(args, during = (_child) => {}) {
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: { ...environment, ANTHROPIC_API_KEY: "k-1" } });
  const ended = { stdout: "", stderr: "" };
  child.stdout.on("data", (data) => (ended.stdout += data));
  child.stderr.on("data", (data) => (ended.stderr += data));
  during(child);
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, ...ended })));
}

const refusal = (status, type) => json(status, { type: "error", error: { type, message: "no such thing" } });

describe("a model that answers", () => {
  test("its summary is shown and written", async () => {
    const service = await serviceThat(() => stream(...anthropicEvents(["## Done so far\n", "The parser was mended\u001b[2J."])));
    const { code, stdout, stderr } = await start([fixture("claude-code"), "-o", "new.json", ...model(service)]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/\nSummary\n {2}## Done so far\n {2}The parser was mended\ufffd\[2J\.\n/);
    expect(JSON.stringify(readJson(path.join(folder, "new.json")))).toContain("The parser was mended");
    expect(existsSync(path.join(folder, "new.restore.json"))).toBe(true);
  });

  test("nobody is asked where the result would be thrown away", async () => {
    const service = await serviceThat(() => stream(...anthropicEvents(["A summary."])));
    const { code, stderr } = await start([fixture("claude-code"), ...model(service)]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--llm costs money, so the result must be kept/)]);
    expect((await start([fixture("claude-code"), "--preview", ...model(service)])).code).toBe(0);
    expect(service.requests).toEqual([]);
    expect((await start([fixture("claude-code"), "--json", ...model(service)])).code).toBe(0);
    expect(service.requests.length).toBeGreaterThan(0);
  });
});

describe("the studio with a model", () => {
  test("estimates without asking, asks when it is told to, and knows the price", async () => {
    const service = await serviceThat(() => stream(...anthropicEvents(["## Done so far\n", "The parser was mended."])));
    const price = '{"inputPrice":3,"outputPrice":15}';
    const found = {};
    const { code, stderr } = await start(["studio", copyOf("claude-code"), "--no-open", "--price", price, ...model(service)], (child) => {
      let told = "";
      child.stdout.on("data", async (data) => {
        told += data;
        const [address] = /^http:\S+$/m.exec(told) ?? [];
        if (!address || !told.includes("Ctrl+C") || found.told) return;
        found.told = told;
        const ask = async (method, params = {}) => {
          const request = {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ id: 1, method, params }),
          };
          return (await (await fetch(new URL("call", address), request)).json()).answer;
        };
        const [{ id: history }] = (await ask("hello")).histories;
        found.estimate = await ask("condense", { history, provider: "native" });
        found.requests = service.requests.length;
        found.asked = await ask("condense", { history, provider: "native", ask: true });
        child.kill("SIGINT");
      });
    });
    expect([code, stderr]).toEqual([isWindows ? null : 0, ""]);
    expect(found.told).toMatch(/claude-test runs when you press the button/);
    expect(found.estimate).toMatchObject({ exact: false, didCondense: true });
    expect(found.estimate.cost).toBeGreaterThan(0);
    expect(found.requests).toBe(0);
    expect(service.requests.length).toBeGreaterThan(0);
    expect(found.asked).toMatchObject({ exact: true, didCondense: true });
    expect(found.asked.cost).toBeGreaterThan(0);
  });
});

describe("a model that does not answer is a failure, and nothing is written", () => {
  test.each([
    ["401", () => refusal(401, "authentication_error"), "llm_unauthorized"],
    ["404", () => refusal(404, "not_found_error"), "llm_not_found"],
    ["400", () => refusal(400, "invalid_request_error"), "llm_bad_request"],
    ["an empty summary", () => stream(...anthropicEvents([" "])), "summary_empty"],
  ])("%s", async (_, script, code) => {
    const service = await serviceThat(script);
    const file = copyOf("claude-code");
    for (const more of [[], ["--preset", "conservative"]].slice(0, code === "summary_empty" ? 1 : 2)) {
      const before = snapshot();
      const args = [file, "--in-place", ...model(service), ...more];
      const ended = await start(args);
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      const hint = code === "llm_unauthorized" ? "The key comes from the environment variable ANTHROPIC_API_KEY\\.\\n" : "";
      expect(ended.stderr).toMatch(
        new RegExp(`^roo-condense: .*${code}.*nothing was written \\(--fallback condenses without the model\\)\\n${hint}$`),
      );
      expect(snapshot()).toEqual(before);
      const { stdout } = await start(
        [file, "-o", "new.json", "--json", ...model(service), ...more].filter((arg) => arg !== "-o" && arg !== "new.json"),
      );
      expect(JSON.parse(stdout)).toMatchObject({ exitCode: 1, error: { code } });
    }
    const allowed = await start([file, "-o", "new.json", "--fallback", ...model(service)]);
    expect(allowed).toMatchObject({ code: 0, stderr: "" });
    expect(allowed.stdout).toContain(code);
    const { stdout } = await start([file, "--json", "--fallback", ...model(service)]);
    const { providers, tokens } = JSON.parse(stdout);
    expect(providers.map(({ id }) => id)).toEqual([...new Set(providers.map(({ id }) => id))]);
    expect(providers[0]).toEqual({ id: "native", tokensSaved: 0 });
    expect(providers.reduce((sum, { tokensSaved }) => sum + tokensSaved, 0)).toBe(tokens.saved);
    expect(readdirSync(folder).sort()).toEqual(["history.json", "new.json", "new.restore.json"]);
  });

  test("a refused connection", () => {
    const args = ["--llm", "anthropic", "--model", "m", "--base-url", "http://127.0.0.1:9", "-o", "new.json"];
    expectFailure([fixture("claude-code"), ...args], 1, /llm_connection_failed.*nothing was written/, { env: { ANTHROPIC_API_KEY: "k" } });
  });
});

describe.skipIf(isWindows)("interruptions while a model is asked", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ])("%s ends in order, with %i", async (signal, exitCode) => {
    let child;
    const service = await serviceThat(() => {
      child.kill(signal);
      return stream(...anthropicEvents(["Begun"]).slice(0, 3), HANG);
    });
    const ended = await start([fixture("claude-code"), "-o", "new.json", ...model(service)], (started) => (child = started));
    expect(ended).toMatchObject({
      code: exitCode,
      signal: null,
      stdout: "",
      stderr: expect.stringMatching(/interrupted; nothing was written\n$/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a second one ends it at once", async () => {
    let child;
    const service = await serviceThat(() => {
      // Both are there before the first is heard.
      child.kill("SIGTERM");
      child.kill("SIGINT");
      return stream(...anthropicEvents(["Begun"]).slice(0, 3), HANG);
    });
    const ended = await start([fixture("claude-code"), "-o", "new.json", ...model(service)], (started) => (child = started));
    // By its own doing, or by that of the system where the work had ended in order before the second was heard.
    expect([130, 143, null]).toContain(ended.code);
    expect(ended.stdout).toBe("");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("while the thread is busy, one is enough", async () => {
    const pipe = path.join(folder, "pipe.json");
    execFileSync("mkfifo", [pipe]);
    const ended = await start(["count", pipe], async (child) => {
      // More than a pipe holds is taken once it is being read, and as nobody ends it, the thread waits in that one call.
      const writing = await open(pipe, "w");
      await writing.write(Buffer.alloc(1 << 20, " "));
      child.kill("SIGINT");
      child.once("close", () => writing.close());
    });
    expect(ended).toMatchObject({ code: null, signal: "SIGINT", stdout: "" });
  });
});
