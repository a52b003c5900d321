// The fields of a call's context beside its messages, from the design documents: the handler of the conversation's model, and its tokens.

import { describe, expect, test } from "vitest";
import { api, conversation, expectRejected } from "./support.mjs";

const { CondensationManager, createLosslessProvider, createNativeProvider } = api;

const price = { inputPrice: 3, outputPrice: 15 };

/** A handler that counts its calls. */
function handler(info = {}) {
  return {
    calls: 0,
    async *createMessage() {
      this.calls++;
      yield { type: "text", text: "Files were read." };
    },
    getModel: () => ({ id: "model", info: { contextWindow: 200_000, ...info } }),
  };
}

const messages = conversation(30);

describe("context.apiHandler", () => {
  test("writes the summary, for a manager and for a provider", async () => {
    for (const provider of [new CondensationManager(), createNativeProvider()]) {
      const apiHandler = handler(price);
      const { error, summary } = await provider.condense({ messages, apiHandler });
      expect(error).toBeUndefined();
      expect([apiHandler.calls, summary]).toEqual([1, expect.stringContaining("Files were read.")]);
    }
  });

  test("comes behind the option, and before the manager's", async () => {
    const [own, option, managers] = [handler(), handler(), handler()];
    const manager = new CondensationManager({ handler: managers });
    await manager.condense({ messages, apiHandler: own }, { handler: option });
    await manager.condense({ messages, apiHandler: own });
    await manager.condense({ messages: conversation(31), apiHandler: null });
    expect([option.calls, own.calls + managers.calls]).toEqual([1, expect.any(Number)]);
    expect(managers.calls).toBe(1);
  });

  test("that is none is named", async () => {
    await expectRejected(
      () => new CondensationManager().condense({ messages, apiHandler: 5 }),
      TypeError,
      "invalid_argument",
      "apiHandler",
    );
  });
});

describe("context.tokenCount", () => {
  test("is the size of the conversation that was reported", async () => {
    const result = await createLosslessProvider().condense({ messages, tokenCount: 5000 });
    expect(result.prevContextTokens).toBe(5000);
    expect((await createLosslessProvider().condense({ messages, tokenCount: 5000, totalTokens: 4000 })).prevContextTokens).toBe(4000);
  });

  test("includes the last message, so that the trigger does not add it", async () => {
    const manager = new CondensationManager();
    const { trigger } = await manager.condenseIfNeeded({ messages, tokenCount: 5000, contextWindow: 200_000 });
    expect(trigger.prevContextTokens).toBe(5000);
    const other = await manager.condenseIfNeeded({ messages, totalTokens: 5000, contextWindow: 200_000 });
    expect(other.trigger.prevContextTokens).toBeGreaterThan(5000);
  });
});

describe("a price that is not known", () => {
  test("is no cost of 0", async () => {
    for (const provider of [new CondensationManager(), createNativeProvider()]) {
      expect(await provider.estimateCost({ messages, apiHandler: handler() })).toBeUndefined();
      expect(await provider.estimateCost({ messages, apiHandler: handler(price) })).toBeGreaterThan(0);
      const { cost, confidence } = await provider.estimateReduction({ messages, apiHandler: handler() });
      expect([cost, confidence > 0]).toEqual([undefined, true]);
    }
    expect(await createNativeProvider().estimateCost({ messages, apiHandler: handler({ inputPrice: 0, outputPrice: 0 }) })).toBe(0);
    expect(await createLosslessProvider().estimateCost({ messages, apiHandler: handler() })).toBe(0);
  });
});

test("smart that misses its target says nothing untrue of its own summary", async () => {
  const manager = new CondensationManager({ provider: "smart", handler: handler() });
  const result = await manager.condense({ messages: conversation(40) }, { targetTokens: 20 });
  expect(result.warnings.map(({ code }) => code)).toContain("target_not_met");
  expect(JSON.stringify([result.warnings, result.passes, result.providers])).not.toContain("condensed recently");
});
