"use strict";

// The one advice: how many tokens a condensation should leave. The page, `recommend` and the command line take it from here, so they say the same.

/** The share of the window to leave where the model can recall what was left out: its readers answer as well at a tenth (docs/recall.md). */
const WITH_RECALL = 0.1;
/** The share without recall. The other half is room for work: a target just below the limit is due again with the next message (docs/economics.md). */
const WITHOUT_RECALL = 0.5;

/**
 * How far to condense a conversation of so many tokens, in three steps from the most careful to the smallest, and which of them to take. The first has no
 * target: only what is repeated or was replaced goes. The others leave shares of the window, or of a conversation that has room enough in it.
 * @param {{ tokens: number, contextWindow?: number | undefined, recall?: boolean | undefined }} facts `recall`: whether the model can recall what is left out
 */
function adviceFor({ tokens, contextWindow, recall = false }) {
  const isRoomy = contextWindow === undefined || tokens <= contextWindow * WITHOUT_RECALL;
  const whole = isRoomy ? tokens : contextWindow;
  /** @type {{ name: "safest" | "balanced" | "small", targetTokens?: number }[]} */
  const steps = [
    { name: "safest" },
    { name: "balanced", targetTokens: Math.floor(whole * WITHOUT_RECALL) },
    { name: "small", targetTokens: Math.floor(whole * WITH_RECALL) },
  ];
  const advised = isRoomy ? "safest" : recall ? "small" : "balanced";
  return { recall, advised, targetTokens: steps.find(({ name }) => name === advised)?.targetTokens, steps };
}

module.exports = { adviceFor };
