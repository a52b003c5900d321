"use strict";

// The progress of condensing: in words, and as a share of the whole.

const { milliseconds } = require("./terminal.js");

/** The share of the first provider; its fallbacks, which rarely run, divide the rest. */
const FIRST = 0.8;

/**
 * Returns a listener for progress events, which calls `tell(label, share)`; the share is 0 to 1. The passes of a
 * provider have equal parts of its share.
 */
function condensingSteps(tell) {
  let share = 0;
  let provider = { begin: 0, size: 1 };
  let pass = provider;
  const partOf = ({ begin, size }, done, total) => ({ begin: begin + (size * done) / Math.max(total, 1), size: size / Math.max(total, 1) });
  /** The share never decreases: a provider may repeat its passes. */
  const step = (label, reached = share) => {
    share = Math.max(share, Math.min(reached, 1));
    tell(label, share);
  };
  const listeners = {
    condensing({ providerId, done, total }) {
      if (total > 1) provider = done === 0 ? { begin: 0, size: FIRST } : partOf({ begin: FIRST, size: 1 - FIRST }, done - 1, total - 1);
      pass = provider;
      step(`condensing (${providerId})`, provider.begin);
    },
    prelude: () => step("lossless prelude"),
    pass({ passId, done, total }) {
      pass = partOf(provider, done, total);
      step(`pass ${passId}`, pass.begin);
    },
    summarizing({ passId, done, total }) {
      const where = passId === undefined ? "" : `pass ${passId}, `;
      const what = total === 1 ? "waiting for the summary" : `summaries: ${done} of ${total}`;
      step(`${where}${what}`, partOf(pass, done, total).begin);
    },
    retrying: ({ done, total, waitMs, code }) => step(`attempt ${done} of ${total} failed (${code}), next in ${milliseconds(waitMs)}`),
  };
  return (event) => listeners[event.phase]?.(event);
}

module.exports = { condensingSteps };
