"use strict";

// Files in which each line names its predecessor in the conversation. A line may have several successors, because the
// user went back and continued from there. The conversation is the path from the last line to the beginning.

/** Returns the lines from the beginning to `last`; `id` and `parent` are the names of the fields with a line's own id and its predecessor's. */
function wayTo(last, values, { id, parent }) {
  const byId = new Map(values.filter((value) => value[id] !== undefined).map((value) => [value[id], value]));
  const way = new Set();
  for (let at = last; at !== undefined && !way.has(at); at = byId.get(at[parent])) way.add(at);
  return [...way].reverse();
}

/**
 * Returns lines after some were changed, removed and added: `{ before, after }[]`, with `before` undefined for a new
 * line and `after` undefined for a removed one. A line whose predecessor was removed follows the nearest kept line. A
 * new line is placed between the kept line and the line `behind(line)`. `references` are other fields that name lines.
 * @param {{ before?: any, after?: any }[]} lines
 * @param {{ id: string, parent: string, references?: string[] }} fields
 * @param {(line: any) => any} behind
 */
function relinked(lines, { id, parent, references = [] }, behind) {
  const gone = new Map(lines.filter(({ before, after }) => before && !after).map(({ before }) => [before[id], before[parent]]));
  const staying = (link) => {
    const seen = new Set();
    while (gone.has(link) && !seen.has(link)) {
      seen.add(link);
      link = gone.get(link);
    }
    return link;
  };
  /** The last new line that was inserted before a line, by the id of that line. */
  const between = new Map();
  const parentOf = (value) => between.get(value[id]) ?? staying(value[parent]);
  let newest;
  for (const { before, after } of lines) if (before && after && before[id] !== undefined) newest = before[id];
  for (const line of lines) {
    if (line.before) continue;
    const next = behind(line);
    line.after[parent] = next ? parentOf(next) : (between.get(undefined) ?? newest ?? null);
    between.set(next?.[id], line.after[id]);
  }
  return lines.flatMap(({ before, after }) => {
    if (!after) return [];
    if (!before || before[parent] === undefined) return [{ before, after: withReferences(after, references, gone, staying) }];
    const link = parentOf(before);
    const linked = link === after[parent] ? after : { ...after, [parent]: link ?? null };
    return [{ before, after: withReferences(linked, references, gone, staying) }];
  });
}

/** Returns a line whose other references to removed lines are redirected to kept lines. */
function withReferences(value, references, gone, staying) {
  const lost = references.filter((field) => gone.has(value[field]));
  return lost.length === 0 ? value : { ...value, ...Object.fromEntries(lost.map((field) => [field, staying(value[field]) ?? null])) };
}

module.exports = { relinked, wayTo };
