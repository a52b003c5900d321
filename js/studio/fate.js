"use strict";

// What became of what a condensation took, in tokens.

/** What became of what does not stand word for word any more. */
function fateOf({ survival }, scale) {
  const { pointed, superseded, summarized, recorded, lost } = survival?.total ?? {};
  const scaled = (...parts) => Math.round(parts.reduce((sum, part) => sum + (part?.tokens ?? 0), 0) * scale);
  return { pointed: scaled(pointed), superseded: scaled(superseded), told: scaled(summarized, recorded), lost: scaled(lost) };
}

/** Of which part a change has taken. */
const PARTS = Object.freeze({ inline: "pointed", superseded: "superseded" });

/** The sums of a condensation of which some changes were taken back, by what those had saved. Changes say their tokens unscaled. */
function undoneSums({ result, said }, scale) {
  const left = new Set(result.changes.map(({ id }) => id));
  const fate = fateOf(said, scale);
  const partOf = ({ grade, operation }) => PARTS[grade] ?? (operation === "summarize" ? "told" : "lost");
  let back = 0;
  for (const change of said.changes) {
    if (left.has(change.id)) continue;
    const saved = Math.round((change.tokensBefore - change.tokensAfter) * scale);
    const part = partOf(change);
    fate[part] = Math.max(0, fate[part] - saved);
    back += saved;
  }
  // A change saves a little less than it takes: it leaves a note.
  const parts = new Set(result.changes.map(partOf));
  for (const part of Object.keys(fate)) if (part !== "told" && !parts.has(part)) fate[part] = 0;
  return { tokensAfter: Math.min(said.prevContextTokens, said.newContextTokens + back), fate };
}

module.exports = { fateOf, undoneSums };
