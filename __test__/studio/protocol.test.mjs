// What goes between page and host is checked at both ends.

import { createRequire } from "node:module";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { createStaticClient } from "../../ui/src/client.ts";
import { diagnosticsOf } from "../typescript.mjs";

const require = createRequire(import.meta.url);
const { METHODS, ProtocolError, readAnswer, readRequest } = require("../../js/studio/protocol.js");

describe("requests", () => {
  test("take over what is known, and nothing else", () => {
    const read = readRequest({ id: 1, method: "inspect", params: { history: "a", targetTokens: 5, other: 1 }, extra: 2 });
    expect(read).toEqual({ id: 1, method: "inspect", params: { history: "a", targetTokens: 5 } });
    expect(readRequest({ id: 0, method: "hello" })).toEqual({ id: 0, method: "hello", params: {} });
    expect(readRequest({ id: 2, method: "condense", params: { history: "a", targetTokens: null } }).params).toEqual({ history: "a" });
  });

  test.each([
    [undefined, /request: an object is expected/],
    [[], /request: an object is expected/],
    [{ id: 1, method: "toString" }, /method: one of hello, /],
    [{ id: 1, method: "__proto__" }, /method: one of/],
    [{ id: "1", method: "hello" }, /request\.id: a whole number/],
    [{ id: -1, method: "hello" }, /request\.id/],
    [{ id: 1, method: "inspect" }, /params\.history: a text/],
    [{ id: 1, method: "inspect", params: { history: "x".repeat(10_001) } }, /params\.history: a text of at most/],
    [{ id: 1, method: "message", params: { history: "a", index: 1.5 } }, /params\.index/],
    [{ id: 1, method: "undo", params: { condensation: "a", changes: [1] } }, /params\.changes\[0\]: a text/],
    [{ id: 1, method: "condense", params: { history: "a", config: [] } }, /params\.config: an object/],
    [{ id: 1, method: "condense", params: { history: "a", ask: 1 } }, /params\.ask: true or false/],
  ])("refuse what is not as agreed: %#", (message, told) => {
    expect(() => readRequest(message)).toThrow(ProtocolError);
    expect(() => readRequest(message)).toThrow(told);
  });
});

describe("answers", () => {
  test("are read like requests", () => {
    const answer = { file: "a.json", secret: 1 };
    expect(readAnswer("save", answer)).toEqual({ file: "a.json" });
    expect(() => readAnswer("save", {})).toThrow(/answer\.file: a text is expected/);
    expect(() => readAnswer("inspect", { revision: 1, inspection: null })).toThrow(/answer\.inspection: an object/);
  });

  test("every method has both", () => {
    for (const [name, method] of Object.entries(METHODS)) expect(Object.keys(method), name).toEqual(["request", "answer"]);
  });
});

describe("the page's half", () => {
  test("has every method but the cancelling", () => {
    const { isLive, ...methods } = createStaticClient(/** @type {any} */ ({}));
    expect(isLive).toBe(false);
    expect(Object.keys(methods).sort()).toEqual(
      Object.keys(METHODS)
        .filter((name) => name !== "cancel")
        .sort(),
    );
  });

  test("sends no parameters where a method takes none", async () => {
    const hello = {
      version: "1",
      canWrite: false,
      histories: [],
      providers: [],
      presets: [],
      activeProvider: "smart",
      contextWindow: null,
    };
    await expect(createStaticClient(/** @type {any} */ ({ hello })).hello({ signal: undefined })).resolves.toEqual(hello);
  });

  test("has the types of the table, as they are published", { tags: ["long"] }, () => {
    const host = `
import { createHttpClient } from "./client.js";
import type { Choice, Condensation, CondenseClient, Grade, HistoryInfo, Metrics } from "./types.js";
const client: CondenseClient = createHttpClient("x");
export async function use(signal: AbortSignal, choice: Choice) {
  const found: Condensation = await client.condense({ history: "a", targetTokens: 5, kept: [] }, { signal });
  const rewriteCost: number | undefined = found.promptCache?.rewriteCost;
  const grade: Grade | undefined = found.changes[0]?.grade;
  const why: string | undefined = found.changes[0]?.said?.code;
  const [history]: HistoryInfo[] = (await client.hello({ signal })).histories;
  const metrics: Metrics = (await client.metrics()).metrics;
  await client.try({ history: "a", id: "b", ...choice });
  // @ts-expect-error
  found.unknown;
  // @ts-expect-error
  await client.condense({});
  // @ts-expect-error
  const text: string = found.tokensBefore;
  // @ts-expect-error
  metrics.costByModel;
  return { rewriteCost, grade, why, grows: history?.grows, latency: metrics.total.p50LatencyMs, text };
}`;
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
      module: ts.ModuleKind.NodeNext,
      // A type that is not found is `any`, with which the errors that are expected are none.
      skipLibCheck: true,
      types: [],
    };
    const file = path.join(root, "ui", "dist", "a-host.mts");
    const found = diagnosticsOf(new Map([[file, host]]), options);
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  });
});
