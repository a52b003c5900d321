"use strict";

// What a condensation would do, from one that was only tried.

const { diffMessages } = require("./diff.js");

/** Of a condensation that failed nothing is known, and nothing would change. */
const NOTHING = { exact: true, priced: true, confidence: 0, samples: [] };

/** The samples of a preview with the messages they are about: the caller's own, and what would become of them. */
const withMessages = (samples, messages, condensed, format) =>
  samples.map(({ messageIndex, added, after: place, ...rest }) => {
    const before = added ? null : messages[messageIndex];
    const after = place === null ? null : condensed[place];
    return { messageIndex, before, after, ...rest, diff: diffMessages(before, after, {}, format) };
  });

/** The preview that a result amounts to. Its cost is not known where a model without a price would be asked. */
function previewOf({ messages, restoreData, didCondense, preview: { exact, priced, samples }, cost, ...rest }) {
  return { wouldCondense: didCondense, exact, ...rest, cost: priced ? cost : undefined, samples };
}

/** The token figures of a dry run. Its cost is not known where a model without a price would be asked. */
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
