// What the tests of the JavaScript API share.

import { createRequire } from "node:module";
import path from "node:path";
import { expect } from "vitest";
import { root } from "../../scripts/tools.mjs";

const require = createRequire(import.meta.url);

/** The package, from this folder. */
export const api = require("../../index.js");
/** The addon itself, to see whether it is called. */
export const native = require("../../js/native.js");
export const packageFile = path.join(root, "index.js");

export function deepFreeze(value) {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Reflect.ownKeys(value).forEach((key) => deepFreeze(value[key]));
  }
  return value;
}

export const clone = (value) => JSON.parse(JSON.stringify(value));

export const lines = (count, of = "a line of what a tool had to say") =>
  Array.from({ length: count }, (_, index) => `${index + 1} ${of}`).join("\n");

/** A request, `calls` tool calls with their answers, and a last word. */
export function conversation(calls, { result = lines(60), input = {} } = {}) {
  /** @type {(import("roo-condense").Message & { ts: number })[]} */
  const messages = [{ role: "user", content: "Please have a look at these files.", ts: 1 }];
  for (let index = 0; index < calls; index++) {
    const id = `toolu_${index}`;
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: `Looking at file ${index}.` },
          { type: "tool_use", id, name: "read_file", input: { path: `src/${index}.ts`, ...input } },
        ],
        ts: 2 * index + 2,
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: id, content: `${index}\n${result}` },
          { type: "text", text: `Note ${index}.` },
        ],
        ts: 2 * index + 3,
      },
    );
  }
  messages.push({ role: "assistant", content: "That is all.", ts: 2 * calls + 2 });
  return messages;
}

/** The error that `call` throws at once; also fails when it returns a promise that rejects instead. */
export function thrown(call) {
  let returned;
  try {
    returned = call();
  } catch (error) {
    return error;
  }
  returned?.then?.(undefined, () => {});
  throw new Error("nothing was thrown");
}

/** The error that the promise of `call` rejects with; also fails when it is thrown at once instead. */
export async function rejected(call) {
  const promise = call();
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was rejected");
}

/**
 * Checks an error of this package. A part that is a text stands in its message; `{ field, shows }` is the end of its field, which begins or ends a path in the
 * message, and what the message shows of the value or says instead. Sentences are asserted in one place alone (arguments.test.mjs, "the sentences").
 */
function expectError(error, Class, code, parts) {
  expect({ name: error.name, code: error.code, message: error.message }).toMatchObject({ name: Class.name, code });
  expect(error).toBeInstanceOf(Class);
  expect(error).toBeInstanceOf(api.RooCondenseError);
  for (const part of parts) {
    if (typeof part === "string") {
      expect(error.message).toContain(part);
      continue;
    }
    expect(error.field?.slice(-part.field.length)).toBe(part.field);
    expect(error.message).toContain(error.field);
    if (part.shows !== undefined) expect(error.message).toContain(part.shows);
  }
  return error;
}

/** Checks that `call` fails, at once or by its promise; see `expectError`. For tables of functions of both kinds. */
export const expectRefused = (call, Class, code, ...parts) => expectRejected(async () => call(), Class, code, ...parts);

/** Checks that `call` throws at once; see `expectError`. */
export const expectThrown = (call, Class, code, ...parts) => expectError(thrown(call), Class, code, parts);

/** Checks that the promise of `call` rejects; see `expectError`. */
export const expectRejected = async (call, Class, code, ...parts) => expectError(await rejected(call), Class, code, parts);

/** Checks a result that changed nothing because of an error. */
export function expectFailed(result, code, messages) {
  expect(result.error?.code, result.error?.message).toBe(code);
  expect(result.error.message).not.toBe("");
  expect(result.messages).toBe(messages);
  expect(result).toMatchObject({ didCondense: false, changes: [], firstChangedIndex: -1, summary: "" });
  expect(result.stats.finalTokens).toBe(result.stats.originalTokens);
  expect(api.restore(result)).toEqual(messages);
}

/** A manager with one provider of the host, which is active; without fallback. */
export function managerWith(condense, options = {}) {
  const manager = new api.CondensationManager({ provider: "mine", fallback: false, ...options });
  manager.registerProvider({ id: "mine", condense });
  return manager;
}
