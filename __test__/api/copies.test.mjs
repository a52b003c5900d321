// Two copies of the package in one process.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import util from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { api, conversation, expectRefused, expectRejected, expectThrown } from "./support.mjs";

const require = createRequire(import.meta.url);
const BRAND = Symbol.for("roo-condense.brand");

let folder;
let other;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "roo-condense-copy-"));
  for (const name of ["index.js", "js", "package.json"]) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  // Where the addon stands without a path in the environment.
  mkdirSync(path.join(folder, "node_modules"));
  process.env.ROO_CONDENSE_BINARY ??= require("../../scripts/tools.mjs").releaseAddon;
  other = require(path.join(folder, "index.js"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const messages = conversation(12);
const host = {
  getModel: () => ({ id: "of-the-host", info: {} }),
  async *createMessage() {
    yield { type: "text", text: "What was said." };
  },
};

test("they are two", () => {
  expect(other.CondensationManager).not.toBe(api.CondensationManager);
  expect(other.countTokens("hello world")).toBe(2);
});

describe("handlers", () => {
  test("one of the host works in both", async () => {
    const handler = other.callbackHandler(host, { timeoutMs: 1234 });
    for (const options of [{ handler }, { handler: null, condensingHandler: handler }]) {
      const called = await api.createNativeProvider().condense({ messages }, options);
      const managed = await new api.CondensationManager({ ...options, profiles: { p: { handler } } }).condense({
        messages,
        profileId: "p",
      });
      for (const { error, summary } of [called, managed]) expect([error, summary]).toEqual([undefined, "What was said."]);
    }
  });

  test("one over HTTP is refused, and it is said why", async () => {
    const handler = other.httpHandler({ api: "openai", model: "m", apiKey: "sk-very-secret", baseUrl: "http://localhost:1" });
    const said = ["another copy", "npm ls roo-condense"];
    for (const [field, call] of [
      ["options.handler", () => api.createNativeProvider().condense({ messages }, { handler })],
      ["condensingHandler", () => new api.CondensationManager({ condensingHandler: handler })],
      ["profiles.p.handler", () => new api.CondensationManager({ profiles: { p: { handler } } })],
    ]) {
      await expectRefused(call, TypeError, "invalid_argument", { field, shows: "a handler over HTTP" }, ...said);
    }
  });

  test("the mark shows nothing and holds no key", () => {
    const handler = other.httpHandler({ api: "openai", model: "m", apiKey: "sk-very-secret", baseUrl: "http://localhost:1" });
    const callback = other.callbackHandler({ ...host, apiKey: "sk-very-secret" });
    for (const each of [handler, callback]) {
      expect(util.inspect(each, { showHidden: true, depth: 9 })).not.toContain("very-secret");
      expect(Object.keys(each)).toEqual(["api", "model"]);
    }
    expect(Reflect.ownKeys(handler[BRAND])).toEqual(["version", "kind"]);
  });

  test("a mark that somebody made up, and one that cannot be read", async () => {
    const options = { version: "9.9.9", kind: "handler" };
    await expectRejected(
      () => api.createNativeProvider().condense({ messages }, { handler: { [BRAND]: options } }),
      TypeError,
      "invalid_argument",
      '"9.9.9"',
    );
    const open = () => {
      throw new Error("boom");
    };
    await expectRejected(
      () => api.createNativeProvider().condense({ messages }, { handler: { [BRAND]: { ...options, open } } }),
      TypeError,
      "not_serializable",
      "options.handler",
    );
    for (const mark of [null, 5, {}, { version: 1 }]) {
      const handler = { ...host, [BRAND]: mark };
      expect((await api.createNativeProvider().condense({ messages }, { handler })).summary).toBe("What was said.");
    }
  });
});

describe("providers", () => {
  test("of another copy do here what they do there", async () => {
    const provider = other.createTruncationProvider({ strategy: "head", maxToolResultLines: 3 });
    const manager = new api.CondensationManager({ provider: "truncation" });
    manager.registerProvider(provider);
    expect(manager.getProvider("truncation")).toBe(provider);
    expect(manager.listProviders().filter(({ id }) => id === "truncation")).toHaveLength(1);
    const [here, there] = [await manager.condense({ messages }), await provider.condense({ messages })];
    expect(here.didCondense).toBe(true);
    expect(here.messages).toEqual(there.messages);
  });

  test("with functions in their configuration, and in a preview nobody is asked", async () => {
    const chosen = [];
    const customSelector = (given) => {
      chosen.push(given.length);
      return given.slice(1, 4);
    };
    const passes = [{ id: "p", selection: { type: "custom", customSelector }, mode: "batch", batchConfig: { operation: "summarize" } }];
    const manager = new api.CondensationManager({ provider: "smart", fallback: false });
    manager.registerProvider(other.createSmartProvider({ passes }));
    let asked = 0;
    const handler = {
      async *createMessage() {
        asked++;
        yield { type: "text", text: "Short." };
      },
    };
    expect((await manager.preview({ messages }, { handler })).error).toBeUndefined();
    expect([asked, chosen]).toEqual([0, [messages.length]]);
  });

  test("what is not known of one is said", () => {
    const manager = new api.CondensationManager();
    const unknown = new other.CondensationManager().getProvider("lossless");
    expectThrown(() => manager.registerProvider(unknown), TypeError, "invalid_argument", {
      field: "provider",
      shows: "a provider of another copy",
    });
    const mark = { version: "9.9.9", kind: "provider", open: () => ({ id: "lossless", config: { fromTheFuture: true } }) };
    const error = expectThrown(
      () => manager.registerProvider({ id: "lossless", condense() {}, [BRAND]: mark }),
      TypeError,
      "invalid_argument",
      '"lossless" of another copy',
      '"9.9.9"',
    );
    expect(error.cause.message).toContain("fromTheFuture");
  });
});
