// Of all that was tried the few worth choosing from: those that nothing else beats.

import type { Trial } from "./types.js";

/** A choice: what comes of it, and all that come to the same. */
export interface Way<Row extends Trial = Trial> {
  name: "safest" | "balanced" | "smallest";
  row: Row;
  /** The names of what was tried and left as many tokens, with as much lost and replaced; the plainest first. */
  same: string[];
}

/** Who is named first among those that come to the same. */
const PLAIN = ["lossless", "truncation", "smart:conservative", "smart:balanced", "smart:aggressive"];
const rankOf = ({ id }: Trial) => (PLAIN.includes(id) ? PLAIN.indexOf(id) : PLAIN.length);

const outcomeOf = ({ tokens, lost, superseded }: Trial) => `${tokens} ${lost} ${superseded}`;

/** Whether one leaves no more and loses no more than another, and does better in something. */
const beats = (one: Trial, other: Trial) =>
  one.tokens <= other.tokens &&
  one.lost <= other.lost &&
  (one.tokens < other.tokens || one.lost < other.lost || one.superseded < other.superseded);

/**
 * The one that loses least, the one that leaves least, and between them the one that is nearest to both. What failed, changed nothing or would have to ask
 * a model is none of them.
 */
export function waysOf<Row extends Trial>(trials: readonly Row[]): Way<Row>[] {
  const outcomes = new Map<string, Row[]>();
  for (const row of trials) {
    if (row.error || !row.exact || row.changes === 0) continue;
    const same = outcomes.get(outcomeOf(row));
    if (same) same.push(row);
    else outcomes.set(outcomeOf(row), [row]);
  }
  const all = [...outcomes.values()].map((rows) => {
    const [first, ...others] = rows.sort((one, other) => rankOf(one) - rankOf(other));
    return { row: first!, same: [first!, ...others].map(({ id }) => id) };
  });
  const front = all
    .filter(({ row }) => !all.some((other) => beats(other.row, row)))
    .sort((one, other) => one.row.lost - other.row.lost || one.row.tokens - other.row.tokens);
  const safest = front[0];
  const smallest = front[front.length - 1];
  if (!safest || !smallest) return [];
  if (safest === smallest) return [{ ...safest, name: "safest" }];
  const share = (value: number, from: number, to: number) => (to === from ? 0 : (value - from) / (to - from));
  const distance = ({ row }: { row: Row }) =>
    Math.hypot(share(row.lost, safest.row.lost, smallest.row.lost), share(row.tokens, smallest.row.tokens, safest.row.tokens));
  const [balanced] = front.slice(1, -1).sort((one, other) => distance(one) - distance(other));
  return [
    { ...safest, name: "safest" },
    ...(balanced ? [{ ...balanced, name: "balanced" as const }] : []),
    { ...smallest, name: "smallest" },
  ];
}

/** The safest after which the next answer fits; where none does, the smallest. `limit`: tokens up to which it fits, where the window is known. */
export const recommendedOf = <Row extends Trial>(ways: readonly Way<Row>[], limit: number | undefined): Way<Row> | undefined =>
  limit === undefined ? ways[0] : (ways.find(({ row }) => row.tokens <= limit) ?? ways[ways.length - 1]);
