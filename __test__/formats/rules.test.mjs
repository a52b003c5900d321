// What the service behind each format refuses, and what it takes.

import { describe, expect, test } from "vitest";
import { api } from "../api/support.mjs";
import { SAMPLES } from "./rounds.mjs";

describe.each(Object.entries(SAMPLES).filter(([, { problems }]) => problems.length > 0))("%s", (format, { problems }) => {
  test.each(problems.map(([messages, expected]) => [expected.join(", ") || "legal", messages, expected]))(
    "%s",
    async (_, messages, expected) => {
      const found = api.validateMessages(messages, { format });
      expect(found.map(({ code, messageIndex }) => `${code} ${messageIndex}`)).toEqual(expected);
      for (const { message } of found) expect(message).not.toBe("");
      // Whatever is wrong, it is carried through, but for what is no message at all.
      if (messages.includes(null) || expected[0]?.startsWith("unsupported_format")) return;
      const result = await new api.CondensationManager({ provider: "smart" }).condense({ messages }, { format, targetTokens: 1 });
      expect(api.restore(result)).toEqual(messages);
    },
  );
});
