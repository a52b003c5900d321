// With a model, smart and its kin reach what truncation reaches, at the price of one summary at most; and a preview without a price says so.

import path from "node:path";
import { expect, test } from "vitest";
import { measure, MOST } from "../../benches/model.mjs";
import { readConversations } from "../../benches/quality/conversations.mjs";
import { withShared } from "../shared.mjs";
import * as api from "../../index.js";

const messages = Array.from({ length: 20 }, (_, index) => ({
  role: index % 2 ? "assistant" : "user",
  content: `Step ${index}: ${"the parser reads a line, and the next one. ".repeat(60)}`,
}));

test("a preview knows no cost without a price", async () => {
  const handler = (info) =>
    api.callbackHandler({ async *createMessage() {}, getModel: () => ({ id: "m", info: { contextWindow: 100_000, ...info } }) });
  const preview = (info) => api.createNativeProvider().preview({ messages }, { handler: handler(info) });
  expect((await preview({})).cost).toBeUndefined();
  expect((await preview({ inputPrice: 3, outputPrice: 15 })).cost).toBeGreaterThan(0);
  expect((await api.createLosslessProvider().preview({ messages })).cost).toBe(0);
});

withShared("corpus", (folder) => {
  // The three that were missed or dear.
  const named = /pytest-7490|natural-mini|03a1382e/;
  test("no target is missed that truncation meets", { timeout: 120_000 }, async () => {
    const conversations = readConversations(folder).filter(({ id }) => named.test(id));
    expect(conversations.map(({ id }) => path.basename(id))).toHaveLength(3);
    const rows = await measure(api, conversations);
    expect(rows.filter((row) => row.missed || row.error)).toEqual([]);
    expect(rows.filter((row) => row.times > MOST)).toEqual([]);
  });
});
