"use strict";

// The fate of content that a condensation removed, in tokens.

/** Returns the tokens of content that is no longer present word for word, by its fate. */
function fateOf({ survival }, scale) {
  const { pointed, superseded, summarized, recorded, lost } = survival?.total ?? {};
  const scaled = (...parts) => Math.round(parts.reduce((sum, part) => sum + (part?.tokens ?? 0), 0) * scale);
  return { pointed: scaled(pointed), superseded: scaled(superseded), told: scaled(summarized, recorded), lost: scaled(lost) };
}

/** The fate of the content that a change of this grade removed. */
const PARTS = Object.freeze({ inline: "pointed", superseded: "superseded" });

/** Returns the sums of a condensation after some changes were undone, from the savings of those changes. Changes have unscaled tokens. */
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
  // A change saves a little less than it removes, because it leaves a note.
  const parts = new Set(result.changes.map(partOf));
  for (const part of Object.keys(fate)) if (part !== "told" && !parts.has(part)) fate[part] = 0;
  return { tokensAfter: Math.min(said.prevContextTokens, said.newContextTokens + back), fate };
}

module.exports = { fateOf, undoneSums };
