"use strict";

// The cost of a request, in dollars. Every operation is in Roo-Code's order, so that sums are equal to the last bit.
// `src/llm/price.rs` does the same; `fixtures/shared/cost.json` tests both.

const PER_MILLION = 1_000_000;
const PRICES = [
  ["inputPrice", "inputPriceMultiplier"],
  ["outputPrice", "outputPriceMultiplier"],
  ["cacheWritesPrice", "cacheWritesPriceMultiplier"],
  ["cacheReadsPrice", "cacheReadsPriceMultiplier"],
];

const costOf = (price, tokens) => ((price || 0) / PER_MILLION) * tokens;

function total(price, freshInput, output, cacheWrites, cacheReads) {
  return (
    costOf(price.cacheWritesPrice, cacheWrites) +
    costOf(price.cacheReadsPrice, cacheReads) +
    costOf(price.inputPrice, freshInput) +
    costOf(price.outputPrice, output)
  );
}

/** Calculates the cost where the count of input tokens excludes cached ones, as Anthropic counts. */
function calculateApiCostAnthropic(modelInfo, inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens) {
  const writes = cacheCreationInputTokens || 0;
  const reads = cacheReadInputTokens || 0;
  return {
    totalInputTokens: inputTokens + writes + reads,
    totalOutputTokens: outputTokens,
    totalCost: total(modelInfo, inputTokens, outputTokens, writes, reads),
  };
}

/** Calculates the cost where the count of input tokens includes cached ones, as OpenAI counts. */
function calculateApiCostOpenAI(modelInfo, inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, serviceTier) {
  const writes = cacheCreationInputTokens || 0;
  const reads = cacheReadInputTokens || 0;
  const fresh = Math.max(0, inputTokens - writes - reads);
  return {
    totalInputTokens: inputTokens,
    totalOutputTokens: outputTokens,
    totalCost: total(longContextPrices(modelInfo, inputTokens, serviceTier), fresh, outputTokens, writes, reads),
  };
}

function longContextPrices(modelInfo, totalInputTokens, serviceTier) {
  const pricing = modelInfo.longContextPricing;
  if (!pricing || !(totalInputTokens > pricing.thresholdTokens)) return modelInfo;
  if (pricing.appliesToServiceTiers && !pricing.appliesToServiceTiers.includes(serviceTier ?? "default")) return modelInfo;
  const prices = { ...modelInfo };
  for (const [price, multiplier] of PRICES) {
    if (modelInfo[price] != null && pricing[multiplier] != null) prices[price] = modelInfo[price] * pricing[multiplier];
  }
  return prices;
}

module.exports = { calculateApiCostAnthropic, calculateApiCostOpenAI };
