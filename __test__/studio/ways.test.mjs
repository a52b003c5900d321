// The few of all that was tried that a person chooses from.

import { describe, expect, test } from "vitest";
import { recommendedOf, waysOf } from "../../ui/src/ways.ts";

const trial = (id, tokens, lost, more) => ({ id, tokens, lost, superseded: 0, exact: true, changes: 1, ...more });
const shown = (ways) => ways.map(({ name, row, same }) => [name, row.id, same.length]);

describe("waysOf", () => {
  test("merges what comes to the same, and names the plainest", () => {
    const trials = [
      trial("per_user", 40, 5),
      trial("adaptive", 90, 0),
      trial("smart:balanced", 40, 5),
      trial("lossless", 90, 0),
      trial("pipeline", 10, 30),
    ];
    expect(shown(waysOf(trials))).toEqual([
      ["safest", "lossless", 2],
      ["balanced", "smart:balanced", 2],
      ["smallest", "pipeline", 1],
    ]);
  });

  test("leaves out what another one beats, what failed, changed nothing, or asks a model", () => {
    const trials = [
      trial("safe", 90, 0),
      trial("worse", 95, 0),
      trial("replaces", 90, 0, { superseded: 9 }),
      trial("failed", 1, 0, { error: { code: "x", message: "x" } }),
      trial("estimate", 1, 0, { exact: false }),
      trial("idle", 100, 0, { changes: 0 }),
    ];
    expect(shown(waysOf(trials))).toEqual([["safest", "safe", 1]]);
    expect(waysOf([])).toEqual([]);
  });

  test("of many between the ends takes the one nearest to both", () => {
    const trials = [trial("a", 100, 0), trial("b", 90, 1), trial("c", 40, 10), trial("d", 20, 80), trial("e", 10, 100)];
    expect(waysOf(trials).map(({ row }) => row.id)).toEqual(["a", "c", "e"]);
  });

  test("recommends the safest that fits", () => {
    const ways = waysOf([trial("a", 100, 0), trial("b", 40, 10), trial("c", 10, 100)]);
    expect(recommendedOf(ways, undefined).row.id).toBe("a");
    expect(recommendedOf(ways, 100).row.id).toBe("a");
    expect(recommendedOf(ways, 99).row.id).toBe("b");
    expect(recommendedOf(ways, 5).row.id).toBe("c");
    expect(recommendedOf([], 5)).toBeUndefined();
  });
});
