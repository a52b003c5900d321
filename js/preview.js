"use strict";

// Turns a dry run into a preview.

const { diffMessages } = require("./diff.js");

/** The preview of a failed condensation: nothing is known, and nothing would change. */
const NOTHING = { exact: true, priced: true, confidence: 0, samples: [] };

/** Returns the samples of a preview with their messages: the caller's own, and their condensed form. */
const withMessages = (samples, messages, condensed, format) =>
  samples.map(({ messageIndex, added, after: place, ...rest }) => {
    const before = added ? null : messages[messageIndex];
    const after = place === null ? null : condensed[place];
    return { messageIndex, before, after, ...rest, diff: diffMessages(before, after, {}, format) };
  });

/** Returns the preview for a result. Its cost is unknown if a model without a price would be called. */
function previewOf({ messages, restoreData, didCondense, preview: { exact, priced, samples }, cost, ...rest }) {
  return { wouldCondense: didCondense, exact, ...rest, cost: priced ? cost : undefined, samples };
}

/** Returns the token figures of a dry run. Its cost is unknown if a model without a price would be called. */
function estimateOf({ stats, cost, error, preview: { confidence, priced } }) {
  return {
    originalTokens: stats.originalTokens,
    estimatedTokens: stats.finalTokens,
    estimatedReduction: stats.originalTokens - stats.finalTokens,
    reductionPercent: stats.reductionPercent,
    confidence,
    ...(priced && { cost }),
    ...(error && { error }),
  };
}

module.exports = { NOTHING, estimateOf, previewOf, withMessages };
