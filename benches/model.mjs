// Smart and its kin with a model at a target: where they leave more than truncation leaves, and what they ask at the price of one summary of the whole.
//
//   node benches/model.mjs [DIR] [--json]      DIR: conversations as JSON (default: ../shared/corpus; without it, it says so and ends)
//
// The model answers the same 700 tokens or so at once; it is told at 4 characters a token, and costs 3 and 15 dollars a million tokens. The library is the one of
// ROO_CONDENSE_BINARY, or the built one.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { isProgram, main, root } from "../scripts/tools.mjs";
import { readConversations } from "./quality/conversations.mjs";
import { table } from "./results.mjs";

export const SHARES = [0.5, 0.25, 0.1];
const PROVIDERS = ["smart", "adaptive", "quality_first"];
/** The factor by which a run may cost more than one summary of the whole: estimates of tokens are off by a tenth either way. */
export const MOST = 1.25;

const PRICE = { inputPrice: 3, outputPrice: 15 };
const ANSWER = "The parser was mended in src/parse.ts, and its tests pass; the cache is still to do. ".repeat(35);

/** A model that counts what it is asked: requests and dollars. */
export function countingModel(addon) {
  const spent = { requests: 0, dollars: 0 };
  const api = {
    async *createMessage(system, messages) {
      const inputTokens = Math.ceil((system.length + JSON.stringify(messages).length) / 4);
      const outputTokens = Math.ceil(ANSWER.length / 4);
      spent.requests++;
      spent.dollars += (inputTokens * PRICE.inputPrice + outputTokens * PRICE.outputPrice) / 1e6;
      yield { type: "text", text: ANSWER };
      yield { type: "usage", inputTokens, outputTokens };
    },
    getModel: () => ({ id: "counting", info: { contextWindow: 1_000_000, ...PRICE } }),
  };
  return { handler: addon.callbackHandler(api), spent };
}

const create = (addon) => ({
  native: addon.createNativeProvider,
  truncation: addon.createTruncationProvider,
  smart: addon.createSmartProvider,
  adaptive: addon.createAdaptive,
  quality_first: addon.createQualityFirst,
});

/** Runs a provider on a conversation with a target; returns the tokens left and the requests to the model, or `error` if it failed. */
export async function condensed(addon, provider, messages, targetTokens) {
  const { handler, spent } = countingModel(addon);
  const { newContextTokens: tokens, warnings, error } = await create(addon)[provider]().condense({ messages }, { handler, targetTokens });
  return { ...spent, tokens, warnings: warnings.map((warning) => warning.code), error: error?.code };
}

/** A row for each conversation, share and provider: `missed` where truncation does better and the target is not met, `times` the price of one summary. */
export async function measure(addon, conversations) {
  const rows = [];
  for (const { id, messages } of conversations) {
    const before = addon.countTokens(messages);
    const one = await condensed(addon, "native", messages);
    for (const share of SHARES) {
      const target = Math.floor(before * share);
      const truncated = await condensed(addon, "truncation", messages, target);
      for (const provider of PROVIDERS) {
        const { tokens, requests, dollars, error, warnings } = await condensed(addon, provider, messages, target);
        const missed = !(tokens <= target) && truncated.tokens <= target;
        rows.push({
          id,
          share,
          provider,
          target,
          tokens,
          error,
          requests,
          times: one.dollars ? dollars / one.dollars : undefined,
          missed,
          warnings,
        });
      }
    }
  }
  return rows;
}

const dear = (row) => row.times > MOST;

function told(rows) {
  const groups = SHARES.flatMap((share) =>
    PROVIDERS.map((provider) => rows.filter((row) => row.share === share && row.provider === provider)),
  );
  const lines = groups.map((group) => {
    const times = group.map((row) => row.times ?? 0);
    const mean = times.reduce((sum, value) => sum + value, 0) / times.length;
    const { provider, share } = group[0];
    const cells = [
      group.filter((row) => row.missed).length,
      Math.max(...group.map((row) => row.requests)),
      mean.toFixed(2),
      Math.max(...times).toFixed(2),
    ];
    return [`${provider} at ${share * 100}%`, `${cells[0]} of ${group.length}`, ...cells.slice(1).map(String)];
  });
  const worst = rows
    .filter((row) => row.missed || dear(row))
    .map((row) => {
      const why = row.missed ? `missed: ${row.tokens ?? row.error} of ${row.target}` : `${row.times.toFixed(2)} times one summary`;
      return `- ${row.provider} at ${row.share * 100}%, ${row.id}: ${why}; ${row.requests} requests`;
    });
  return `${table([["", "missed", "most requests", "cost, mean", "cost, most"], ...lines])}\n\nCost in summaries of the whole.\n\n${worst.join("\n")}\n`;
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean", default: false } } });
    const folder = positionals[0] ?? path.join(root, "..", "shared", "corpus");
    if (!existsSync(folder)) {
      process.stdout.write(`Skipped: there is no ${folder}.\n`);
      return;
    }
    const rows = await measure(createRequire(import.meta.url)("../index.js"), readConversations(folder));
    process.stdout.write(values.json ? `${JSON.stringify(rows, null, 2)}\n` : told(rows));
  });
}
