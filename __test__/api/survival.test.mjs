import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  CondensationManager,
  callbackHandler,
  countTokens,
  createLosslessProvider,
  createNativeProvider,
  createTruncationProvider,
} from "../../index.js";

const fixture = (name) => JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), "utf8"));
const messagesOf = (name) => fixture(name).messages ?? fixture(name);

async function* answer() {
  yield { type: "text", text: "They worked on dates." };
}
const handler = callbackHandler({ createMessage: answer, getModel: () => ({ id: "fake", info: { contextWindow: 1_000_000 } }) });

const FATES = ["kept", "pointed", "superseded", "summarized", "recorded", "lost"];

/** Every token is accounted for once, in each kind and in all. */
function expectBalance({ total, byKind }, messages) {
  for (const fate of [total, ...Object.values(byKind)])
    expect(FATES.reduce((sum, name) => sum + fate[name].tokens, 0)).toBe(fate.before.tokens);
  for (const name of ["before", "protected", ...FATES])
    expect(Object.values(byKind).reduce((sum, fate) => sum + fate[name].tokens, 0)).toBe(total[name].tokens);
  expect(total.before.tokens).toBe(countTokens(messages));
}

describe("result.survival", () => {
  test.each([
    ["lossless", createLosslessProvider(), {}],
    ["truncation", createTruncationProvider(), { targetTokens: 2000 }],
    ["native", createNativeProvider(), { handler }],
    ["a chain", new CondensationManager({ provider: "lossless" }), { targetTokens: 2000 }],
  ])("of %s balances, in previews too", async (name, condenser, options) => {
    for (const file of ["roo-xml-2025", "claude-code", "roo-native-2026"]) {
      const messages = messagesOf(file);
      const result = await condenser.condense({ messages }, options);
      expect(result.error).toBeUndefined();
      expectBalance(result.survival, messages);
      const preview = await condenser.preview({ messages }, options);
      if (name === "native") expectBalance(preview.survival, messages);
      else expect(preview.survival).toEqual(result.survival);
    }
  });

  test("tells a summary from what is gone, and a pointer from both", async () => {
    const messages = messagesOf("claude-code");
    const native = await createNativeProvider().condense({ messages }, { handler });
    expect(native.survival.total.summarized.tokens).toBeGreaterThan(0);
    expect(native.survival.total.lost).toEqual({ blocks: 0, tokens: 0 });
    const lossless = await createLosslessProvider({ strict: true }).condense({ messages });
    expect(lossless.survival.total.pointed.tokens).toBeGreaterThan(0);
    expect(lossless.survival.total.lost).toEqual({ blocks: 0, tokens: 0 });
    const window = await createTruncationProvider({ mode: "window" }).condense({ messages });
    expect(window.survival.total.lost.tokens).toBeGreaterThan(0);
    expect(window.survival.log).toEqual({});
  });

  test("counts what is protected by the manager, the call and the provider", async () => {
    const messages = messagesOf("claude-code");
    const survivalOf = async (manager, call, config) =>
      (
        await new CondensationManager({ provider: "truncation", ...manager }).condense(
          { messages },
          { targetTokens: 2000, config, ...call },
        )
      ).survival.total.protected;
    const protect = { messages: [1, 2] };
    const counts = [await survivalOf({ protect }), await survivalOf({}, { protect }), await survivalOf({}, {}, { protect })];
    expect(counts[0].blocks).toBeGreaterThan(1);
    expect(counts).toEqual([counts[0], counts[0], counts[0]]);
  });

  test("is absent where nothing changes", async () => {
    const result = await createLosslessProvider().condense({ messages: [{ role: "user", content: "Hello" }] });
    expect(result.didCondense).toBe(false);
    expect("survival" in result).toBe(false);
  });

  test("a summary of a provider of the host tells what went before it", async () => {
    const short = ({ messages: [task, ...rest] }) => {
      return { messages: [task, { role: "assistant", content: "It went well.", isSummary: true }, ...rest.slice(-1)] };
    };
    const words = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n");
    const messages = [
      { role: "user", content: "Do it." },
      { role: "assistant", content: words },
      { role: "user", content: "Go on." },
      { role: "assistant", content: words },
      { role: "user", content: "Thank you." },
    ];
    const manager = new CondensationManager({ provider: "short" });
    manager.registerProvider({ id: "short", condense: short });
    const { survival } = await manager.condense({ messages });
    expect([survival.total.summarized.blocks, survival.total.lost.blocks]).toEqual([3, 0]);
  });
});
