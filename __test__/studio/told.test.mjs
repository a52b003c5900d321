// What of the library's English a page shows as it is, and for what it has words of its own.

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { isForPrograms } from "../../ui/src/told.ts";

const require = createRequire(import.meta.url);
const { CondensationManager } = require("../../index.js");

describe("isForPrograms", () => {
  test.each([
    ["needs_others", "the change t3/1 is about the same text or messages: undo them together"],
    [
      "handler_invalid",
      "there is no handler that can answer; give `handler` or `condensingHandler`, made by httpHandler() or callbackHandler()",
    ],
    ["provider_failed", "native: handler_invalid: there is no handler that can answer"],
    ["invalid_restore_data", "messages[3] is no longer what the condensation left there"],
  ])("%s: %s", (code, message) => expect(isForPrograms({ code, message })).toBe(true));

  test.each([
    ["target_not_met", "42356 tokens are left, more than the target of 6000: lossless found nothing more to save"],
    ["no_handler", 'pass "llm-quality" asks a model, and there is no handler; it is skipped'],
    ["cost_limit", "asking would cost about $0.0312, more than the limit of $0.0100"],
  ])("not %s: %s", (code, message) => expect(isForPrograms({ code, message })).toBe(false));

  test("of what providers warn of without a model, nothing that is shown names a function", async () => {
    const messages = Array.from({ length: 30 }, (_, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(400) }));
    const manager = new CondensationManager();
    for (const { id } of manager.listProviders()) {
      const { warnings = [], error } = await manager.condense({ messages }, { provider: id, targetTokens: 2000 });
      for (const fault of [...warnings, ...(error ? [error] : [])])
        if (!isForPrograms(fault)) expect(fault.message).not.toMatch(/Handler|handler_invalid|`/);
    }
  });
});
