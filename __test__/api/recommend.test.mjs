// Which provider is recommended. The rules are tested in Rust.

import { expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { api, deepFreeze, rejected } from "./support.mjs";

const { CondensationManager, callbackHandler, countTokens, recommend } = api;
const messages = deepFreeze(buildHistory({ dialect: "claude-code", messages: 60, seed: 9 }));
const codes = ({ warnings }) => warnings.map(({ code }) => code);
const price = { inputPrice: 3, outputPrice: 15 };

function handler(seen = [], own = price) {
  const createMessage = async function* () {
    seen.push("asked");
    yield { type: "text", text: "In short." };
  };
  return callbackHandler({ createMessage, getModel: () => ({ id: "m", info: { contextWindow: 200_000 } }) }, { price: own });
}

test("answers decide, and what is wrong with them rejects", async () => {
  expect(await recommend({ hasHandler: true })).toMatchObject({ provider: "native", config: {} });
  expect(await recommend({ priority: "quality" })).toMatchObject({ provider: "smart", config: { preset: "conservative" } });
  const startup = await recommend({ userProfile: "startup_team" });
  expect(startup.managerOptions).toEqual({ condensingApiConfigId: "condensing", autoCondenseContextPercent: 80 });
  expect(startup.alternatives[0]).toMatchObject({ provider: "smart", config: { preset: "balanced" } });
  expect(startup.alternatives.every(({ why, whyNot }) => why && whyNot)).toBe(true);
  const plain = await recommend({ priority: "simplicity", userProfile: "startup_team" });
  expect(plain.managerOptions).toBeUndefined();
  expect(plain.alternatives).toContainEqual(
    expect.objectContaining({ provider: "native", config: {}, managerOptions: startup.managerOptions }),
  );
  const wrong = /** @type {any} */ ({ priority: "fast" });
  expect((await rejected(() => recommend(wrong))).code).toBe("invalid_config");
  expect((await rejected(() => recommend(/** @type {any} */ (5)))).code).toBe("invalid_argument");
  expect((await rejected(() => recommend(/** @type {any} */ ({ handler: 5 })))).field).toBe("answers.handler");
  expect((await rejected(() => recommend(/** @type {any} */ ({ messages: 5 })))).code).toBe("invalid_messages");
  for (const name of ["tokens", "measured", "foo"])
    for (const more of [{}, { messages }]) {
      const answers = /** @type {any} */ ({ [name]: [], ...more });
      expect(await rejected(() => recommend(answers))).toMatchObject({ code: "invalid_argument", field: `answers.${name}` });
    }
  expect((await rejected(() => recommend(/** @type {any} */ ({ priorty: "cost" })))).message).toContain("did you mean priority?");
  expect(codes(await recommend({ acceptableLoss: 0, reductionPercent: 80 }))).toContain("contradiction");
});

test("what is wrong is named, with and without a conversation", async () => {
  const faults = /** @type {[any, string][]} */ ([
    [{ price: { inputPrice: "x" } }, "price.inputPrice"],
    [{ price: { inputPrice: Number.NaN } }, "price.inputPrice"],
    [{ signal: {} }, "answers.signal"],
    [{ systemPrompt: 3 }, "answers.systemPrompt"],
    [{ systemPrompt: [{ type: "image" }] }, "answers.systemPrompt[0]"],
  ]);
  for (const [answers, field] of faults)
    for (const more of [{}, { messages }]) expect((await rejected(() => recommend({ ...answers, ...more }))).message).toContain(field);
  const foreign = /** @type {any} */ ([
    { role: "user", content: "hi" },
    { role: "toolResult", content: "x" },
  ]);
  expect(await rejected(() => recommend({ messages: foreign }))).toMatchObject({
    code: "unsupported_format",
    field: "answers.messages[1]",
  });
  for (const more of [{}, { messages }])
    await expect(recommend({ ...more, signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError", code: "aborted" });
  expect(await rejected(() => recommend({ messages: /** @type {any} */ ([1, null]) }))).toMatchObject({ code: "invalid_messages" });
});

test("the target that it was measured with is told", async () => {
  const tokens = countTokens(messages);
  expect((await recommend({ messages })).targetTokens).toBeUndefined();
  expect((await recommend({ messages, contextWindow: 1_000_000 })).targetTokens).toBeUndefined();
  expect((await recommend({ messages, reductionPercent: 50 })).targetTokens).toBe(Math.floor(tokens / 2));
  const { targetTokens } = await recommend({ messages, contextWindow: 16_000 });
  expect(targetTokens).toBeLessThan(Math.min(tokens, 16_000));
});

test("a conversation is measured, and nobody is asked", async () => {
  const seen = [];
  const tokens = countTokens(messages);
  const targetTokens = Math.round(tokens / 2);
  const found = await recommend({ messages, targetTokens, handler: handler(seen) });
  expect(seen).toEqual([]);
  expect(found.reason).toContain("tried on this conversation");
  const { provider, config } = found;
  const result = await new CondensationManager({ fallback: false }).condense(
    { messages },
    { provider, config, targetTokens, handler: handler() },
  );
  expect(result.newContextTokens).toBeLessThanOrEqual(targetTokens);
  // By the rules native needs more than five cents.
  const cheap = await recommend({
    messages,
    priority: "simplicity",
    budgetPerCondensation: 0.05,
    handler: handler([], { inputPrice: 0.1, outputPrice: 0.4 }),
  });
  expect(cheap.provider).toBe("native");
  expect(codes(cheap)).toContain("facts_win");
  const none = await recommend({ messages, priority: "simplicity", hasHandler: false });
  expect(none.provider).not.toBe("native");
  expect(codes(none)).toContain("ruled_out");
  await expect(recommend({ messages, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
});

test("what fails on the conversation is no choice where something has to go", async () => {
  const said = "It goes on and on. ".repeat(500);
  const short = deepFreeze([
    { role: "user", content: said },
    { role: "assistant", content: said },
    { role: "user", content: said },
  ]);
  const answers = { priority: /** @type {const} */ ("simplicity"), handler: handler([], { inputPrice: 0.1, outputPrice: 0.4 }) };
  expect((await recommend({ ...answers, messages: short })).provider).not.toBe("native");
  const found = await recommend({ ...answers, messages: short, reductionPercent: 50 });
  expect(found.warnings.map(({ code, message }) => `${code}: ${message}`)).toContain(
    "facts_win: by the rules native would do for priority simplicity; it could not be tried on this conversation",
  );
  expect(found.provider).not.toBe("native");
  // Without a model to ask, nobody knows what a summary would leave.
  const none = await recommend({ priority: "simplicity", messages, reductionPercent: 50 });
  expect([none.provider, none.config, none.isDefault]).toEqual(["lossless", {}, true]);
  expect(codes(none)).toContain("ruled_out");
});
