// What goes between page and host is checked at both ends.

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";

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
